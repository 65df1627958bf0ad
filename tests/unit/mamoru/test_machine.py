"""What a guardian does with messages, rule by rule.

``S`` at the end of a name: the seed says so.
"""

from typing import Any

import pytest

from swarm.mamoru.signals import (
    Forward,
    Interrupt,
    Notify,
    Refuse,
    SetStatus,
)

NOW = 1_000_000.0


class TestNineAutoHandledRows:
    def test_ping_gets_a_pong_and_no_mind_is_asked_S(self, bob: Any) -> None:
        bob.get("ping", id="7")
        (pong,) = bob.sent
        assert (pong.kind, pong.to, pong.ref, pong.origin) == ("pong", "amy", "7", "pong:7:bob")
        assert not bob.forwarded and bob.state.status == "available"

    def test_a_request_is_acked_taken_and_forwarded_S(self, bob: Any) -> None:
        bob.get("task_req", id="42", task="42")
        (ack,) = bob.sent
        assert (ack.kind, ack.to, ack.task, ack.ref) == ("task_ack", "amy", "42", "42")
        assert (ack.content, ack.origin) == ("accepted", "task_ack:42:bob")
        assert bob.of(SetStatus) == [SetStatus("busy")] and bob.forwarded == [""]
        active = bob.state.active
        assert active and (active.task, active.requester, active.since) == ("42", "amy", NOW)

    def test_while_busy_a_request_is_rejected_as_busy_S(self, bob: Any) -> None:
        bob.take("amy")
        first = bob.state.active
        bob.get("task_req", "carl", id="9", task="9")
        (reject,) = bob.sent
        assert (reject.kind, reject.to, reject.task, reject.content) == (
            "task_reject",
            "carl",
            "9",
            "busy",
        )
        assert bob.state.active == first and not bob.forwarded and not bob.of(SetStatus)

    def test_cancel_interrupts_acks_and_frees_S(self, bob: Any) -> None:
        key = bob.take()
        bob.get("task_cancel", task=key, id="50")
        (ack,) = bob.sent
        assert (ack.kind, ack.task, ack.ref, ack.to) == ("task_cancel_ack", key, "50", "amy")
        assert bob.of(Interrupt) == [Interrupt(key)]
        assert bob.of(SetStatus) == [SetStatus("available")]
        assert bob.state.active is None and not bob.forwarded

    def test_join_leave_and_status_change_keep_the_roster_S(self, bob: Any) -> None:
        bob.get("broadcast", "eve", to="", intent="agent_join")
        assert dict(bob.state.teammates())["eve"].status == "available" and not bob.actions
        bob.get("broadcast", "eve", to="", intent="agent_status_change", content="eve is busy")
        assert dict(bob.state.teammates())["eve"].status == "busy" and not bob.actions
        bob.get("broadcast", "eve", to="", intent="agent_leave")
        assert dict(bob.state.teammates()) == {} and not bob.actions

    def test_task_ack_is_noted_S(self, bob: Any) -> None:
        key = bob.ask("eve")
        bob.get("task_ack", "eve", task=key)
        assert bob.state.given[key, "eve"].state == "accepted" and not bob.actions

    def test_cancel_ack_ends_the_task_and_frees_the_worker_S(self, bob: Any) -> None:
        bob.mates(eve="busy")
        key = bob.ask("eve")
        bob.say("task_cancel", task=key)
        bob.get("task_cancel_ack", "eve", task=key)
        assert not bob.state.given and not bob.actions
        assert bob.state.finished[key, "eve"] == "cancelled"
        assert dict(bob.state.teammates())["eve"].status == "available"


class TestForwards:
    @pytest.mark.parametrize("kind", ["task_clarify", "task_update", "task_done", "task_fail"])
    def test_what_the_worker_says_reaches_the_mind_S(self, bob: Any, kind: str) -> None:
        key = bob.ask("eve")
        bob.get(kind, "eve", task=key)
        assert bob.forwarded == [""] and not bob.sent
        assert bool(bob.state.given) == (kind in ("task_clarify", "task_update"))

    def test_a_reject_reaches_the_mind_S(self, bob: Any) -> None:
        key = bob.ask("eve")
        bob.get("task_reject", "eve", task=key, content="busy")
        assert bob.forwarded == [""] and not bob.state.given

    def test_a_clarification_reaches_the_worker_S(self, bob: Any) -> None:
        key = bob.take()
        bob.get("task_clarify_res", task=key)
        assert bob.forwarded == [""] and bob.state.status == "busy"

    @pytest.mark.parametrize(
        ("kind", "more", "reason"),
        [
            ("broadcast", {"to": ""}, ""),
            ("broadcast", {"to": "", "intent": "lunch"}, ""),
            ("broadcast", {}, ""),
            ("info_only", {}, ""),
            ("info_only", {"to": ""}, ""),
            ("hug", {}, "unknown event"),
        ],
    )
    def test_other_broadcasts_info_and_unknown_events_too(
        self, bob: Any, kind: str, more: dict[str, str], reason: str
    ) -> None:
        bob.get(kind, **more)
        assert bob.forwarded == [reason] and not bob.sent

    def test_a_message_that_is_no_event_is_shown_or_noted(self, bob: Any) -> None:
        bob.get("task_req", problem="malformed: lacks To")
        assert bob.forwarded == ["malformed: lacks To"] and not bob.sent
        bob.get("", content="", problem="no event")
        assert bob.of(Notify) and not bob.of(Forward)

    def test_a_request_in_another_ones_task_is_only_forwarded(self, bob: Any) -> None:
        bob.get("task_req", id="8", task="7")
        assert bob.forwarded == ["not new"] and not bob.sent
        bob.get("task_req", id="01_x_abcd.txt", task="review-4f2a")
        assert bob.kinds == ["task_ack"]

    def test_a_half_written_request_is_its_own_task(self, bob: Any) -> None:
        bob.get("task_req", id="8", task="")
        assert bob.kinds == ["task_ack"] and bob.sent[0].task == "8"

    def test_a_broadcast_request_is_taken_by_each_who_is_free(self, bob: Any) -> None:
        bob.get("task_req", to="", id="8", task="8")
        assert bob.kinds == ["task_ack"]
        bob.get("task_req", to="", id="9", task="9")
        assert bob.kinds == ["task_reject"]


class TestOutbound:
    @pytest.mark.parametrize("kind", ["task_done", "task_fail"])
    def test_a_result_frees_the_worker_S(self, bob: Any, kind: str) -> None:
        key = bob.take()
        bob.say(kind)
        (event,) = bob.sent
        assert (event.kind, event.to, event.task, event.ref) == (kind, "amy", key, key)
        assert bob.of(SetStatus) == [SetStatus("available")] and bob.state.active is None

    @pytest.mark.parametrize("kind", ["task_update", "task_clarify"])
    def test_an_update_or_a_question_leaves_it_busy_S(self, bob: Any, kind: str) -> None:
        key = bob.take()
        bob.say(kind)
        (event,) = bob.sent
        assert (event.to, event.task, event.need_reply) == ("amy", key, kind == "task_clarify")
        assert bob.state.status == "busy" and not bob.of(SetStatus)

    @pytest.mark.parametrize("kind", ["task_done", "task_fail", "task_update", "task_clarify"])
    def test_a_result_must_name_the_active_task(self, bob: Any, kind: str) -> None:
        bob.say(kind)
        assert bob.of(Refuse)[0].code == "no-task"
        bob.take()
        bob.say(kind, task="777")
        assert bob.of(Refuse)[0].code == "not-active" and not bob.sent
        bob.say(kind, to="carl")
        assert bob.of(Refuse)[0].code == "not-active" and bob.state.status == "busy"

    def test_what_ended_is_not_opened_again(self, bob: Any) -> None:
        key = bob.take()
        bob.say("task_done")
        bob.say("task_done", task=key)
        assert bob.of(Refuse)[0].code == "ended"
        given = bob.ask("eve")
        bob.get("task_done", "eve", task=given)
        for kind in ("task_cancel", "task_clarify_res"):
            bob.say(kind, task=given)
            assert bob.of(Refuse)[0].code == "ended"

    def test_an_answer_goes_to_the_task_we_gave_not_the_one_we_do(self, bob: Any) -> None:
        bob.take("amy")
        key = bob.ask("eve")
        bob.get("task_clarify", "eve", task=key, id="60")
        bob.say("task_clarify_res")
        (event,) = bob.sent
        assert (event.to, event.task, event.ref) == ("eve", key, "60")
        bob.say("task_cancel")
        assert (bob.sent[0].to, bob.sent[0].task) == ("eve", key)

    def test_of_several_tasks_given_the_one_that_waits_is_answered(self, bob: Any) -> None:
        keys = [bob.ask(worker) for worker in ("eve", "fay")]
        bob.get("task_clarify", "fay", task=keys[1])
        bob.say("task_clarify_res")
        assert bob.sent[0].to == "fay"
        bob.say("task_cancel")
        assert bob.of(Refuse)[0].code == "no-task"

    def test_a_cancel_of_nothing_we_gave_is_refused(self, bob: Any) -> None:
        key = bob.take()
        bob.say("task_cancel", task=key)
        assert bob.of(Refuse)[0].code == "not-given"
        given = bob.ask("eve")
        bob.say("task_cancel", task=given)
        bob.say("task_cancel", task=given)
        assert bob.of(Refuse)[0].code == "cancelling"

    @pytest.mark.parametrize(
        ("kind", "code"),
        [
            ("task_ack", "reserved-event"),
            ("task_reject", "reserved-event"),
            ("task_cancel_ack", "reserved-event"),
            ("ping", "reserved-event"),
            ("pong", "reserved-event"),
            ("hug", "unknown-event"),
        ],
    )
    def test_reserved_and_unknown_events_are_refused(self, bob: Any, kind: str, code: str) -> None:
        bob.take()
        bob.say(kind, to="amy")
        assert bob.of(Refuse)[0].code == code and not bob.sent

    def test_a_request_needs_a_known_recipient_who_is_not_oneself(self, bob: Any) -> None:
        bob.mates(eve="available", fay="inactive")
        bob.say("task_req", to="eve")
        assert (bob.sent[0].need_reply, bob.sent[0].sender) == (True, "bob")
        for to, code in (("nobody", "unknown-agent"), ("", "no-recipient"), ("bob", "to-self")):
            bob.say("task_req", to=to)
            assert bob.of(Refuse)[0].code == code
        bob.say("task_req", to="eve", content="w " * 21)
        assert bob.of(Refuse)[0].code == "content-too-long"
        bob.say("task_req", to="fay")
        assert bob.kinds == ["task_req"] and bob.of(Notify)

    def test_all_others_are_just_sent_S(self, bob: Any) -> None:
        for kind in ("broadcast", "info_only"):
            bob.say(kind)
            assert bob.kinds == [kind] and not bob.of(SetStatus)

    def test_leaving_fails_the_active_task(self, bob: Any) -> None:
        key = bob.take()
        bob.say("broadcast", intent="agent_leave")
        assert bob.kinds == ["task_fail", "broadcast"] and bob.sent[0].task == key
        assert bob.of(SetStatus) == [SetStatus("inactive")]
        bob.get("task_req", "carl")
        assert bob.kinds == ["task_reject"]


def test_sub_delegation_keeps_the_two_tasks_apart_S(make: Any) -> None:
    bob = make()
    outer = bob.take("amy")
    inner = bob.ask("eve")
    bob.get("task_ack", "eve", task=inner)
    bob.get("task_done", "eve", task=inner)
    assert bob.state.active and bob.state.active.task == outer and bob.state.status == "busy"
    bob.say("task_done")
    assert (bob.sent[0].to, bob.sent[0].task) == ("amy", outer)


def test_a_step_leaves_the_old_state_as_it_was(make: Any) -> None:
    bob = make()
    bob.ask("eve", retry="queue")
    old = bob.state
    before = (old.status, old.active, dict(old.given), dict(old.finished), dict(old.waiting))
    bob.get("task_reject", "eve", task=str(bob.number))
    bob.take()
    bob.later(1000)
    assert before == (old.status, old.active, old.given, old.finished, old.waiting)
