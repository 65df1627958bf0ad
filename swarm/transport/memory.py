"""A store in a dictionary: the contract in its plainest form, for tests and simulation.

``Memory`` is the place, shared by any number of threads; ``MemoryStore`` is one process's view
of it.  Ids and task keys are decimal, as in a channel.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Condition

from swarm.errors import Conflict, SwarmError, Unknown
from swarm.events import Event
from swarm.mamoru.signals import Mate
from swarm.transport.base import BEAT_EVERY, PAGE, Outcome, Store, Transport, Voice, named
from swarm.transport.handled import answered, settled


class Memory:
    """The place.  ``clock``: epoch seconds.  ``trouble``: raised by all that touches it, if set.

    ``mates``: the roster.  ``messages``: all, in order.  ``waiting``: by agent, those not
    committed.  ``pulses``: by store, whom the last good pass was over.  ``writes``: how many
    single changes there were; ``step`` counts each before it is made, so a test that replaces it
    can end a commit anywhere.
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.time, keeps: bool = True, marks: bool = True
    ) -> None:
        self.clock = clock
        self.keeps = keeps
        self.marks = marks
        self.trouble: SwarmError | None = None
        self.mates: dict[str, Mate] = {}
        self.messages: list[Event] = []
        self.waiting: dict[str, dict[str, Event]] = {}
        self.origins: dict[str, Event] = {}
        self.left: set[str] = set()
        self.guarded: dict[str, MemoryStore] = {}
        self.stores: list[MemoryStore] = []
        self.pulses: dict[MemoryStore, list[str]] = {}
        self.writes = 0
        self.changed = Condition()

    def step(self) -> None:
        """Called before each single change."""
        self.writes += 1

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else touches it meanwhile."""
        with self.changed:
            if self.trouble is not None:
                raise self.trouble
            yield

    def join(self, agent: str, name: str = "", description: str = "") -> None:
        """Enter an agent; a newcomer begins after the newest message (S)."""
        with self.held():
            self.waiting.setdefault(agent, {})
            self.left.discard(agent)
            self.mates[agent] = Mate(
                status="available", seen=self.clock(), name=name or agent, description=description
            )

    def post(self, event: Event) -> Event:
        """Store one message; return it as stored.  One whose origin is there is found instead.

        Unknown, and nothing stored, where the sender or the recipient does not exist.
        """
        with self.held():
            return self._post(event)

    def _post(self, event: Event) -> Event:
        if event.origin in self.origins:
            return self.origins[event.origin]
        for agent in filter(None, (event.sender, event.to)):
            if agent not in self.mates:
                raise Unknown(f"no agent {agent!a} here", code="unknown-agent")
        self.step()
        number = str(len(self.messages) + 1)
        task = number if event.kind == "task_req" else event.task
        stored = event.replace(id=number, task=task, at=event.at or self.clock())
        self._keep(stored)
        return stored

    def _keep(self, stored: Event) -> None:
        self.messages.append(stored)
        if stored.origin:
            self.origins[stored.origin] = stored
        if stored.kind == "broadcast" and stored.intent == "agent_leave":
            self.left.add(stored.sender)
        readers = [stored.to] if stored.to else list(self.mates)
        for agent in readers:
            if agent != stored.sender:
                self.waiting[agent][stored.id] = stored
        for store in self.stores:
            store.hinted.update(readers, (stored.sender,))
        self.changed.notify_all()

    def change(self, agents: list[str], *, status: str = "", seen: float = 0.0) -> None:
        """Change what the roster says of agents; what is not given is kept."""
        changed = {}
        for agent in agents:
            self.step()
            mate = self.mates[agent]
            changed[agent] = replace(mate, status=status or mate.status, seen=seen or mate.seen)
        if changed:
            self.mates = {**self.mates, **changed}


class MemoryTransport(Transport):
    """One agent's side of a Memory."""

    def __init__(self, store: "MemoryStore", agent: str) -> None:
        self.me = agent
        self._store = store
        self._memory = store.memory
        self._kept: set[str] = set()
        self._told = len(self._memory.messages)

    def receive(self) -> list[Event]:
        with self._memory.held():
            waiting = self._memory.waiting[self.me]
            return [event for key, event in waiting.items() if key not in self._kept][:PAGE]

    def sent(self) -> list[Event]:
        with self._memory.held():
            found = self._memory.messages[self._told :]
            self._told += len(found)
            return [event for event in found if event.sender == self.me]

    def commit(self, event: Event, outcome: Outcome) -> list[Event]:
        memory = self._memory
        sends = [send.replace(sender=self.me) for send in outcome.sends]
        with memory.held():
            if event.id not in memory.waiting[self.me]:
                origins = memory.origins
                return [origins[s.origin] for s in named(event, sends) if s.origin in origins]
            done = self._carry_out(named(event, sends), outcome)
            if outcome.keep and memory.keeps:
                self._kept.add(event.id)
            else:
                memory.step()
                del memory.waiting[self.me][event.id]
            return done

    def apply(self, outcome: Outcome) -> list[Event]:
        sends = [send.replace(sender=self.me) for send in outcome.sends]
        with self._memory.held():
            return self._carry_out(sends, outcome)

    def _carry_out(self, sends: list[Event], outcome: Outcome) -> list[Event]:
        memory = self._memory
        done = [self._posted(send) for send in sends]
        for other in outcome.inactive if memory.marks else ():
            if other in memory.mates:
                memory.change([other], status="inactive")
        for other in outcome.available if memory.marks else ():
            mate = memory.mates.get(other)
            if mate and mate.status == "inactive" and other not in memory.left:
                memory.change([other], status="available")
        if outcome.status:
            memory.change([self.me], status=outcome.status)
        return done

    def _posted(self, event: Event) -> Event:
        try:
            return self._memory._post(event)
        except Unknown as error:
            return event.replace(problem=error.message)

    def conversation(self) -> list[Event]:
        with self._memory.held():
            return [
                event
                for event in self._memory.messages
                if event.sender == self.me or event.to in ("", self.me)
            ]

    def whole(self, event: Event) -> Event:
        return event

    def follow(self, seconds: float | None) -> Iterator[list[Event]]:
        while True:
            found = self.conversation()
            yield found
            with self._memory.held():
                if not self._memory.changed.wait_for(partial(self._says_more, len(found)), seconds):
                    return

    def _says_more(self, than: int) -> bool:
        return len(self.conversation()) > than

    def history(self) -> list[Event]:
        ours = self.conversation()
        with self._memory.held():
            unread = set(self._memory.waiting[self.me])
        self._kept |= settled(self.me, ours, unread)
        open_ones = unread - self._kept - answered(self.me, ours)
        return [event for event in ours if event.id not in open_ones]

    def status(self) -> str:
        with self._memory.held():
            return self._memory.mates[self.me].status

    def close(self) -> None:
        self._store.shut(self.me)


class MemoryStore(Store):
    """One process's view of a Memory."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.keeps = memory.keeps
        self.marks = memory.marks
        self.hinted: set[str] = set()
        self._beaten: dict[str, float] = {}
        memory.stores.append(self)

    def agents(self) -> list[str]:
        with self.memory.held():
            return sorted(self.memory.mates)

    def open(self, agent: str) -> MemoryTransport:
        with self.memory.held():
            if agent not in self.memory.mates:
                raise Unknown(f"no agent {agent!a} here", code="unknown-agent")
            if agent in self.memory.guarded:
                raise Conflict(f"{agent} is guarded already", "end that one first", code="claimed")
            self.memory.guarded[agent] = self
            return MemoryTransport(self, agent)

    def voice(self, agent: str) -> Voice:
        with self.memory.held():
            if agent not in self.memory.mates:
                raise Unknown(f"no agent {agent!a} here", code="unknown-agent")
            return MemoryTransport(self, agent)

    def shut(self, agent: str) -> None:
        """Give up an agent; one that is another's stays so."""
        with self.memory.changed:
            if self.memory.guarded.get(agent) is self:
                del self.memory.guarded[agent]

    def roster(self) -> Mapping[str, Mate]:
        with self.memory.held():
            return self.memory.mates

    def beat(self, agents: list[str]) -> None:
        with self.memory.held():
            now = self.memory.clock()
            never = float("-inf")
            due = [a for a in agents if now - self._beaten.get(a, never) >= BEAT_EVERY]
            self.memory.change(due, seen=now)
            self._beaten.update(dict.fromkeys(due, now))

    def pulse(self, agents: Collection[str]) -> None:
        self.memory.pulses[self] = [*agents]

    def wait(self, seconds: float) -> set[str] | None:
        end = time.monotonic() + seconds
        with self.memory.held():
            while True:
                found = {a for a in self.hinted if self.memory.guarded.get(a) is self}
                self.hinted.clear()
                left = end - time.monotonic()
                if found or left <= 0:
                    return found
                self.memory.changed.wait(left)

    def notes(self) -> list[str]:
        return []

    def close(self) -> None:
        with self.memory.changed:
            for agent in [a for a, store in self.memory.guarded.items() if store is self]:
                self.shut(agent)
            if self in self.memory.stores:
                self.memory.stores.remove(self)
