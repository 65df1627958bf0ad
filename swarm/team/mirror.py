"""A channel as a bridge sees it: every row, and rows for agents that live elsewhere.

The bridge's own knowledge lies in a table that the known client leaves alone.
"""

import sqlite3
from dataclasses import dataclass

from swarm import names
from swarm.errors import Conflict, Unknown
from swarm.events import Event, payload, whole
from swarm.team import members, posting, queries, rows
from swarm.team.channel import Channel
from swarm.team.rows import AgentRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

PAGE = 500
# Whose row it is, in its ``provider``: of an agent in the tree, or of one that left it.
MAIL = "mail"
MAIL_LEFT = "mail (left)"


@dataclass(slots=True)
class Pair:
    """One mail tree that is bridged to this channel.

    ``mirrored``: up to which row all is in the tree, -1 while the pair is being made.
    ``restored``: up to which row also the tree's own messages are to be brought back to it.
    """

    token: str
    root: str
    mirrored: int
    restored: int = 0


@dataclass(slots=True)
class Post:
    """A message to be stored with what it refers to found at that moment.

    ``event.thread``: its mail thread.  ``task``, ``ref``, ``first``: numbers, 0 unknown.
    ``number``: the number it is to have, 0 for the next; ``ref_name``: the file it answers.
    """

    event: Event
    ref: int = 0
    ref_name: str = ""
    first: str = ""
    number: int = 0


class Mirror(Channel):
    """One channel, open for a bridge.  Any method may raise what those of Channel do."""

    def prepare(self) -> None:
        """Make the index and the table that a bridge needs."""

        def work(db: sqlite3.Connection) -> None:
            for statement in queries.MIRROR:
                db.execute(statement)

        self._write(work)

    def _follow(self) -> None:
        """Never to another file: nobody could tell what was deleted from what is not there yet."""
        if not self._database.in_place():
            raise replaced(f"channel {self.place.channel} was removed or replaced", "channel")

    def check_place(self) -> None:
        """Conflict where the file that is open has no longer the channel's name (one stat)."""
        self._follow()

    def version(self) -> tuple[int, int]:
        """Differs from an earlier answer if anything was written since, by anybody."""
        self._follow()
        return self._database.version()

    # --- pairs -----------------------------------------------------------------------------

    def pairs(self) -> list[Pair]:
        """The trees that are bridged to this channel, or were."""
        if not self._database.one(queries.HAS_PAIRS):
            return []
        return [Pair(*row) for row in self._database.rows(queries.PAIRS)]

    def set_pair(self, pair: Pair) -> None:
        """Write what is known of a pair."""
        values = (pair.token, pair.root, pair.mirrored, pair.restored)
        self._write(lambda db: db.execute(queries.BEGIN_PAIR, values))

    def set_mirrored(self, token: str, number: int) -> None:
        """Note that all rows up to that one are in the tree."""
        self._write(lambda db: db.execute(queries.MIRRORED, (number, token)))

    def waiting(self, pair: Pair) -> int:
        """How many rows have not been looked at for a tree."""
        found = self._database.one(queries.WAITING, self.place.channel, max(0, pair.mirrored))
        return int(found or 0)

    # --- reading ---------------------------------------------------------------------------

    def every(self, after: int, limit: int = PAGE) -> list[Event]:
        """All messages after a row, whoever they are for, in order."""
        found = self._page(queries.EVERY, after=after, limit=limit)
        for event in found:
            if event.problem:
                event.body = self._raw(event)
        return found

    def _raw(self, event: Event) -> bytes:
        """What stands in a row that is no event, at most 1 MiB."""
        value = self._database.one(queries.RAW, int(event.id))
        return value if isinstance(value, bytes) else rows.text(value).encode("utf-8", "replace")

    def message(self, number: int) -> Event | None:
        """One message by its number."""
        found = self._database.rows(queries.ONE, number) if number > 0 else []
        return rows.event(found[0]) if found else None

    def requests(self, after: int) -> list[Event]:
        """All requests to somebody after a row, a page of them."""
        return self._page(queries.OPEN_REQUESTS, after=after, limit=PAGE)

    def unread_of(self, session: str, after: int, limit: int = PAGE) -> list[Event]:
        """What a session has not read, whoever speaks for it: the first of it."""
        top = rows.ID_LIMIT - 1
        return self._page(queries.UNREAD, after=after, top=top, me=session, limit=limit)

    def opener(self, thread: str, session: str) -> str:
        """Who sent the first message of a mail thread that concerns a session, "" if none did."""
        request = self._named(thread)
        if request is not None:
            return request.sender
        found = self._database.rows(queries.FIRST_OF, thread=whole(thread), who=whole(session))
        return rows.text(found[0][1]) if found else ""

    def origins(self, prefix: str) -> "Iterable[tuple[int, str]]":
        """Number and origin of all rows whose origin begins so, in the order of the numbers."""
        return sorted(self._database.rows(queries.ORIGINS, prefix, prefix + "\U0010ffff"))

    def cursors(self) -> dict[str, int]:
        """Up to which row each session has read."""
        found = self._database.rows(queries.CURSORS, self.place.channel)
        return {rows.text(one): number for one, number in found if isinstance(number, int)}

    # --- writing ---------------------------------------------------------------------------

    def post(self, posts: "Iterable[Callable[[Mapping[int, int]], Post]]") -> list[Event]:
        """Store messages in one transaction, in their order, each once for its origin.

        Each post is asked for with what was stored before it in this call.  One that cannot be
        stored comes back with its ``problem``.
        """

        def work(db: sqlite3.Connection) -> list[Event]:
            done: dict[int, int] = {}
            found = []
            for place, post in enumerate(posts):
                stored = self._store(db, post(done))
                if stored.id:
                    done[place] = int(stored.id)
                found.append(stored)
            return found

        return self._write(work)

    def _store(self, db: sqlite3.Connection, post: Post) -> Event:
        try:
            return self._insert(db, post)
        except Unknown as error:
            return post.event.replace(problem=error.message, id="")

    def _insert(self, db: sqlite3.Connection, post: Post) -> Event:
        found = posting.by_origin(db, post.event.origin)
        if found is not None:
            return found
        event = post.event
        request = None if event.kind == "task_req" else self._task(event)
        if post.first:
            event = event.replace(retry_of=self._first(post.first))
        ref = post.ref or self._answered(request, post.ref_name)
        number = post.number if post.number and not self._taken(db, post.number) else None
        stored = self._put(db, event, int(request.id) if request else None, ref or None, number)
        if event.kind == "task_req":
            db.execute(queries.NUMBER_TASK, (int(stored.id),))
        return stored

    def _put(
        self,
        db: sqlite3.Connection,
        event: Event,
        task: int | None,
        ref: int | None,
        number: int | None,
    ) -> Event:
        sender, to = whole(event.sender), whole(event.to) or None
        at = int(event.at * 1000) if 0 < event.at < posting.LATEST else members.now_ms()
        values = (sender, to, self.place.channel, task, ref, payload(event), at)
        try:
            cursor = db.execute(queries.INSERT_AS, (*values, number))
        except sqlite3.IntegrityError:
            raise posting.unknown_agent(sender, [], "it has no row") from None
        if not cursor.rowcount:
            raise posting.unknown_agent(event.to, [], "it has no row")
        return event.replace(id=str(cursor.lastrowid), task=str(task or ""))

    def _taken(self, db: sqlite3.Connection, number: int) -> bool:
        return db.execute(queries.MESSAGE_EXISTS, (number,)).fetchone() is not None

    def _task(self, event: Event) -> Event | None:
        """The request of a message's thread: that of the same two, else the last one."""
        if not event.thread:
            return None
        requests = self.requests_of(event.thread)
        pair = {event.sender, event.to}
        fitting = [one for one in requests if {one.sender, one.to or event.to} == pair]
        found = fitting or requests
        return found[-1] if found else None

    def requests_of(self, thread: str) -> list[Event]:
        """The requests that were made in a mail thread, in order."""
        found = self._page(queries.REQUESTS_OF, thread=whole(thread))
        request = None if found else self._named(thread)
        return [request] if request and request.kind == "task_req" else found

    def _named(self, thread: str) -> Event | None:
        """The message whose number is in the key of a task's thread."""
        return self.message(names.task_number(self.place.channel, thread))

    def _first(self, thread: str) -> str:
        requests = self.requests_of(thread)
        return requests[0].id if requests else ""

    def _answered(self, request: Event | None, name: str) -> int:
        """The request, if that is the file answered."""
        fits = request is not None and name and request.origin.endswith(f"/{name}")
        return int(request.id) if request and fits else 0

    def keep_numbers(self, top: int) -> None:
        """Give no number up to that one to a new message."""

        def work(db: sqlite3.Connection) -> None:
            db.execute(queries.NEVER_GIVE_UP_TO, {"top": top})
            db.execute(queries.RAISE_SEQUENCE, (top,))

        self._write(work)

    # --- residents of the tree ---------------------------------------------------------------

    def enter(self, row: AgentRow, joined: bool, read: int = -1) -> None:
        """Write the row of an agent of the tree; ``joined``: and say so to everybody.

        ``read``: up to which row a first one has read; -1 for all but what is for it alone.
        """
        seen = int(row.seen * 1000) or None
        values = (
            row.session, whole(row.name), whole(row.description), row.provider, row.model,
            whole(row.cwd), row.status, seen,
        )  # fmt: skip

        def work(db: sqlite3.Connection) -> None:
            db.execute(queries.ENTER_AS, values)
            channel = self.place.channel
            if not db.execute(queries.CURSOR, (row.session, channel)).fetchone():
                after = read if read >= 0 else _begins(db, channel, row.session)
                db.execute(queries.MEND_CURSOR, (row.session, channel, after))
            if joined:
                self._say(db, row, "agent_join", "has joined the channel")

        self._write(work)

    def part(self, row: AgentRow) -> None:
        """An agent has left the tree: say so, its row stays."""

        def work(db: sqlite3.Connection) -> None:
            self._say(db, row, "agent_leave", "has left the channel")
            db.execute(queries.SET_STATUS, ("inactive", row.session))
            db.execute(queries.SET_PROVIDER, (MAIL_LEFT, row.session))

        self._write(work)

    def _say(self, db: sqlite3.Connection, row: AgentRow, intent: str, words: str) -> None:
        event = Event(kind="broadcast", sender=row.session, intent=intent)
        posting.post(db, self.place.channel, event.replace(content=f"{row.name} {words}"))

    def beat_for(self, seen: "Mapping[str, float]") -> None:
        """Write signs of life of agents of the tree."""

        def work(db: sqlite3.Connection) -> None:
            for session, at in seen.items():
                db.execute(queries.BEAT, (int(at * 1000), session))

        self._write(work)

    def set_cursors(self, read: "Mapping[str, int]") -> None:
        """Up to which rows agents of the tree have read."""
        values = [(session, self.place.channel, number) for session, number in read.items()]
        self._write(lambda db: db.executemany(queries.MEND_CURSOR, values))


def replaced(what: str, side: str) -> Conflict:
    """The error where one of the two sides is not the one that was bridged."""
    return Conflict(
        f"{what}: its messages may be elsewhere",
        f"bring the old {side} back, or copy the conversation into this one: swarm bridge --rebuild"
        f" with the same --channel",
        code="replaced",
    )


def _begins(db: sqlite3.Connection, channel: str, session: str) -> int:
    """Before the first message for that session alone, else after all."""
    found = db.execute(queries.FIRST_TO, (channel, session)).fetchone()[0]
    return int(found) - 1 if found else members.newest(db, channel)
