"""The machine driven through a transport: after a restart it knows what it knew."""

from collections.abc import Callable
from typing import Any

import pytest


class Flow:
    """amy asks bob; after each act both are compared with what a restart would know."""

    def __init__(self, guard: Callable[..., Any], state_of: Callable[..., Any]) -> None:
        self.amy, self.bob = guard("amy", retry_first=0.0), guard("bob", retry_first=0.0)
        self.state_of = state_of

    def settle(self) -> None:
        for _ in range(10):
            if not sum(one.turn() for one in (self.amy, self.bob)):
                return
        raise AssertionError("they never come to rest")

    def act(self, who: Any, kind: str, **more: Any) -> None:
        who.say(kind, **more)
        self.settle()
        for one in (self.amy, self.bob):
            before = self.state_of(one.state)
            one.restart()
            self.settle()
            assert self.state_of(one.state) == before, (one.me, kind)


@pytest.fixture
def flow(guard: Any, state_of: Any) -> Flow:
    return Flow(guard, state_of)


def test_a_task_from_request_to_result(flow: Flow) -> None:
    flow.act(flow.amy, "task_req", to="bob")
    assert flow.bob.state.active and flow.bob.side.status() == "busy"
    flow.act(flow.bob, "task_clarify")
    flow.act(flow.amy, "task_clarify_res")
    flow.act(flow.bob, "task_update")
    flow.act(flow.bob, "task_done")
    assert not flow.bob.state.active and not flow.amy.state.given
    assert flow.bob.side.status() == "available"


def test_a_task_that_is_cancelled(flow: Flow) -> None:
    flow.act(flow.amy, "task_req", to="bob")
    flow.act(flow.amy, "task_cancel")
    assert not flow.bob.state.active and not flow.amy.state.given


def test_a_task_that_fails(flow: Flow) -> None:
    flow.act(flow.amy, "task_req", to="bob")
    flow.act(flow.bob, "task_fail")
    assert not flow.bob.state.active and not flow.amy.state.given


@pytest.mark.parametrize("retry", ["queue", "block"])
def test_a_rejected_task_waits_and_is_tried_again(flow: Flow, guard: Any, retry: str) -> None:
    eve = guard("eve")
    eve.say("task_req", to="bob")
    flow.settle()
    eve.turn()
    flow.act(flow.amy, "task_req", to="bob", retry=retry)
    assert list(flow.amy.state.waiting) == ["bob"]
    flow.act(flow.bob, "task_done")
    flow.settle()
    assert flow.bob.state.active.requester == "amy" and not flow.amy.state.waiting
    eve.turn()
    assert not eve.state.given


def test_a_command_beside_the_guardian_counts(world: Any, flow: Flow) -> None:
    asked = world.say("task_req", content="by a command")
    flow.settle()
    assert flow.bob.state.active.ref == asked.id and len(flow.amy.state.given) == 1
    key = flow.bob.state.active.task
    world.say("task_done", "bob", "amy", task=key, ref=asked.id)
    flow.settle()
    assert not flow.bob.state.active and not flow.amy.state.given
    assert flow.bob.side.status() == "available"
