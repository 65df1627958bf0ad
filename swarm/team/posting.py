"""Writing messages, inside a transaction: checked before they are stored, stored once."""

import sqlite3

from swarm import names
from swarm.errors import Unknown
from swarm.events import Event, payload, whole
from swarm.team import queries, rows
from swarm.team.members import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from swarm.team.database import Database, Row

LATEST = 1e12  # epoch seconds that a created_at can hold


def post(db: sqlite3.Connection, channel: str, event: Event) -> Event:
    """Store one event; return it as stored, with its id, task and time.

    An event whose ``origin`` is there already is found, not stored again: the answer is then
    the first one, whoever sent it.  Unknown where sender, recipient, task or ref does not
    exist: a dangling one would end the known client.
    """
    found = by_origin(db, event.origin)
    if found is not None:
        return found
    own = event.kind == "task_req"  # its task is itself, whatever it says (S)
    task = None if own else _number(event.task, "task")
    ref = _number(event.ref, "message")
    at = int(event.at * 1000) if 0 < event.at < LATEST else now_ms()
    sender, to = whole(event.sender), whole(event.to) or None
    message = _insert(db, (sender, to, channel, task, ref, payload(event), at))
    if own:
        db.execute(queries.NUMBER_TASK, (message,))
        task = message
    return event.replace(id=str(message), task="" if task is None else str(task), at=at / 1000)


def _insert(db: sqlite3.Connection, values: "Row") -> int:
    """Insert a message and return its id; Unknown for what it names that does not exist."""
    try:
        cursor = db.execute(queries.INSERT, values)
    except sqlite3.IntegrityError:
        raise _unknown(db, values) from None
    if not cursor.rowcount:
        raise _unknown(db, values)
    return int(cursor.lastrowid or 0)


def _unknown(db: sqlite3.Connection, values: "Row") -> Unknown:
    """Which of the things that a message names is not there."""
    sender, to, _, task, ref = values[:5]
    known = [row.session for row in map(rows.agent, db.execute(queries.AGENTS))]
    if sender not in known:
        return unknown_agent(sender, [], "join the channel first")
    for number, what in ((task, "task"), (ref, "message")):
        if number and not db.execute(queries.MESSAGE_EXISTS, (number,)).fetchone():
            return unknown_number(str(number), what)
    return unknown_agent(str(to), known)


def by_origin(db: sqlite3.Connection, origin: str) -> Event | None:
    """The message that carries this origin, or None."""
    if not origin:
        return None
    row = db.execute(queries.BY_ORIGIN, (whole(origin),)).fetchone()
    return None if row is None else rows.event(row)


def post_what_can_be(db: sqlite3.Connection, channel: str, events: list[Event]) -> list[Event]:
    """Store the events; one that cannot be stored comes back with its ``problem``, unstored.

    For what a guardian sends by itself: an answer to a message whose sender was removed, or
    whose task never existed, must not stop the rest for ever.
    """
    posted = []
    for event in events:
        try:
            posted.append(post(db, channel, event))
        except Unknown as error:
            posted.append(event.replace(problem=error.message))
    return posted


def unknown_agent(session: str, known: list[str], hint: str = "") -> Unknown:
    """The error for an agent that has no row, with the likeliest one meant."""
    meant = names.closest(session, known)
    if not hint:
        hint = f"did you mean {meant}?" if meant else "swarm team roster lists who is there"
    return Unknown(f"no agent {names.shown(session)} in this channel", hint, "unknown-agent")


def _number(given: str, what: str) -> int | None:
    """An id from outside as a number, None for ''; Unknown where no message can have it."""
    if not given:
        return None
    number = rows.number(given)
    if not number:
        raise unknown_number(given, what)
    return number


def unknown_number(given: str, what: str) -> Unknown:
    """The error for a task or message that does not exist."""
    return Unknown(
        f"no {what} {names.shown(given)} in this channel",
        "swarm team history lists the numbers",
        code=f"unknown-{what}",
    )


def left_since(database: "Database", session: str, message: int) -> bool:
    """Whether a session said goodbye after that message."""
    later = database.page(queries.BROADCASTS_AFTER, after=message, sender=session)
    return any(rows.event(row).intent == "agent_leave" for row in later)
