"""What a store does with messages, whatever it is made of."""

import threading
import time
from typing import Any

import pytest

from swarm.errors import Conflict, SwarmError, Unknown
from swarm.events import Event
from swarm.transport.base import Outcome


def answer(event: Event, **more: Any) -> Event:
    return Event(
        kind="task_ack", to=event.sender, content="accepted", task=event.key, ref=event.id, **more
    )


def contents(events: list[Event]) -> list[str]:
    return [event.content for event in events]


def test_messages_come_in_the_order_in_which_they_were_sent(world: Any) -> None:
    bob = world.open("bob")
    for number in range(5):
        world.say("info_only", "eve" if number % 2 else "amy", content=f"n{number}")
    assert contents(bob.receive()) == [f"n{number}" for number in range(5)]
    assert contents(bob.receive()) == [f"n{number}" for number in range(5)]


def test_a_message_tells_what_was_sent(world: Any) -> None:
    bob = world.open("bob")
    asked = world.say("task_req", content="do it", need_reply=True, retry="queue", intent="why")
    (event,) = bob.receive()
    assert (event.kind, event.sender, event.to, event.content) == (
        "task_req",
        "amy",
        "bob",
        "do it",
    )
    assert (event.need_reply, event.retry, event.intent, event.problem) == (
        True,
        "queue",
        "why",
        "",
    )
    assert event.id == asked.id and event.key and abs(event.at - time.time()) < 60


def test_what_is_committed_does_not_come_again(world: Any) -> None:
    bob = world.open("bob")
    for number in range(3):
        world.say("info_only", content=f"n{number}")
    bob.commit(bob.receive()[0], Outcome())
    assert contents(bob.receive()) == ["n1", "n2"]
    bob.close()
    assert contents(world.open("bob").receive()) == ["n1", "n2"]


def test_what_is_kept_comes_again_from_another_transport_only(world: Any) -> None:
    bob = world.open("bob")
    world.say("info_only", content="mind this")
    bob.commit(bob.receive()[0], Outcome(keep=True))
    assert bob.receive() == []
    bob.close()
    store = world.store()
    assert contents(store.open("bob").receive()) == (["mind this"] if store.keeps else [])


def test_a_commit_does_all_its_effects(world: Any) -> None:
    amy, bob = world.open("amy"), world.open("bob")
    world.say("task_req", content="do it")
    (event,) = bob.receive()
    (stored,) = bob.commit(event, Outcome(sends=[answer(event)], status="busy"))
    (heard,) = amy.receive()
    assert heard.id == stored.id and heard.task == event.key and heard.ref == event.id
    assert (heard.kind, heard.sender) == ("task_ack", "bob")
    assert bob.status() == "busy" and bob.receive() == []


def test_repeating_a_commit_finds_it_done(world: Any) -> None:
    amy, bob = world.open("amy"), world.open("bob")
    world.say("task_req")
    (event,) = bob.receive()
    outcome = Outcome(sends=[answer(event)], status="busy")
    first = bob.commit(event, outcome)
    bob.apply(Outcome(status="available"))
    assert [event.id for event in bob.commit(event, outcome)] == [event.id for event in first]
    assert bob.status() == "available"
    bob.close()
    again = world.open("bob")
    again.receive()
    assert [event.id for event in again.commit(event, outcome)] == [event.id for event in first]
    assert again.status() == "available" and len(amy.receive()) == 1


def test_a_death_between_any_two_writes_loses_and_doubles_nothing(world: Any, killed: Any) -> None:
    amy = world.open("amy")
    for number in range(1, 60):
        world.say("task_req", content=f"job {number}")
        with pytest.MonkeyPatch.context() as patch:
            dead = world.dies_at(patch, number)
            store = world.store()
            try:
                bob = store.open("bob")
                event = bob.receive()[-1]
                done = Outcome(
                    sends=[answer(event), Event(kind="info_only", to="amy", content="more")],
                    status="busy",
                )
                bob.commit(event, done)
            except killed:
                pass
        died = dead()
        store.close()
        bob = world.open("bob")
        for left in bob.receive():
            bob.commit(
                left,
                Outcome(
                    sends=[answer(left), Event(kind="info_only", to="amy", content="more")],
                    status="busy",
                ),
            )
        assert bob.receive() == [] and bob.status() == "busy"
        bob.apply(Outcome(status="available"))
        bob.close()
        assert [event.kind for event in amy.receive()] == ["task_ack", "info_only"], number
        for event in amy.receive():
            amy.commit(event, Outcome())
        if not died:
            return
    raise AssertionError("a commit never came to its end")


def test_own_messages_are_seen_whoever_wrote_them(world: Any) -> None:
    world.say("info_only", content="before")
    amy = world.open("amy")
    assert amy.sent() == []
    asked = world.say("task_req", content="by a command")
    (stored,) = amy.apply(
        Outcome(sends=[Event(kind="info_only", to="eve", content="by the guardian")])
    )
    world.say("info_only", "eve", "amy", content="not mine")
    found = amy.sent()
    assert contents(found) == ["by a command", "by the guardian"]
    assert [event.id for event in found] == [asked.id, stored.id] and found[0].key
    assert amy.sent() == []


def test_a_voice_speaks_beside_the_guardian(world: Any) -> None:
    amy, bob = world.open("amy"), world.open("bob")
    world.say("task_req", content="do it")
    voice = world.store().voice("bob")
    (asked,) = bob.receive()
    assert contents(voice.conversation()) == ["do it"]
    (stored,) = voice.apply(Outcome(sends=[answer(asked)], status="busy"))
    assert (
        [event.id for event in bob.sent()] == [stored.id] == [event.id for event in amy.receive()]
    )
    assert contents(voice.conversation()) == ["do it", "accepted"]
    assert bob.status() == voice.status() == "busy" and contents(bob.receive()) == ["do it"]
    with pytest.raises(Unknown):
        world.stores[-1].voice("nobody")


def test_a_conversation_is_followed_without_missing_a_word(world: Any) -> None:
    asked = world.say("task_req")
    heard = world.store().voice("amy").follow(20)

    def say(content: str) -> None:
        world.say("task_update", "bob", "amy", content=content, task=asked.key, ref=asked.id)

    assert contents(next(heard)) == ["task_req"]
    say("between two looks")
    begun = time.monotonic()
    until(heard, "between two looks")
    timer = threading.Timer(0.2, say, ["while it waits"])
    timer.start()
    until(heard, "while it waits")
    timer.join()
    heard.close()
    assert time.monotonic() - begun < 5
    assert len(list(world.store().voice("amy").follow(0))) == 1


def until(heard: Any, content: str) -> None:
    assert any(content in contents(said) for said in heard)


def test_a_request_has_a_key_that_its_answers_carry(world: Any) -> None:
    amy, bob = world.open("amy"), world.open("bob")
    (one, two) = amy.apply(
        Outcome(sends=[Event(kind="task_req", to="bob", content=c) for c in ("do it", "and it")])
    )
    assert one.key and two.key and one.key != two.key
    assert [event.key for event in amy.sent()] == [one.key, two.key]
    assert [event.key for event in bob.receive()] == [one.key, two.key]


def test_an_origin_is_stored_once(world: Any) -> None:
    amy, bob = world.open("amy"), world.open("bob")
    event = Event(
        kind="task_req", to="bob", content="again", origin="retry:1:amy:bob:2", retry_of="1"
    )
    (first,) = amy.apply(Outcome(sends=[event]))
    (second,) = amy.apply(Outcome(sends=[event]))
    assert (first.id, first.key) == (second.id, second.key)
    (heard,) = bob.receive()
    assert (heard.origin, heard.retry_of, heard.id) == (event.origin, "1", first.id)
    bob.commit(heard, Outcome())
    assert amy.apply(Outcome(sends=[event]))[0].id == first.id and bob.receive() == []


def test_without_an_origin_nothing_is_taken_for_a_repetition(world: Any) -> None:
    amy, bob = world.open("amy"), world.open("bob")
    for _ in range(2):
        amy.apply(Outcome(sends=[Event(kind="info_only", to="bob", content="twice")]))
    assert contents(bob.receive()) == ["twice", "twice"]


def test_a_broadcast_reaches_everybody_but_its_sender(world: Any) -> None:
    amy, bob, eve = (world.open(agent) for agent in ("amy", "bob", "eve"))
    amy.apply(Outcome(sends=[Event(kind="broadcast", content="hear", intent="x")]))
    for other in (bob, eve):
        (event,) = other.receive()
        assert (event.kind, event.sender, event.content, event.problem) == (
            "broadcast",
            "amy",
            "hear",
            "",
        )
        assert event.to in ("", other.me)
    assert amy.receive() == [] and {event.kind for event in amy.sent()} == {"broadcast"}


def test_an_unknown_recipient_stops_nothing_else(world: Any) -> None:
    amy, bob = world.open("amy"), world.open("bob")
    world.say("ping")
    (event,) = bob.receive()
    sends = [
        Event(kind="pong", to="nobody", content="pong"),
        Event(kind="pong", to="amy", content="pong"),
    ]
    lost, stored = bob.commit(event, Outcome(sends=sends, status="busy"))
    assert lost.problem and not stored.problem
    assert contents(amy.receive()) == ["pong"]
    assert bob.receive() == [] and bob.status() == "busy"
    assert "nobody" not in world.store().agents()


def test_a_bad_message_says_so_and_hides_none(world: Any) -> None:
    bob = world.open("bob")
    world.place.spoil("bob")
    world.say("info_only", content="good")
    bad, good = bob.receive()
    assert bad.problem and bad.id and good.content == "good" and not good.problem
    bob.commit(bad, Outcome())
    assert contents(bob.receive()) == ["good"]


def test_one_guardian_for_one_agent(world: Any) -> None:
    one, two = world.store(), world.store()
    side = one.open("bob")
    for store in (one, two):
        with pytest.raises(Conflict):
            store.open("bob")
    two.open("eve")
    side.close()
    side.close()
    two.open("bob")
    with pytest.raises(Conflict):
        one.open("bob")


def test_closing_a_store_gives_back_all_its_agents(world: Any) -> None:
    store = world.store()
    for agent in ("amy", "bob"):
        store.open(agent)
    store.close()
    assert [world.open(agent).me for agent in ("amy", "bob")] == ["amy", "bob"]


def test_an_agent_that_is_not_there_cannot_be_guarded(world: Any) -> None:
    store = world.store()
    with pytest.raises(Unknown):
        store.open("nobody")
    assert {"amy", "bob", "eve"} <= set(store.agents())


@pytest.mark.parametrize("status", ["busy", "inactive", "available"])
def test_a_status_is_what_was_set_for_everybody(world: Any, status: str) -> None:
    other = world.store()
    other.roster()
    bob = world.open("bob")
    bob.apply(Outcome(status="busy"))
    bob.apply(Outcome(status=status))
    assert bob.status() == status
    for store in (*world.stores, world.store()):
        assert store.roster()["bob"].status == status


def test_the_roster_holds_all_with_their_signs_of_life(world: Any) -> None:
    store, other = world.store(), world.store()
    store.open("bob")
    store.beat(["bob"])
    for view in (store, other):
        roster = view.roster()
        assert {"amy", "bob", "eve"} <= roster.keys()
        assert 0 <= time.time() - roster["bob"].seen < 3
    assert store.roster() is store.roster()


def test_others_are_marked_where_the_store_keeps_that(world: Any) -> None:
    bob, store = world.open("bob"), world.store()
    bob.apply(Outcome(inactive=["amy"]))
    assert store.roster()["amy"].status == ("inactive" if store.marks else "available")
    bob.apply(Outcome(available=["amy"]))
    assert store.roster()["amy"].status == "available"


def test_waiting_names_whom_a_new_message_is_for(world: Any) -> None:
    store = world.store()
    sides = [store.open(agent) for agent in ("amy", "bob")]
    calm(store, sides)
    for sender, to, hinted in (("eve", "bob", "bob"), ("amy", "eve", "amy")):
        timer = threading.Timer(0.2, world.say, ("info_only", sender, to))
        timer.start()
        begun = time.monotonic()
        found = store.wait(5)
        took = time.monotonic() - begun
        timer.join()
        assert found is None or hinted in found
        assert 0.1 < took < 1.4
        calm(store, sides)


def calm(store: Any, sides: list[Any]) -> None:
    """Until nothing is hinted for a while."""
    end = time.monotonic() + 10
    while store.wait(1.2) and time.monotonic() < end:
        for side in sides:
            side.sent()
            for event in side.receive():
                side.commit(event, Outcome())


def test_waiting_ends_in_time(world: Any) -> None:
    store = world.store()
    sides = [store.open("bob")]
    calm(store, sides)
    begun = time.monotonic()
    assert store.wait(0.3) == set()
    assert 0.25 < time.monotonic() - begun < 1


def test_a_store_that_goes_away_and_returns(world: Any) -> None:
    store = world.store()
    bob = store.open("bob")
    assert bob.receive() == []
    world.place.away()
    for call in (bob.receive, bob.sent, store.roster, bob.status, lambda: store.wait(0)):
        try:
            call()
        except SwarmError as error:
            assert error.message
    world.place.back()
    world.say("ping", content="are you back")
    end = time.monotonic() + 3
    while not (found := bob.receive()) and time.monotonic() < end:
        store.wait(0.1)
    (event,) = found
    (pong,) = bob.commit(
        event, Outcome(sends=[Event(kind="pong", to="amy", content="pong", ref=event.id)])
    )
    assert pong.id and not pong.problem and bob.receive() == []


def test_a_page_is_followed_by_the_rest(world: Any) -> None:
    bob = world.open("bob")
    for number in range(230):
        world.say("info_only", content=f"n{number}")
    found: list[str] = []
    while page := bob.receive():
        assert len(page) <= 200
        found += contents(page)
        for event in page:
            bob.commit(event, Outcome())
    assert found == [f"n{number}" for number in range(230)]


def test_each_agent_has_its_turn_though_one_fails(world: Any) -> None:
    store = world.store()
    sides = {agent: store.open(agent) for agent in ("amy", "bob", "eve")}
    for agent in ("bob", "eve"):
        world.say("task_req", to=agent)

    def turn(agent: str) -> None:
        for event in sides[agent].receive():
            sides[agent].commit(event, Outcome(sends=[answer(event)]))
        if agent == "eve":
            raise Unknown("eve fails")

    with pytest.raises(Unknown, match="eve fails"):
        store.each(sides, turn)
    assert sorted(event.sender for event in sides["amy"].receive()) == ["bob", "eve"]
