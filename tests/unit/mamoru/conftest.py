"""A guardian under test: its clock and its store are played by hand."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from swarm.events import Event
from swarm.mamoru.machine import step
from swarm.mamoru.signals import (
    Action,
    Forward,
    Input,
    Mate,
    Outbound,
    Received,
    Roster,
    Send,
    Sent,
    Tick,
)
from swarm.mamoru.state import Settings, State

from .shop import Shop

NOW = 1_000_000.0
MINUTE = 60.0


class Guard:
    """A guardian with a clock of its own and a store that numbers what it sends."""

    def __init__(self, me: str = "bob", status: str = "available", **settings: Any) -> None:
        self.now = NOW
        self.state = State(me, status, Settings(**settings), NOW)
        self.actions: list[Action] = []
        self.number = 100

    def do(self, given: Input) -> list[Action]:
        """One input; what is sent is stored and fed back."""
        self.state, actions = step(self.state, given, self.now)
        for action in actions:
            if isinstance(action, Send):
                self.store(action.event)
        self.actions = actions
        return actions

    def store(self, event: Event) -> Event:
        self.number += 1
        stored = event.replace(id=str(self.number))
        if stored.kind == "task_req":
            stored.task = stored.id
        self.state, _ = step(self.state, Sent(stored), self.now)
        return stored

    def get(self, kind: str, sender: str = "amy", **more: Any) -> list[Action]:
        self.number += 1
        fields = {"id": str(self.number), "to": self.state.me, "content": "x", "at": self.now}
        return self.do(Received(Event(**({"kind": kind, "sender": sender} | fields | more))))

    def say(self, kind: str, **more: Any) -> list[Action]:
        return self.do(Outbound(Event(**({"kind": kind, "content": "x"} | more))))

    def ask(self, worker: str = "eve", **more: Any) -> str:
        """Give a task; its key."""
        self.say("task_req", to=worker, **more)
        return str(self.number)

    def take(self, sender: str = "amy") -> str:
        """Get a task; its key."""
        self.get("task_req", sender)
        return str(self.number - 1)  # the acknowledgement has the next number

    def later(self, seconds: float) -> list[Action]:
        self.now += seconds
        return self.do(Tick())

    def mates(self, **mates: str) -> list[Action]:
        """Read the roster: a status, or one and the seconds since the last sign of life."""
        read = {}
        for name, text in mates.items():
            status, _, age = text.partition(" ")
            read[name] = Mate(status=status, seen=self.now - float(age or 0))
        return self.do(Roster(read, self.now))

    def of(self, kind: type) -> list[Any]:
        return [action for action in self.actions if isinstance(action, kind)]

    @property
    def sent(self) -> list[Event]:
        return [action.event for action in self.of(Send)]

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.sent]

    @property
    def forwarded(self) -> list[str]:
        return [action.reason for action in self.of(Forward)]


class Team:
    """Guardians on one channel: what one stores, the others receive, in order."""

    def __init__(self, *names: str) -> None:
        self.log: list[Event] = []
        self.guards = {name: Guard(name) for name in names}
        self.forwards: list[tuple[str, str, str]] = []
        for guard in self.guards.values():
            guard.store = self.keep  # type: ignore[method-assign]
        self.read = dict.fromkeys(names, 0)

    def keep(self, event: Event) -> Event:
        stored = event.replace(id=str(len(self.log) + 1))
        stored.task = stored.task or (stored.id if stored.kind == "task_req" else "")
        self.log.append(stored)
        guard = self.guards[stored.sender]
        guard.state, _ = step(guard.state, Sent(stored), guard.now)
        return stored

    def settle(self) -> None:
        """Everybody polls until nobody has anything new."""
        while any(at < len(self.log) for at in self.read.values()):
            for name, guard in self.guards.items():
                new, self.read[name] = self.log[self.read[name] :], len(self.log)
                for event in new:
                    if event.sender != name and event.to in ("", name):
                        guard.do(Received(event))
                        forwarded = guard.of(Forward)
                        self.forwards += [(name, f.event.kind, f.reason) for f in forwarded]

    def say(self, name: str, kind: str, **more: Any) -> Event:
        """The mind of one speaks; the message as stored."""
        at = len(self.log)
        self.guards[name].say(kind, **more)
        assert len(self.log) > at, self.guards[name].actions
        stored = self.log[at]
        self.settle()
        return stored

    @property
    def story(self) -> list[tuple[str, str, str, str, str]]:
        return [(e.sender, e.kind, e.to, e.task, e.ref) for e in self.log]


@pytest.fixture
def team() -> type[Team]:
    return Team


@pytest.fixture
def make() -> type[Guard]:
    return Guard


@pytest.fixture
def bob() -> Guard:
    return Guard()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Callable[..., Shop]]:
    made: list[Shop] = []

    def make(script: str = "", **options: Any) -> Shop:
        made.append(Shop(tmp_path, script, **options))
        return made[-1]

    yield make
    for one in made:
        one.exec.end()
