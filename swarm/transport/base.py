"""The contract that every transport keeps, and that one suite tests on all of them.

A Store is one place where messages lie: a mail tree, a channel, a dictionary.  A Transport is
one agent's side of it, held by one guardian at a time.  What a crash may repeat is harmless:
a message with an ``origin`` is stored once, and committing again finds it done.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from swarm.events import Event
from swarm.mamoru.signals import Mate


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What is to happen for one agent at once.

    ``sends``: messages, as from that agent.  ``status``: its own new status (S's words), "" to
    keep it.  ``inactive``, ``available``: other agents to be marked so, where the store keeps
    that.  ``keep``: the message needs thinking and stays unread, where the store has an inbox
    that the agent reads itself.
    """

    sends: list[Event] = field(default_factory=list)
    status: str = ""
    inactive: list[str] = field(default_factory=list)
    available: list[str] = field(default_factory=list)
    keep: bool = False


class Transport(Protocol):
    """One agent's side of a store.  Every method may raise SwarmError."""

    me: str

    def receive(self) -> list[Event]:
        """Messages not yet committed or kept, oldest first, a page at most; [] if none.

        One that is no proper event carries a ``problem``, and hides no other.
        """
        ...

    def sent(self) -> list[Event]:
        """Own messages stored since the last call, by this guardian or by a command beside it."""
        ...

    def commit(self, event: Event, outcome: Outcome) -> list[Event]:
        """The effects of a received message, and that it is done, as one step; what was sent."""
        ...

    def apply(self, outcome: Outcome) -> list[Event]:
        """The same for effects that no message caused."""
        ...

    def history(self) -> list[Event]:
        """What ``recall`` needs: messages handled before, both ways, at least of open tasks."""
        ...

    def status(self) -> str:
        """The agent's own status as the store has it."""
        ...

    def close(self) -> None:
        """Let another guardian have the agent; nobody leaves by that."""
        ...


class Store(Protocol):
    """A place where messages lie, seen by a process that guards some of its agents."""

    def agents(self) -> list[str]:
        """Ids of all agents that this process could guard."""
        ...

    def open(self, agent: str) -> Transport:
        """The agent's side; Conflict if another process guards it, Unknown if there is none."""
        ...

    def roster(self) -> Mapping[str, Mate]:
        """Everybody, with status and last sign of life; one look for all guarded agents."""
        ...

    def beat(self, agents: list[str]) -> None:
        """A sign of life of each, written at most every 5 s."""
        ...

    def wait(self, seconds: float) -> set[str] | None:
        """Wait so long for a hint; the agents it is about, empty for none, None for anybody."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...
