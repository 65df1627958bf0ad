"""Who is in a channel: joining, signs of life, the place up to which each has read."""

import time

from swarm.errors import Conflict
from swarm.events import whole
from swarm.team import queries, rows
from swarm.team.place import Claim, is_claimed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from swarm.team.database import Database

# A heartbeat is written at most this often, in seconds, and counts as fresh for the other.
BEAT_EVERY = 5.0
# Seconds between two looks whether a session's lock is still there.
LOOK_EVERY = 20.0
FRESH = 60.0
# How long a writer may wait for its lock, in seconds: so old may a new row's time be.
PATIENCE = 5.0
NEVER = float("-inf")


class Member:
    """A session that this process speaks for: its row, its claim, and how far it has read.

    ``read``: the last known cursor, -1 if none.  ``empty_to``: up to there nothing is left to
    receive.  ``handed``: the last message given out of this file.
    ``since_ms``: where another file has taken the database's name, when the old one was last
    looked at: what the new one holds from then on is new.
    """

    __slots__ = ("beaten", "claim", "empty_to", "handed", "looked", "read", "row", "since_ms")

    def __init__(self, row: rows.AgentRow, claim: Claim) -> None:
        self.row = row
        self.claim = claim
        self.looked = NEVER
        self.forget_file(0)

    def forget_file(self, since_ms: int) -> None:
        """Nothing known of the old file holds in the new one."""
        self.since_ms = since_ms
        self.read = -1
        self.empty_to = -1
        self.handed = -1
        self.beaten = NEVER


def now_ms() -> int:
    """The time as S stores it."""
    return int(time.time() * 1000)


def enter(db: "sqlite3.Connection", channel: str, member: Member, skip: bool = False) -> int:
    """Write the agent's row; a cursor that it has is kept.  Return it, -1 if it is no number.

    ``skip`` sets it to the end instead.
    """
    row = member.row
    start = newest(db, channel) if skip else None
    if start is None and db.execute(queries.CURSOR, (row.session, channel)).fetchone() is None:
        start = _start(db, channel, member)
    optional = [whole(text) or None for text in (row.description, row.provider, row.model, row.cwd)]
    name = whole(row.name) or row.session
    db.execute(queries.ENTER, (row.session, name, *optional, row.status, now_ms()))
    if start is not None:
        db.execute(queries.MEND_CURSOR, (row.session, channel, start))
    found = db.execute(queries.CURSOR, (row.session, channel)).fetchone()[0]
    return found if isinstance(found, int) else -1


def _start(db: "sqlite3.Connection", channel: str, member: Member) -> int:
    """Where a session without a cursor begins.

    A newcomer at the end (S: MAX).  One whose cursor was lost where this process knows it was,
    else after the last message it answered: neither months of mail again nor any lost.
    """
    top = newest(db, channel)
    if member.read >= 0:
        return min(member.read, top)
    if member.since_ms:
        return newest_before(db, channel, member.since_ms - int(PATIENCE * 1000))
    me = member.row.session
    if db.execute(queries.AGENT_EXISTS, (me,)).fetchone() is not None:
        answered = db.execute(queries.LAST_ANSWERED, (me, channel)).fetchone()[0]
        return min(answered, top) if isinstance(answered, int) else top
    return top


def mend_cursor(db: "sqlite3.Connection", channel: str, member: Member, found: object) -> int:
    """A cursor that can be, for one that cannot: no number, or beyond any id ever given."""
    beyond = isinstance(found, int)
    value = newest(db, channel) if beyond else _start(db, channel, member)
    db.execute(queries.MEND_CURSOR, (member.row.session, channel, value))
    return value


def newest(db: "sqlite3.Connection", channel: str) -> int:
    """The highest message id of the channel, 0 if there is none."""
    found = db.execute(queries.NEWEST_HERE, (channel,)).fetchone()
    return int(found[0]) if found else 0


def newest_before(db: "sqlite3.Connection", channel: str, moment_ms: int) -> int:
    """The highest id of a message written before a time, 0 if there is none."""
    found = db.execute(queries.NEWEST_BEFORE, (channel, moment_ms)).fetchone()
    return int(found[0]) if found else 0


def prune(database: "Database", name: str, keep: str) -> list[str]:
    """Remove inactive agents and their cursors; their messages and files stay."""

    def work(db: "sqlite3.Connection") -> list[str]:
        found = db.execute(queries.INACTIVE, {"name": whole(name), "keep": whole(keep)}).fetchall()
        for (session,) in found:
            db.execute(queries.REMOVE_CURSORS, (session,))
            db.execute(queries.REMOVE_AGENT, (session,))
        return [rows.text(session) for (session,) in found]

    return database.without_foreign_keys(work)


def living(database: "Database") -> list[str]:
    """Sessions that show a sign of life: a claim held, or a heartbeat or message of the last
    minute in a row that is not inactive.

    Messages count because the known client writes its heartbeat only when it is pinged.
    """
    moment = now_ms() - int(FRESH * 1000)
    place = database.place
    before = database.rows(queries.NEWEST_BEFORE, place.channel, moment)
    wrote = database.rows(queries.SENDERS_AFTER, before[0][0] if before else 0)
    senders = {rows.text(sender) for (sender,) in wrote}
    return [
        row.session
        for row in map(rows.agent, database.rows(queries.AGENTS))
        if is_claimed(place, row.session)
        or (row.status != "inactive" and (row.seen * 1000 > moment or row.session in senders))
    ]


def check_nobody_lives(database: "Database") -> None:
    """Raise Conflict where a wipe would leave agents with a file that has no name."""
    alive = living(database)
    if alive:
        raise Conflict(
            f"agents are at work in {database.place.channel}: {', '.join(sorted(alive)[:10])}",
            "let them leave, or wipe it all the same with --force",
            code="agents-alive",
        )
