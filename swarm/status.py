"""The overview an orchestrator runs: each agent's state, and what is wrong, worst first."""

import os
from contextlib import suppress
from stat import S_ISREG
from typing import NamedTuple

from swarm.ages import age
from swarm.errors import SwarmError
from swarm.mailbox import inbox, layout, registry
from swarm.mailbox.layout import Root
from swarm.transport.pulse import guardings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from swarm.team.channel import Channel
    from swarm.workload import Load

SILENT_AFTER = 15 * 60
WAITING_AFTER = 10 * 60
# The flag of a mailbox that only its owner, another user, may look into.
PRIVATE = "private"
# Kinds of problems, worst first.
KINDS = ("unreadable", "error", "damaged", "guardian", "bridge", "waiting", "silent", "clock")


class AgentState:
    """One agent: ``oldest`` and ``seen`` are ages in seconds, None where there is none.

    ``guardian``: the age of its guardian's last good pass, None while none runs.  ``load``: what
    it has open, where somebody looked.  ``unread``: None where there are no inboxes, and
    for another user's (flag ``private``).  ``via``: the channel that a guest of the tree lives
    on, ``mail`` for a resident seen on a channel.
    """

    __slots__ = (
        "flags",
        "guardian",
        "id",
        "load",
        "oldest",
        "seen",
        "session",
        "state",
        "task",
        "unread",
        "via",
    )

    def __init__(self, agent: str) -> None:
        self.id = agent
        self.state = "-"
        self.task = ""
        self.via = ""
        self.session = agent
        self.unread: int | None = 0
        self.oldest: float | None = None
        self.seen: float | None = None
        self.guardian: float | None = None
        self.load: Load | None = None
        self.flags: list[str] = []

    def problem(self, kind: str, text: str) -> "Problem":
        """Something wrong with this agent; ``text`` goes on after its id."""
        return Problem(kind, self.id, f"{self.id}{text}")


class Problem(NamedTuple):
    """Something that needs a hand; sorts worst first, by kind and then by agent."""

    kind: str
    agent: str
    text: str


def overview(root: Root, now: float) -> tuple[list[AgentState], list[Problem]]:
    """All agents by id, and the problems in plain words.  Never fails for one bad agent."""
    entries = {entry.id: entry for entry in registry.entries(root)}
    states: list[AgentState] = []
    problems: list[Problem] = []
    for agent in sorted({*entries, *layout.boxes(root)}):
        state = AgentState(agent)
        signs = [root.entry(agent)] if agent in entries else []
        problems += _entry(state, entries.get(agent))
        problems += _mail(root, state, now, signs)
        problems += _silence(root, state, now, signs)
        states.append(state)
    problems += guarded(root.path, [state for state in states if not state.via], now)
    problems += _guests(root, [state for state in states if state.via], now)
    problems += _bridges(root, now)
    return states, in_order(problems)


def _bridges(root: Root, now: float) -> list[Problem]:
    """Bridges that do not get through, and a ``swarm up`` that was killed."""
    from swarm.bridge import health

    found = [Problem("bridge", "", one.problem) for one in health.bridges(root, now) if one.problem]
    if health.was_killed(root):
        found.append(Problem("bridge", "", "swarm up was killed: start it again"))
    return found


def _guests(root: Root, guests: list[AgentState], now: float) -> list[Problem]:
    """The same as ``guarded`` of guests, whose guardians leave their trace on the channel."""
    found: list[Problem] = []
    if guests:
        from swarm.bridge.health import bridges
        from swarm.bridge.pair import Ledger

        for one in bridges(root, now):
            here = [state for state in guests if state.via == one.channel]
            with suppress(SwarmError):  # the channel's folder is nothing that status needs
                found += guarded(Ledger(root, one.channel).place(), here, now) if here else []
    return found


def channel_overview(channel: "Channel", now: float) -> tuple[list[AgentState], list[Problem]]:
    """The same of a channel, which has no inboxes and no entries: those who have not left."""
    from swarm.team.mirror import MAIL

    states = []
    for row in channel.roster():
        if row.status != "inactive":
            state = AgentState(row.session)
            state.state, state.task, state.unread = row.status, row.description, None
            state.seen = max(0.0, now - row.seen) if row.seen else None
            state.via = MAIL if row.provider == MAIL else ""
            states.append(state)
    return states, in_order(guarded(channel.place.folder, states, now))


def in_order(problems: list[Problem]) -> list[Problem]:
    """Worst kind first, then by agent."""
    return sorted(problems, key=lambda found: (KINDS.index(found.kind), found.agent))


def guarded(folder: str, states: list[AgentState], now: float) -> list[Problem]:
    """Fill in who is guarded, and tell of guardians that were killed or do not get through."""
    found = guardings(folder, now)
    ages: dict[str, float] = {}
    for one in found:
        if one.lives:
            ages.update((agent, min(one.age, ages.get(agent, one.age))) for agent in one.agents)
    for state in states:
        state.guardian = ages.get(state.session)
    return [
        Problem("guardian", min(one.agents, default=""), f"{one.whom}: the guardian {one.problem}")
        for one in found
        if one.problem
    ]


def _entry(state: AgentState, entry: registry.Entry | None) -> list[Problem]:
    if entry is None:
        return []
    state.state, state.task, state.via = entry.status or "?", entry.task, entry.via
    state.session = entry.fields.get("session") or state.id
    if entry.problems:
        state.flags.append("damaged")
        return [state.problem("damaged", f": its entry is damaged: {', '.join(entry.problems)}")]
    if entry.status != "error":
        return []
    silent = f" of {state.via} is silent: its row on the channel says inactive"
    return [state.problem("error", silent if state.via else f" is in error: {state.task}")]


def _mail(root: Root, state: AgentState, now: float, signs: list[str]) -> list[Problem]:
    """Count what is unread; adds the folder of receipts to ``signs`` if there are any."""
    try:
        names, receipts = inbox.unread_and_receipts(root, state.id)
    except SwarmError as error:
        if layout.is_private(root, state.id):
            state.flags.append(PRIVATE)
            state.unread = None
            signs += [root.receipts(state.id), root.sent(state.id)]
            return []
        state.flags.append("unreadable")
        return [state.problem("unreadable", f": {error.message}")]
    if receipts:
        signs.append(root.receipts(state.id))
    folder, unread = root.inbox(state.id), 0
    for name in names:
        try:
            found = os.lstat(f"{folder}/{name}")
        except PermissionError:
            state.flags.append("unreadable")
            return [state.problem("unreadable", ": its messages cannot be read: check the rights")]
        except OSError:
            continue
        if S_ISREG(found.st_mode):
            unread += 1
            old = max(0.0, now - found.st_mtime)
            state.oldest = old if state.oldest is None else max(old, state.oldest)
    state.unread = unread
    # A guest reads on its channel, where many that work by commands never move their cursor.
    if state.oldest is not None and state.oldest > WAITING_AFTER and not state.via:
        waiting = age(state.oldest)
        return [state.problem("waiting", f" has {unread} unread, the oldest for {waiting}")]
    return []


def _silence(root: Root, state: AgentState, now: float, signs: list[str]) -> list[Problem]:
    """When the agent was heard of: ``signs`` are its entry and, standing for the newest file
    in it, the folder of its receipts; one look, not one a message."""
    newest = None
    for path in (*signs, *_used(root.sent(state.id))):
        try:
            changed = os.lstat(path).st_mtime
        except OSError:
            continue
        newest = changed if newest is None else max(newest, changed)
    if newest is None:
        return []
    if newest > now + 60:
        state.flags.append("clock")
        return [state.problem("clock", ": its last sign of life lies in the future")]
    state.seen = max(0.0, now - newest)
    if state.state == "active" and state.seen > SILENT_AFTER:
        return [state.problem("silent", f" is active but silent for {age(state.seen)}")]
    return []


def _used(folder: str) -> list[str]:
    """The folder if anything is in it: the time of an empty one is that of its making."""
    try:
        with os.scandir(folder) as found:
            return [folder] if next(found, None) else []
    except OSError:
        return []
