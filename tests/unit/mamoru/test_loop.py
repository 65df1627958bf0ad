"""One agent's guardian on a real store: what is handed over, stored, and known again."""

from collections.abc import Callable
from typing import Any

import pytest

from swarm.errors import Temporary, Unknown, UsageError
from swarm.events import Event
from swarm.mamoru.forward import Forwarder
from swarm.mamoru.loop import Guardian
from swarm.mamoru.signals import Roster
from swarm.mamoru.state import Settings
from swarm.transport.memory import Memory, MemoryStore

NOW = 1_000_000.0


class Taker(Forwarder):
    """Takes what is forwarded, and notes what happened in which order."""

    def __init__(self, place: "Place") -> None:
        super().__init__(lambda agent, text: place.told.append(text))
        self.place = place
        self.seen: list[str] = []
        self.says_next: list[Event] = []
        self.trouble: Exception | None = None
        self.keep = False

    def forward(self, agent: str, event: Event, reason: str) -> bool:
        if self.trouble:
            raise self.trouble
        stored = [e.kind for e in self.place.memory.messages]
        self.seen.append(f"forward {event.kind} {reason}".strip())
        self.place.stored_at_forward = stored
        return self.keep

    def notify(self, agent: str, text: str, task: str) -> None:
        if self.trouble:
            raise self.trouble
        self.seen.append("notice")

    def committed(self, agent: str, event: Event, reason: str) -> None:
        self.seen.append(f"committed {event.kind} {reason}".strip())

    def interrupt(self, agent: str, task: str) -> None:
        self.seen.append(f"interrupt {task}")

    def says(self, agent: str, active: object) -> list[Event]:
        found, self.says_next = self.says_next, []
        return found


class Place:
    """amy, bob and eve in one memory; bob is guarded."""

    def __init__(self) -> None:
        self.now = NOW
        self.memory = Memory(clock=lambda: self.now)
        for agent in ("amy", "bob", "eve"):
            self.memory.join(agent)
        self.store = MemoryStore(self.memory)
        self.told: list[str] = []
        self.stored_at_forward: list[str] = []
        self.taker = Taker(self)
        self.settings = Settings()
        self.bob = self.open()

    def open(self) -> Guardian:
        roster = Roster(self.memory.mates, self.now)
        return Guardian(
            self.store.open("bob"), self.taker, self.taker.tell, self.settings, roster, self.now
        )

    def restart(self) -> Guardian:
        """As after kill -9: only what is stored is left."""
        self.bob.transport.close()
        self.bob = self.open()
        return self.bob

    def post(self, kind: str, **more: Any) -> Event:
        fields = {"sender": "amy", "to": "bob", "content": "x", "at": self.now}
        return self.memory.post(Event(**({"kind": kind} | fields | more)))

    def kinds(self, sender: str = "bob") -> list[str]:
        return [e.kind for e in self.memory.messages if e.sender == sender]

    def fail_at(self, number: int) -> Callable[[], None]:
        """Let the ``number``-th change from now on fail once; returns how to mend it."""
        real, left = self.memory.step, [number]

        def step() -> None:
            left[0] -= 1
            if left[0] == 0:
                raise Temporary("the disk is full")
            real()

        self.memory.step = step  # type: ignore[method-assign]

        def mend() -> None:
            self.memory.step = real  # type: ignore[method-assign]

        return mend


@pytest.fixture
def place() -> Place:
    return Place()


def test_a_request_is_acknowledged_and_handed_over_once(place: Place) -> None:
    request = place.post("task_req")
    for _ in range(2):
        assert place.bob.turn(NOW) is False
    assert place.kinds() == ["task_ack"]
    assert place.taker.seen == ["forward task_req", "committed task_req"]
    assert place.bob.state.active and place.bob.state.active.task == request.task
    assert place.memory.mates["bob"].status == "busy"


def test_it_is_handed_over_before_anything_is_stored(place: Place) -> None:
    place.post("task_req")
    place.bob.turn(NOW)
    assert place.stored_at_forward == ["task_req"]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_commit_that_fails_anywhere_is_finished_and_nothing_is_handed_over_twice(
    place: Place, number: int
) -> None:
    place.post("task_req")
    mend = place.fail_at(number)
    with pytest.raises(Temporary):
        place.bob.turn(NOW)
    assert place.bob.state.active is None, "what is not stored does not count"
    mend()
    place.bob.turn(NOW)
    assert place.kinds() == ["task_ack"] and place.bob.state.active
    assert place.taker.seen == ["forward task_req", "committed task_req"]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_killed_at_any_step_of_a_commit_the_restarted_one_repeats_no_effect(
    place: Place, number: int
) -> None:
    request = place.post("task_req")
    mend = place.fail_at(number)
    with pytest.raises(Temporary):
        place.bob.turn(NOW)
    mend()
    place.restart()
    place.bob.turn(NOW)
    assert place.kinds() == ["task_ack"]
    assert place.bob.state.active and place.bob.state.active.task == request.task
    assert set(place.memory.waiting["bob"]) == set()


def test_what_is_kept_stays_unread_and_is_handed_over_once(place: Place) -> None:
    place.taker.keep = True
    event = place.post("info_only")
    place.bob.turn(NOW)
    place.bob.turn(NOW)
    assert place.taker.seen == ["forward info_only", "committed info_only"]
    assert event.id in place.memory.waiting["bob"]


def test_what_cannot_be_handed_over_is_not_committed_and_comes_again(place: Place) -> None:
    place.post("task_req")
    place.taker.trouble = Temporary("the log is full")
    with pytest.raises(Temporary):
        place.bob.turn(NOW)
    assert place.kinds() == [] and place.memory.waiting["bob"]
    place.taker.trouble = None
    place.bob.turn(NOW)
    assert place.kinds() == ["task_ack"]


def test_a_message_the_machine_breaks_on_is_told_left_and_hides_no_other(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from swarm.mamoru import loop

    real = loop.step

    def step(state: Any, given: Any, now: float) -> Any:
        if getattr(getattr(given, "event", None), "content", "") == "poison":
            raise RuntimeError("a fault in the machine")
        return real(state, given, now)

    monkeypatch.setattr(loop, "step", step)
    place.post("info_only", content="poison")
    place.post("task_req")
    place.bob.turn(NOW)
    assert "forward info_only not judged" in place.taker.seen and "notice" in place.taker.seen
    assert place.kinds() == ["task_ack"] and not place.memory.waiting["bob"]


def test_a_result_that_is_there_beats_the_timeout_of_the_same_moment(place: Place) -> None:
    asked = place.memory.post(Event(kind="task_req", sender="bob", to="amy", content="x", at=NOW))
    place.bob.turn(NOW)
    place.now = late = NOW + 1300
    place.post("task_done", task=asked.task)
    assert place.bob.due() <= late
    place.bob.turn(late)
    assert "task_cancel" not in place.kinds() and not place.bob.state.given
    assert place.taker.seen == ["forward task_done", "committed task_done"]


def test_what_a_command_beside_it_sent_counts_as_its_own(place: Place) -> None:
    request = place.post("task_req")
    place.bob.turn(NOW)
    place.post("task_done", sender="bob", to="amy", task=request.task)
    place.bob.turn(NOW)
    assert place.bob.state.active is None
    assert place.memory.mates["bob"].status == "available"


def test_a_command_s_request_is_known_before_its_answer(place: Place) -> None:
    asked = place.post("task_req", sender="bob", to="amy")
    place.post("task_ack", task=asked.task, ref=asked.id)
    place.bob.turn(NOW)
    assert place.bob.state.given[asked.task, "amy"].state == "accepted"


def test_own_messages_survive_a_turn_that_fails(place: Place) -> None:
    first = place.post("task_req")
    place.bob.turn(NOW)
    place.post("task_done", sender="bob", to="amy", task=first.task)
    asked = place.post("task_req", sender="bob", to="amy")
    mend = place.fail_at(1)
    with pytest.raises(Temporary):
        place.bob.turn(NOW)
    mend()
    place.bob.turn(NOW)
    assert place.bob.state.active is None and (asked.task, "amy") in place.bob.state.given


def test_after_a_restart_it_knows_its_task_and_what_it_gave(place: Place) -> None:
    request = place.post("task_req")
    asked = place.post("task_req", sender="bob", to="amy")
    place.bob.turn(NOW)
    bob = place.restart()
    bob.join(NOW)
    assert bob.state.active and bob.state.active.task == request.task
    assert (asked.task, "amy") in bob.state.given and bob.state.status == "busy"


def test_who_was_inactive_says_hello_and_who_was_there_already_does_not(place: Place) -> None:
    place.bob.join(NOW)
    assert place.memory.messages == []
    place.memory.change(["bob"], status="inactive")
    place.restart().join(NOW)
    assert [(e.kind, e.intent) for e in place.memory.messages] == [("broadcast", "agent_join")]


def test_where_changes_are_not_announced_nothing_is_broadcast(place: Place) -> None:
    place.settings = Settings(announce=False)
    place.restart().join(NOW)
    place.bob.leave(NOW)
    assert place.memory.messages == [] and place.memory.mates["bob"].status == "inactive"


def test_joining_writes_no_status_that_stands_there(place: Place) -> None:
    place.settings = Settings(announce=False)
    before = place.memory.writes
    place.restart().join(NOW)
    assert place.memory.writes == before


def test_leaving_fails_the_active_task_and_says_goodbye(place: Place) -> None:
    place.post("task_req")
    place.bob.turn(NOW)
    place.bob.leave(NOW)
    assert place.kinds() == ["task_ack", "task_fail", "broadcast"]
    assert place.memory.mates["bob"].status == "inactive"


def test_an_outbound_message_is_filled_in_and_stored(place: Place) -> None:
    request = place.post("task_req")
    place.bob.turn(NOW)
    (sent,) = place.bob.outbound(Event(kind="task_done", content="all green"), NOW)
    assert (sent.to, sent.task, sent.ref) == ("amy", request.task, request.id)
    assert place.bob.state.active is None


def test_an_outbound_message_that_is_refused_stores_nothing(place: Place) -> None:
    with pytest.raises(UsageError) as caught:
        place.bob.outbound(Event(kind="task_done", content="x", task="99"), NOW)
    assert caught.value.code == "not-active" and place.memory.messages == []
    with pytest.raises(Unknown):
        place.bob.outbound(Event(kind="task_req", content="x", to="nobody"), NOW)


def test_an_outbound_message_whose_storing_fails_is_stored_once_in_the_end(place: Place) -> None:
    mend = place.fail_at(1)
    with pytest.raises(Temporary):
        place.bob.outbound(Event(kind="task_req", to="amy", content="x"), NOW)
    mend()
    place.bob.turn(NOW)
    assert place.kinds() == ["task_req"] and len(place.bob.state.given) == 1


def test_a_cancel_interrupts_the_work_after_it_is_acknowledged(place: Place) -> None:
    request = place.post("task_req")
    place.bob.turn(NOW)
    place.post("task_cancel", task=request.task)
    mend = place.fail_at(1)
    with pytest.raises(Temporary):
        place.bob.turn(NOW)
    assert f"interrupt {request.task}" not in place.taker.seen
    mend()
    place.bob.turn(NOW)
    assert place.taker.seen[-1] == f"interrupt {request.task}"
    assert place.kinds() == ["task_ack", "task_cancel_ack"]


def test_an_answer_nobody_can_get_is_told_and_does_not_come_again(place: Place) -> None:
    place.post("task_req")
    del place.memory.mates["amy"]
    place.bob.turn(NOW)
    assert any("task_ack to amy not sent" in text for text in place.told)
    assert place.bob.turn(NOW) is False


def test_two_words_of_its_work_are_both_sent_though_storing_the_first_fails(place: Place) -> None:
    place.post("task_req")
    place.bob.turn(NOW)
    place.taker.says_next = [
        Event(kind="task_update", content="half"),
        Event(kind="task_done", content="all"),
    ]
    mend = place.fail_at(1)
    with pytest.raises(Temporary):
        place.bob.turn(NOW)
    mend()
    place.bob.turn(NOW)
    assert place.kinds() == ["task_ack", "task_update", "task_done"]


def test_marked_inactive_by_others_it_comes_back(place: Place) -> None:
    place.memory.change(["bob"], status="inactive")
    place.bob.look(Roster(place.memory.mates, NOW), NOW)
    assert place.memory.mates["bob"].status == "available"


def test_where_nobody_marks_others_its_own_word_stands(place: Place) -> None:
    place.bob.marked = False
    place.memory.change(["bob"], status="inactive")
    place.bob.look(Roster(place.memory.mates, NOW), NOW)
    assert place.memory.mates["bob"].status == "inactive"
    assert place.bob.state.status == "inactive"
    place.memory.change(["bob"], status="available")
    place.bob.look(Roster(place.memory.mates, NOW), NOW)
    assert place.bob.state.status == "available"


def test_a_standstill_gives_every_timer_its_time_back(place: Place) -> None:
    place.post("task_req", sender="bob", to="amy")
    place.bob.turn(NOW)
    place.bob.woke(5000, NOW + 5000)
    place.bob.turn(NOW + 5000)
    assert place.kinds() == ["task_req"]
    place.bob.turn(NOW + 5000 + 1201)
    assert place.kinds()[1] == "task_cancel"
