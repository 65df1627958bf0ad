"""Writing messages, inside a transaction: checked before they are stored, stored once."""

import sqlite3

from swarm import names
from swarm.errors import Unknown
from swarm.events import Event, payload, whole
from swarm.team import queries, rows
from swarm.team.members import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from swarm.team.database import Database

LATEST = 1e12  # epoch seconds that a created_at can hold


def post(db: sqlite3.Connection, channel: str, event: Event) -> Event:
    """Store one event; return it as stored, with its id, task and time.

    An event whose ``origin`` is there already is found, not stored again: the answer is then
    the first one, whoever sent it.  Unknown where sender, recipient, task or ref does not
    exist: S's foreign keys would refuse it, and a dangling one ends the known client.
    """
    found = by_origin(db, event.origin)
    if found is not None:
        return found
    _check_agents(db, event)
    own = event.kind == "task_req"  # its task is itself, whatever it says (S)
    task = None if own else _existing(db, event.task, "task")
    ref = _existing(db, event.ref, "message")
    at = int(event.at * 1000) if 0 < event.at < LATEST else now_ms()
    values = (event.sender, event.to or None, channel, task, ref, payload(event), at)
    message = db.execute(queries.INSERT, values).lastrowid
    if own:
        db.execute(queries.NUMBER_TASK, (message,))
        task = message
    return event.replace(id=str(message), task="" if task is None else str(task), at=at / 1000)


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


def _check_agents(db: sqlite3.Connection, event: Event) -> None:
    """Raise Unknown unless the sender, and a recipient that is named, have a row."""
    if not has_agent(db, event.sender):
        raise unknown_agent(event.sender, [], "join the channel first")
    if event.to and not has_agent(db, event.to):
        known = [row.session for row in map(rows.agent, db.execute(queries.AGENTS))]
        raise unknown_agent(event.to, known)


def has_agent(db: sqlite3.Connection, session: str) -> bool:
    """Whether the session has a row."""
    return db.execute(queries.AGENT_EXISTS, (whole(session),)).fetchone() is not None


def unknown_agent(session: str, known: list[str], hint: str = "") -> Unknown:
    """The error for an agent that has no row, with the likeliest one meant."""
    meant = names.closest(session, known)
    if not hint:
        hint = f"did you mean {meant}?" if meant else "swarm team roster lists who is there"
    return Unknown(f"no agent {names.shown(session)} in this channel", hint, "unknown-agent")


def _existing(db: sqlite3.Connection, given: str, what: str) -> int | None:
    """An id from outside as the number of an existing message; None for ''."""
    if not given:
        return None
    number = rows.number(given)
    if not number or not db.execute(queries.MESSAGE_EXISTS, (number,)).fetchone():
        raise Unknown(
            f"no {what} {names.shown(given)} in this channel",
            "swarm team history lists the numbers",
            code=f"unknown-{what}",
        )
    return number


def left_since(database: "Database", session: str, message: int) -> bool:
    """Whether a session said goodbye after that message."""
    later = database.page(queries.BROADCASTS_AFTER, after=message, sender=session)
    return any(rows.event(row).intent == "agent_leave" for row in later)
