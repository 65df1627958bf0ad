"""Both sides hold the same conversation once the bridge has settled."""

import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from swarm.mailbox import registry
from swarm.mailbox.making import init
from tests.unit.bridge.world import PEER, PEER_ID, World


def test_a_mail_becomes_a_row_with_its_body_in_a_detail_file(world: World) -> None:
    world.mail("alice", "pia", "build is red", "see the log\n")
    world.settle()
    [row] = world.rows()
    assert (row.sender, row.to, row.kind, row.content) == (
        "alice", PEER, "info_only", "build is red",
    )  # fmt: skip
    assert Path(row.detail).read_text() == "see the log\n"


def test_a_row_becomes_a_mail_that_says_where_it_came_from(world: World) -> None:
    number = world.peer.send("info_only", "good news", "alice")
    world.settle()
    [name] = world.inbox("alice")
    text = Path(world.root.inbox("alice"), name).read_text()
    assert name.startswith(f"{number:02d}_good-news_")
    assert f"From: {PEER_ID}\nSubject: good news\n" in text
    assert "Via: ops\n" in text


def test_nothing_goes_round(world: World) -> None:
    world.peer.send("info_only", "one", "alice")
    world.mail("bob", "alice", "two")
    for _ in range(3):
        world.settle()
        world.again()
    assert len(world.rows()) == 2
    assert len(world.inbox("alice")) == 2
    assert world.bridge.missing() == []


def test_a_broadcast_is_one_row_and_a_file_for_each(world: World) -> None:
    world.peer.send("broadcast", "lunch")
    world.settle()
    assert [len(world.inbox(agent)) for agent in ("alice", "bob", "carl", PEER_ID)] == [1, 1, 1, 0]
    assert len(world.rows()) == 1


def test_a_task_has_one_state_on_both_sides(world: World) -> None:
    number = world.peer.send("task_req", "count the words", "bob")
    world.settle()
    world.say("bob", "task_clarify", "", "which words?")
    world.settle()
    [mail], [row] = (list(side.values()) for side in world.tasks("bob"))
    assert (mail.key, row.key) == (f"task-ops-{number}", str(number))
    assert mail.state == row.state == "waiting"
    world.peer.send("task_clarify_res", "all", "bob", task=number)
    world.settle()
    world.say("bob", "task_done", "", "three")
    world.settle()
    assert [task.state for side in world.tasks("bob") for task in side.values()] == ["done"] * 2
    assert [m["event"] for m in world.peer.poll()][-3:] == [
        "task_ack", "task_clarify", "task_done",
    ]  # fmt: skip


def test_a_request_by_mail_keeps_its_thread(world: World) -> None:
    asked = world.say("alice", "task_req", "carl", "make it")
    world.settle()
    [row] = [event for event in world.rows() if event.kind == "task_req"]
    assert (row.task, row.thread) == (row.id, asked.task)
    world.say("carl", "task_done", "", "made", task=row.id)
    world.settle()
    for side in world.tasks("alice"):
        assert [task.state for task in side.values()] == ["done"]


def test_what_is_read_on_one_side_is_read_on_the_other(world: World) -> None:
    world.mail("alice", PEER_ID, "one")
    number = world.peer.send("info_only", "two", "bob")
    world.settle()
    assert world.unread(PEER_ID)
    world.peer.poll()
    world.read("bob", world.inbox("bob")[0])
    world.settle()
    assert not world.unread(PEER_ID)
    assert world.mirror.cursors()["bob"] >= number


def test_a_plain_worker_has_accepted_what_it_has_read(world: World) -> None:
    world.peer.send("task_req", "count", "bob")
    world.settle()
    assert [event.kind for event in world.rows()] == ["task_req"]
    world.read("bob", world.inbox("bob")[0])
    world.settle()
    assert [event.kind for event in world.rows()] == ["task_req", "task_ack"]


@pytest.mark.parametrize(
    ("status", "ends"), [("done", "task_done"), ("error", "task_fail"), ("cancelled", "task_fail")]
)
def test_a_plain_worker_ends_a_task_by_its_status(world: World, status: str, ends: str) -> None:
    world.peer.send("task_req", "count", "bob")
    world.settle()
    path = Path(world.root.inbox("bob"), world.inbox("bob")[0])
    path.write_text(path.read_text().replace("Event:", f"Status: {status}\nEvent:", 1))
    world.settle()
    assert [event.kind for event in world.rows()] == ["task_req", "task_ack", ends]


def test_a_worker_that_has_ended_its_task_is_available_again(world: World) -> None:
    status = "SELECT status FROM agents WHERE session_id='bob'"
    world.peer.send("task_req", "count", "bob")
    world.settle()
    world.read("bob", world.inbox("bob")[0])
    world.settle()
    world.settle()
    assert world.peer.value(status) == "busy"
    world.say("bob", "task_done", "", "three")
    world.settle()
    world.settle()
    assert world.peer.value(status) == "available"


def test_a_worker_that_a_guardian_takes_over_is_as_its_guardian_says(world: World) -> None:
    world.peer.send("task_req", "count", "bob")
    world.settle()
    world.read("bob", world.inbox("bob")[0])
    world.settle()
    with closing(world.mail_store()) as store:
        store.open("bob")
        world.say("bob", "task_done", "", "three")
        world.settle()
        world.settle()
        status = "SELECT status FROM agents WHERE session_id='bob'"
        assert world.peer.value(status) == "available"


def test_what_was_said_to_somebody_before_the_first_bridge_is_unread(tmp_path: Path) -> None:
    world = World(tmp_path, bridged=False)
    world.peer.send("task_req", "count", "bob")
    world.again()
    world.settle()
    assert world.unread("bob") == world.inbox("bob") != []
    assert [event.kind for event in world.rows()] == ["task_req"]


def test_a_channel_that_is_rebuilt_knows_what_was_read_and_what_was_not(world: World) -> None:
    for word in ("read", "unread"):
        world.peer.send("info_only", word, "bob")
        world.mail("alice", PEER_ID, word)
        world.settle()
        if word == "read":
            world.read("bob", world.inbox("bob")[0])
            world.peer.poll()
            world.settle()
    before = {agent: world.unread(agent) for agent in ("bob", PEER_ID)}
    world.lose_channel()
    world.peer.join("Pia")
    world.again(rebuild=True)
    world.settle()
    assert {agent: world.unread(agent) for agent in before} == before
    assert [m["content"] for m in world.peer.unread() if m["to"]] == ["unread"]


def test_who_registers_joins_and_who_unregisters_leaves(world: World) -> None:
    registry.register(world.root, "dora", "tester", "specialist", "tests")
    world.settle()
    assert world.peer.value("SELECT status FROM agents WHERE session_id='dora'") == "busy"
    registry.unregister(world.root, "dora")
    world.settle()
    said = [(e.intent, e.sender) for e in world.mirror.every(0, 1000) if e.sender == "dora"]
    assert said == [("agent_join", "dora"), ("agent_leave", "dora")]
    assert world.peer.value("SELECT status FROM agents WHERE session_id='dora'") == "inactive"


def test_a_guest_that_leaves_loses_its_entry_and_keeps_its_mail(world: World) -> None:
    assert os.path.exists(world.root.entry(PEER_ID))
    world.peer.send("broadcast", "bye", intent="agent_leave")
    world.peer.set_status("inactive")
    world.settle()
    assert not os.path.exists(world.root.entry(PEER_ID))
    assert os.path.isdir(world.root.inbox(PEER_ID))


def test_a_silent_guest_stays_as_an_error(world: World) -> None:
    world.peer.set_status("inactive")
    world.settle()
    assert registry.entry(world.root, PEER_ID).status == "error"


def test_the_channel_can_be_rebuilt_with_all_its_numbers(world: World) -> None:
    world.peer.send("task_req", "count", "bob")
    world.mail("alice", "carl", "hello", "body\n")
    world.settle()
    world.say("bob", "task_done", "", "three")
    world.settle()
    before = [(e.id, e.sender, e.to, e.task, e.kind, e.content) for e in world.rows()]
    world.lose_channel()
    with pytest.raises(Exception, match="not the one that was bridged"):
        world.again()
    world.again(rebuild=True).settle()
    assert [(e.id, e.sender, e.to, e.task, e.kind, e.content) for e in world.rows()] == before
    assert world.bridge.missing() == []


def test_the_tree_can_be_rebuilt_with_all_its_threads(world: World, tmp_path: Path) -> None:
    world.peer.send("task_req", "count", "bob")
    asked = world.say("alice", "task_req", "carl", "make it")
    world.settle()
    before = {agent: world.inbox(agent) for agent in ("alice", "bob", "carl", PEER_ID)}
    (tmp_path / "mail").rename(tmp_path / "lost")
    other = World.__new__(World)
    other.__dict__.update(world.__dict__)
    init(str(tmp_path), ["alice", "bob"])
    with pytest.raises(Exception, match="not the tree that was bridged"):
        other.again()
    other.again(rebuild=True).settle()
    assert {agent: other.inbox(agent) for agent in before} == before
    assert asked.task in {task.key for task in other.tasks("alice")[0].values()}
    assert other.bridge.missing() == []


def test_a_residents_cursor_alone_makes_no_receipt(world: World) -> None:
    number = world.peer.send("info_only", "unread", "bob")
    world.settle()
    world.mirror.set_cursors({"bob": number})
    world.mail("alice", "bob", "and on")
    world.settle()
    assert len(world.unread("bob")) == 2


def test_in_a_rebuilt_tree_what_residents_had_read_is_not_given_to_them_again(
    world: World, tmp_path: Path
) -> None:
    for word in ("read", "unread"):
        world.peer.send("info_only", word, "bob")
        world.settle()
        if word == "read":
            world.read("bob", world.inbox("bob")[0])
            world.settle()
    before = world.unread("bob")
    (tmp_path / "mail").rename(tmp_path / "lost")
    init(str(tmp_path), ["alice", "bob"])
    world.again(rebuild=True)
    world.settle()
    assert world.unread("bob") == before


def test_a_receipt_met_while_only_mail_was_looked_for_is_not_forgotten(world: World) -> None:
    number = world.peer.send("info_only", "two", "bob")
    world.settle()
    world.read("bob", world.inbox("bob")[0])
    world.bridge.step({"bob"})
    time.sleep(0.1)  # until the folder's time is believed
    world.bridge.step({"bob"})
    world.settle()
    assert world.mirror.cursors()["bob"] >= number
