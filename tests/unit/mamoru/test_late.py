"""Late, crossing, repeated and foreign messages.

``S`` at the end of a name: the seed says so.
"""

from typing import Any

import pytest

from swarm.events import Event
from swarm.mamoru.signals import (
    Interrupt,
    Notify,
    Sent,
    SetStatus,
)

NOW = 1_000_000.0
MINUTE = 60.0


class TestLateAndCrossing:
    def test_a_strangers_cancel_is_ignored_and_noted(self, bob: Any) -> None:
        key = bob.take("amy")
        bob.get("task_cancel", "mallory", task=key)
        assert bob.of(Notify) and not bob.sent and not bob.of(Interrupt)
        assert bob.state.status == "busy"

    @pytest.mark.parametrize("active", [True, False])
    def test_a_stale_cancel_is_acked_without_effect(self, bob: Any, active: bool) -> None:
        old = bob.take()
        bob.say("task_done")
        if active:
            bob.take("carl")
        before = bob.state.active
        bob.get("task_cancel", task=old)
        assert bob.kinds == ["task_cancel_ack"]
        assert bob.state.active == before and not bob.of(Interrupt) and not bob.of(SetStatus)

    def test_a_cancel_that_overtakes_its_request_keeps_it_from_starting(self, bob: Any) -> None:
        bob.get("task_cancel", task="T")
        bob.get("task_req", task="T", id="01_x_abcd.txt")
        assert bob.state.active is None and not bob.sent

    @pytest.mark.parametrize("kind", ["task_done", "task_fail", "task_update", "task_clarify"])
    def test_what_comes_after_the_end_reopens_nothing(self, bob: Any, kind: str) -> None:
        key = bob.ask("eve")
        bob.get("task_fail", "eve", task=key)
        bob.get(kind, "eve", task=key)
        assert bob.forwarded == ["late"] and not bob.state.given
        assert bob.state.finished[key, "eve"] == "failed"

    def test_a_result_that_crosses_the_cancel_counts(self, bob: Any) -> None:
        key = bob.ask("eve")
        bob.say("task_cancel", task=key)
        bob.get("task_done", "eve", task=key)
        assert bob.state.finished[key, "eve"] == "done" and bob.forwarded == [""]
        bob.get("task_cancel_ack", "eve", task=key)
        assert bob.state.finished[key, "eve"] == "done" and not bob.actions

    def test_a_result_from_another_than_the_worker_ends_nothing(self, bob: Any) -> None:
        key = bob.ask("eve")
        bob.get("task_done", "mallory", task=key)
        assert bob.forwarded == ["late"] and bob.state.given

    def test_two_workers_in_one_thread_are_two_tasks(self, bob: Any) -> None:
        for worker in ("eve", "fay"):
            sent = Event(kind="task_req", sender="bob", to=worker, task="T", id=f"01_{worker}.txt")
            bob.do(Sent(sent))
        bob.get("task_done", "eve", task="T")
        assert list(bob.state.given) == [("T", "fay")]

    def test_a_result_before_its_request_is_known_leaves_nothing_open(self, bob: Any) -> None:
        bob.get("task_done", "eve", task="T")
        bob.do(Sent(Event(kind="task_req", sender="bob", to="eve", task="T", id="1.txt")))
        assert not bob.state.given

    @pytest.mark.parametrize("kind", ["task_ack", "task_reject", "task_cancel_ack", "pong"])
    def test_an_answer_is_never_answered(self, bob: Any, kind: str) -> None:
        bob.get(kind, task="T")
        assert not bob.sent

    @pytest.mark.parametrize("kind", ["ping", "task_req", "task_cancel", "broadcast", "task_done"])
    def test_nothing_of_ones_own_is_answered(self, bob: Any, kind: str) -> None:
        for to in ("bob", ""):
            bob.get(kind, "bob", to=to, task="7", id="7")
            assert not bob.sent and not bob.forwarded and bob.state.active is None

    def test_a_message_to_somebody_else_is_left_alone(self, bob: Any) -> None:
        bob.get("task_req", to="carl")
        assert not bob.sent and not bob.forwarded

    def test_a_stale_request_is_failed_not_started(self, bob: Any) -> None:
        bob.get("task_req", at=NOW - 20 * MINUTE - 1, id="5")
        assert bob.kinds == ["task_fail"] and bob.sent[0].origin == "task_fail:5:bob"
        assert bob.state.active is None and not bob.forwarded
        bob.get("task_req", at=0.0)
        assert bob.kinds == ["task_ack"]

    def test_a_request_seen_again_is_shown_again_and_acked_once(self, bob: Any) -> None:
        key = bob.take()
        bob.get("task_req", id=key)
        assert bob.forwarded == ["again"] and not bob.sent
        bob.say("task_done")
        bob.get("task_req", id=key)
        assert not bob.actions

    def test_a_new_request_under_an_ended_key_is_shown_not_started(self, bob: Any) -> None:
        bob.get("task_req", task="T", id="01_a.txt")
        bob.say("task_done")
        bob.get("task_req", task="T", id="02_b.txt")
        assert bob.forwarded == ["ended"] and bob.state.active is None

    def test_the_two_directions_of_one_thread_are_two_tasks(self, bob: Any) -> None:
        bob.do(Sent(Event(kind="task_req", sender="bob", to="amy", task="T", id="01_a.txt")))
        bob.get("task_done", task="T", id="02_b.txt")
        bob.get("task_req", task="T", id="03_c.txt")
        assert bob.kinds == ["task_ack"]

    def test_a_request_rejected_before_is_not_taken_when_it_comes_again(self, bob: Any) -> None:
        bob.take("amy")
        bob.get("task_req", "carl", id="9")
        bob.say("task_done")
        bob.get("task_req", "carl", id="9")
        assert not bob.actions

    def test_what_is_remembered_of_ended_tasks_is_bounded(self, bob: Any) -> None:
        for number in range(500):
            bob.get("task_cancel", task=f"T{number}")
        assert len(bob.state.worked) == 64
