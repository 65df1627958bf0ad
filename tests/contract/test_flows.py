"""The seed's example flows, each step as a store of any kind gives it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

Step = tuple[str, str, str]


class Guards:
    """Guardians of amy, bob and eve, each in a process's view of its own."""

    def __init__(self, guard: Callable[..., Any]) -> None:
        self.guards = {name: guard(name) for name in ("amy", "bob", "eve")}

    def say(self, name: str, kind: str, **more: Any) -> None:
        self.guards[name].say(kind, **more)
        while any(guard.turn() for guard in self.guards.values()):
            pass

    def told(self, name: str) -> list[Step]:
        """What reached a mind: event, sender, and what was unusual about it."""
        return [(f.event.kind, f.event.sender, f.reason) for f in self.guards[name].seen]

    def stories(self, name: str) -> list[list[tuple[str, str, str]]]:
        """The tasks of an agent, as told by its store: event, sender, kind of what it answers."""
        events = {e.id: e for e in self.guards[name].side.history() if e.key}
        tasks: dict[str, list[tuple[str, str, str]]] = {}
        for event in events.values():
            ref = events[event.ref].kind if event.ref else ""
            tasks.setdefault(event.key, []).append((event.kind, event.sender, ref))
        return list(tasks.values())

    def statuses(self) -> list[str]:
        return [guard.side.status() for guard in self.guards.values()]


@pytest.fixture
def three(guard: Callable[..., Any]) -> Iterator[Guards]:
    yield Guards(guard)


def test_a_simple_request(three: Guards) -> None:
    three.say("amy", "task_req", to="bob", content="Review PR #123")
    assert three.statuses() == ["available", "busy", "available"]
    three.say("bob", "task_update")
    three.say("bob", "task_done", detail="/tmp/reviews/pr123.md")
    assert three.stories("amy") == [
        [
            ("task_req", "amy", ""),
            ("task_ack", "bob", "task_req"),
            ("task_update", "bob", "task_req"),
            ("task_done", "bob", "task_req"),
        ]
    ]
    assert three.told("bob") == [("task_req", "amy", "")]
    assert three.told("amy") == [("task_update", "bob", ""), ("task_done", "bob", "")]
    assert three.guards["amy"].seen[-1].event.detail == "/tmp/reviews/pr123.md"
    assert three.statuses() == ["available"] * 3


def test_a_clarification(three: Guards) -> None:
    three.say("amy", "task_req", to="bob")
    three.say("bob", "task_clarify")
    three.say("amy", "task_clarify_res")
    assert three.statuses()[1] == "busy"
    three.say("bob", "task_done")
    assert three.stories("bob") == [
        [
            ("task_req", "amy", ""),
            ("task_ack", "bob", "task_req"),
            ("task_clarify", "bob", "task_req"),
            ("task_clarify_res", "amy", "task_clarify"),
            ("task_done", "bob", "task_req"),
        ]
    ]
    assert three.told("bob")[1:] == [("task_clarify_res", "amy", "")]
    assert three.statuses()[1] == "available"


def test_a_rejection_since_the_worker_is_busy(three: Guards) -> None:
    three.say("eve", "task_req", to="bob")
    three.say("amy", "task_req", to="bob")
    assert three.stories("amy") == [[("task_req", "amy", ""), ("task_reject", "bob", "task_req")]]
    assert three.told("amy") == [("task_reject", "bob", "")]
    assert three.told("bob") == [("task_req", "eve", "")]
    assert three.statuses()[1] == "busy"


def test_a_worker_that_asks_another(three: Guards) -> None:
    three.say("amy", "task_req", to="bob")
    three.say("bob", "task_req", to="eve")
    assert three.statuses() == ["available", "busy", "busy"]
    three.say("eve", "task_done")
    three.say("bob", "task_done")
    outer, inner = three.stories("bob")
    assert inner == [
        ("task_req", "bob", ""),
        ("task_ack", "eve", "task_req"),
        ("task_done", "eve", "task_req"),
    ]
    assert outer == [
        ("task_req", "amy", ""),
        ("task_ack", "bob", "task_req"),
        ("task_done", "bob", "task_req"),
    ]
    assert three.statuses() == ["available"] * 3
