"""Reading a channel: what is new for a member, what was said, and when to look again."""

import time

from swarm import names
from swarm.events import Event
from swarm.team import members, queries, rows
from swarm.team.bus import Bus
from swarm.team.members import Member

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

PAGE = 200
GLANCE = 0.005  # seconds between two looks while waiting


class Reading(Bus):
    """The half of a Channel that only reads, but for a cursor that has to be mended."""

    def receive(self, session: str, limit: int = PAGE) -> list[Event]:
        """The next messages for a member that are not committed yet, in order, at most ``limit``.

        Those after its cursor that others sent to it or to all (S).  What is no event has a
        ``problem``.  Where nothing is new this is one stat and one search by primary key.
        """
        moment = members.now_ms()
        self._member(session)
        self._follow()
        member = self._member(session)
        top = self._database.one(queries.NEWEST) or 0
        found: list[Event] = []
        if top != member.empty_to:
            after = max(self._cursor(member, top), member.empty_to)
            found = self._page(queries.UNREAD, after=after, top=top, me=session, limit=limit)
            if found:
                member.handed = int(found[-1].id)
            else:
                member.empty_to = top
        self._looked = moment
        return found

    def _cursor(self, member: Member, top: int) -> int:
        """A member's cursor, mended where it is missing or cannot be."""
        me, channel = member.row.session, self.place.channel
        found = self._database.one(queries.CURSOR, me, channel)
        if isinstance(found, int):
            if found <= top or found <= (self._database.one(queries.LAST_GIVEN_ID) or 0):
                member.read = found
                return found

        def work(db: "sqlite3.Connection") -> int:
            self._ensure(db, me)
            return members.mend_cursor(db, channel, member, found)

        member.read = self._write(work)
        said = "missing" if found is None else names.shown(str(found))
        self.notes.append(f"the cursor of {me} was {said}: set to {member.read}")
        return member.read

    def history(self, limit: int = 20, before: str = "") -> list[Event]:
        """The last ``limit`` messages, or the last before that id; oldest first."""
        self._follow()
        end = rows.number(before) or rows.ID_LIMIT - 1
        return self._page(queries.HISTORY, before=end, limit=limit)[::-1]

    def task(self, task: str, after: str = "", limit: int = PAGE) -> list[Event]:
        """The messages of one task after an id, in order, at most ``limit``."""
        self._follow()
        number, start = rows.number(task), rows.number(after)
        return self._page(queries.TASK, task=number, after=start, limit=limit)

    def tasks_of(self, session: str, after: str = "", limit: int = PAGE) -> list[Event]:
        """Messages of all tasks that the session sent or could receive, after an id, in order."""
        self._follow()
        start = rows.number(after)
        return self._page(queries.TASKS_OF, me=session, after=start, limit=limit)

    def sent(self, session: str, after: str = "", limit: int = PAGE) -> list[Event]:
        """What the session sent after an id, in order; where nothing is new, one search by key."""
        self._follow()
        return self._page(queries.SENT, me=session, after=rows.number(after), limit=limit)

    def newest(self) -> str:
        """The id of the last message in the file, "0" if there is none."""
        self._follow()
        return str(self._database.one(queries.NEWEST) or 0)

    def status(self, session: str) -> str:
        """The status in a session's row, as ``roster`` tells it; "" if it has no row."""
        self._follow()
        found = self._database.rows(queries.AGENT_STATUS, session)
        return rows.status(found[0][0]) if found else ""

    def cursor(self, session: str) -> str:
        """Up to which message a member has committed, as last read or moved here."""
        return str(max(0, self._member(session).read))

    def newest_before(self, moment: float) -> str:
        """The id of the last message sent before that time (epoch seconds), "0" if none."""
        self._follow()
        channel, moment_ms = self.place.channel, int(moment * 1000)
        found = self._database.one(queries.NEWEST_BEFORE, channel, moment_ms)
        return str(found or 0)

    def parties(self, after: str) -> tuple[str, frozenset[tuple[str, str]]]:
        """Who spoke to whom after an id: the newest id, and (sender, recipient); "" is everybody.

        For a process that guards many: one query tells which of them have to look.
        """
        self._follow()
        top = self._database.one(queries.NEWEST) or 0
        start = rows.number(after)
        found = self._database.rows(queries.PARTIES, start, top, self.place.channel)
        return str(top), frozenset((rows.text(sender), rows.text(to)) for sender, to in found)

    def _page(self, page: queries.Page, **values: object) -> list[Event]:
        found = self._database.page(page, channel=self.place.channel, **values)
        return list(map(rows.event, found))

    def changed(self) -> bool:
        """Whether anything may have been written since the last call; True at the first."""
        if not self._database.in_place():
            return True
        found = self._database.version()
        before, self._version = self._version, found
        return found != before

    def wait(self, seconds: float) -> bool:
        """Wait until something may have changed; False if it did not in that time."""
        end = time.monotonic() + seconds
        while not self.changed():
            left = end - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(GLANCE, left))
        return True

    def check(self) -> list[str]:
        """What SQLite finds wrong in the file, in words; [] if nothing.  Reads all of it."""
        self._follow()
        found = [rows.text(row[0]) for row in self._database.rows(queries.INTEGRITY)]
        return [] if found == ["ok"] else found
