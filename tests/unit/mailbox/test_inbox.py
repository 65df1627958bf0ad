"""Listing, finding, receipts, claims and waiting."""

import os
import random
import threading
import time
from pathlib import Path

import pytest

from swarm import message, names
from swarm.errors import Unknown, Unreadable
from swarm.mailbox import inbox, reading, receipts
from swarm.mailbox.find import find
from swarm.mailbox.layout import Root, make_box
from swarm.mailbox.wait import wait

PLAIN = b"To: bob\nFrom: alice\nSubject: s\nThread: t\n---\nbody\n"


def put(root: Root, name: str, data: bytes = PLAIN, folder: str = "inbox") -> str:
    path = f"{root.box('bob')}/{folder}/{name}"
    Path(path).write_bytes(data)
    return path


def files(root: Root) -> list[str]:
    return [item.file for item in inbox.unread(root, "bob")[0]]


def test_unread_is_in_order_and_counts_agree(root: Root) -> None:
    for name in ("100_a_aaaa.txt", "99_a_aaaa.txt", "x.txt", "01_a_aaaa.txt", ".h.txt", "y.md"):
        put(root, name)
    os.mkfifo(f"{root.inbox('bob')}/02_pipe.txt")
    os.mkdir(f"{root.inbox('bob')}/03_dir.txt")
    os.symlink("x.txt", f"{root.inbox('bob')}/04_link.txt")
    receipts.write(root, "bob", "99_a_aaaa.txt")
    assert files(root) == ["01_a_aaaa.txt", "100_a_aaaa.txt", "x.txt"]
    assert inbox.count_unread(root, "bob") == 3
    items, left = inbox.unread(root, "bob", 1)
    assert ([item.file for item in items], left) == (["01_a_aaaa.txt"], 2)


def test_filter_comes_before_limit(root: Root) -> None:
    put(root, "01_a_aaaa.txt", PLAIN.replace(b"alice", b"carl"))
    put(root, "02_a_aaaa.txt")
    put(root, "03_a_aaaa.txt")
    items, left = inbox.unread(root, "bob", 1, "alice", "t")
    assert ([item.file for item in items], left) == (["02_a_aaaa.txt"], 1)
    assert inbox.count_unread(root, "bob", thread="no") == 0


def test_order_is_that_of_names() -> None:
    found = ["10_b.txt", "9_b.txt", "09_a.txt", "100_.txt", "1.txt", "_x.txt", "²_x.txt", "7a_.txt"]
    for chosen in (found, found[:4]):
        random.shuffle(chosen)
        assert inbox.in_order(chosen) == sorted(chosen, key=names.order)


PIECES = [
    b"To: bob\n", b"From: alice\n", b"Subject: s\n", b"Subject:\n", b"Subject: \n", b"to: carl\n",
    b"To: carl\r\n", b"Thread: t \n", b"Thread:\tx\n", b"Status: done\n", b"X-Y: z\n", b"---\n",
    b"---\r\n", b"no header\n", b"From:  two\n", b"\xff: x\n", b"Date: \xff\n", b"\n", b"--- \n",
    b"Subject: a: b\n", b"Ref:\n", b"Subject: \xc2\xa0\n", b"---", b"Subject: x\x0cy\n",
]  # fmt: skip


def test_the_quick_way_says_what_parsing_says(root: Root) -> None:
    draw = random.Random(1)
    quick = 0
    for _ in range(20000):
        start = PIECES[:3] if draw.random() < 0.6 else []
        parts = [*start, *draw.choices(PIECES, k=draw.randrange(6)), b"---\n"]
        if draw.random() < 0.3:
            draw.shuffle(parts)
        data = b"".join(parts)
        found = inbox._quick("p", "f", data, "bob")
        if found is None:
            continue
        quick += 1
        full = inbox.Item("f", "p", message.parse(data), "bob")
        assert found.record(root) == full.record(root), data
        assert found.message is not None and found.message.headers == full.message.headers
    assert quick > 500


def test_flags(root: Root) -> None:
    put(root, "01.txt", b"")
    put(root, "02.txt", PLAIN.replace(b"bob", b"carl"))
    put(root, "03.txt", b"please look\n" + b"x" * 9000)
    flags = {item.file: item.flags for item in inbox.unread(root, "bob")[0]}
    assert flags == {"01.txt": ["malformed"], "02.txt": ["misaddressed"], "03.txt": ["malformed"]}
    sent = put(root, "04.txt", PLAIN.replace(b"bob", b"carl"), "sent")
    item = inbox.load(root, "bob", sent)
    assert item is not None and item.flags == []
    assert inbox.load(root, "bob", sent + "x") is None


def test_a_long_header_is_read_to_its_end(root: Root) -> None:
    path = put(root, "01.txt", b"X: " + b"y" * 70000 + b"\n" + PLAIN)
    assert inbox.read_head(path).subject == "s"
    item = inbox.load(root, "bob", path)
    assert item is not None and (item.subject, item.flags) == ("s", [])


def test_what_is_no_inbox_is_an_error_and_a_missing_one_is_empty(root: Root) -> None:
    assert inbox.unread(root, "nobody") == ([], 0)
    os.makedirs(root.box("carl"))
    Path(root.inbox("carl")).write_text("x")
    with pytest.raises(Unreadable, match="carl/inbox"):
        inbox.unread(root, "carl")
    os.unlink(root.inbox("carl"))
    os.symlink("nowhere", root.inbox("carl"))
    with pytest.raises(Unreadable, match="carl/inbox"):
        inbox.count_unread(root, "carl")


def test_an_unusable_read_folder_hides_nothing(root: Root) -> None:
    put(root, "01.txt")
    os.rmdir(root.receipts("bob"))
    assert files(root) == ["01.txt"]
    receipts.write(root, "bob", "01.txt")
    receipts.write(root, "bob", "01.txt")
    assert files(root) == [] and receipts.has(root, "bob", "01.txt")
    os.unlink(f"{root.receipts('bob')}/01.txt")
    os.rmdir(root.receipts("bob"))
    for make in (lambda p: Path(p).write_text(""), lambda p: os.symlink("nowhere", p)):
        make(root.receipts("bob"))
        assert files(root) == ["01.txt"]
        with pytest.raises(Unreadable, match=r"bob/inbox/\.read"):
            receipts.write(root, "bob", "01.txt")
        os.unlink(root.receipts("bob"))


def test_find(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = put(root, "01_build_aaaa.txt"), put(root, "01_build_aaaa_more.txt")
    sent = put(root, "02_old_bbbb.txt", folder="sent")
    monkeypatch.chdir(root.inbox("bob"))
    for wanted, path in {
        "01_build_aaaa": a, "01_build_aaaa.txt": a, "more": b, "old": sent, a: a,
        "bob/sent/02_old_bbbb.txt": sent, "./01_build_aaaa": a, "../sent/02_old_bbbb.txt": sent,
    }.items():  # fmt: skip
        assert find(root, "bob", wanted) == path
    for wanted in ("", ".", "..", "/", "nosuch", "*", ".read", ".txt", "a\0b", "\ud800", "dir/x"):
        with pytest.raises(Unknown) as caught:
            find(root, "bob", wanted)
        assert caught.value.code == "unknown-message"
    with pytest.raises(Unknown, match=r"01_build_aaaa\.txt, 01_build_aaaa_more\.txt") as caught:
        find(root, "bob", "build")
    assert caught.value.code == "ambiguous-message"
    os.mkfifo("03_pipe.txt")
    for wanted in ("03_pipe.txt", "03_pipe", "pipe", "bob/inbox/03_pipe.txt"):
        with pytest.raises(Unreadable):
            find(root, "bob", wanted)


def test_a_message_is_claimed_once(root: Root) -> None:
    path = put(root, "01.txt")
    first = reading.claim(root, "bob", path, False)
    assert first is not None and first.data == PLAIN
    assert reading.claim(root, "bob", path, True) is None
    first.close()
    second = reading.claim(root, "bob", path, False)
    assert second is not None and files(root) == ["01.txt"]
    second.done()
    assert files(root) == [] and reading.claim(root, "bob", path, False) is None
    third = reading.claim(root, "bob", path, True)
    assert third is not None
    third.close()
    os.unlink(path)
    assert reading.claim(root, "bob", path, True) is None
    os.mkdir(path)
    with pytest.raises(Unreadable):
        reading.claim(root, "bob", path, True)


@pytest.mark.parametrize("missing", [False, True])
def test_wait_wakes(root: Root, missing: bool) -> None:
    who = "carl" if missing else "bob"

    def deliver() -> None:
        time.sleep(0.1)
        make_box(root, who)
        Path(f"{root.inbox(who)}/.tmp").write_bytes(PLAIN)
        os.rename(f"{root.inbox(who)}/.tmp", f"{root.inbox(who)}/01.txt")

    thread = threading.Thread(target=deliver)
    thread.start()
    start = time.monotonic()
    items = wait(root, who, 5, "alice")
    took = time.monotonic() - start
    thread.join()
    assert [item.file for item in items] == ["01.txt"]
    assert took < 3
    assert wait(root, who, 0.05, "nobody") == [] == wait(root, "dave", 0)
