"""What lies in a mailbox and what of it is unread: in order, flagged, nothing hidden, no write."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm import message, names
from swarm.errors import Unreadable
from swarm.mailbox import inbox, receipts
from swarm.mailbox.layout import Root

from .mail import PLAIN, files, put, unread

NAMES = [b"To", b"From", b"Subject", b"Thread", b"Status", b"Date", b"Ref", b"to", b"X-Y", b"\xff"]
VALUES = [
    b"bob", b"alice", b"carl", b"t", b" two", b"t ", b"\tx", b"a: b", b"a:b", b"", b"\xff", b"x\r",
    b"\xc2\xa0", b"x\x0cy",
]  # fmt: skip
ODD = [b"---\n", b"---\r\n", b"--- \n", b"no header\n", b"\n", b"Ref:\n", b"---"]


def line(name: bytes) -> st.SearchStrategy[bytes]:
    return st.sampled_from(VALUES).map(lambda value: name + b": " + value + b"\n")


lines = st.sampled_from(NAMES).flatmap(line) | st.sampled_from(ODD)
required = st.tuples(line(b"To"), line(b"From"), line(b"Subject"))
messages = st.builds(
    lambda first, more, body: b"".join([*first, *more, b"---\n", *body]),
    required | st.lists(lines), st.lists(lines, max_size=2), st.lists(lines, max_size=2),
)  # fmt: skip


def test_unread_is_in_order_and_counts_agree(root: Root) -> None:
    for name in ("100_a_aaaa.txt", "99_a_aaaa.txt", "x.txt", "01_a_aaaa.txt", ".h.txt", "y.md"):
        put(root, name)
    receipts.write(root, "bob", "99_a_aaaa.txt")
    before = files(root)
    assert unread(root) == ["01_a_aaaa.txt", "100_a_aaaa.txt", "x.txt"]
    assert inbox.count_unread(root, "bob") == 3
    assert files(root) == before


def test_what_is_no_regular_file_is_no_mail(root: Root) -> None:
    put(root, "x.txt")
    os.mkfifo(f"{root.inbox('bob')}/02_pipe.txt")
    os.mkdir(f"{root.inbox('bob')}/03_dir.txt")
    os.symlink("x.txt", f"{root.inbox('bob')}/04_link.txt")
    assert unread(root) == ["x.txt"] and inbox.count_unread(root, "bob") == 1


@pytest.mark.parametrize("limit", range(5))
def test_a_limit_tells_how_many_more_there_are(root: Root, limit: int) -> None:
    for number in range(3):
        put(root, f"{number:02d}.txt")
    os.mkfifo(f"{root.inbox('bob')}/99.txt")
    items, left = inbox.unread(root, "bob", limit)
    assert [item.file for item in items] == ["00.txt", "01.txt", "02.txt"][:limit]
    assert left == max(0, 3 - limit)


def test_the_filter_comes_before_the_limit(root: Root) -> None:
    put(root, "01_a_aaaa.txt", PLAIN.replace(b"alice", b"carl"))
    put(root, "02_a_aaaa.txt")
    put(root, "03_a_aaaa.txt")
    items, left = inbox.unread(root, "bob", 1, "alice", "t")
    assert ([item.file for item in items], left) == (["02_a_aaaa.txt"], 1)
    assert inbox.count_unread(root, "bob", "alice") == 2
    assert inbox.count_unread(root, "bob", thread="no") == 0


@given(st.lists(st.text("019_a.²", max_size=6), unique=True))
def test_order_is_that_of_names(found: list[str]) -> None:
    assert inbox.in_order(found) == sorted(found, key=names.order)


@settings(max_examples=400)
@given(messages)
def test_a_listing_says_what_parsing_says(data: bytes) -> None:
    """Also where it goes the quick way, which most plain messages do."""
    root = Root("/mail")
    found = inbox._quick("p", "f", data, "bob")
    if found is not None:
        full = inbox.Item("f", "p", message.parse(data), "bob")
        assert found.record(root) == full.record(root)
        assert found.message is not None and full.message is not None
        assert found.message.headers == full.message.headers


@pytest.mark.parametrize(
    "data", [PLAIN, PLAIN.replace(b"s\n", b"a: b\n"), PLAIN.replace(b"---", b"Status: ack\n---")]
)
def test_the_plainest_messages_go_the_quick_way(data: bytes) -> None:
    assert inbox._quick("p", "f", data, "bob") is not None


@pytest.mark.parametrize(
    "data",
    [
        "\u00a0\n\u00a0".encode() + b" " * inbox.HEAD + b"\nfirst\n",  # blank, in a file of text
        b"X: " + b"x" * (message.HEADER_MAX - 20) + b"\nTo: bob\n---\n\n\nfirst line\n",
        b"\n".join([b"no header", b" " * inbox.GROWTH, b"x"]),
    ],
)
def test_a_listing_reads_as_far_as_the_line_that_stands_for_a_subject(
    root: Root, data: bytes
) -> None:
    put(root, "01.txt", data)
    (item,) = inbox.unread(root, "bob")[0]
    assert item.subject == message.parse(data).subject != ""


def test_flags_tell_what_is_wrong_with_a_message(root: Root) -> None:
    put(root, "01.txt", b"")
    put(root, "02.txt", PLAIN.replace(b"bob", b"carl"))
    put(root, "03.txt", b"please look\n" + b"x" * 9000)
    put(root, "04.txt")
    found = {item.file: (item.flags, item.subject) for item in inbox.unread(root, "bob")[0]}
    assert found == {
        "01.txt": (["malformed"], ""), "02.txt": (["misaddressed"], "s"),
        "03.txt": (["malformed"], "please look"), "04.txt": ([], "s"),
    }  # fmt: skip


def test_mail_in_sent_is_addressed_to_anybody(root: Root) -> None:
    sent = put(root, "04.txt", PLAIN.replace(b"bob", b"carl"), "sent")
    item = inbox.load(root, "bob", sent)
    assert item is not None and item.flags == []
    assert inbox.load(root, "bob", sent + "x") is None


def test_a_long_header_is_read_to_its_end(root: Root) -> None:
    path = put(root, "01.txt", b"X: " + b"y" * 70000 + b"\n" + PLAIN)
    assert inbox.read_head(path).subject == "s"
    item = inbox.load(root, "bob", path)
    assert item is not None and (item.subject, item.flags) == ("s", [])


def test_the_first_line_is_the_subject_even_after_a_long_blank(root: Root) -> None:
    put(root, "01.txt", b"To: bob\n---\n" + b"\n" * 5000 + b"first line\n")
    assert inbox.unread(root, "bob")[0][0].subject == "first line"


def test_a_missing_inbox_is_empty(root: Root) -> None:
    assert inbox.unread(root, "nobody") == ([], 0)
    assert inbox.count_unread(root, "nobody") == 0


@pytest.mark.parametrize("part", ["", "/inbox"])
@pytest.mark.parametrize(
    "make", [lambda path: os.symlink("nowhere", path), lambda path: Path(path).touch()], ids=["link", "file"]
)  # fmt: skip
def test_what_is_no_inbox_is_an_error_and_never_empty(
    root: Root, part: str, make: Callable[[str], None]
) -> None:
    if part:
        os.mkdir(root.box("carl"))
    make(f"{root.box('carl')}{part}")
    for look in (inbox.unread, inbox.count_unread, inbox.unread_names):
        with pytest.raises(Unreadable, match=f"carl{part} is "):
            look(root, "carl")


@pytest.mark.parametrize(
    "make", [os.rmdir, lambda path: (os.rmdir(path), Path(path).touch()), lambda path: (os.rmdir(path), os.symlink("nowhere", path))],
    ids=["missing", "file", "link"],
)  # fmt: skip
def test_an_unusable_read_folder_hides_nothing(root: Root, make: Callable[[str], None]) -> None:
    put(root, "01.txt")
    make(root.receipts("bob"))
    assert unread(root) == ["01.txt"] and inbox.unread_and_receipts(root, "bob") == (["01.txt"], [])


def test_a_record_holds_the_fields_of_the_contract(root: Root) -> None:
    put(root, "01.txt")
    assert inbox.unread(root, "bob")[0][0].record(root) == {
        "file": "01.txt", "from": "alice", "subject": "s", "to": "bob", "thread": "t",
        "status": "", "path": "bob/inbox/01.txt", "flags": [],
    }  # fmt: skip
