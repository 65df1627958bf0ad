"""Putting mail away and marking it: no byte lost, no file replaced."""

import os
import threading
from pathlib import Path

import pytest

from swarm import disk
from swarm.errors import Conflict, SwarmError, Unknown, UsageError
from swarm.mailbox import inbox, reading, receipts
from swarm.mailbox.archive import archive, mark
from swarm.mailbox.layout import Root

from ..rights import bound, mode
from .mail import PLAIN, files, put, unread

NAME = "01_a_aaaa.txt"
ODD = b"To: bob\r\nFrom: alice\nSubject: s\nThread: T\n---\nbody \xff\r\nno end"


def put_away(root: Root, *wanted: str, delete: bool = False) -> list[str]:
    """Archive these, or for none all that is read; what the new paths are."""
    paths, failed = archive(root, "bob", list(wanted), not wanted, delete)
    assert failed == []
    return [root.relative(path) for path in paths]


def test_a_message_moves_with_every_byte_and_its_time_and_leaves_its_receipt(root: Root) -> None:
    old = put(root, NAME, ODD, age=1000)
    written = os.stat(old).st_mtime_ns
    assert put_away(root, "01_a", NAME) == [f"bob/sent/{NAME}"]
    new = Path(root.sent("bob"), NAME)
    assert new.read_bytes() == ODD and new.stat().st_mtime_ns == written
    assert files(root) == [f"bob/inbox/.read/{NAME}", f"bob/sent/{NAME}"]


def test_what_is_archived_is_not_archived_again(root: Root) -> None:
    put(root, NAME)
    put_away(root, "01_a")
    with pytest.raises(Unknown, match="archived already"):
        put_away(root, "01_a")


def test_a_taken_name_gets_a_number(root: Root) -> None:
    mine = Path(put(root, NAME, b"mine", "sent"))
    os.symlink("nowhere", f"{root.sent('bob')}/01_a_aaaa-2.txt")
    put(root, NAME)
    assert put_away(root, NAME) == ["bob/sent/01_a_aaaa-3.txt"]
    assert Path(root.sent("bob"), "01_a_aaaa-3.txt").read_bytes() == PLAIN
    assert mine.read_bytes() == b"mine"


def test_one_unknown_name_and_nothing_moves(root: Root) -> None:
    put(root, NAME)
    with pytest.raises(Unknown):
        put_away(root, "01_a", "nosuch")
    assert files(root) == [f"bob/inbox/{NAME}"]


def test_all_read_leaves_the_unread_and_what_is_no_mail(root: Root) -> None:
    for name in ("01.txt", "02.txt", "10.txt", "9.txt"):
        put(root, name)
    os.mkfifo(f"{root.inbox('bob')}/04.txt")
    for name in ("01.txt", "10.txt", "9.txt", "04.txt"):
        receipts.write(root, "bob", name)
    assert put_away(root) == ["bob/sent/01.txt", "bob/sent/9.txt", "bob/sent/10.txt"]
    assert unread(root) == ["02.txt"] and put_away(root) == []


def test_a_missing_sent_folder_is_made(root: Root) -> None:
    os.rmdir(root.sent("bob"))
    put(root, NAME)
    assert put_away(root, NAME) == [f"bob/sent/{NAME}"]


def test_delete_removes_and_keeps_the_receipt(root: Root) -> None:
    put(root, NAME)
    assert put_away(root, NAME, delete=True) == [f"bob/inbox/{NAME}"]
    assert files(root) == [f"bob/inbox/.read/{NAME}"]


def test_a_long_name_that_is_taken_is_cut_for_its_number(root: Root) -> None:
    stem = "é" * 125 + "x"
    put(root, f"{stem}.txt", folder="sent")
    put(root, f"{stem}.txt")
    (new,) = put_away(root, f"{stem}.txt")
    name = new.removeprefix("bob/sent/")
    assert name.endswith("-2.txt") and len(os.fsencode(name)) <= 255
    assert Path(root.path, new).read_bytes() == PLAIN


def test_what_cannot_be_moved_keeps_no_other(root: Root) -> None:
    for name in ("01.txt", "02.txt"):
        put(root, name)
    receipts.write(root, "bob", "02.txt")
    with mode(root.receipts("bob"), 0o500):
        done = bound("--root", root.path, "--as", "bob", "archive", "01", "02")
    assert (done.returncode, done.stdout) == (6, "bob/sent/02.txt\n")
    assert "bob/inbox/.read" in done.stderr and unread(root) == ["01.txt"]


@pytest.mark.parametrize(
    ("folder", "words"), [("sent", ()), ("inbox", ("--delete",)), ("inbox/.read", ())]
)
def test_the_folder_that_may_not_be_written_to_is_named(
    root: Root, folder: str, words: tuple[str, ...]
) -> None:
    put(root, NAME)
    with mode(f"{root.box('bob')}/{folder}", 0o500):
        done = bound("--root", root.path, "--as", "bob", "archive", NAME, *words)
    first, hint = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (6, "")
    assert f" bob/{folder}: " in first and f"permissions of bob/{folder} " in hint
    assert f"bob/inbox/{NAME}" in files(root)


def test_what_could_not_leave_the_inbox_is_told_and_not_doubled_later(root: Root) -> None:
    path = put(root, NAME)
    words = ("--root", root.path, "--as", "bob", "archive", NAME)
    with mode(root.inbox("bob"), 0o500):
        for done in (bound(*words), bound(*words)):
            assert (done.returncode, done.stdout) == (6, "") and " bob/inbox: " in done.stderr
    assert os.path.exists(path) and os.listdir(root.sent("bob")) == []
    assert bound(*words).stdout == f"bob/sent/{NAME}\n"
    assert files(root) == [f"bob/inbox/.read/{NAME}", f"bob/sent/{NAME}"]


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


def test_mark_changes_the_status_and_neither_another_byte_nor_the_time(root: Root) -> None:
    path = put(root, NAME, ODD, age=1000)
    written = os.stat(path).st_mtime_ns
    assert mark(root, "bob", "01", "ack") == NAME
    assert Path(path).read_bytes() == ODD.replace(b"---\n", b"Status: ack\n---\n")
    assert os.stat(path).st_mtime_ns == written
    assert unread(root) == [NAME]


@pytest.mark.parametrize("final", ["done", "cancelled", "error"])
def test_a_final_status_stays(root: Root, final: str) -> None:
    path = put(root, NAME)
    mark(root, "bob", NAME, "ack")
    for _ in range(2):
        mark(root, "bob", NAME, final)
    with pytest.raises(Conflict) as caught:
        mark(root, "bob", NAME, "ack")
    assert caught.value.code == "final" and inbox.read_head(path).get("status") == final


@pytest.mark.parametrize("status", ["", "finished", "sent", "DONE"])
def test_a_status_that_is_none_is_refused(root: Root, status: str) -> None:
    path = put(root, NAME)
    with pytest.raises(UsageError) as caught:
        mark(root, "bob", NAME, status)
    assert "done" in caught.value.hint and Path(path).read_bytes() == PLAIN


def test_mark_refuses_what_is_not_in_the_inbox_or_has_no_header(root: Root) -> None:
    sent = put(root, "01.txt", folder="sent")
    bare = put(root, "02.txt", b"no header\n")
    with pytest.raises(Unknown, match="archived already, or sent by you"):
        mark(root, "bob", "01", "done")
    with pytest.raises(SwarmError, match="no header to mark"):
        mark(root, "bob", "02", "done")
    assert Path(sent).read_bytes() == PLAIN and Path(bare).read_bytes() == b"no header\n"


def test_a_message_that_is_being_read_is_not_marked(root: Root) -> None:
    """Else a second reader would get the new file while the first still has the old one."""
    path = put(root, NAME)
    claim = reading.claim(root, "bob", path, again=False)
    assert claim is not None
    with claim, pytest.raises(Conflict, match="being read"):
        mark(root, "bob", NAME, "done")
    assert Path(path).read_bytes() == PLAIN
    mark(root, "bob", NAME, "done")


def test_marking_what_was_read_leaves_its_receipt_the_younger(root: Root) -> None:
    path = put(root, NAME)
    receipts.write(root, "bob", NAME)
    receipt = f"{root.receipts('bob')}/{NAME}"
    os.utime(receipt, (1000, 1000))
    mark(root, "bob", NAME, "done")
    assert os.stat(receipt).st_mtime >= os.stat(path).st_mtime and unread(root) == []


def test_all_read_is_none_of_what_was_unread_when_the_mailbox_was_moved_away(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root, NAME)
    listing, box = inbox.message_names, root.box("bob")

    def moved_away(_: Root, folder: str) -> list[str]:
        found = listing(root, folder)
        os.rename(box, f"{box}.away")
        monkeypatch.setattr(inbox, "message_names", listing)
        return found

    def moved_back(path: str) -> bool:
        os.rename(f"{box}.away", box)
        monkeypatch.undo()
        return disk.is_regular(path)

    monkeypatch.setattr(inbox, "message_names", moved_away)
    monkeypatch.setattr(disk, "is_regular", moved_back)
    assert archive(root, "bob", [], True, False) == ([], [])
    if not os.path.exists(box):
        os.rename(f"{box}.away", box)
    assert unread(root) == [NAME]
