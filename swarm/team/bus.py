"""One channel's file and those this process speaks for, held together when the file changes."""

import sqlite3

from swarm.errors import Conflict, SwarmError, Temporary
from swarm.team import members, queries
from swarm.team.database import Database
from swarm.team.members import Member
from swarm.team.place import Claim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Result = TypeVar("Result")

REPLACED_AT_MOST = 5


class Bus:
    """The database of a channel, followed to whatever file has its name.

    ``notes``: what was mended on the way, in words; the caller takes them out and tells.
    """

    def __init__(self, database: Database) -> None:
        self.place = database.place
        self.notes: list[str] = []
        self._database = database
        self._members: dict[str, Member] = {}
        self._looked = members.now_ms()
        self._version = (-1, -1)

    def _member(self, session: str) -> Member:
        """The member of that id; Conflict if this process does not speak for it."""
        member = self._members.get(session)
        if member is None:
            raise Conflict(
                f"{session} has not joined {self.place.channel} in this process",
                "join first: one process at a time reads for a session",
                code="not-joined",
            )
        return member

    def speaks_for(self, session: str) -> bool:
        """Whether this process has the session's claim, as far as it knows."""
        return session in self._members

    def _follow(self) -> None:
        """Go over to the file that has the name now, with every member (one stat if it is ours).

        A member whose session another process claims there is not ours any more.
        """
        if self._database.in_place():
            return
        self._database.reopen(anew=bool(self._members))
        self.notes.append(f"{self.place.database} was replaced: joined the new one")
        for session, member in list(self._members.items()):
            member.forget_file(self._looked)
            self._claim_again(session, member)
        self._database.write(self._enter_all)

    def _claim_again(self, session: str, member: Member) -> None:
        """Speak for a session by the lock that has the name now; no longer if it is another's."""
        member.claim.release()
        try:
            member.claim = Claim(self.place, session)
        except SwarmError as error:
            del self._members[session]
            self.notes.append(error.message)

    def _enter_all(self, db: sqlite3.Connection) -> None:
        for member in self._members.values():
            member.read = members.enter(db, self.place.channel, member)

    def _write(
        self, work: "Callable[[sqlite3.Connection], Result]", alone: bool = False
    ) -> "Result":
        """Run a transaction, or a statement ``alone``, in the file that has the name afterwards.

        One that went into a file deleted meanwhile is run again in its successor: what is
        reported as stored can be found.
        """
        for _ in range(REPLACED_AT_MOST):
            write = self._database.write_one if alone else self._database.write
            try:
                result = write(work)
            except SwarmError:
                if self._database.in_place():
                    raise
            else:
                if self._database.in_place():
                    return result
            self._follow()
        raise Temporary(f"{self.place.database} is replaced again and again", "find out by whom")

    def _ensure(self, db: sqlite3.Connection, session: str) -> bool:
        """Enter a member again whose row somebody removed; whether that was so."""
        member = self._members.get(session)
        if member is None or db.execute(queries.AGENT_EXISTS, (session,)).fetchone():
            return False
        member.read = members.enter(db, self.place.channel, member)
        self.notes.append(f"{session} had been removed from the roster: entered again")
        return True

    def close(self) -> None:
        """Give back all claims and close the file; nobody leaves by that."""
        for member in self._members.values():
            member.claim.release()
        self._members.clear()
        self._database.close()
