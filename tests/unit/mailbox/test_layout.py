"""Where things are, and who is known."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from swarm.errors import Unknown, Unreadable, UsageError
from swarm.mailbox import layout
from swarm.mailbox.layout import Root

from ..rights import bound, mode
from .mail import files, put


def test_paths_of_a_mailbox_are_those_of_the_contract(tmp_path: Path) -> None:
    root = Root(f"{tmp_path}/x/../mail")
    paths = (root.dir, root.entry("a"), root.box("a"), root.inbox("a"), root.receipts("a"),
             root.drafts("a"), root.sent("a"))  # fmt: skip
    expected = "dir dir/a.txt a a/inbox a/inbox/.read a/drafts a/sent"
    assert [os.path.relpath(path, tmp_path / "mail") for path in paths] == expected.split()
    assert root.relative(root.inbox("a")) == "a/inbox" and root.relative("/x") == "/x"


def test_a_relative_root_is_resolved_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    root = Root("mail")
    monkeypatch.chdir("/")
    assert root.path == str(tmp_path / "mail")


@pytest.mark.parametrize("part", ["inbox", "drafts", "sent"])
def test_any_folder_of_a_mailbox_makes_its_agent_known(root: Root, part: str) -> None:
    os.makedirs(f"{root.box('carl')}/{part}")
    os.mkdir(f"{root.path}/notes")
    Path(root.entry("dave")).touch()
    os.symlink("dave.txt", root.entry("eve"))
    Path(root.dir, "bad name.txt").touch()
    Path(root.dir, "frank.md").touch()
    assert layout.boxes(root) == ["bob", "carl"] and layout.registered(root) == ["dave"]
    assert layout.known(root) == ["bob", "carl", "dave"]
    known = [agent for agent in ("bob", "carl", "dave", "eve", "notes", "dir") if layout.is_known(root, agent)]  # fmt: skip
    assert known == ["bob", "carl", "dave"]


def test_an_unknown_agent_is_told_who_was_meant(root: Root) -> None:
    assert layout.check_known(root, "bob") == "bob"
    for wanted, hint in (("Bob", "bob"), ("bobb", "bob"), ("nobody", "swarm status")):
        with pytest.raises(Unknown) as caught:
            layout.check_known(root, wanted)
        assert caught.value.code == "unknown-agent" and hint in caught.value.hint
    with pytest.raises(UsageError):
        layout.check_known(root, "../bob")


def test_ids_that_differ_only_in_case_are_twins(root: Root) -> None:
    assert layout.twin(root, "BOB") == "bob"
    assert layout.twin(root, "bob") == "" == layout.twin(root, "carl")


def test_what_is_missing_of_a_mailbox_is_made_and_told(root: Root) -> None:
    os.rmdir(root.drafts("bob"))
    put(root, "01.txt")
    assert layout.make_box(root, "bob") == [root.drafts("bob")]
    assert layout.make_box(root, "bob") == [] and files(root) == ["bob/inbox/01.txt"]
    made = [root.relative(path) for path in layout.make_box(root, "carl")]
    assert made == ["carl/inbox", "carl/inbox/.read", "carl/drafts", "carl/sent"]


def test_a_mailbox_that_cannot_be_made_is_an_error(root: Root) -> None:
    Path(root.box("carl")).touch()
    with pytest.raises(Unreadable, match="carl"):
        layout.make_box(root, "carl")


@pytest.mark.parametrize("part", ["", "/inbox"])
@pytest.mark.parametrize(
    "make", [lambda path: os.symlink("nowhere", path), lambda path: Path(path).touch()], ids=["link", "file"]
)  # fmt: skip
def test_an_inbox_that_cannot_take_mail_is_named(
    root: Root, part: str, make: Callable[[str], None]
) -> None:
    if part:
        os.mkdir(root.box("carl"))
    make(f"{root.box('carl')}{part}")
    with pytest.raises(Unreadable, match=f"carl{part} is a ") as caught:
        layout.check_inbox(root, "carl")
    assert caught.value.code == "bad-mailbox"


def test_an_inbox_that_is_missing_or_there_can_take_mail(root: Root) -> None:
    for agent in ("bob", "carl"):
        layout.check_inbox(root, agent)
    assert not os.path.exists(root.box("carl"))


@pytest.mark.parametrize("folder", ["bob/inbox", "."])
def test_nothing_is_sent_where_an_inbox_may_not_be_written_to(root: Root, folder: str) -> None:
    Path(root.entry("carl")).touch()
    layout.make_box(root, "alice")
    to = "bob" if folder == "bob/inbox" else "carl"
    with mode(f"{root.path}/{folder}", 0o500):
        words = ("--root", root.path, "--as", "alice", "send", to, "-s", "s", "-m", "x")
        done = bound(*words)
    assert done.returncode == 6 and "cannot be written to" in done.stderr
    assert files(root) == ["dir/carl.txt"]


def test_a_mailbox_that_may_not_be_looked_into_is_there_all_the_same(root: Root) -> None:
    put(root, "01.txt")
    with mode(root.box("bob"), 0):
        listed, unread = (
            bound("--root", root.path, "--as", "bob", w) for w in ("status", "unread")
        )
    assert listed.stdout.startswith("bob\t") and "!\tbob: " in listed.stdout
    assert (unread.returncode, unread.stdout) == (6, "")


def test_a_mailbox_on_a_disk_that_fails_just_now_is_not_taken_for_none(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(path: str) -> os.stat_result:
        raise OSError(errno.EIO, os.strerror(errno.EIO), path)

    monkeypatch.setattr(os, "lstat", failing)
    assert layout.check_known(root, "bob") == "bob"
