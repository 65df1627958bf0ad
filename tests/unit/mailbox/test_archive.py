"""Putting mail away and marking it: no byte lost, no file replaced."""

import os
import threading
from pathlib import Path

import pytest

from swarm.errors import Conflict, SwarmError, Unknown, UsageError
from swarm.mailbox import inbox, receipts, threads
from swarm.mailbox.archive import archive, mark
from swarm.mailbox.layout import Root

PLAIN = b"To: bob\r\nFrom: alice\nSubject: s\nThread: T\n---\nbody \xff\r\nno end"


def put(root: Root, name: str, data: bytes = PLAIN, folder: str = "inbox") -> str:
    path = f"{root.box('bob')}/{folder}/{name}"
    Path(path).write_bytes(data)
    return path


def test_a_message_moves_with_every_byte_and_leaves_its_receipt(root: Root) -> None:
    old = put(root, "01_a_aaaa.txt")
    (new,), _ = archive(root, "bob", ["01_a", "01_a_aaaa.txt"], False, False)
    assert new == f"{root.sent('bob')}/01_a_aaaa.txt"
    assert Path(new).read_bytes() == PLAIN and not os.path.exists(old)
    assert receipts.has(root, "bob", "01_a_aaaa.txt") and inbox.count_unread(root, "bob") == 0
    with pytest.raises(Unknown):
        archive(root, "bob", ["01_a"], False, False)


def test_a_taken_name_gets_a_number(root: Root) -> None:
    for name in ("01_a_aaaa.txt", "01_a_aaaa-2.txt"):
        put(root, name, b"mine", "sent")
    put(root, "01_a_aaaa.txt")
    (new,), _ = archive(root, "bob", ["01_a_aaaa"], False, False)
    assert os.path.basename(new) == "01_a_aaaa-3.txt" and Path(new).read_bytes() == PLAIN
    assert Path(f"{root.sent('bob')}/01_a_aaaa.txt").read_bytes() == b"mine"


def test_one_unknown_name_and_nothing_moves(root: Root) -> None:
    path = put(root, "01_a_aaaa.txt")
    with pytest.raises(Unknown):
        archive(root, "bob", ["01_a", "nosuch"], False, False)
    assert os.path.exists(path) and not receipts.has(root, "bob", "01_a_aaaa.txt")


def test_all_read_leaves_the_unread_and_what_is_no_mail(root: Root) -> None:
    for name in ("01.txt", "02.txt", "03.txt"):
        put(root, name)
    os.mkfifo(f"{root.inbox('bob')}/04.txt")
    for name in ("01.txt", "03.txt", "04.txt"):
        receipts.write(root, "bob", name)
    moved, _ = archive(root, "bob", [], True, False)
    assert [os.path.basename(path) for path in moved] == ["01.txt", "03.txt"]
    assert inbox.unread_names(root, "bob") == ["02.txt"] and archive(
        root, "bob", [], True, False
    ) == ([], None)


def test_delete_removes_and_keeps_the_receipt(root: Root) -> None:
    path = put(root, "01.txt")
    assert archive(root, "bob", ["01"], False, True) == ([path], None)
    assert not os.path.exists(path) and os.listdir(root.sent("bob")) == []
    assert receipts.has(root, "bob", "01.txt")


def test_archiving_at_the_same_time_moves_each_message_once(root: Root) -> None:
    expected = [f"{number:03d}.txt" for number in range(200)]
    for name in expected:
        put(root, name)
        receipts.write(root, "bob", name)
    moved: list[str] = []
    failed: list[SwarmError] = []

    def work() -> None:
        try:
            moved.extend(archive(root, "bob", [], True, False)[0])
        except SwarmError as error:
            failed.append(error)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failed == [] and sorted(map(os.path.basename, moved)) == expected
    assert sorted(os.listdir(root.sent("bob"))) == expected


def test_mark_changes_the_status_and_neither_a_byte_nor_the_time(root: Root) -> None:
    path = put(root, "01.txt")
    os.utime(path, (1000, 1000))
    mark(root, "bob", "01", "ack")
    assert Path(path).read_bytes() == PLAIN.replace(b"---\n", b"Status: ack\n---\n")
    assert os.stat(path).st_mtime == 1000
    mark(root, "bob", "01", "done")
    mark(root, "bob", "01", "done")
    with pytest.raises(Conflict):
        mark(root, "bob", "01", "ack")
    with pytest.raises(UsageError):
        mark(root, "bob", "01", "finished")


def test_mark_refuses_what_is_not_in_the_inbox_or_has_no_header(root: Root) -> None:
    sent = put(root, "01.txt", folder="sent")
    bare = put(root, "02.txt", b"no header\n")
    with pytest.raises(Unknown):
        mark(root, "bob", "01", "done")
    with pytest.raises(SwarmError):
        mark(root, "bob", "02", "done")
    assert Path(sent).read_bytes() == PLAIN and Path(bare).read_bytes() == b"no header\n"


def test_mail_to_oneself_counts_once_when_archived(root: Root) -> None:
    own = PLAIN.replace(b"alice", b"bob")
    put(root, "01_a_aaaa.txt", own, "sent")
    for name in ("my.txt", "my-2.txt"):  # by hand: two letters
        put(root, name, own, "sent")
    put(root, "01_a_aaaa.txt", own)
    archive(root, "bob", ["01_a_aaaa"], False, False)
    assert os.path.exists(f"{root.sent('bob')}/01_a_aaaa-2.txt")
    listed = [item.file for item, _ in threads.sent(root, "bob")]
    assert listed == ["01_a_aaaa.txt", "my-2.txt", "my.txt"]
    assert len(threads.thread(root, "bob", "T")[0]) == 3


def test_another_agents_broken_inbox_does_not_stop_everywhere(root: Root) -> None:
    put(root, "01.txt")
    os.makedirs(root.box("carl"))
    Path(root.inbox("carl")).write_text("x")
    assert [item.file for item in threads.thread(root, "", "T")[0]] == ["01.txt"]
    with pytest.raises(SwarmError):
        threads.thread(root, "carl", "T")
