"""Where a row of a channel was read, told by cursors, and why it was not."""

import time
from pathlib import Path

import pytest

from swarm.errors import Unknown
from swarm.trace import Trace
from swarm.trace.rows import trace
from tests.unit.bridge.world import PEER, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, bridged=False)


def of(world: World, number: object, later: float = 0) -> Trace:
    return trace(world.mirror, str(number), time.time() + later)


def texts(found: Trace, kind: str) -> list[str]:
    return [fact.text for fact in found.facts if fact.kind == kind]


def test_a_row_is_unread_until_the_cursor_of_its_recipient_is_past_it(world: World) -> None:
    number = world.carl.send(_event("info_only", PEER)).id
    found = of(world, number)
    assert found[:4] == (number, "carl", PEER, False)
    assert texts(found, "row") == [f"info_only from carl to {PEER}"] and texts(found, "unread")
    world.peer.poll()
    found = of(world, f"#{number}")
    assert found.seen and texts(found, "passed")[0].endswith("when is not recorded")


def test_a_broadcast_tells_of_each_who_is_there(world: World) -> None:
    number = world.peer.send("broadcast", "lunch")
    assert [text.split()[0] for text in texts(of(world, number), "unread")] == ["carl"]


def test_silence_and_absence_are_reasons(world: World) -> None:
    number = world.carl.send(_event("info_only", PEER)).id
    [unguarded] = texts(of(world, number), "why")
    assert unguarded.startswith("no process of swarm's guards")
    assert "but its last heartbeat was 20" in texts(of(world, number, 61), "why")[0]
    world.peer.db.execute("UPDATE agents SET last_heartbeat = 0")
    assert texts(of(world, number), "why")[0].endswith("but never sent a heartbeat")
    world.peer.set_status("inactive")
    assert "is inactive" in texts(of(world, number), "why")[0]
    stranger = world.peer.send("info_only", "hello", "nobody")
    assert texts(of(world, stranger), "why") == ["nobody is not on the channel"]


def test_answers_are_told(world: World) -> None:
    number = world.peer.request("carl", "do it")
    world.peer.insert({"event": "task_ack", "intent": None, "need_reply": False, "content": "ok",
                       "detail": None}, PEER, number, number, "carl")  # fmt: skip
    assert texts(of(world, number), "answered") == ["by carl: task_ack"]


@pytest.mark.parametrize("number", ["0", "99", "", "x", "-1", str(2**70)])
def test_a_number_that_no_row_has_is_unknown(world: World, number: str) -> None:
    with pytest.raises(Unknown):
        of(world, number)


def _event(kind: str, to: str):  # type: ignore[no-untyped-def]
    from swarm.events import Event

    return Event(kind=kind, sender="carl", to=to, content="hello")
