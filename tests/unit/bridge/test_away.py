"""Folders and files that are away, or not to be looked into, for a while."""

import os
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from swarm.bridge import mail_side
from swarm.bridge.mail_side import MailSide
from swarm.mailbox.inbox import read_head
from swarm.transport import mail_files
from tests.unit.bridge.world import PEER, PEER_ID, World
from tests.unit.rights import bound_here, mode

INFO: Any = {"Event": "info_only"}


def kinds(world: World) -> list[str]:
    return [event.kind for event in world.rows()]


def roster(world: World) -> list[tuple[str, str, str]]:
    return sorted((row.session, row.provider, row.status) for row in world.mirror.roster())


# --- requests of workers without a guardian ------------------------------------------------------


@pytest.mark.parametrize("instead", [False, True])
@pytest.mark.parametrize("part", ["", "/inbox"])
def test_a_request_that_was_moved_away_is_acknowledged_when_it_is_read_after_all(
    world: World, part: str, instead: bool
) -> None:
    world.peer.send("task_req", "count", "bob")
    world.settle()
    [name] = world.inbox("bob")
    folder = world.root.box("bob") + part
    os.rename(folder, f"{folder}.away")
    if instead:
        os.makedirs(world.root.receipts("bob"))
    world.settle()
    world.settle()
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(f"{folder}.away", folder)
    world.settle()
    world.read("bob", name)
    world.settle()
    assert kinds(world) == ["task_req", "task_ack"]


def test_a_request_that_could_not_be_read_for_a_while_is_acknowledged(world: World) -> None:
    world.peer.send("task_req", "count", "bob")
    world.settle()
    [name] = world.inbox("bob")
    path = f"{world.root.inbox('bob')}/{name}"
    thread = read_head(path).get("thread")
    with bound_here(), mode(path, 0o000):
        world.mail("alice", "bob", "about it", thread=thread, more=INFO)
        world.settle()
    world.settle()
    world.read("bob", name)
    world.settle()
    assert kinds(world)[-1] == "task_ack"


def test_a_request_that_was_delivered_late_is_acknowledged_when_it_is_read(world: World) -> None:
    with bound_here(), mode(world.root.inbox("bob"), 0o555):
        world.peer.send("task_req", "count", "bob")
        world.settle()
    world.settle()
    [name] = world.inbox("bob")
    world.read("bob", name)
    world.settle()
    assert kinds(world) == ["task_req", "task_ack"]


def test_a_request_that_was_removed_is_thought_of_no_more(world: World) -> None:
    world.peer.send("task_req", "count", "bob")
    world.settle()
    [name] = world.inbox("bob")
    os.unlink(f"{world.root.inbox('bob')}/{name}")
    world.settle()
    assert not world.bridge._workers._open


# --- mail that crosses ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "where", "call"),
    [
        ("To: pia\nFrom: alice\nSubject: hello\n---\nall of it\n", MailSide, "_letter"),
        ("no header: all of it\n", mail_side, "_raw"),
    ],
    ids=["proper", "malformed"],
)
def test_mail_that_cannot_be_read_when_it_is_to_cross_crosses_later_as_it_is(
    world: World, monkeypatch: pytest.MonkeyPatch, text: str, where: object, call: str
) -> None:
    path = Path(world.root.inbox(PEER_ID), "01_hello_ab12.txt")
    path.write_text(text)
    os.utime(path, (1, 1))
    first = getattr(where, call)

    def unreadable(*given: object) -> object:
        with mode(path, 0o000):
            return first(*given)

    with monkeypatch.context() as patched, bound_here():
        patched.setattr(where, call, unreadable)
        for _ in range(3):
            world.bridge.step()
        assert not world.rows()
    world.settle()
    [row] = world.rows()
    assert "all of it" in Path(row.detail).read_text()
    assert (row.intent == "malformed") == (call == "_raw")


def test_a_mailbox_that_could_not_be_listed_is_listed_as_soon_as_it_can_be(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_files, "TICKS", -1.0)
    monkeypatch.setattr(mail_files, "SETTLED", -1.0)
    world.mail("alice", PEER_ID, "hello")
    with bound_here(), mode(world.root.sent(PEER_ID), 0o000):
        world.settle()
    assert not world.rows()
    world.settle()
    assert len(world.rows()) == 1


# --- guests --------------------------------------------------------------------------------------


def test_that_a_guest_gets_no_copies_is_told_once(world: World) -> None:
    before = len(world.told)
    with bound_here(), mode(world.root.sent(PEER_ID), 0o555):
        for word in ("one", "two", "three"):
            world.peer.send("info_only", word, "bob")
            world.settle()
    assert len(world.inbox("bob")) == 3
    assert len(world.told) == before + 1


@pytest.mark.parametrize("part", ["", "inbox", "inbox/.read", "sent"])
def test_a_guests_mailbox_that_cannot_be_used_keeps_nobody_waiting(world: World, part: str) -> None:
    world.mail("alice", PEER_ID, "hello")
    world.settle()
    with bound_here(), mode(f"{world.root.box(PEER_ID)}/{part}", 0o000):
        for anew in (False, True):
            if anew:
                world.again()
            world.mirror.set_cursors({PEER: int(world.rows()[-1].id)})
            world.peer.send("info_only", "for bob", "bob")
            world.settle()
    assert len(world.inbox("bob")) == 2
    world.settle()
    assert not world.unread(PEER_ID)


@pytest.mark.parametrize("anew", [False, True])
def test_a_guest_without_an_entry_is_nobody_else_while_its_mark_cannot_be_seen(
    world: World, anew: bool
) -> None:
    os.unlink(world.root.entry(PEER_ID))
    before = roster(world)
    with bound_here(), mode(world.root.box(PEER_ID), 0o000):
        if anew:
            world.again()
        os.utime(world.root.path)
        world.settle()
    os.utime(world.root.path)
    world.settle()
    assert roster(world) == before
    world.mail("alice", PEER_ID, "hello")
    world.settle()
    assert world.rows()[-1].to == PEER


# --- the whole tree ------------------------------------------------------------------------------


def test_a_tree_in_which_nothing_can_be_seen_is_not_called_emptied(world: World) -> None:
    world.peer.send("info_only", "hello", "bob")
    world.settle()
    with bound_here(), ExitStack() as locked:
        for agent in ("alice", "bob", PEER_ID):
            locked.enter_context(mode(world.root.box(agent), 0o000))
        world.again()
    world.settle()
    assert len(world.inbox("bob")) == 1
