"""Timeouts, signs of life, changes of status.

``S`` at the end of a name: the seed says so.
"""

from typing import Any

import pytest

from swarm.events import Event
from swarm.mamoru.machine import due
from swarm.mamoru.signals import (
    Joined,
    MarkAvailable,
    MarkInactive,
    Mate,
    Notify,
    Presence,
    Received,
    Roster,
    Sent,
    SetStatus,
    Tick,
    Woke,
)

NOW = 1_000_000.0
MINUTE = 60.0


class TestTimeout:
    def test_silence_cancels_after_20_minutes_then_tells_after_20_s_S(self, bob: Any) -> None:
        bob.mates(eve="busy")
        key = bob.ask("eve")
        assert due(bob.state) <= NOW + 20 * MINUTE
        assert "task_cancel" not in [e.kind for e in self.tick_alive(bob, 19.9 * MINUTE)]
        (cancel,) = self.tick_alive(bob, 6.0)
        assert (cancel.intent, cancel.need_reply, cancel.task, cancel.ref) == (
            "task_timeout",
            True,
            key,
            key,
        )
        assert cancel.origin == f"timeout:{key}:eve:bob"
        assert cancel.content == "Task timed out after 20 minutes with no updates."
        self.tick_alive(bob, 20.0)
        assert bob.of(MarkInactive) == [MarkInactive("eve")] and bob.of(Notify)
        assert not bob.state.given and bob.state.finished[key, "eve"] == "failed"
        bob.later(1)
        assert not bob.actions

    @staticmethod
    def tick_alive(guard: Any, seconds: float) -> list[Event]:
        """Time passes; the mates' heartbeats go on."""
        guard.now += seconds
        guard.mates(eve="busy")
        guard.do(Tick())
        return guard.sent

    @pytest.mark.parametrize("kind", ["task_ack", "task_update", "task_clarify"])
    def test_any_word_of_the_worker_restarts_it_S(self, bob: Any, kind: str) -> None:
        key = bob.ask("eve")
        bob.later(19 * MINUTE)
        bob.get(kind, "eve", task=key)
        bob.later(19 * MINUTE)
        assert not bob.sent
        bob.later(2 * MINUTE)
        assert bob.kinds == ["task_cancel"]

    def test_our_own_clarification_restarts_it(self, bob: Any) -> None:
        key = bob.ask("eve")
        bob.get("task_clarify", "eve", task=key)
        bob.later(19 * MINUTE)
        bob.say("task_clarify_res")
        bob.later(19 * MINUTE)
        assert not bob.sent

    def test_an_ack_in_time_leaves_the_worker_alone(self, bob: Any) -> None:
        key = bob.ask("eve")
        bob.later(20 * MINUTE)
        bob.now += 19
        bob.get("task_cancel_ack", "eve", task=key)
        bob.later(60)
        assert not bob.of(MarkInactive) and not bob.state.given

    def test_a_result_read_before_the_timeout_is_judged_counts(self, bob: Any) -> None:
        key = bob.ask("eve")
        bob.now += 30 * MINUTE
        bob.get("task_done", "eve", task=key)
        bob.do(Tick())
        assert not bob.sent

    def test_giving_up_is_recorded_to_oneself_and_shown_once(self, bob: Any) -> None:
        key = bob.ask("eve")
        bob.later(20 * MINUTE)
        bob.later(20)
        (record,) = bob.sent
        assert (record.sender, record.to, record.kind, record.task) == (
            "bob",
            "bob",
            "task_fail",
            key,
        )
        bob.do(Received(record.replace(id="900")))
        assert bob.forwarded == [""] and not bob.sent


class TestLiveness:
    def test_a_minute_of_silence_is_a_suspicion_then_20_s_S(self, bob: Any) -> None:
        bob.mates(eve="available 61")
        bob.state.awake = 0.0
        bob.do(Tick())
        assert [(e.kind, e.to, e.need_reply) for e in bob.sent] == [("ping", "eve", True)]
        bob.later(19)
        assert not bob.actions
        bob.later(1)
        assert bob.of(MarkInactive) == [MarkInactive("eve")]
        assert dict(bob.state.teammates()) == {}

    @pytest.mark.parametrize("kind", ["pong", "info_only", "task_update"])
    def test_any_message_settles_the_ping(self, bob: Any, kind: str) -> None:
        bob.mates(eve="available")
        bob.later(60)
        assert bob.kinds == ["ping"]
        bob.get(kind, "eve")
        bob.later(59)
        assert not bob.actions
        bob.later(1)
        assert bob.kinds == ["ping"]

    def test_a_late_message_takes_the_marked_one_back(self, bob: Any) -> None:
        bob.mates(eve="available")
        bob.later(60)
        bob.later(20)
        assert bob.of(MarkInactive)
        bob.get("pong", "eve")
        assert bob.of(MarkAvailable) == [MarkAvailable("eve")]
        assert dict(bob.state.teammates())["eve"].status == "available"

    def test_what_a_dead_one_said_before_does_not_take_it_back(self, bob: Any) -> None:
        bob.mates(eve="inactive 30")
        bob.get("info_only", "eve", at=bob.now - 31)
        assert not bob.of(MarkAvailable)
        bob.get("info_only", "eve", at=bob.now - 29)
        assert bob.of(MarkAvailable) == [MarkAvailable("eve")]

    def test_the_others_ask_too_where_the_lead_keeps_failing(self, bob: Any) -> None:
        bob.now += 241
        bob.mates(amy="available", eve="available 241")
        bob.do(Tick())
        assert [(event.kind, event.to) for event in bob.sent] == [("ping", "eve")]

    def test_one_that_left_is_not_taken_back(self, bob: Any) -> None:
        bob.mates(eve="inactive")
        bob.get("broadcast", "eve", to="", intent="agent_leave")
        bob.get("info_only", "eve")
        assert not bob.of(MarkAvailable)

    def test_where_nobody_may_mark_it_ones_own_view_stands(self, bob: Any) -> None:
        bob.mates(eve="available")
        bob.later(60)
        bob.later(20)
        bob.mates(eve="available 80")
        assert dict(bob.state.teammates()) == {}
        bob.later(100)
        assert not bob.actions
        bob.mates(eve="available 1")
        assert dict(bob.state.teammates())["eve"].status == "available"

    def test_only_one_agent_asks_after_a_stranger(self, bob: Any) -> None:
        bob.now += 61
        bob.mates(amy="available", eve="available 61")
        bob.do(Tick())
        assert not bob.sent
        bob.mates(amy="available 61", eve="available 61")
        bob.do(Tick())
        assert [(event.kind, event.to) for event in bob.sent] == [("ping", "amy"), ("ping", "eve")]

    def test_everybody_asks_after_its_own_worker(self, bob: Any) -> None:
        bob.ask("eve")
        bob.now += 61
        bob.mates(amy="available", eve="busy 61")
        bob.do(Tick())
        assert [(event.kind, event.to) for event in bob.sent] == [("ping", "eve")]

    def test_one_that_never_gave_a_sign_is_not_judged_by_silence(self, bob: Any) -> None:
        bob.do(Roster({"eve": Mate(status="available", seen=0.0)}, NOW))
        bob.ask("eve")
        bob.later(10 * MINUTE)
        assert not bob.sent

    def test_a_heartbeat_from_the_future_is_none(self, bob: Any) -> None:
        ahead = {"eve": Mate(status="available", seen=NOW + 3 * 86400)}
        bob.do(Roster(ahead, NOW))
        bob.now += 60
        bob.do(Roster(ahead, bob.now, before=bob.state.roster))
        bob.do(Tick())
        assert bob.kinds == ["ping"]

    def test_a_heartbeat_that_moves_is_one_whatever_its_clock_says(self, bob: Any) -> None:
        for minute in range(10):
            moved = {"eve": Mate(status="available", seen=NOW - 86400 + minute)}
            bob.do(Roster(moved, bob.now, before=bob.state.roster if minute else None))
            bob.later(50)
            assert not bob.actions

    def test_a_heartbeat_that_moves_settles_the_ping(self, bob: Any) -> None:
        bob.mates(eve="available")
        bob.later(60)
        assert bob.kinds == ["ping"]
        bob.now += 19
        moved = {"eve": Mate(status="available", seen=bob.now)}
        bob.do(Roster(moved, bob.now, before=bob.state.roster))
        bob.later(1)
        assert not bob.actions

    def test_our_own_suspension_makes_nobody_look_dead(self, bob: Any) -> None:
        key = bob.ask("eve")
        bob.now += 3600
        bob.do(Woke(3600))
        bob.mates(eve="busy 3600", amy="available 3600")
        bob.do(Tick())
        assert not bob.actions
        bob.later(60)
        assert set(bob.kinds) == {"ping"}
        assert bob.state.given[key, "eve"].heard == NOW + 3600

    def test_a_clock_that_goes_back_takes_the_timers_with_it(self, bob: Any) -> None:
        bob.ask("eve")
        bob.later(10 * MINUTE)
        bob.later(-3600)
        assert not bob.actions
        bob.later(11 * MINUTE)
        assert bob.kinds == ["task_cancel"]

    def test_being_marked_by_others_is_undone_S(self, bob: Any) -> None:
        bob.mates(bob="inactive")
        assert bob.of(SetStatus) == [SetStatus("available")]
        bob.later(3)
        assert [(e.kind, e.intent, e.content) for e in bob.sent] == [
            ("broadcast", "agent_status_change", "bob is available")
        ]

    def test_after_leaving_it_is_not_undone(self, bob: Any) -> None:
        bob.say("broadcast", intent="agent_leave")
        bob.mates(bob="inactive")
        assert not bob.actions


class TestStatus:
    def test_a_change_is_broadcast_3_s_later_if_it_still_holds(self, bob: Any) -> None:
        bob.take()
        bob.later(2.9)
        assert not bob.sent
        bob.later(0.1)
        assert [event.content for event in bob.sent] == ["bob is busy"]
        bob.say("task_done")
        bob.later(1)
        bob.take()
        bob.later(10)
        assert not bob.sent

    def test_where_a_roster_shows_it_nothing_is_broadcast(self, make: Any) -> None:
        bob = make(announce=False)
        bob.take()
        bob.later(10)
        assert not bob.sent

    def test_joining_greets_and_is_available_S(self, make: Any) -> None:
        bob = make(status="inactive")
        bob.do(Joined())
        assert [event.intent for event in bob.sent] == ["agent_join"]
        assert bob.of(SetStatus) == [SetStatus("available")]
        bob.later(10)
        assert not bob.sent

    def test_a_restart_with_a_task_joins_busy(self, bob: Any) -> None:
        bob.take()
        bob.do(Joined())
        assert bob.of(SetStatus) == [SetStatus("busy")]

    def test_an_agent_with_work_of_its_own_rejects(self, bob: Any) -> None:
        bob.do(Presence("busy"))
        bob.get("task_req")
        assert bob.kinds == ["task_reject"]
        bob.do(Presence("available"))
        bob.take()
        bob.do(Presence("available"))
        assert bob.state.status == "busy"

    def test_what_a_command_beside_the_guardian_sent_counts(self, bob: Any) -> None:
        key = bob.take()
        done = Event(kind="task_done", sender="bob", to="amy", task=key, id="99", content="x")
        bob.do(Sent(done))
        assert bob.state.status == "available" and bob.state.active is None
        bob.do(Sent(done))
        assert not bob.actions
