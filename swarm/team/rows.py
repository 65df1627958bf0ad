"""Rows as events and agents.  A row is anybody's: nothing in it is believed, nothing raises."""

from swarm.events import Event, from_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from swarm.team.database import Row

STATUSES = ("available", "busy", "inactive")
ID_LIMIT = 2**63


class AgentRow:
    """One row of ``agents``.  ``seen`` is the last heartbeat in epoch seconds, 0.0 if none.

    ``status`` is one of S's three words, ``available`` (S's default) where none is set.
    """

    __slots__ = ("cwd", "description", "model", "name", "provider", "seen", "session", "status")

    def __init__(
        self,
        session: str,
        name: str,
        description: str = "",
        provider: str = "",
        model: str = "",
        cwd: str = "",
        status: str = "available",
        seen: float = 0.0,
    ) -> None:
        self.session = session
        self.name = name
        self.description = description
        self.provider = provider
        self.model = model
        self.cwd = cwd
        self.status = status
        self.seen = seen


def agent(row: "Row") -> AgentRow:
    """A row of the query AGENTS."""
    session, name, description, provider, model, cwd = (text(value) for value in row[:6])
    seen = milliseconds(row[7]) / 1000
    return AgentRow(session, name, description, provider, model, cwd, status(row[6]), seen)


def status(value: object) -> str:
    """The status in a row; S's default where it is none."""
    return value if isinstance(value, str) and value in STATUSES else "available"


def event(row: "Row") -> Event:
    """A row of a page; its ``problem`` says what makes it no event.

    A task_req without a task's number counts as its own: the known client writes the number
    a moment after the row.
    """
    message, sender, to, task, ref, payload, created = row
    found = from_payload(
        payload,
        sender=sender if sender.__class__ is str else text(sender),
        to=to if to.__class__ is str else text(to),
        task="" if task is None else text(task),
        ref="" if ref is None else text(ref),
        id=str(message),
        at=created / 1000 if created.__class__ is int else 0.0,
    )
    if payload is None:  # left out where it was read
        found.problem = "no event: its text is over 1 MiB"
    if task is None and found.kind == "task_req":
        found.task = found.id
    return found


def text(value: object) -> str:
    """A value of a row as text; None is ''."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def milliseconds(value: object) -> float:
    """A time of a row, 0 where it is none."""
    if isinstance(value, int | float) and abs(value) < ID_LIMIT:
        return value
    return 0


def number(value: str) -> int:
    """An id from outside as a number, 0 if it is none (no row has 0)."""
    if value.isascii() and value.isdigit() and len(value) <= 19:
        found = int(value)
        return found if found < ID_LIMIT else 0
    return 0
