"""Conversations, search and sent mail: each message once, in time order, nothing passed over."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.errors import SwarmError, Unknown, Unreadable, UsageError
from swarm.mailbox import receipts, threads
from swarm.mailbox.archive import archive, mark
from swarm.mailbox.delivery import reply, send
from swarm.mailbox.layout import Root

from ..rights import bound, mode
from .mail import PLAIN, put

texts = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=8)
keys = texts.map(lambda text: text.strip(" \t")).filter(bool)
OWN = PLAIN.replace(b"alice", b"bob")


def message(subject: str, thread: str = "t", date: str = "", body: str = "body") -> bytes:
    dated = f"Date: {date}\n" if date else ""
    head = f"To: bob\nFrom: alice\nSubject: {subject}\nThread: {thread}\n{dated}"
    return f"{head}---\n{body}\n".encode()


def thread(root: Root, agent: str = "bob", key: str = "t") -> list[str]:
    return [item.file for item in threads.thread(root, agent, key)[0]]


def search(root: Root, *words: str) -> list[str]:
    return [item.file for item in threads.search(root, "bob", list(words))[0]]


def sent(root: Root, agent: str) -> list[tuple[str, bool]]:
    return [(item.file, seen) for item, seen in threads.sent(root, agent)]


def test_a_conversation_is_the_same_for_both_and_has_each_message_once(team: Root) -> None:
    (asked,) = send(team, "alice", ["bob"], "q", b"?", thread="t").delivered
    (answer,) = reply(team, "bob", asked.name, b"!").delivered
    (other,) = send(team, "carl", ["bob"], "q", b"?", thread="T").delivered
    expected = [asked.name, answer.name]
    assert thread(team, "alice") == thread(team, "bob") == thread(team, "") == expected
    archive(team, "bob", [asked.name], False, False)
    assert thread(team, "bob") == expected and thread(team, "bob", "T") == [other.name]
    with pytest.raises(Unknown) as caught:
        thread(team, "carl")
    assert caught.value.hint == "did you mean T?"


def test_time_order_is_by_date_and_without_one_by_the_files_time(root: Root) -> None:
    put(root, "1.txt", message("c", date="2026-01-01T00:00:03Z"))
    put(root, "2.txt", message("b", date="2026-01-01T01:00:02+01:00"))
    put(root, "3.txt", message("a", date="2026-01-01T00:00:01"))
    os.utime(put(root, "4.txt", message("old", date="soon")), (1000, 1000))
    os.utime(put(root, "5.txt", message("older")), (999, 999))
    assert thread(root) == ["5.txt", "4.txt", "3.txt", "2.txt", "1.txt"]


def test_messages_of_one_second_stand_as_they_were_written(root: Root) -> None:
    for name, written in (("2.txt", 10), ("1.txt", 20), ("10.txt", 30)):
        path = put(root, name, message(name, date="2026-01-01T00:00:00Z"))
        os.utime(path, (written, written))
    assert thread(root) == ["2.txt", "1.txt", "10.txt"]


@given(keys)
def test_a_thread_is_matched_exactly(key: str) -> None:
    with TemporaryDirectory() as folder:
        root = Root(folder, sync=False)
        os.makedirs(root.inbox("bob"))
        put(root, "1.txt", message("a", key))
        put(root, "2.txt", message("b", key + "x"))
        put(root, "3.txt", message(key, "x" + key, body=f"Thread: {key}"))
        assert thread(root, key=key) == ["1.txt"]


@pytest.mark.parametrize("key", ["", " "])
def test_an_empty_thread_is_refused(root: Root, key: str) -> None:
    put(root, "1.txt", b"To: bob\nFrom: alice\nSubject: s\n---\n")
    with pytest.raises(UsageError):
        thread(root, key=key)


@pytest.mark.parametrize("key", ["\u00a0", "\x0c", "\u3000"])
def test_a_thread_that_only_looks_empty_is_found_as_it_is_listed(root: Root, key: str) -> None:
    put(root, "1.txt", message("a", key))
    ((listed, _, _),) = threads.summary(root, "bob")[0]
    assert thread(root, key=listed) == ["1.txt"]


def test_two_messages_of_one_name_are_two(root: Root) -> None:
    for folder, body in (("inbox", b"one"), ("sent", b"two")):
        put(root, "1.txt", OWN.replace(b"body", body), folder)
    assert thread(root) == ["1.txt", "1.txt"]


@pytest.mark.parametrize("size", [2, 2030, 3000, 4020, 4060, 9000])
def test_a_copy_is_known_though_the_other_was_marked_however_long_its_header(
    team: Root, size: int
) -> None:
    body = b"a line\n" * 999
    (made,) = send(team, "alice", ["bob"], "\u00e4" * (size // 2), body, thread="t").delivered
    for status in ("ack", "cancelled"):
        mark(team, "bob", made.name, status)
        assert thread(team, "") == [made.name]


def test_another_agents_broken_inbox_does_not_stop_everywhere(root: Root) -> None:
    put(root, "01.txt")
    os.makedirs(root.box("carl"))
    Path(root.inbox("carl")).write_text("x")
    assert thread(root, "") == ["01.txt"]
    with pytest.raises(SwarmError, match="carl/inbox"):
        thread(root, "carl")


def test_the_summary_has_the_latest_conversation_last(root: Root) -> None:
    put(root, "1.txt", message("one", "x", "2026-01-03"))
    put(root, "2.txt", message("two", "y", "2026-01-02"))
    put(root, "3.txt", message("three", "x", "2026-01-01"), "sent")
    put(root, "4.txt", message("none", ""))
    assert threads.summary(root, "bob") == ([("y", 1, "two"), ("x", 2, "one")], [])


@pytest.mark.parametrize(
    ("words", "found"),
    [(("ÉTÉ",), ["1.txt"]), (("été", "alice"), ["1.txt"]), (("a.c",), []), (("[a-c]*", '"'), ["2.txt"]),
     (("OR",), []), (("subject",), ["1.txt", "2.txt"]), (("", "%_"), ["2.txt"])],
)  # fmt: skip
def test_search_is_literal_in_any_case_and_all_words_must_occur(
    root: Root, words: tuple[str, ...], found: list[str]
) -> None:
    put(root, "1.txt", message("s", body="en été abc"))
    put(root, "2.txt", message("s", body='[a-c]* " %_ \x00'), "sent")
    assert search(root, *words) == found


@pytest.mark.parametrize("words", [(), ("",)])
def test_a_search_for_nothing_is_refused(root: Root, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        search(root, *words)


def test_sent_tells_whether_the_recipients_receipt_is_there(team: Root) -> None:
    one, two = (d.name for d in send(team, "alice", ["bob", "carl"], "s", b"x").delivered)
    receipts.write(team, "bob", one)
    assert sent(team, "alice") == [(one, True), (two, False)]
    archive(team, "carl", [two], False, False)
    assert sent(team, "alice") == [(one, True), (two, True)] and sent(team, "carl") == []


def test_a_copy_that_got_a_number_behind_still_finds_its_receipt(team: Root) -> None:
    (made,) = send(team, "alice", ["bob"], "s", b"x").delivered
    copy = f"{made.name[:-4]}-2.txt"
    os.rename(f"{team.sent('alice')}/{made.name}", f"{team.sent('alice')}/{copy}")
    assert sent(team, "alice") == [(copy, False)]
    receipts.write(team, "bob", made.name)
    assert sent(team, "alice") == [(copy, True)]


@pytest.mark.parametrize("part", ["", "inbox", "inbox/.read"])
def test_what_cannot_be_seen_to_be_read_is_told_and_not_only_called_unread(
    team: Root, part: str
) -> None:
    send(team, "alice", ["bob"], "s", b"")
    told = bound("--root", team.path, "--as", "alice", "sent")
    assert (told.returncode, told.stderr) == (0, "")
    with mode(f"{team.box('bob')}/{part}", 0o000):
        told = bound("--root", team.path, "--as", "alice", "sent")
    assert told.returncode == Unreadable.exit and "\tunread\t" in told.stdout
    assert "cannot look into bob/inbox/.read" in told.stderr


def test_a_recipient_that_is_no_id_leads_nowhere(root: Root) -> None:
    put(root, "1.txt", OWN.replace(b"To: bob", b"To: bob/../bob"), "sent")
    receipts.write(root, "bob", "1.txt")
    assert sent(root, "bob") == [("1.txt", False)]


def test_mail_to_oneself_counts_once_when_archived(root: Root) -> None:
    put(root, "01_a_aaaa.txt", OWN, "sent")
    for name in ("my.txt", "my-2.txt"):  # by hand: two letters
        put(root, name, OWN, "sent")
    put(root, "01_a_aaaa.txt", OWN)
    archive(root, "bob", ["01_a_aaaa"], False, False)
    assert os.path.exists(f"{root.sent('bob')}/01_a_aaaa-2.txt")
    assert [name for name, _ in sent(root, "bob")] == ["01_a_aaaa.txt", "my-2.txt", "my.txt"]
    assert len(thread(root)) == 3


@pytest.mark.parametrize(
    ("words", "code", "out"),
    [("thread t", 6, "02.txt"), ("thread t --everywhere", 6, "02.txt"), ("thread u", 6, ""),
     ("threads", 6, "t\t1"), ("search body", 6, "02.txt"), ("search nothing", 6, ""),
     ("thread t --mermaid", 6, "sequenceDiagram")],
)  # fmt: skip
def test_what_cannot_be_read_is_named_and_the_rest_shown(
    root: Root, words: str, code: int, out: str
) -> None:
    put(root, "02.txt")
    with mode(put(root, "01.txt"), 0):
        done = bound("--root", root.path, "--as", "bob", *words.split())
    assert done.returncode == code and "bob/inbox/01.txt" in done.stderr
    assert done.stdout.startswith(out) and bool(done.stdout) == bool(out)


def test_a_party_of_a_diagram_is_an_agent_and_nothing_drawn(root: Root) -> None:
    put(
        root,
        "01.txt",
        PLAIN.replace(b"alice", b"a->>b: x").replace(b"Subject: s", b"Subject: a;b#c"),
    )
    done = bound("--root", root.path, "--as", "bob", "thread", "t", "--mermaid")
    assert done.stdout == "sequenceDiagram\n  unknown->>bob: a b c\n"
