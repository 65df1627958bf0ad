"""What goes into the machine and what comes out of it.  Pure.

The loop turns the world into inputs and carries the actions out; nothing here does either.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from swarm.events import Event


@dataclass(slots=True, kw_only=True)
class Mate:
    """Another agent as its channel row or registry entry tells (S: the live roster).

    Taken as immutable, and shared between the agents of a process.

    ``seen``: its last sign of life, epoch seconds by whoever wrote it; 0 for one that gives
    none, such as a person with nothing but an entry: its silence means nothing.
    """

    status: str
    seen: float = 0.0
    name: str = ""
    description: str = ""


class Roster:
    """Input: who is there, read anew; one object serves all agents of a process.

    ``mates``: by id; it may hold the guarded agent itself, whose row then tells what others
    made of it.  ``at``: when it was read.  ``stale``: seconds of silence that make a suspect.
    ``before``: the one read before; then a sign of life is one that changed since, whatever the
    clock of its writer says.

    ``signs``: when each last gave a sign, by our clock, for those that give any and are not
    inactive; ``silent``: the same, longest silent first.  ``lead``: the smallest id among those
    fresh: it asks after suspects that nobody deals with, else everybody would.
    """

    __slots__ = ("at", "lead", "mates", "signs", "silent")

    def __init__(
        self,
        mates: Mapping[str, Mate],
        at: float = 0.0,
        stale: float = 60.0,
        before: "Roster | None" = None,
    ) -> None:
        self.mates = mates
        self.at = at or max((mate.seen for mate in mates.values()), default=0.0)
        self.signs = self._signs(before)
        self.silent = sorted([(sign, name) for name, sign in self.signs.items()])
        fresh = self.at - stale
        self.lead = min([name for name, sign in self.signs.items() if sign > fresh], default="")

    def _signs(self, before: "Roster | None") -> dict[str, float]:
        """A time that is still to come is taken for now, once."""
        at = self.at
        old, known = (before.mates, before.signs) if before else ({}, {})
        found: dict[str, float] = {}
        for name, mate in self.mates.items():
            seen = mate.seen
            if seen > 0 and mate.status != "inactive":
                was = old.get(name)
                sign = seen if was is None else known.get(name, seen) if was.seen == seen else at
                found[name] = sign if sign < at else at
        return found


@dataclass(slots=True)
class Received:
    """Input: a message for this agent, as its transport gave it."""

    event: Event


@dataclass(slots=True)
class Outbound:
    """Input: a message that the agent itself wants to send; blanks are filled in."""

    event: Event


@dataclass(slots=True)
class Sent:
    """Input: one of this agent's own messages as it was stored, with its id and key.

    Whoever wrote it: this guardian, or a command beside it.  Repeating it changes nothing.  It
    comes before any answer to it: own messages are fed first, or all in the store's order.
    """

    event: Event


class Tick:
    """Input: time has passed; every message that is there has been received before."""

    __slots__ = ()


class Joined:
    """Input: the guardian starts to guard on this channel."""

    __slots__ = ()


@dataclass(slots=True)
class Woke:
    """Input: this process stood still, or the clock was set forward, by so many seconds."""

    seconds: float


@dataclass(slots=True)
class Presence:
    """Input: the agent's own word about itself: available, busy with work of its own, or
    inactive."""

    status: str


Input = Received | Outbound | Sent | Tick | Roster | Joined | Woke | Presence


@dataclass(slots=True)
class Send:
    """Action: store this message; one with an ``origin`` that is there already counts as done."""

    event: Event


@dataclass(slots=True)
class Forward:
    """Action: this needs thinking.  ``reason``: "" the usual, else why it is out of the usual.

    "again" repeats one forwarded before, e.g. after a restart.
    """

    event: Event
    reason: str = ""


@dataclass(slots=True)
class Interrupt:
    """Action: stop the work on this task."""

    task: str


@dataclass(slots=True)
class SetStatus:
    """Action: the guarded agent is now available, busy or inactive."""

    status: str


@dataclass(slots=True)
class MarkInactive:
    """Action: this other agent gives no sign of life."""

    agent: str


@dataclass(slots=True)
class MarkAvailable:
    """Action: this other agent is back; only where its row is inactive and it has not left."""

    agent: str


@dataclass(slots=True)
class Notify:
    """Action: tell the agent, or the log where nobody listens.  ``task``: the key it is about."""

    text: str
    task: str = ""


@dataclass(slots=True)
class Refuse:
    """Action: the outbound message is not sent; the fields are those of a UsageError."""

    code: str
    text: str
    hint: str = ""


Action = Send | Forward | Interrupt | SetStatus | MarkInactive | MarkAvailable | Notify | Refuse
