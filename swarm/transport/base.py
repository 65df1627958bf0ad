"""The contract that every transport keeps, and that one suite tests on all of them.

A Store is one place where messages lie: a mail tree, a channel, a dictionary.  A Transport is
one agent's side of it, held by one guardian at a time.  What a crash may repeat is harmless:
a message with an ``origin`` is stored once, and committing again finds it done.
docs/transports.md tells how to write another.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from swarm.events import Event
from swarm.mamoru.signals import Mate

# Seconds: a sign of life is written at most this often.
BEAT_EVERY = 5.0
# Messages of one ``receive`` at most.
PAGE = 200


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What is to happen for one agent at once.

    ``sends``: messages, as from that agent.  ``status``: its own new status (S's words), "" to
    keep it.  ``inactive``, ``available``: other agents to be marked so, where the store
    ``marks``.  ``keep``: the message needs thinking and stays unread, where the store ``keeps``.
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

        After a full page call again before waiting: what is left of it need not be hinted.
        One that is no proper event carries a ``problem``, and hides no other.  What is kept
        comes again from another Transport: it is still unread.
        """
        ...

    def sent(self) -> list[Event]:
        """Own messages stored since the last call, by this guardian or by a command beside it.

        The first call tells those since ``open``.  Called after ``receive``, it lacks none that
        a received message answers.  Some may come twice, or be in ``history`` too.
        """
        ...

    def commit(self, event: Event, outcome: Outcome) -> list[Event]:
        """The effects of a received message, and that it is done, as one step; what was sent.

        What can never be stored (no such recipient) comes back with a ``problem``, unstored,
        and the rest is done.  Anything raised: repeat it, or receive the message again.
        """
        ...

    def apply(self, outcome: Outcome) -> list[Event]:
        """The same for effects that no message caused: repeated, only an origin is found again."""
        ...

    def history(self) -> list[Event]:
        """What ``recall`` needs: messages handled before, both ways, at least of open tasks.

        To be called before the first ``receive``.  Of messages kept by a guardian before, an
        accepted request is in it and is received again; one that later messages settled is in
        it only.
        """
        ...

    def status(self) -> str:
        """The agent's own status as the store has it, in S's words."""
        ...

    def close(self) -> None:
        """Let another guardian have the agent; nobody leaves by that."""
        ...


class Voice(Protocol):
    """How a command speaks for an agent, beside the guardian that may have it.

    Every method may raise SwarmError.
    """

    me: str

    def conversation(self) -> list[Event]:
        """All of the agent's messages that a task may be about, both ways, handled or not.

        A long body may be left out.
        """
        ...

    def whole(self, event: Event) -> Event:
        """A message of the conversation with all of its body."""
        ...

    def status(self) -> str:
        """The agent's own status as the store has it, in S's words."""
        ...

    def follow(self, seconds: float | None) -> Iterator[list[Event]]:
        """The conversation, and again whenever there may be more of it, for so long."""
        ...

    def apply(self, outcome: Outcome) -> list[Event]:
        """As ``Transport.apply``; a guardian hears of it by ``Transport.sent``."""
        ...


class Store(Protocol):
    """A place where messages lie, seen by a process that guards some of its agents.

    ``keeps``: it has inboxes that agents read themselves, so a message can stay unread there.
    ``marks``: guardians mark one another inactive or available in it.  Where they do not, an
    agent's own status there is its own word: a change of ``Transport.status`` that was not our
    doing is a Presence, and never "marked inactive by others".
    """

    keeps: bool
    marks: bool

    def agents(self) -> list[str]:
        """Ids of all agents that this process could guard."""
        ...

    def knows(self, agent: str) -> bool:
        """Whether there is such an agent, whoever may guard it."""
        return agent in self.agents()

    def open(self, agent: str) -> Transport:
        """The agent's side; Conflict if another process guards it, Unknown if there is none."""
        ...

    def voice(self, agent: str) -> Voice:
        """The agent's voice, whoever guards it; Unknown if there is no such agent."""
        ...

    def roster(self) -> Mapping[str, Mate]:
        """Everybody, with status and last sign of life; one look for all guarded agents.

        The same object again where nothing changed.
        """
        ...

    def beat(self, agents: list[str]) -> None:
        """A sign of life of each, written at most every 5 s."""
        ...

    def pulse(self, agents: Collection[str]) -> None:
        """A pass over these went through: a trace of it for others, every few seconds."""
        ...

    def wait(self, seconds: float) -> set[str] | None:
        """Wait so long for a hint; the agents it is about, empty for none, None for anybody.

        Only open agents are named.  The store looks by itself where hints may be lost: within
        a second, and in full every minute, if it is called all the time.  So one that is not
        named needs a turn for its timers only.
        """
        ...

    def each(self, agents: Iterable[str], turn: Callable[[str], object]) -> None:
        """Give each agent a turn; what one raises is raised.

        One after the other, unless the store's steps wait for the disk: then another's turn
        may go on meanwhile.
        """
        for agent in agents:
            turn(agent)

    def notes(self) -> list[str]:
        """What was mended or found on the way since the last call, in words for a log."""
        ...

    def close(self) -> None:
        """Close all transports and release everything."""
        ...


def named(event: Event, sends: list[Event]) -> list[Event]:
    """The sends that a message caused, each with an origin, so that a repeat finds them done.

    One that has none gets ``kind:id``, and a number where that is not the first of its kind.
    """
    found: list[Event] = []
    for send in sends:
        count = sum(one.kind == send.kind for one in found)
        own = f"{send.kind}:{event.id}:{send.sender}" + (f":{count + 1}" if count else "")
        found.append(send if send.origin or not event.id else send.replace(origin=own))
    return found
