"""Sending by key, so that a retry is the same message; and answering one."""

import os
from pathlib import Path

import pytest

from swarm import message
from swarm.errors import Conflict, Unknown, UsageError
from swarm.mailbox import delivery
from swarm.mailbox.layout import Root

from .mail import files, put


def send(root: Root, *to: str, key: str = "k", subject: str = "s") -> list[delivery.Delivered]:
    return delivery.send(root, "alice", list(to) or ["bob"], subject, b"x", key=key).delivered


def head(root: Root, path: str, *names: str) -> list[str]:
    found = message.parse(Path(root.path, path).read_bytes())
    return [found.get(name) for name in names]


def test_a_key_makes_it_one_message_for_each_recipient(team: Root) -> None:
    first = send(team, "bob")
    again = send(team, "bob", "carl", subject="other")
    assert [(d.path, d.repeated) for d in first] == [(again[0].path, False)]
    assert [(d.agent, d.repeated) for d in again] == [("bob", True), ("carl", False)]
    assert len([path for path in files(team) if path.startswith("bob/inbox/")]) == 1


def test_another_key_or_sender_is_another_message(team: Root) -> None:
    paths = {send(team)[0].path, send(team, key="l")[0].path, send(team, key="")[0].path}
    paths.add(delivery.send(team, "carl", ["bob"], "s", b"x", key="k").delivered[0].path)
    assert len(paths) == 4


def test_a_retry_completes_the_senders_copy(team: Root) -> None:
    (made,) = send(team)
    copy = Path(team.sent("alice"), made.name)
    data = copy.read_bytes()
    copy.unlink()
    assert send(team, subject="other")[0].repeated and copy.read_bytes() == data


def test_a_retry_after_archiving_or_deleting_sends_nothing(team: Root) -> None:
    (made,) = send(team)
    path = f"{team.path}/{made.path}"
    put(team, made.name, b"", "inbox/.read")
    os.rename(path, f"{team.sent('bob')}/{made.name}")
    assert send(team)[0].repeated and not os.path.exists(path)
    os.unlink(f"{team.sent('alice')}/{made.name}")
    assert send(team)[0].repeated and os.path.exists(f"{team.sent('alice')}/{made.name}")
    assert not os.path.exists(path)


def test_a_name_that_is_anothers_is_a_conflict(team: Root) -> None:
    (made,) = send(team)
    Path(team.path, made.path).write_text("To: bob\nFrom: carl\nSubject: s\n---\n")
    with pytest.raises(Conflict) as caught:
        send(team)
    assert "another key" in caught.value.hint


def test_an_answer_goes_to_the_sender_in_the_thread_with_its_reference(team: Root) -> None:
    put(team, "01_x_aaaa.txt", b"To: bob\nFrom: alice\nSubject: a\tq\nThread: t\n---\n")
    made = delivery.reply(team, "bob", "01_x", b"y", also=["carl"], status="ack")
    assert [d.agent for d in made.delivered] == ["alice", "carl"] and made.thread == "t"
    names = ("subject", "thread", "status", "ref")
    assert head(team, made.delivered[0].path, *names) == ["Re: a q", "t", "ack", "01_x_aaaa.txt"]


@pytest.mark.parametrize("status", ["", "ack", "done", "error", "read"])
def test_an_answer_of_any_status_says_what_it_was_given(team: Root, status: str) -> None:
    put(team, "01_x_aaaa.txt")
    given = {"subject": "own", "thread": "u", "status": status, "key": "k"}
    (made,) = delivery.reply(team, "bob", "01_x", b"y", **given).delivered
    assert head(team, made.path, "subject", "thread", "status") == ["own", "u", status]
    assert delivery.reply(team, "bob", "01_x", b"y", **given).delivered[0].repeated


def test_an_archived_message_may_be_answered(team: Root) -> None:
    put(team, "01_x_aaaa.txt", folder="sent")
    (made,) = delivery.reply(team, "bob", "01_x", b"y").delivered
    assert made.agent == "alice"


@pytest.mark.parametrize(
    ("sender", "error"),
    [("../carl", UsageError), ("all", UsageError), ("", UsageError), ("nobody", Unknown)],
)
def test_there_is_no_answer_to_nobody(team: Root, sender: str, error: type[Exception]) -> None:
    put(team, "01_x_aaaa.txt", f"To: bob\nFrom: {sender}\nSubject: s\n---\n".encode())
    before = files(team)
    with pytest.raises(error):
        delivery.reply(team, "bob", "01_x", b"y")
    assert files(team) == before


@pytest.mark.parametrize("sender", ["", "Alice Smith", "all"])
def test_a_message_that_cannot_be_answered_is_named(team: Root, sender: str) -> None:
    put(team, "01_x_aaaa.txt", f"To: bob\nFrom: {sender}\nSubject: s\n---\n".encode())
    with pytest.raises(UsageError) as caught:
        delivery.reply(team, "bob", "01_x", b"y")
    assert caught.value.message.startswith("bob/inbox/01_x_aaaa.txt ")
    assert sender in caught.value.message and caught.value.code == "no-sender"


def test_a_name_that_no_header_can_hold_is_left_out_of_the_answer(team: Root) -> None:
    put(team, "01_x\n.txt")
    (made,) = delivery.reply(team, "bob", "01_x", b"y").delivered
    assert head(team, made.path, "to", "ref") == ["alice", ""]


def test_a_thread_that_no_header_can_hold_needs_another(team: Root) -> None:
    put(team, "01_x.txt", b"To: bob\nFrom: alice\nSubject: s\nThread: a\x1bb\n---\n")
    with pytest.raises(UsageError) as caught:
        delivery.reply(team, "bob", "01_x", b"y")
    assert "-t" in caught.value.hint
    assert delivery.reply(team, "bob", "01_x", b"y", thread="t").thread == "t"
