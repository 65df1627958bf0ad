"""Writing to a channel: messages, and all effects of one message as one step."""

import sqlite3
from dataclasses import dataclass, field

from swarm import names
from swarm.errors import Unknown, UsageError
from swarm.events import Event, whole
from swarm.team import members, posting, queries, rows
from swarm.team.bus import Bus

AFTER_ALL = rows.ID_LIMIT - 1


@dataclass(slots=True, kw_only=True)
class Effects:
    """What is to happen for one agent at once.

    ``sends``: messages, sent as from that agent.  ``status``: its own new status, "" to keep
    it.  ``inactive``: agents to be marked so, unless they are.  ``available``: agents to be
    taken back, if they are inactive and have not said goodbye since the message.
    """

    sends: list[Event] = field(default_factory=list)
    status: str = ""
    inactive: list[str] = field(default_factory=list)
    available: list[str] = field(default_factory=list)


class Writing(Bus):
    """The half of a Channel that writes messages."""

    def send(self, event: Event) -> Event:
        """Store one message of ``event.sender``; return it with its id, task and time.

        Unknown, and nothing stored, where sender, recipient, task or ref does not exist.  An
        ``origin`` that is there already is found: the answer is the first message with it,
        whoever sent that; so of many that send one origin, one sees itself as the sender.
        """

        channel = self.place.channel
        alone = not event.origin and event.kind != "task_req"
        try:
            return self._write(lambda db: posting.post(db, channel, event), alone)
        except Unknown:
            if event.sender not in self._members:
                raise

        def work(db: sqlite3.Connection) -> Event:
            self._ensure(db, event.sender)
            return posting.post(db, channel, event)

        return self._write(work)

    def commit(self, session: str, message: str, effects: Effects) -> list[Event]:
        """All effects of a message that ``receive`` gave, and the cursor over it, in one step.

        Returns what was sent.  What cannot be stored comes back with a ``problem``, and the
        rest is done.  Where the cursor has passed the message, or its file was replaced,
        nothing is written, and what has an origin and is there is returned.
        """
        number = rows.number(message)

        def work(db: sqlite3.Connection) -> tuple[bool, list[Event]]:
            self._ensure(db, session)
            if number > self._member(session).handed or not self._advance(db, session, number):
                found = [posting.by_origin(db, event.origin) for event in effects.sends]
                return False, [event for event in found if event is not None]
            return True, self._carry_out(db, session, effects, number)

        self._member(session)
        advanced, result = self._write(work)
        if advanced:
            self._member(session).read = number
        return result

    def apply(self, session: str, effects: Effects) -> list[Event]:
        """The same for effects that no message caused: repeated, only an origin is found again.

        Unknown if the session has no row and has not joined here.
        """

        def work(db: sqlite3.Connection) -> list[Event]:
            self._ensure(db, session)
            return self._carry_out(db, session, effects, AFTER_ALL)

        return self._write(work)

    def set_status(self, session: str, status: str) -> None:
        """Write an agent's status (S's three words); Unknown if it has no row."""
        self.apply(session, Effects(status=checked_status(status)))

    def _advance(self, db: sqlite3.Connection, session: str, number: int) -> bool:
        """Move the cursor over the message; False if it has passed it."""
        channel = self.place.channel
        place = {"id": number, "me": session, "channel": channel}
        if db.execute(queries.ADVANCE, place).rowcount:
            return True
        row = db.execute(queries.CURSOR, (session, channel)).fetchone()
        if row is not None and isinstance(row[0], int):
            return False
        members.mend_cursor(db, channel, self._member(session), None)
        return bool(db.execute(queries.ADVANCE, place).rowcount)

    def _carry_out(
        self, db: sqlite3.Connection, session: str, effects: Effects, message: int
    ) -> list[Event]:
        own = [event.replace(sender=session) for event in effects.sends]
        posted = posting.post_what_can_be(db, self.place.channel, own)
        for other in effects.inactive:
            db.execute(queries.MARK_INACTIVE, (whole(other),))
        for other in effects.available:
            if not posting.left_since(self._database, whole(other), message):
                db.execute(queries.MARK_AVAILABLE, (whole(other),))
        if effects.status:
            self._set_status(db, session, checked_status(effects.status))
        return posted

    def _set_status(self, db: sqlite3.Connection, session: str, status: str) -> None:
        if not db.execute(queries.SET_STATUS, (status, whole(session))).rowcount:
            raise posting.unknown_agent(session, [], "join the channel first")
        member = self._members.get(session)
        if member is not None:
            member.row.status = status


def checked_status(status: str) -> str:
    """Return the status if it is one of S's three; UsageError if not."""
    if status not in rows.STATUSES:
        raise UsageError(
            f"{names.shown(status)} is no status",
            f"one of {', '.join(rows.STATUSES)}",
            code="bad-status",
        )
    return status
