"""What a command says for an agent: taken up, refused, or stored, beside any guardian."""

from typing import Any

import pytest

from swarm.errors import SwarmError, Unknown, UsageError
from swarm.events import Event
from swarm.mamoru import following, speaking
from swarm.transport.base import Outcome
from swarm.transport.memory import Memory, MemoryStore

NOW = 1_000_000.0
HOUR = 3600.0


class Place:
    """amy, bob and eve, none with a guardian; a clock that is set by hand."""

    def __init__(self, marks: bool = True) -> None:
        self.now = NOW
        self.memory = Memory(clock=lambda: self.now, marks=marks)
        for agent in ("amy", "bob", "eve"):
            self.memory.join(agent)
        self.store = MemoryStore(self.memory)
        self.notes: list[str] = []

    def say(self, agent: str, kind: str, **more: str) -> list[Event]:
        event = Event(**({"kind": kind, "content": "x"} | more))  # type: ignore[arg-type]
        stored, self.notes = speaking.say(self.store, agent, event, self.now)
        return stored

    def ask(self, worker: str = "bob", requester: str = "amy", **more: str) -> str:
        return self.say(requester, "task_req", to=worker, **more)[-1].key

    def refused(self, agent: str, kind: str, **more: str) -> SwarmError:
        before = len(self.memory.messages)
        with pytest.raises(SwarmError) as caught:
            self.say(agent, kind, **more)
        assert len(self.memory.messages) == before
        return caught.value

    def set_status(self, agent: str, status: str) -> None:
        self.store.voice(agent).apply(Outcome(status=status))

    def status(self, agent: str) -> str:
        return self.store.roster()[agent].status

    def kinds(self, agent: str, key: str) -> list[str]:
        return [event.kind for event in following.about(self.store, agent, key)[1]]

    def state(self, agent: str, key: str) -> str:
        return following.tasks(self.store, agent)[key].state


@pytest.fixture
def place() -> Place:
    return Place()


def of(error: SwarmError) -> tuple[int, str]:
    return error.exit, error.code


def test_who_speaks_of_a_request_takes_it_up(place: Place) -> None:
    key = place.ask()
    assert [e.kind for e in place.say("bob", "task_update")] == ["task_ack", "task_update"]
    assert place.status("bob") == "busy"
    assert [e.kind for e in place.say("bob", "task_done")] == ["task_done"]
    assert place.status("bob") == "available"
    assert place.kinds("amy", key) == ["task_req", "task_ack", "task_update", "task_done"]


def test_however_old_the_request_is(place: Place) -> None:
    key = place.ask()
    place.now += 24 * HOUR
    place.say("bob", "task_done", task=key)
    assert place.state("amy", key) == "done"


@pytest.mark.parametrize(("marks", "after"), [(True, "available"), (False, "inactive")])
def test_though_the_roster_calls_it_inactive(marks: bool, after: str) -> None:
    """Others said so of one that is there; or it says so itself, and that is its own word."""
    place = Place(marks)
    key = place.ask()
    place.set_status("bob", "inactive")
    place.say("bob", "task_done")
    assert place.state("amy", key) == "done" and place.status("bob") == after


def test_of_several_requests_one_has_to_be_named(place: Place) -> None:
    one, two = place.ask(), place.ask(requester="eve")
    error = place.refused("bob", "task_done")
    assert of(error) == (2, "several-tasks") and f"{one}, {two}" in error.message
    place.say("bob", "task_update", task=two)
    assert of(place.refused("bob", "task_done", task=one)) == (2, "not-active")
    place.say("bob", "task_done")
    place.say("bob", "task_done")
    assert [place.state("bob", key) for key in (one, two)] == ["done", "done"]


def test_a_request_without_the_copy_of_its_sender_is_spoken_of_once_it_was_taken_up(
    place: Place,
) -> None:
    """Who dies between the two writes of mail has asked, and does not know it."""
    key = place.ask()
    (request,) = [event for event in place.memory.messages if event.kind == "task_req"]
    place.say("bob", "task_clarify")
    place.memory.messages.remove(request)
    assert place.state("amy", key) == "waiting"
    place.say("amy", "task_clarify_res", task=key)
    place.say("amy", "task_cancel", task=key)
    assert place.state("amy", key) == "cancelling"


def test_what_was_cancelled_can_only_end(place: Place) -> None:
    key = place.ask()
    place.say("amy", "task_cancel")
    assert of(place.refused("bob", "task_update", task=key)) == (2, "not-active")
    assert of(place.refused("bob", "task_done")) == (2, "no-task")
    place.say("bob", "task_fail", task=key)
    assert place.state("amy", key) == "failed"


def test_what_a_requester_says_needs_no_key_where_one_task_is_meant(place: Place) -> None:
    assert of(place.refused("amy", "task_cancel")) == (2, "no-task")
    one = place.ask()
    place.say("bob", "task_clarify")
    (answer,) = place.say("amy", "task_clarify_res")
    assert (answer.task, answer.to) == (one, "bob")
    two = place.ask("eve")
    error = place.refused("amy", "task_cancel")
    assert of(error) == (2, "several-tasks") and f"{one}, {two}" in error.message


@pytest.mark.parametrize("kind", ["task_done", "task_update", "task_cancel", "task_clarify_res"])
def test_a_key_that_is_none_of_ones_own_is_unknown(place: Place, kind: str) -> None:
    key = place.ask()
    for agent, task in (("amy", "77"), ("eve", key)):
        error = place.refused(agent, kind, task=task)
        assert of(error) == (4, "unknown-task") and "task list" in error.hint


def test_a_task_that_ended_is_not_spoken_of(place: Place) -> None:
    key = place.ask()
    place.say("bob", "task_done")
    for agent, kind in (("bob", "task_fail"), ("amy", "task_cancel")):
        assert of(place.refused(agent, kind, task=key)) == (2, "ended")


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"kind": "task_req", "to": "zoe"}, (4, "unknown-agent")),
        ({"kind": "task_req", "to": "amy"}, (2, "to-self")),
        ({"kind": "task_req"}, (2, "no-recipient")),
        ({"kind": "task_req", "to": "bob", "content": ""}, (2, "no-content")),
        ({"kind": "task_req", "to": "bob", "content": "w " * 30}, (2, "content-too-long")),
        ({"kind": "task_ack", "to": "bob"}, (2, "reserved-event")),
        ({"kind": "dance", "to": "bob"}, (2, "unknown-event")),
    ],
)
def test_what_cannot_be_sent(place: Place, more: dict[str, Any], expected: tuple[int, str]) -> None:
    assert of(place.refused("amy", **more)) == expected


def test_who_is_unknown_says_nothing(place: Place) -> None:
    assert of(place.refused("zoe", "task_req", to="bob")) == (4, "unknown-agent")
    with pytest.raises(Unknown):
        following.tasks(place.store, "zoe")


def test_a_recipient_that_only_the_store_knows(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mail tree has mailboxes without an entry."""
    mates = {name: mate for name, mate in place.store.roster().items() if name != "bob"}
    monkeypatch.setattr(place.store, "roster", lambda: mates)
    assert place.kinds("amy", place.ask()) == ["task_req"]


def test_a_request_to_one_that_is_inactive_says_so(place: Place) -> None:
    place.set_status("bob", "inactive")
    place.ask()
    assert len(place.notes) == 1 and "bob" in place.notes[0]


def test_leaving_fails_the_task_in_hand(place: Place) -> None:
    key = place.ask()
    place.say("bob", "task_update")
    said = place.say("bob", "broadcast", intent="agent_leave")
    assert [event.kind for event in said] == ["task_fail", "broadcast"]
    assert place.status("bob") == "inactive" and place.state("amy", key) == "failed"


def test_tasks_are_those_of_both_sides_oldest_first(place: Place) -> None:
    one = place.ask("bob", "amy")
    place.now += 1
    two = place.ask("eve", "bob")
    place.now += 1
    three = place.ask("eve", "amy")
    assert list(following.tasks(place.store, "bob")) == [one, two]
    assert list(following.tasks(place.store, "amy")) == [one, three]


def test_about_a_task_is_told_once_and_only_to_its_parties(place: Place) -> None:
    key, other = place.ask(), place.ask("eve")
    assert place.kinds("amy", key) == ["task_req"]
    for agent, task in (("eve", key), ("bob", other), ("amy", "no")):
        with pytest.raises(Unknown):
            following.about(place.store, agent, task)


def test_a_wrong_call_is_a_usage_error(place: Place) -> None:
    assert isinstance(place.refused("bob", "task_done"), UsageError)
