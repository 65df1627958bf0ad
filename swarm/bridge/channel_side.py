"""What the channel shows: who is there, which rows are new, what they refer to."""

from collections.abc import Iterable

from swarm import names
from swarm.bridge import words
from swarm.bridge.actions import Session
from swarm.bridge.plan import Letter, Lookup
from swarm.bridge.who import Who
from swarm.events import Event
from swarm.team.mirror import MAIL, MAIL_LEFT, PAGE, Mirror
from swarm.team.place import is_ours
from swarm.team.rows import AgentRow

KEPT = 20_000


class ChannelSide:
    """One channel, seen by the bridge of one pair."""

    def __init__(self, mirror: Mirror, token: str) -> None:
        self.mirror = mirror
        self._token = token
        self._threads: dict[int, str] = {}
        self._names: dict[int, str] = {}
        self._swarm: dict[str, bool] = {}

    def sessions(self) -> dict[str, Session]:
        """All rows of the roster."""
        return {row.session: self._session(row) for row in self.mirror.roster()}

    def _session(self, row: AgentRow) -> Session:
        ours = row.provider in (MAIL, MAIL_LEFT) and row.model == self._token
        if row.session not in self._swarm:
            self._swarm[row.session] = is_ours(self.mirror.place, row.session)
        return Session(
            session=row.session,
            name=row.name,
            description=row.description,
            status=row.status,
            seen=row.seen,
            ours=row.cwd.rpartition("/")[2] if ours else "",
            left=row.provider == MAIL_LEFT,
            swarm=self._swarm[row.session],
        )

    def page(self, after: int) -> list[Event]:
        """The next rows."""
        return self.mirror.every(after, PAGE)

    def lookup(self, page: Iterable[Event], at_work: tuple[str, ...]) -> Lookup:
        """What the rows of a page refer to."""
        tasks = {int(n) for e in page for n in (e.task, e.retry_of) if n.isdigit()}
        refs = {int(event.ref) for event in page if event.ref.isdigit()}
        return Lookup(
            threads={number: self.thread(number) for number in tasks},
            names={number: self._name(number) for number in refs},
            at_work=at_work,
        )

    def thread(self, number: int) -> str:
        """The mail thread of a task."""
        self._recall(number)
        return self._threads[number] or names.task_thread(self.mirror.place.channel, number)

    def _name(self, number: int) -> str:
        """The file of a row, wherever it lies in the tree; "" if there is no such row."""
        self._recall(number)
        return self._names[number]

    def _recall(self, number: int) -> None:
        if number in self._names:
            return
        if len(self._names) >= KEPT:
            self._names.clear()
            self._threads.clear()
        event = self.mirror.message(number)
        self._threads[number] = event.thread if event else ""
        self._names[number] = self.file_name(event) if event else ""

    def file_name(self, event: Event) -> str:
        """The name of a row's file, which it has in every mailbox."""
        cause = words.cause(self._token, event.origin)
        number = int(cause) if cause.isdigit() else int(event.id)
        return words.split_key(cause)[1] or words.file_name(self._token, number, event.content)

    def openers(self, letters: Iterable[Letter], who: Who) -> dict[tuple[str, str], str]:
        """Who opened the threads of these letters, as their owners have seen it."""
        found = {}
        for letter in letters:
            session = who.session(letter.owner)
            if letter.thread and session and (letter.owner, letter.thread) not in found:
                opener = who.id(self.mirror.opener(letter.thread, session))
                if opener:
                    found[letter.owner, letter.thread] = opener
        return found

    def behind(self, session: str, cursor: int, limit: int) -> list[Event]:
        """Rows that a session has not read, some of them, oldest first."""
        return self.mirror.unread_of(session, cursor, limit)

    def cursors(self) -> dict[str, int]:
        """Up to which row each session has read."""
        return self.mirror.cursors()
