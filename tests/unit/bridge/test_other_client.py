"""The bridge beside the known client: a whole task life with agents that have only mail."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from swarm.events import EVENTS
from tests.peer import Peer
from tests.unit.bridge.world import CHANNEL, PEER, PEER_ID, World

KEYS = {"event", "intent", "need_reply", "content", "detail"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Whatever happens, that client can take what was written."""
    found = World(tmp_path)
    found.settle()
    yield found
    found.settle()
    assert found.bridge.missing() == []
    sql = "SELECT message_id, from_agent, to_agent, task_id, ref_message_id, payload FROM messages"
    rows = found.peer.db.execute(sql).fetchall()
    numbers = {row[0] for row in rows}
    sessions = {row[0] for row in found.peer.db.execute("SELECT session_id FROM agents")}
    for _, sender, to, task, ref, payload in rows:
        if sender not in (PEER, "ghost"):
            said = json.loads(payload)
            assert said.keys() >= KEYS and said["event"] in EVENTS
            assert isinstance(said["content"], str) and len(said["content"].split()) <= 20
            assert said["detail"] is None or Path(said["detail"]).is_file()
            assert {sender, to or sender} <= sessions and {task, ref} <= numbers | {None}


def carried(world: World) -> list[tuple[object, object]]:
    """What the client gets next, after both sides have settled, but for presence."""
    world.settle()
    found = world.peer.poll()
    world.settle()
    return [(m["event"], m["task"]) for m in found if not str(m["intent"]).startswith("agent_")]


def states(world: World, agent: str) -> list[str]:
    """Of its tasks, as mail tells them."""
    return [task.state for task in world.tasks(agent)[0].values()]


def test_it_works_for_an_agent_that_has_only_mail(world: World) -> None:
    asked = world.say("alice", "task_req", PEER_ID, "draw a map")
    [(event, number)] = carried(world)
    assert (event, states(world, "alice")) == ("task_req", ["accepted"])
    world.peer.send("task_clarify", "of what?", "alice", number)
    world.settle()
    assert states(world, "alice") == ["waiting"]
    world.say("alice", "task_clarify_res", "", "of the harbour", task=asked.task)
    assert carried(world) == [("task_clarify_res", number)]
    world.peer.send("task_update", "half", "alice", number)
    world.peer.send("task_done", "here", "alice", number)
    world.settle()
    assert states(world, "alice") == ["done"]


def test_it_rejects_an_agent_that_has_only_mail_while_it_is_busy(world: World) -> None:
    world.say("alice", "task_req", PEER_ID, "first")
    carried(world)
    world.say("bob", "task_req", PEER_ID, "second")
    carried(world)
    assert (states(world, "alice"), states(world, "bob")) == (["accepted"], ["rejected"])


def test_a_task_that_mail_cancels_is_given_up_by_it(world: World) -> None:
    asked = world.say("alice", "task_req", PEER_ID, "draw")
    [(_, number)] = carried(world)
    world.say("alice", "task_cancel", "", "no more", task=asked.task)
    assert carried(world) == [("task_cancel", number)]
    assert states(world, "alice") == ["cancelled"]
    assert world.peer.status(PEER) == "available"


def test_its_request_is_accepted_asked_about_and_done_by_files_alone(world: World) -> None:
    number = world.peer.request("bob", "count")
    world.settle()
    world.read("bob", world.inbox("bob")[0])
    assert carried(world) == [("task_ack", number)]
    assert world.peer.waiting == {} and world.peer.status("bob") == "busy"
    for kind in ("task_clarify", "task_update", "task_done"):
        world.say("bob", kind, "", "said")
        assert carried(world) == [(kind, number)]
    world.settle()
    assert world.peer.status("bob") == "available"


def test_its_cancel_is_acknowledged_when_it_was_read(world: World) -> None:
    number = world.peer.send("task_req", "count", "bob")
    world.settle()
    world.read("bob", world.inbox("bob")[0])
    assert carried(world) == [("task_ack", number)]
    world.peer.send("task_cancel", "no more", "bob", number)
    assert carried(world) == []
    world.read("bob", world.inbox("bob")[-1])
    assert carried(world) == [("task_cancel_ack", number)]
    assert states(world, "bob") == ["cancelled"]


def test_it_leaves_in_the_middle_and_finds_everything_when_it_is_back(world: World) -> None:
    asked = world.say("alice", "task_req", PEER_ID, "draw")
    [(_, number)] = carried(world)
    world.peer.leave()
    world.settle()
    world.say("alice", "task_cancel", "", "no more", task=asked.task)
    world.mail("bob", PEER_ID, "are you there?")
    world.settle()
    world.peer = Peer(world.path, PEER, CHANNEL)
    world.peer.arrive("Pia")
    assert sorted(map(str, carried(world))) == [
        "('info_only', None)", f"('task_cancel', {number})",
    ]  # fmt: skip
    assert states(world, "alice") == ["cancelled"]
    assert not world.unread(PEER_ID)


def test_it_writes_its_row_again_and_stays_who_it_is(world: World) -> None:
    for name in ("Pia", "Another"):
        world.peer.join(name)
        world.peer.send("info_only", name, "alice")
        world.again()
        world.settle()
    assert world.bridge._apply.who.guests == {"carl": "carl", PEER_ID: PEER}
    assert len(world.inbox("alice")) == 2


@pytest.mark.parametrize("told", [False, True])
def test_a_request_is_one_although_its_number_comes_a_moment_later(
    world: World, told: bool
) -> None:
    payload = {"event": "task_req", "content": "count", "need_reply": True}
    number = world.peer.insert(payload, "bob")
    world.settle()
    if told:
        world.read("bob", world.inbox("bob")[0])
        world.settle()
    world.peer.db.execute(
        "UPDATE messages SET task_id = message_id WHERE message_id = ?", (number,)
    )
    world.read("bob", world.inbox("bob")[0])
    assert carried(world) == [("task_ack", number)]
    world.say("bob", "task_done", "", "three")
    assert carried(world) == [("task_done", number)]
    assert len(world.inbox("bob")) == 1


def test_dangling_numbers_and_unknown_events_are_answered_by_sound_rows(world: World) -> None:
    wild = Peer(world.path, PEER, CHANNEL, foreign_keys=False)
    wild.send("task_cancel", "what?", "bob", task=4711, ref=4712)
    wild.send("task_done", "this?", "bob", task=-1)
    wild.send("zzz", "unknown", "bob", task=1, ref=1)
    wild.insert({"event": "task_req", "content": "to a ghost"}, "ghost")
    wild.insert({"event": "task_req", "content": "from a ghost"}, "bob", sender="ghost")
    world.settle()
    world.mail("alice", PEER_ID, "too long " * 300, thread="no such task", ref="no such file")
    for name in world.inbox("bob"):
        world.read("bob", name)
        thread = Path(world.root.inbox("bob"), name).read_text().partition("Thread: ")[2]
        world.mail("bob", PEER_ID, "?", thread=thread.partition("\n")[0], ref=name)
    world.settle()
    assert len(world.inbox("bob")) == 4
    assert [event.content for event in world.rows()].count("?") == 4
