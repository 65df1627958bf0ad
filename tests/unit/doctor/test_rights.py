"""A lack of rights: what cannot be used by the caller is named, with the command that mends it."""

import os
import shutil
import stat

import pytest

from swarm.disk import TEMP_PREFIX
from swarm.doctor import rights
from swarm.mailbox import registry
from swarm.mailbox.layout import Root, make_box

from .tree import bound, put, shell

READ_ONLY = [
    ("dir", "fail"), ("bob/inbox", "fail"), ("bob/inbox/.read", "warn"), ("bob/drafts", "warn"),
    ("bob/sent", "warn"), (".", "warn"),
]  # fmt: skip
SHUT = [*READ_ONLY[:-1], ("bob", "fail"), (".", "fail")]


@pytest.mark.parametrize(("folder", "level"), READ_ONLY)
def test_a_folder_that_cannot_be_written_to(root: Root, folder: str, level: str) -> None:
    os.chmod(f"{root.path}/{folder}", 0o500)
    text = f"cannot be written to (you lack w): chmod u+wx {folder}"
    assert bound(root) == {folder: (level, text, f"chmod u+wx {folder}")}
    shell(root, bound(root)[folder][2])
    assert bound(root) == {}


@pytest.mark.parametrize(("folder", "level"), SHUT)
def test_a_folder_that_cannot_be_listed(root: Root, folder: str, level: str) -> None:
    os.chmod(f"{root.path}/{folder}", 0o300)
    text = f"cannot be listed (you lack r): chmod u+rwx {folder}"
    assert bound(root)[folder] == (level, text, f"chmod u+rwx {folder}")
    shell(root, f"chmod u+rwx {folder}")
    assert bound(root) == {}


@pytest.mark.parametrize(("folder", "level"), SHUT[:-1])
def test_a_folder_that_can_be_listed_but_not_entered(root: Root, folder: str, level: str) -> None:
    put(f"{root.path}/{folder}/bad.txt", "x")
    os.chmod(f"{root.path}/{folder}", 0o600)
    text = f"cannot be entered (you lack x): chmod u+rwx {folder}"
    assert bound(root)[folder] == (level, text, f"chmod u+rwx {folder}")
    assert [path for path in bound(root) if path.startswith(folder)] == [folder]


def test_no_rights_at_all_are_one_finding(root: Root) -> None:
    os.chmod(root.sent("bob"), 0)
    text = "cannot be listed (you lack rwx): chmod u+rwx bob/sent"
    assert bound(root, fix=True) == {"bob/sent": ("warn", text, "chmod u+rwx bob/sent")}


def test_a_mailbox_without_entry_that_cannot_be_looked_into(root: Root) -> None:
    make_box(root, "carl")
    os.chmod(root.box("carl"), 0)
    assert bound(root)["carl"][::2] == ("fail", "chmod u+rwx carl")
    shell(root, "chmod u+rwx carl")
    assert bound(root) == {}


def test_a_message_that_cannot_be_read(root: Root) -> None:
    for folder in (root.inbox("bob"), root.sent("bob")):
        os.chmod(put(f"{folder}/it's.txt"), 0)
    found = bound(root)
    assert set(found) == {"bob/inbox/it's.txt", "bob/sent/it's.txt"}
    for _, text, fix in found.values():
        assert text.startswith("unreadable (you lack r): chmod u+r ")
        shell(root, fix)
    assert bound(root) == {}


def test_an_entry_that_cannot_be_read(root: Root) -> None:
    os.chmod(root.entry("bob"), 0)
    text = "unreadable (you lack r): chmod u+r dir/bob.txt"
    assert bound(root) == {"dir/bob.txt": ("warn", text, "chmod u+r dir/bob.txt")}


def test_a_folder_that_cannot_be_made(root: Root) -> None:
    shutil.rmtree(root.drafts("bob"))
    os.chmod(root.box("bob"), 0o500)
    way_out = "chmod u+wx bob, then swarm doctor --fix"
    assert bound(root)["bob/drafts"] == ("warn", f"is missing: {way_out}", way_out)
    said = f"is missing and cannot be made (Permission denied): {way_out}"
    assert bound(root, fix=True)["bob/drafts"] == ("fail", said, way_out)
    shell(root, "chmod u+wx bob")
    assert bound(root, fix=True) == {}


def test_a_left_over_that_cannot_be_removed(root: Root) -> None:
    name = f"bob/drafts/{TEMP_PREFIX}1.tmp"
    put(f"{root.path}/{name}", age=9000)
    os.chmod(root.drafts("bob"), 0o500)
    level, text, fix = bound(root, fix=True)[name]
    assert (level, fix) == ("warn", "chmod u+wx bob/drafts, then swarm doctor --fix")
    assert "cannot be removed" in text


def test_a_stranger_is_sent_to_the_owner(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = root.inbox("bob")
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(inbox).st_uid + 1)
    said = rights.way_out(inbox, "bob/inbox", "wx")
    assert said.startswith("run as ") and said.endswith("chmod g+wx bob/inbox")
    monkeypatch.setattr(os, "getegid", lambda: 54321)
    monkeypatch.setattr(os, "getgroups", lambda: [])
    said = rights.way_out(inbox, "bob/inbox", "wx")
    assert said.endswith("chgrp 54321 bob/inbox && chmod g+wx bob/inbox")


def test_where_chmod_would_not_help_something_else_is_advised(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "chmod" not in rights.way_out(root.inbox("bob"), "bob/inbox", "wx")
    os.chmod(root.inbox("bob"), stat.S_IRUSR)
    assert rights.way_out(root.inbox("bob"), "bob/inbox", "wx") == "chmod u+wx bob/inbox"
    seen = os.statvfs(root.path)
    mounted = os.statvfs_result((*seen[:8], seen.f_flag | os.ST_RDONLY, *seen[9:]))
    monkeypatch.setattr(os, "statvfs", lambda path: mounted)
    assert "mount" in rights.way_out(root.inbox("bob"), "bob/inbox", "wx")
    assert "chmod" in rights.way_out(root.inbox("bob"), "bob/inbox", "rx")


def test_another_agents_damage_hides_no_lack_of_rights(root: Root) -> None:
    registry.register(root, "carl", "role", "planner", "task")
    shutil.rmtree(root.box("carl"))
    put(root.box("carl"))
    os.chmod(root.inbox("bob"), 0o500)
    assert {path: rest[0] for path, rest in bound(root).items()} == {
        "carl": "fail", "bob/inbox": "fail",
    }  # fmt: skip
