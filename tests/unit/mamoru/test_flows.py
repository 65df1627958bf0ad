"""The example flows of the seed, between guardians on one channel."""

from typing import Any

import pytest


def test_simple_task_request_S(team: Any) -> None:
    both = team("a", "b")
    both.say("a", "task_req", to="b", detail="/tmp/pr")
    assert both.guards["b"].state.status == "busy"
    both.say("b", "task_update")
    both.say("b", "task_done", detail="/tmp/reviews/pr123.md")
    assert both.story == [
        ("a", "task_req", "b", "1", ""),
        ("b", "task_ack", "a", "1", "1"),
        ("b", "task_update", "a", "1", "1"),
        ("b", "task_done", "a", "1", "1"),
    ]
    assert both.guards["b"].state.status == "available"
    assert both.forwards == [
        ("b", "task_req", ""),
        ("a", "task_update", ""),
        ("a", "task_done", ""),
    ]


def test_task_with_clarification_S(team: Any) -> None:
    both = team("a", "b")
    both.say("a", "task_req", to="b")
    both.say("b", "task_clarify")
    both.say("a", "task_clarify_res")
    both.say("b", "task_update")
    both.say("b", "task_done")
    assert both.story == [
        ("a", "task_req", "b", "1", ""),
        ("b", "task_ack", "a", "1", "1"),
        ("b", "task_clarify", "a", "1", "1"),
        ("a", "task_clarify_res", "b", "1", "3"),
        ("b", "task_update", "a", "1", "1"),
        ("b", "task_done", "a", "1", "1"),
    ]
    assert [who for who, _, _ in both.forwards] == ["b", "a", "b", "a", "a"]


def test_task_rejection_S(team: Any) -> None:
    three = team("a", "b", "c")
    three.say("a", "task_req", to="b")
    three.say("c", "task_req", to="b")
    assert three.story[-1] == ("b", "task_reject", "c", "3", "3")
    assert three.forwards == [("b", "task_req", ""), ("c", "task_reject", "")]
    assert three.guards["b"].state.active.task == "1"


def test_sub_delegation_S(team: Any) -> None:
    three = team("a", "b", "c")
    outer = three.say("a", "task_req", to="b")
    inner = three.say("b", "task_req", to="c")
    three.say("c", "task_clarify")
    three.say("b", "task_clarify_res")
    three.say("c", "task_done")
    three.say("b", "task_done")
    assert (outer.task, inner.task) == ("1", "3")
    assert [(e.sender, e.to) for e in three.log if e.task == inner.task] == [
        ("b", "c"),
        ("c", "b"),
        ("c", "b"),
        ("b", "c"),
        ("c", "b"),
    ]
    assert three.story[-1] == ("b", "task_done", "a", "1", "1")
    assert all(guard.state.status == "available" for guard in three.guards.values())


def test_a_coordinator_and_two_workers(team: Any) -> None:
    three = team("a", "b", "c")
    for worker in ("b", "c"):
        three.say("a", "task_req", to=worker)
    assert len(three.guards["a"].state.given) == 2
    for worker in ("b", "c"):
        three.say(worker, "task_done")
    assert not three.guards["a"].state.given


@pytest.mark.parametrize("end", ["task_fail", "task_done"])
def test_a_result_ends_it_on_both_sides(team: Any, end: str) -> None:
    both = team("a", "b")
    both.say("a", "task_req", to="b")
    both.say("b", end)
    assert not both.guards["a"].state.given and both.guards["b"].state.active is None


def test_cancel(team: Any) -> None:
    both = team("a", "b")
    both.say("a", "task_req", to="b")
    both.say("a", "task_cancel")
    assert both.story[-1] == ("b", "task_cancel_ack", "a", "1", "3")
    assert not both.guards["a"].state.given
    assert both.guards["b"].state.status == "available"


def test_a_broadcast_reaches_everybody_else_once(team: Any) -> None:
    three = team("a", "b", "c")
    three.say("a", "broadcast")
    assert three.forwards == [("b", "broadcast", ""), ("c", "broadcast", "")]


def test_pings_both_ways(team: Any) -> None:
    from swarm.events import Event

    both = team("a", "b")
    for sender, to in (("a", "b"), ("b", "a")):
        both.keep(Event(kind="ping", sender=sender, to=to, content="ping"))
    both.settle()
    assert [event.kind for event in both.log] == ["ping", "ping", "pong", "pong"]
    assert not both.forwards


def test_a_cancel_and_a_result_that_cross_leave_both_sides_free(team: Any) -> None:
    both = team("a", "b")
    both.say("a", "task_req", to="b")
    both.guards["a"].say("task_cancel")
    both.guards["b"].say("task_done")
    both.settle()
    assert both.guards["a"].state.finished["1", "b"] == "done"
    assert both.guards["b"].state.worked == {("1", "a"): "1"}
    assert [event.kind for event in both.log][-1] == "task_cancel_ack"
