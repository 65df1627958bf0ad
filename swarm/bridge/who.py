"""Which session of the channel is which mailbox of the tree.  Pure."""

from collections.abc import Container, Iterable, Mapping

from swarm import names
from swarm.bridge.actions import Session

CLASH = 4
LONGEST = names.ID_MAX


class Who:
    """Residents live in the tree and have a row that the bridge owns; guests live on the channel
    and have a mailbox that says so.  ``session`` and ``id`` know both."""

    def __init__(
        self, residents: Iterable[tuple[str, str]] = (), guests: Iterable[tuple[str, str]] = ()
    ) -> None:
        self.residents = dict(residents)
        self.guests = dict(guests)
        self._ids = {session: agent for agent, session in self.guests.items()}
        self._ids |= {session: agent for agent, session in self.residents.items()}

    def session(self, agent: str) -> str:
        """The session of a mailbox, "" if it has none yet."""
        return self.residents.get(agent) or self.guests.get(agent) or ""

    def id(self, session: str) -> str:
        """The mailbox of a session, "" if it has none yet."""
        return self._ids.get(session, "")

    def settle(self, agent: str, session: str) -> None:
        """A resident has got its session."""
        self.residents[agent] = session
        self._ids[session] = agent

    def welcome(self, agent: str, session: str) -> None:
        """A guest has got its mailbox."""
        self.guests[agent] = session
        self._ids[session] = agent


def session_for(agent: str, taken: Container[str]) -> str:
    """The session of a resident: its id, or one like it where another client's agent has that."""
    if agent not in taken:
        return agent
    stem, number = f"mail-{agent}"[:LONGEST], 1
    found = stem
    while found in taken:
        number += 1
        found = f"{stem[: LONGEST - 8]}-{number}"
    return found


def id_for(session: str, name: str, ours: bool, taken: Container[str]) -> str:
    """The mailbox of a guest; ``taken``: ids in lower case.

    A session that swarm itself made is an id already; another client's is named after its
    agent, with some characters of the session where that is taken.
    """
    stem = session if ours and names.is_id(session) else _stem(name)
    if not names.is_id(stem):
        stem = "guest"
    if stem.lower() not in taken:
        return stem
    marks = "".join(char for char in session.lower() if char in names.SLUG_CHARS and char != "-")
    for size in (CLASH, 8, 32):
        found = f"{stem[: LONGEST - 33]}-{marks[:size] or 'guest'}"
        if found.lower() not in taken:
            return found
    number = 2
    while f"{stem[:32]}-{number}".lower() in taken:
        number += 1
    return f"{stem[:32]}-{number}"


def believed(
    claims: Iterable[tuple[str, str, bool]], sessions: Mapping[str, Session]
) -> dict[str, str]:
    """Of mailboxes that say whose they are (id, session, whether surely) those that may be so.

    No session has two, and none of the tree's agents has a second one.  Who is not sure is no
    agent of the tree, and is called as a guest of that session would be.
    """
    residents = {row.ours for row in sessions.values() if row.ours and not row.left}
    found: dict[str, str] = {}
    taken = {session for session, row in sessions.items() if row.ours}
    for agent, session, sure in sorted(claims, key=lambda one: (not one[2], one[0])):
        row = sessions.get(session)
        if session in taken or not (sure or (agent not in residents and _fits(agent, row))):
            continue
        taken.add(session)
        found[agent] = session
    return found


def _fits(agent: str, row: Session | None) -> bool:
    """Whether ``id_for`` may have called the guest of that row so."""
    if row is None:
        return True
    stem = id_for(row.session, row.name, row.swarm, ())
    return agent == stem or agent.startswith((f"{stem[: LONGEST - 33]}-", f"{stem[:32]}-"))


def _stem(name: str) -> str:
    """A name as far as it can be an id; "" if nothing is left of it."""
    stem = names.slug(name)
    return "" if stem == names.slug("") and stem not in name.lower() else stem
