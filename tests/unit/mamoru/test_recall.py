"""After a restart a guardian knows what it knew."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.events import FOLLOW_UPS, Event
from swarm.mamoru.machine import step
from swarm.mamoru.signals import Forward, Outbound, Received, Roster, Send, Sent, Tick
from swarm.mamoru.state import Settings, State, recall

SETTINGS = Settings(announce=False, retry_limit=3, retry_for=500.0)
NOW = 1_000_000.0


class Life:
    """One guardian whose store is kept, so that it can be started anew at any point."""

    def __init__(self) -> None:
        self.now = NOW
        self.state = State("me", "available", SETTINGS, NOW)
        self.log: list[Event] = []

    def do(self, given: Any) -> None:
        if isinstance(given, Received):
            self.log.append(given.event)
        self.state, actions = step(self.state, given, self.now)
        for action in actions:
            if isinstance(action, Send):
                self.keep(action.event)

    def keep(self, event: Event) -> None:
        if event.origin and any(event.origin == other.origin for other in self.log):
            return
        event = event.replace(id=str(len(self.log) + 1))
        event.task = event.task or (event.id if event.kind == "task_req" else "")
        self.log.append(event)
        self.state, _ = step(self.state, Sent(event), self.now)

    def get(self, kind: str, sender: str, task: str) -> None:
        if task and not any(e.kind == "task_req" and e.id == task for e in self.log):
            return  # an answer to what was never asked: the fold takes it, in whatever order
        number = str(len(self.log) + 1)
        key = task or (number if kind == "task_req" else "")
        event = Event(kind=kind, sender=sender, to="me", task=key, id=number, content="x")
        self.do(Received(event.replace(at=self.now)))

    def play(self, op: tuple[Any, ...]) -> None:
        self.now += 1.0
        what, *about = op
        if what == "get":
            self.get(*about)
        elif what == "say":
            kind, to, task, retry = about
            event = Event(kind=kind, to=to, task=task, retry=retry, content="x")
            self.do(Outbound(event))
        elif what == "mates":
            from swarm.mamoru.signals import Mate

            mates = {name: Mate(status=about[0]) for name in ("amy", "eve")}
            self.do(Roster(mates, self.now))
        else:
            self.now += about[0]
            self.do(Tick())

    def again(self) -> State:
        status = self.state.status
        return recall("me", status, self.log, self.state.roster, SETTINGS, self.now)


people = st.sampled_from(["amy", "eve"])
keys = st.sampled_from([str(n) for n in range(1, 12)])
heard = st.sampled_from(sorted(FOLLOW_UPS))
said = st.sampled_from(
    ["task_done", "task_fail", "task_update", "task_clarify", "task_clarify_res", "task_cancel"]
)
ops = st.one_of(
    st.tuples(st.just("get"), st.just("task_req"), people, st.just("")),
    st.tuples(st.just("get"), heard, people, keys),
    st.tuples(
        st.just("say"),
        st.just("task_req"),
        people,
        st.just(""),
        st.sampled_from(["", "queue", "block"]),
    ),
    st.tuples(st.just("say"), said, st.just(""), st.just("") | keys, st.just("")),
    st.tuples(st.just("mates"), st.sampled_from(["available", "busy"])),
    st.tuples(st.just("wait"), st.sampled_from([5.0, 25.0, 300.0, 1300.0])),
)


def known(state: State) -> dict[str, Any]:
    """What must be the same; only what ended for parties of a request is compared."""
    return {
        "status": state.status,
        "active": state.active,
        "given": state.given,
        "waiting": {target: list(retries) for target, retries in state.waiting.items()},
    }


@given(st.lists(ops, max_size=25))
def test_recalled_is_as_uninterrupted(life: list[tuple[Any, ...]]) -> None:
    guard = Life()
    for op in life:
        guard.play(op)
        assert known(guard.again()) == known(guard.state), guard.log


@given(st.lists(ops, max_size=15), ops)
def test_it_goes_on_in_the_same_way(life: list[tuple[Any, ...]], more: tuple[Any, ...]) -> None:
    here, there = Life(), Life()
    for op in life:
        here.play(op)
        there.play(op)
    there.state = there.again()
    here.play(more)
    there.play(more)
    assert [event.kind for event in here.log] == [event.kind for event in there.log]
    assert known(here.state) == known(there.state)


@given(st.lists(ops, max_size=25))
def test_everything_received_a_second_time_has_no_second_effect_k03(
    life: list[tuple[Any, ...]],
) -> None:
    guard = Life()
    for op in life:
        guard.play(op)
    guard.state = guard.again()
    sent = [event for event in guard.log if event.sender == "me"]
    before = guard.state.active
    for event in [
        event for event in guard.log if event.sender != "me" and event.kind == "task_req"
    ]:
        guard.state, actions = step(guard.state, Received(event), guard.now)
        origins = {other.origin for other in sent}
        assert all(a.event.origin in origins for a in actions if isinstance(a, Send))
    assert guard.state.active == before


def test_an_unread_request_is_shown_again_to_the_mind() -> None:
    guard = Life()
    guard.get("task_req", "amy", "")
    state = guard.again()
    _, actions = step(state, Received(guard.log[0]), guard.now)
    assert actions == [Forward(guard.log[0], "again")]


def test_an_ack_without_its_request_is_enough() -> None:
    guard = Life()
    guard.get("task_req", "amy", "")
    guard.log.pop(0)
    active = guard.again().active
    assert active and (active.task, active.requester, active.ref) == ("1", "amy", "1")


@pytest.mark.parametrize("status", ["available", "busy", "nonsense", ""])
def test_nobody_is_busy_without_a_task(status: str) -> None:
    assert recall("me", status, [], {}, SETTINGS, NOW).status == "available"


def test_who_left_stays_away_until_it_joins() -> None:
    assert recall("me", "inactive", [], {}, SETTINGS, NOW).status == "inactive"
