"""Rejected requests that are sent again.

``S`` at the end of a name: the seed says so.
"""

from typing import Any

from swarm.mamoru.signals import (
    Notify,
    Tick,
)


class TestRetry:
    def rejected(self, bob: Any, how: str = "queue") -> str:
        key = bob.ask("eve", retry=how)
        bob.get("task_reject", "eve", task=key, content="busy")
        return key

    def test_block_waits_in_silence(self, bob: Any) -> None:
        bob.mates(eve="busy")
        key = self.rejected(bob, "block")
        assert not bob.actions
        bob.later(5)
        assert not bob.actions
        bob.mates(eve="available")
        bob.do(Tick())
        (again,) = bob.sent
        assert (again.kind, again.to, again.retry_of, again.origin, again.task) == (
            "task_req",
            "eve",
            key,
            f"retry:{key}:bob:eve:2",
            "",
        )
        assert not bob.of(Notify)

    def test_queue_tells_both_times(self, bob: Any) -> None:
        self.rejected(bob, "queue")
        assert bob.forwarded == ["queued to be retried"]
        bob.mates(eve="available")
        bob.later(2)
        assert bob.kinds == ["task_req"] and len(bob.of(Notify)) == 1

    def test_without_either_nothing_is_retried(self, bob: Any) -> None:
        self.rejected(bob, "")
        bob.mates(eve="available")
        bob.later(50)
        assert bob.forwarded == [] and not bob.sent

    def test_accepted_means_no_resend(self, bob: Any) -> None:
        key = bob.ask("eve", retry="queue")
        bob.get("task_ack", "eve", task=key)
        for _ in range(10):
            bob.mates(eve="available")
            bob.later(5)
            assert not bob.sent

    def test_it_fires_also_when_the_target_was_available_all_along(self, bob: Any) -> None:
        bob.mates(eve="available")
        self.rejected(bob)
        bob.later(1.9)
        assert not bob.sent
        bob.later(0.1)
        assert bob.kinds == ["task_req"]

    def test_not_before_the_verdict_on_the_request_before_is_in(self, bob: Any) -> None:
        bob.mates(eve="available")
        self.rejected(bob)
        key = bob.ask("eve", retry="queue")
        bob.later(10)
        assert not bob.sent
        bob.get("task_reject", "eve", task=key)
        bob.later(10)
        assert len(bob.sent) == 1

    def test_a_worker_without_an_entry_in_a_mail_tree_is_tried_again(self, make: Any) -> None:
        bob = make(announce=False)
        self.rejected(bob)
        bob.mates(amy="available")
        bob.later(2)
        assert bob.kinds == ["task_req"]

    def test_one_without_a_row_on_a_channel_is_tried_again_when_it_appears(self, bob: Any) -> None:
        self.rejected(bob)
        bob.mates(amy="available")
        bob.later(60)
        assert not bob.sent
        bob.mates(amy="available", eve="available")
        bob.do(Tick())
        assert bob.kinds == ["task_req"]

    def test_one_whose_entry_says_otherwise_is_left_alone(self, make: Any) -> None:
        bob = make(announce=False)
        bob.mates(eve="inactive")
        self.rejected(bob)
        bob.later(60)
        assert not bob.sent

    def test_in_order_for_each_target(self, bob: Any) -> None:
        bob.mates(eve="busy")
        keys = [self.rejected(bob) for _ in range(3)]
        again = []
        for _ in keys:
            bob.mates(eve="available")
            bob.later(10)
            (event,) = bob.sent
            again.append(event.retry_of)
            bob.get("task_ack", "eve", task=str(bob.number))
            bob.get("task_done", "eve", task=str(bob.number - 1))
        assert again == keys

    def test_the_wait_doubles_and_ends(self, make: Any) -> None:
        bob = make(retry_limit=4)
        bob.mates(eve="available")
        self.rejected(bob)
        for wait in (2, 4, 8):
            bob.later(wait - 0.1)
            assert not bob.sent
            bob.later(0.1)
            assert bob.kinds == ["task_req"]
            bob.get("task_reject", "eve", task=str(bob.number))
        assert bob.forwarded == ["last try"] and not bob.state.waiting

    def test_one_that_waits_too_long_is_given_up_and_told(self, make: Any) -> None:
        bob = make(retry_for=100.0)
        key = self.rejected(bob, "block")
        bob.later(100)
        assert bob.of(Notify)[0].task == key and bob.sent[0].to == "bob"
        assert not bob.state.waiting

    def test_cancelling_one_that_waits_drops_it(self, bob: Any) -> None:
        key = self.rejected(bob, "block")
        bob.say("task_cancel", task=key)
        assert [event.to for event in bob.sent] == ["bob"] and not bob.state.waiting
        bob.mates(eve="available")
        bob.later(50)
        assert not bob.sent

    def test_a_reject_that_crosses_our_cancel_is_not_retried(self, bob: Any) -> None:
        key = bob.ask("eve", retry="queue")
        bob.say("task_cancel", task=key)
        bob.get("task_reject", "eve", task=key)
        assert not bob.state.waiting and bob.forwarded == [""]

    def test_a_repeated_reject_waits_once(self, bob: Any) -> None:
        key = self.rejected(bob, "block")
        bob.get("task_reject", "eve", task=key)
        assert not bob.actions and len(bob.state.waiting["eve"]) == 1
