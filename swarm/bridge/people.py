"""Who is there: rows for the tree's agents, mailboxes and entries for the channel's.  Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from swarm.bridge import who
from swarm.bridge.actions import (
    Action,
    Beat,
    Enter,
    Flaw,
    Lodger,
    Part,
    Register,
    Resident,
    Restatus,
    Session,
    Touch,
    Unregister,
    Welcome,
)
from swarm.bridge.who import Who

FINISHED = frozenset(("done", "error", "cancel"))
# Seconds by which a sign of life may lag behind.
BEAT_LAG = 5.0


@dataclass(slots=True, kw_only=True)
class People:
    """Who is there.  ``known``: all ids of the tree.  ``told``: what the bridge last said of each
    resident; changed by apply.  ``unmarked``: guests whose mailbox does not say that they are."""

    who: Who
    residents: Mapping[str, Resident]
    lodgers: Mapping[str, Lodger]
    sessions: Mapping[str, Session]
    known: Iterable[str] = ()
    told: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    unmarked: frozenset[str] = frozenset()


def people(here: People) -> Iterator[Action]:
    """Rows for residents, mailboxes and entries for guests."""
    taken = {session for session, row in here.sessions.items() if not row.ours}
    taken.update(here.who.guests.values())
    residents = {a: r for a, r in here.residents.items() if r.entry or not _adopted(here, a)}
    for agent, resident in residents.items():
        session = here.who.residents.get(agent) or who.session_for(agent, taken)
        taken.add(session)
        yield from _resident(here, agent, session, resident)
    for agent, session in here.who.residents.items():
        row = here.sessions.get(session)
        if agent not in residents and row and not row.left:
            yield Part(agent, session)
    free = here.residents.keys() - residents.keys()  # for the guests who are called so
    taken_ids = {*residents, *here.known, *here.who.guests, *here.lodgers} - free
    folded = {agent.lower() for agent in taken_ids}
    for row in here.sessions.values():
        if not row.ours:
            yield from _guest(here, row, folded)


def _adopted(here: People, agent: str) -> bool:
    """Whether a mailbox without an entry is that of a guest whom swarm calls the same."""
    row = here.sessions.get(agent)
    return row is not None and row.swarm and not row.ours and not here.who.session(agent)


def status_word(resident: Resident) -> str:
    """S's word for a resident (design): one with a task open is busy, whatever else it says."""
    return "busy" if resident.task and resident.status == "available" else resident.status


def _resident(here: People, agent: str, session: str, resident: Resident) -> Iterator[Action]:
    row, status = here.sessions.get(session), status_word(resident)
    if row is None or (row.left and resident.entry):
        yield Enter(agent, session, resident, status, resident.entry)
        return
    if not resident.entry:
        if not row.left:
            yield Part(agent, session)
        return
    told = here.told.get(agent, (row.description, row.status))
    if told != (resident.description, status):
        yield Enter(agent, session, resident, status, False)
    elif resident.seen - row.seen > BEAT_LAG:
        yield Beat(session, resident.seen)


def _guest(here: People, row: Session, folded: set[str]) -> Iterator[Action]:
    agent = here.who.id(row.session)
    if not agent:
        agent = who.id_for(row.session, row.name, row.swarm, folded)
        if _is_registered(here, row.session):
            yield Flaw(f"two {row.session}", _two(row.session, agent))
        folded.add(agent.lower())
        yield Welcome(agent, row.session)
    elif agent in here.unmarked:
        yield Welcome(agent, row.session)
    lodger = here.lodgers.get(agent)
    if row.session in here.gone:
        if lodger:
            yield Unregister(agent)
        return
    status = mail_word(row.status, row.session in here.waiting)
    if lodger is None:
        if row.status != "inactive":
            yield Register(agent, row, status)
    elif row.status == "inactive":
        if lodger.status not in FINISHED:
            yield Restatus(agent, "error", "silent: its row on the channel says inactive")
    elif lodger.status != status:
        yield Restatus(agent, status)
    if lodger and row.seen - lodger.seen > BEAT_LAG:
        yield Touch(agent, row.seen)


def _is_registered(here: People, session: str) -> bool:
    return any(r.entry and a.lower() == session.lower() for a, r in here.residents.items())


def _two(session: str, agent: str) -> str:
    return (
        f"{session} is in the tree and on the channel: these count as two, the one on the channel"
        f" is {agent} in the tree; swarm unregister or swarm team leave takes one away"
    )


def mail_word(status: str, waiting: bool) -> str:
    """Mail's word for a row's status; who waits for an answer is paused."""
    return {"available": "paused", "busy": "paused" if waiting else "active"}.get(status, "error")
