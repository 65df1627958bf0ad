"""A guardian under test: its clock and its store are played by hand."""

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


@pytest.fixture
def make() -> type[Guard]:
    return Guard


@pytest.fixture
def bob() -> Guard:
    return Guard()
