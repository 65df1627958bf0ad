"""One suite for every transport: each file in places/ says how to make its store."""

import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from swarm.events import Event
from swarm.mamoru.machine import recall, step
from swarm.mamoru.signals import (
    Action,
    Forward,
    Input,
    MarkAvailable,
    MarkInactive,
    Outbound,
    Received,
    Roster,
    Send,
    Sent,
    SetStatus,
    Tick,
)
from swarm.mamoru.state import Settings, State
from swarm.transport.base import Outcome, Store, Transport

PLACES = sorted((Path(__file__).parent / "places").glob("*.py"))


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"place_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Killed(BaseException):
    """The process ends here, as far as the code under test can tell."""


class World:
    """A place with amy, bob and eve in it, and stores on it as of several processes."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = folder
        self.place: Any = load(path).Place(folder)
        self.stores: list[Store] = []
        for agent in ("amy", "bob", "eve"):
            self.place.join(agent)

    def store(self) -> Store:
        """Another process's view."""
        self.stores.append(self.place.store())
        return self.stores[-1]

    def open(self, agent: str) -> Transport:
        """The agent's side, in a process of its own."""
        return self.store().open(agent)

    def say(self, kind: str, sender: str = "amy", to: str = "bob", **more: Any) -> Event:
        """A message by a command beside the guardians."""
        event = Event(kind=kind, sender=sender, to=to, at=time.time(), **({"content": kind} | more))
        return self.place.say(event)

    def close(self) -> None:
        for store in self.stores:
            store.close()
        self.stores.clear()

    def dies_at(self, patch: pytest.MonkeyPatch, number: int) -> Callable[[], bool]:
        """From the n-th single write on everything raises; tells whether it came to that."""
        count = 0

        def before() -> None:
            nonlocal count
            count += 1
            if count >= number:
                raise Killed

        self.place.on_write(patch, before)
        return lambda: count >= number


class Guard:
    """The least loop around one agent: enough to drive the machine through a transport."""

    def __init__(self, world: World, agent: str, **settings: Any) -> None:
        self.world = world
        self.me = agent
        self.settings = settings
        self.seen: list[Forward] = []
        self.start()

    def start(self) -> None:
        self.store = self.world.store()
        self.side = self.store.open(self.me)
        settings = Settings(announce=self.store.marks, **self.settings)
        self.state = recall(
            self.me,
            self.side.status(),
            self.side.history(),
            self.store.roster(),
            settings,
            time.time(),
        )

    def restart(self) -> None:
        self.store.close()
        self.start()

    def do(self, given: Input, event: Event | None = None) -> list[Action]:
        state, actions = step(self.state, given, time.time())
        outcome = outcome_of(actions)
        if event is not None:
            self.side.commit(event, outcome)
        else:
            self.side.apply(outcome)
        self.state = state
        self.seen += [action for action in actions if isinstance(action, Forward)]
        return actions

    def turn(self) -> int:
        """Everything that is there; how much it was."""
        received = self.side.receive()
        for event in self.side.sent():
            self.do(Sent(event))
        for event in received:
            self.do(Received(event), event)
        for event in self.side.sent():
            self.do(Sent(event))
        self.do(Roster(self.store.roster(), time.time()))
        self.do(Tick())
        return len(received)

    def say(self, kind: str, **more: Any) -> list[Action]:
        actions = self.do(Outbound(Event(**({"kind": kind, "content": "some words"} | more))))
        self.turn()
        return actions


def outcome_of(actions: list[Action]) -> Outcome:
    outcome = Outcome()
    for action in actions:
        if isinstance(action, Send):
            outcome.sends.append(action.event)
        elif isinstance(action, SetStatus):
            outcome.status = action.status
        elif isinstance(action, MarkInactive):
            outcome.inactive.append(action.agent)
        elif isinstance(action, MarkAvailable):
            outcome.available.append(action.agent)
        elif isinstance(action, Forward):
            outcome.keep = True
    return outcome


def known(state: State) -> dict[str, Any]:
    """What a restart must not lose; times are the store's, in which it may round."""
    return {
        "status": state.status,
        "active": state.active and (state.active.task, state.active.requester, state.active.ref),
        "given": {
            pair: (g.state, g.ref, g.question, g.retry, g.root, g.attempt)
            for pair, g in state.given.items()
        },
        "finished": state.finished,
        "waiting": {
            to: [(r.root, r.last, r.attempt) for r in retries]
            for to, retries in state.waiting.items()
        },
    }


@pytest.fixture(params=PLACES, ids=[path.stem for path in PLACES])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    made = World(request.param, tmp_path)
    yield made
    made.close()


@pytest.fixture
def guard(world: World) -> Callable[..., Guard]:
    def make(agent: str, **settings: Any) -> Guard:
        return Guard(world, agent, **settings)

    return make


@pytest.fixture
def state_of() -> Callable[[State], dict[str, Any]]:
    return known


@pytest.fixture
def killed() -> type[BaseException]:
    return Killed
