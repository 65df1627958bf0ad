"""Waiting for a task: until it has its end, or nobody but who waits can bring it forward."""

import threading
from typing import Any

import pytest

from swarm.errors import TimedOut, Unknown
from swarm.events import Event
from swarm.mamoru import following, speaking
from swarm.mamoru.state import DEFAULTS
from swarm.transport.memory import Memory, MemoryStore


class Place:
    """amy and bob, without guardians."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.memory.join("amy")
        self.memory.join("bob")
        self.store = MemoryStore(self.memory)

    def say(self, agent: str, kind: str, **more: Any) -> Event:
        event = Event(**({"kind": kind, "content": "x"} | more))
        return speaking.say(self.store, agent, event, self.memory.clock())[0][-1]

    def post(self, kind: str, task: str = "", **more: Any) -> Event:
        sender, to = ("amy", "bob") if kind == "task_req" else ("bob", "amy")
        return self.memory.post(Event(kind=kind, sender=sender, to=to, task=task, **more))

    def state(self, agent: str, key: str, seconds: float | None = 0) -> str:
        """What the wait ends with; "" if it does not."""
        try:
            found, _ = following.wait(self.store, agent, key, seconds, DEFAULTS)
        except TimedOut:
            return ""
        return found[-1].state


@pytest.fixture
def place() -> Place:
    return Place()


def test_the_requester_waits_for_the_end_or_for_a_question(place: Place) -> None:
    key = place.say("amy", "task_req", to="bob").key
    assert place.state("amy", key) == ""
    place.say("bob", "task_clarify", task=key)
    assert place.state("amy", key) == "waiting"
    place.say("amy", "task_clarify_res", task=key)
    assert place.state("amy", key) == ""
    place.say("bob", "task_done", task=key)
    assert place.state("amy", key) == "done"


def test_the_worker_waits_for_the_answer_to_its_question(place: Place) -> None:
    key = place.say("amy", "task_req", to="bob").key
    assert place.state("bob", key) == "asked"
    place.say("bob", "task_clarify", task=key)
    assert place.state("bob", key) == ""
    place.say("amy", "task_clarify_res", task=key)
    assert place.state("bob", key) == "accepted"


def test_a_rejected_request_that_is_tried_again_has_no_end_yet(place: Place) -> None:
    key = place.post("task_req", retry="queue").key
    place.post("task_reject", key)
    assert place.state("amy", key) == ""
    again = place.post("task_req", retry="queue", retry_of=key, origin=f"retry:{key}:2").key
    assert place.state("amy", key) == ""
    place.post("task_done", again)
    assert place.state("amy", key) == "done"
    plain = place.post("task_req").key
    place.post("task_reject", plain)
    assert place.state("amy", plain) == "rejected"


def test_it_ends_as_soon_as_the_word_comes(place: Place) -> None:
    key = place.say("amy", "task_req", to="bob").key
    timer = threading.Timer(0.05, place.say, ["bob", "task_fail"])
    timer.start()
    assert place.state("amy", key, 20) == "failed"
    timer.join()


def test_a_task_of_others_is_not_waited_for(place: Place) -> None:
    with pytest.raises(Unknown):
        following.wait(place.store, "amy", "nope", None, DEFAULTS)


@pytest.mark.parametrize(
    ("key", "known", "hint"),
    [
        ("build-1", ["build-3fa2", "test-99"], "did you mean build-3fa2?"),
        ("buidl-3fa2", ["build-3fa2"], "did you mean build-3fa2?"),
        ("bui", ["build-3fa2"], "did you mean build-3fa2?"),
        ("other", ["build-3fa2"], following.ALL),
        ("7", ["build-3fa2"], "a number is a task of a channel: --channel names that"),
        ("7", ["17"], following.ALL),
    ],
)
def test_a_key_that_is_none_brings_up_the_one_most_likely_meant(
    key: str, known: list[str], hint: str
) -> None:
    assert following.unknown(key, known).hint == hint
