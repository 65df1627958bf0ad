"""A channel of the team bus, for any number of agents of this process."""

import os
import sqlite3
import time

from swarm import names
from swarm.errors import Conflict, from_os
from swarm.lock import Lock
from swarm.team import members, posting, queries, rows
from swarm.team.database import Database, make
from swarm.team.members import PATIENCE, Member
from swarm.team.place import Claim, Place, wipe
from swarm.team.reading import Reading
from swarm.team.rows import AgentRow
from swarm.team.writing import Writing, checked_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self


class Channel(Reading, Writing):
    """One open channel.  Ids of messages and tasks are decimal text, as in an Event.

    Any method may raise Temporary (locked longer than ``patience``, disk full) or Unreadable
    (permissions, a damaged file); nothing of that call is stored then, and it can be repeated.
    """

    @classmethod
    def open(
        cls,
        team_home: str,
        name: str,
        *,
        anew: bool = False,
        patience: float = PATIENCE,
        sync: bool = True,
    ) -> "Self":
        """Open a channel; Unknown if there is none, unless it may be made ``anew``.

        ``patience``: seconds to wait for a lock.  ``sync``: whether detail files are synced.
        """
        place = Place(team_home, name, sync)
        if anew:
            place.make()
            make(place)
        return cls(Database(place, patience))

    @classmethod
    def create(
        cls,
        team_home: str,
        name: str,
        *,
        force: bool = False,
        patience: float = PATIENCE,
        sync: bool = True,
    ) -> "Channel":
        """Make a channel that is empty; one of that name is removed with all its files (S).

        Conflict, and nothing changed, while agents are at work in it, unless ``force``.  A
        database that cannot be read is Unreadable, and stays, unless ``force``.
        """
        place = Place(team_home, name, sync)
        place.make()
        try:
            with Lock(os.path.dirname(place.folder)):
                if place.exists():
                    _clear(place, force, patience)
                place.make()
                make(place)
        except OSError as error:
            raise from_os(error, "make", place.folder) from None
        return cls(Database(place, patience))

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def join(
        self,
        session: str,
        name: str = "",
        description: str = "",
        *,
        provider: str = "",
        model: str = "",
        cwd: str = "",
        status: str = "available",
        skip: bool = False,
    ) -> str:
        """Enter an agent, and speak for it until ``leave`` or ``close``; return its cursor.

        A first join begins after the newest message (S), and so does ``skip``; a known session
        where it was.  The broadcast that S wants is the caller's.  Conflict if another process
        speaks for it.
        """
        row = AgentRow(
            names.check_id(session), name or session, description, provider, model, cwd,
            checked_status(status),
        )  # fmt: skip
        self._follow()
        member = self._members.get(session)
        if member is None:
            member = Member(row, Claim(self.place, session))
        member.row = row
        try:
            member.read = self._write(
                lambda db: members.enter(db, self.place.channel, member, skip)
            )
        except BaseException:
            if session not in self._members:
                member.claim.release()
            raise
        self._members[session] = member
        return str(self._cursor(member, 0))

    def leave(self, session: str) -> None:
        """Set an agent inactive, and speak for it no longer.  Its row and files stay (S)."""
        self.set_status(session, "inactive")
        self.release(session)

    def release(self, session: str) -> None:
        """Speak for an agent no longer, so that another process can; nobody leaves by that."""
        member = self._members.pop(session, None)
        if member is not None:
            member.claim.release()

    def prune(self, name: str = "", keep: str = "") -> list[str]:
        """Remove inactive agents, all or those of that agent name, but for the id ``keep``.

        Returns their ids.  Their messages and detail files stay.
        """
        self._follow()
        return members.prune(self._database, name, keep)

    def roster(self) -> list[AgentRow]:
        """All agents, inactive ones too, in the order in which they came."""
        self._follow()
        return [rows.agent(row) for row in self._database.rows(queries.AGENTS)]

    def row(self, session: str) -> AgentRow | None:
        """One agent as it stands in the roster."""
        self._follow()
        found = self._database.rows(queries.AGENT, session)
        return rows.agent(found[0]) if found else None

    def resolve(self, given: str) -> str:
        """The session id meant: an id, or a name that exactly one agent not inactive has.

        Conflict where several have it, Unknown where none has.
        """
        roster = self.roster()
        if any(row.session == given for row in roster):
            return given
        found = [r.session for r in roster if r.name == given and r.status != "inactive"]
        if len(found) > 1:
            raise Conflict(
                f"{len(found)} agents are named {names.shown(given)}: {', '.join(found[:10])}",
                "name one by its id",
                code="ambiguous",
            )
        if not found:
            known = [name for row in roster for name in (row.session, row.name)]
            raise posting.unknown_agent(given, known)
        return found[0]

    def beat(self, sessions: "Iterable[str]") -> list[str]:
        """Write the heartbeats that are due, each 5 seconds after the last; whose they were.

        An agent whose row is gone is entered again.
        """
        now = time.monotonic()
        due = [one for one in sessions if now - self._member(one).beaten >= members.BEAT_EVERY]
        for session in due:
            self._look_after(session, now)
        done = self._write(lambda db: self._beat(db, due)) if due else []
        for session in done:
            self._members[session].beaten = now
        return done

    def _look_after(self, session: str, now: float) -> None:
        """Make sure now and then that the session's lock still locks others out."""
        member = self._members[session]
        if now - member.looked >= members.LOOK_EVERY:
            member.looked = now
            if not member.claim.holds():
                self._claim_again(session, member)

    def _beat(self, db: sqlite3.Connection, due: list[str]) -> list[str]:
        here = [session for session in due if session in self._members]
        values = [(members.now_ms(), session) for session in here]
        if db.executemany(queries.BEAT, values).rowcount < len(here):
            for session in here:
                self._ensure(db, session)
        return here


def _clear(place: Place, force: bool, patience: float) -> None:
    """Remove a channel that nobody works in, or any with ``force``."""
    if not force:
        database = Database(place, patience)
        try:
            members.check_nobody_lives(database)
        finally:
            database.close()
    wipe(place)
