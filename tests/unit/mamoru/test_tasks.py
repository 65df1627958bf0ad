"""What becomes of tasks, folded from their events."""

import random

from hypothesis import given
from hypothesis import strategies as st

from swarm.events import EVENTS, Event
from swarm.mamoru.tasks import FINAL, Task, after, fold

ASK = Event(kind="task_req", sender="a", to="b", task="1", id="1", at=1.0, content="do it")


def worker(kind: str, number: int, **more: object) -> Event:
    event = Event(kind=kind, sender="b", to="a", task="1", id=str(number), at=float(number))
    return event.replace(content=f"word {number}", **more)


def asker(kind: str, number: int, **more: object) -> Event:
    return worker(kind, number, sender="a", to="b").replace(**more)


def one(*events: Event) -> Task:
    (task,) = fold([ASK, *events]).values()
    return task


def test_a_request_is_asked_until_its_worker_says_something() -> None:
    task = one()
    assert (task.key, task.requester, task.worker, task.state) == ("1", "a", "b", "asked")
    assert (task.content, task.since, task.open) == ("do it", 1.0, True)


def test_the_states_of_a_life() -> None:
    life = [
        (worker("task_ack", 2), "accepted"),
        (worker("task_clarify", 3), "waiting"),
        (asker("task_clarify_res", 4), "accepted"),
        (worker("task_update", 5), "accepted"),
        (asker("task_cancel", 6), "cancelling"),
        (worker("task_update", 7), "cancelling"),
        (worker("task_cancel_ack", 8), "cancelled"),
        (worker("task_done", 9), "cancelled"),
    ]
    for number, (event, state) in enumerate(life):
        task = one(*[event for event, _ in life[: number + 1]])
        assert task.state == state, event
    assert (task.last_word, task.last_at, task.late) == ("word 8", 8.0, 1)


def test_an_update_without_an_ack_means_it_is_at_work() -> None:
    assert one(worker("task_update", 2)).state == "accepted"


def test_only_the_parties_count() -> None:
    stranger = worker("task_done", 2, sender="m")
    assert (one(stranger).state, one(stranger).late) == ("asked", 1)
    assert one(asker("task_cancel", 3, sender="m")).state == "asked"


def test_a_task_known_from_a_follow_up_only() -> None:
    (task,) = fold([worker("task_ack", 7, ref="1")]).values()
    assert (task.requester, task.worker, task.state, task.ref) == ("a", "b", "accepted", "1")


def test_two_workers_in_one_thread_are_two_tasks() -> None:
    second = ASK.replace(to="c", id="2", at=2.0)
    tasks = fold([ASK, second, worker("task_done", 3)])
    assert {slot: task.state for slot, task in tasks.items()} == {"1": "done", "1/c": "asked"}


def test_a_request_to_everybody_is_a_task_of_each_who_answers() -> None:
    everybody = ASK.replace(to="")
    tasks = fold([everybody, worker("task_ack", 2), worker("task_reject", 3, sender="c")])
    assert {t.worker: t.state for t in tasks.values()} == {"b": "accepted", "c": "rejected"}


def test_a_channel_counts_by_number_and_mail_by_time() -> None:
    early = worker("task_fail", 9).replace(at=0.5)
    assert one(worker("task_done", 3), early).state == "done"
    mailed = [e.replace(id=f"{e.id}.txt") for e in (ASK, worker("task_done", 3), early)]
    assert fold(mailed)["1"].state == "failed"


def test_a_requesters_own_record_ends_it() -> None:
    record = asker("task_fail", 5, to="a", origin="told:1:b:a", ref="1", intent="task_timeout")
    assert (one(record).state, one(record).told) == ("failed", True)
    assert one(asker("task_fail", 5, to="a")).state == "asked"


def test_a_request_that_is_not_sent_again_stays_rejected_whatever_the_clocks_say() -> None:
    record = asker("task_fail", 5, to="a", origin="dropped:1:b", ref="1", intent="not_retried")
    for at in (4, 9):
        found = one(worker("task_reject", at), record)
        assert (found.state, found.told) == ("rejected", True)


kinds = st.sampled_from(EVENTS)
who = st.sampled_from(["", "a", "b", "c"])
any_event = st.builds(
    Event,
    kind=kinds | st.text(max_size=3),
    sender=who,
    to=who,
    task=st.sampled_from(["", "1", "2"]),
    id=st.sampled_from(["", "1", "2", "3", "x"]),
    at=st.floats(allow_nan=False) | st.just(0.0),
    origin=st.sampled_from(["", "o"]),
    retry_of=st.sampled_from(["", "1"]),
)


@given(st.lists(any_event, max_size=20))
def test_nothing_absurd_raises(events: list[Event]) -> None:
    fold(events)


party = st.sampled_from(
    [
        worker(kind, 0)
        for kind in ("task_ack", "task_clarify", "task_update", "task_done", "task_fail")
    ]
    + [worker("task_reject", 0), worker("task_cancel_ack", 0)]
    + [asker("task_cancel", 0), asker("task_clarify_res", 0)]
)
lives = st.lists(party, max_size=12).map(
    lambda events: [e.replace(id=str(n), at=float(n)) for n, e in enumerate(events, 2)]
)


@given(lives, st.randoms())
def test_the_order_in_which_they_are_given_does_not_matter(
    life: list[Event], rng: random.Random
) -> None:
    shuffled = [ASK, *life]
    rng.shuffle(shuffled)
    assert fold(shuffled) == fold([ASK, *life])


@given(lives)
def test_duplicates_change_nothing(life: list[Event]) -> None:
    assert fold([ASK, *life, ASK, *life]) == fold([ASK, *life])


@given(lives, party)
def test_a_final_state_never_changes(life: list[Event], more: Event) -> None:
    before = one(*life)
    then = one(*life, more.replace(id="99", at=99.0))
    assert before.open or (then.state, then.late) == (before.state, before.late + 1)


@given(st.sampled_from(sorted(FINAL)), kinds)
def test_after_the_end_nothing_comes(state: str, kind: str) -> None:
    assert after(state, kind) == state
