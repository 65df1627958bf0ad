"""The doctor as a whole: quiet about ordinary work, worst first, never raising, never slow."""

import os
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from swarm.disk import TEMP_PREFIX
from swarm.doctor import examine
from swarm.mailbox import archive, delivery, inbox, receipts
from swarm.mailbox.layout import Root, make_box

from .tree import PLAIN, put, wrong

FOLDERS = ("", "/inbox", "/inbox/.read", "/drafts", "/sent")


def test_ordinary_work_is_ok_a_line_for_each_mailbox_and_the_registry(root: Root) -> None:
    for _ in range(2):
        delivery.send(root, "alice", ["bob"], "s", b"x")
    kept, put_away = sorted(inbox.message_names(root, root.inbox("bob")))
    for name in (kept, put_away):
        os.utime(f"{root.inbox('bob')}/{name}", (1e9, 1e9))
        receipts.write(root, "bob", name)
    archive.mark(root, "bob", kept, "done")
    archive.archive(root, "bob", [put_away], False, False)
    put(f"{root.drafts('bob')}/.gitkeep", "")
    found = [(finding.level, finding.path) for finding in examine(root)]
    assert found == [("ok", "dir"), ("ok", "alice"), ("ok", "bob")]


def mess(root: Root) -> None:
    """Something of every kind that can be wrong without a lack of rights."""
    put(root.entry("alice"), "id: alice\n")
    for folder in (root.path, root.dir, *(f"{root.box('bob')}{part}" for part in FOLDERS)):
        put(f"{folder}/{TEMP_PREFIX}1.tmp", age=9000)
        put(f"{folder}/{TEMP_PREFIX}2.tmp")
        put(f"{folder}/.x.swp")
        put(f"{folder}/odd name.txt", "x")
        os.mkfifo(f"{folder}/pipe.txt")
        os.makedirs(f"{folder}/folder.txt", exist_ok=True)
        os.symlink("nowhere", f"{folder}/dangling.txt")
        os.symlink("loop.txt", f"{folder}/loop.txt")
        os.symlink("..", f"{folder}/up")
        os.makedirs(f"{folder}/bad name", exist_ok=True)
    put(f"{root.inbox('bob')}/carls.txt", PLAIN.replace("bob", "carl"))
    put(f"{root.inbox('bob')}/alices.txt", PLAIN.replace("bob", "alice"))
    put(f"{root.receipts('bob')}/carls.txt", "", age=900)
    make_box(root, "carl")
    os.makedirs(f"{root.path}/dave")
    os.makedirs(f"{root.path}/bad name/inbox")
    shutil.rmtree(root.drafts("carl"))
    os.rmdir(root.sent("carl"))
    put(root.sent("carl"))


@pytest.mark.parametrize("fix", [False, True])
def test_all_that_is_wrong_ends_with_a_way_out_and_names_no_absolute_path(
    root: Root, fix: bool
) -> None:
    mess(root)
    found = examine(root, fix)
    assert len(found) > 60
    for finding in found:
        assert bool(finding.fix) == (finding.level != "ok"), finding.text
        assert finding.text.endswith(f": {finding.fix}") or finding.level == "ok"
        assert root.path not in finding.text + finding.path
        assert not finding.path.startswith("/")


def test_the_worst_comes_first(root: Root) -> None:
    mess(root)
    shutil.rmtree(root.box("alice"))
    put(root.box("alice"))
    levels = [finding.level for finding in examine(root)]
    assert levels == sorted(levels, key=("fail", "warn", "ok").index) and levels[0] == "fail"


def test_looking_changes_nothing(root: Root) -> None:
    mess(root)
    before = sorted((str(p), p.lstat().st_mtime_ns) for p in Path(root.path).rglob("*"))
    examine(root)
    assert before == sorted((str(p), p.lstat().st_mtime_ns) for p in Path(root.path).rglob("*"))


def test_mending_tells_what_it_did_as_ok_and_leaves_the_rest_as_it_was(root: Root) -> None:
    mess(root)
    before, after = wrong(root), {}
    mended = {f.path for f in examine(root, fix=True) if f.text.startswith("mended: ")}
    after = wrong(root)
    old = {f"{place}{TEMP_PREFIX}1.tmp" for place in ("", "dir/", *(f"bob{f}/" for f in FOLDERS))}
    assert mended == {*old, "carl/drafts"}
    assert after == {path: level for path, level in before.items() if path not in mended}
    assert not [finding for finding in examine(root, fix=True) if "mended" in finding.text]


@pytest.mark.parametrize(
    "name", ["line\nfeed.txt", os.fsdecode(b"\xff\xfe.txt"), "-rf.txt", "'.txt"]
)
def test_odd_names_are_named_like_any_other(root: Root, name: str) -> None:
    places = (root.path, root.dir, root.box("bob"), root.inbox("bob"), root.receipts("bob"))
    for folder in places:
        put(f"{folder}/{name}", "x")
    named = {f.path for f in examine(root, fix=True)}
    assert {name, f"dir/{name}", f"bob/{name}", f"bob/inbox/{name}"} <= named


def a_dangling_link(path: str) -> None:
    os.symlink("nowhere", path)


def a_link_to_itself(path: str) -> None:
    os.symlink(os.path.basename(path), path)


def a_file(path: str) -> None:
    Path(path).write_text("stranded")


@pytest.mark.parametrize("make", [a_file, a_dangling_link, a_link_to_itself])
@pytest.mark.parametrize("part", FOLDERS)
def test_something_else_where_a_folder_belongs_is_named_and_left_alone(
    root: Root, make: Callable[[str], None], part: str
) -> None:
    path = f"{root.path}/bob{part}"
    shutil.rmtree(path)
    make(path)
    level = "fail" if part in ("", "/inbox") else "warn"
    for fix in (False, True):
        assert wrong(root, fix) == {f"bob{part}": level}
    assert os.path.lexists(path) and not os.path.isdir(path)


def test_links_in_a_circle_end(root: Root) -> None:
    for name, target in (("one", "two"), ("two", "one"), ("loop", ".."), ("self", ".")):
        os.symlink(target, f"{root.path}/{name}")
    os.rmdir(root.sent("bob"))
    os.symlink("..", root.sent("bob"))
    assert {"one", "two", "loop", "self"} <= set(wrong(root, fix=True))


def test_a_missing_registry_is_a_finding_and_the_mailboxes_are_looked_at_all_the_same(
    root: Root,
) -> None:
    shutil.rmtree(root.dir)
    put(f"{root.inbox('bob')}/bad.txt", "x")
    assert wrong(root) == {"dir": "fail", "bob/inbox/bad.txt": "warn"}
    assert wrong(root, fix=True) == {"bob/inbox/bad.txt": "warn"}
    assert os.path.isdir(root.dir)


def test_a_tree_that_is_gone_is_one_finding_and_is_not_made_again(root: Root) -> None:
    shutil.rmtree(root.path)
    assert wrong(root, fix=True) == {".": "fail"} and not os.path.exists(root.path)
    put(root.path)
    assert wrong(root, fix=True) == {".": "fail"}


@pytest.mark.parametrize("fix", [False, True])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("part", FOLDERS)
def test_a_mailbox_that_vanishes_meanwhile_is_not_told_of_and_not_made_again(
    root: Root, monkeypatch: pytest.MonkeyPatch, part: str, after: bool, fix: bool
) -> None:
    """``part``: the folder whose listing it vanishes before or after."""
    make_box(root, "carl")
    put(f"{root.inbox('carl')}/bad.txt", "x")
    put(f"{root.inbox('carl')}/{TEMP_PREFIX}1.tmp", age=9000)
    scandir = os.scandir

    def vanishing(folder: str) -> Any:
        now = folder == f"{root.box('carl')}{part}"
        if now and not after:
            shutil.rmtree(root.box("carl"))
        listed = scandir(folder)
        if now and after:
            monkeypatch.setattr(os, "scandir", scandir)
            shutil.rmtree(root.box("carl"))
        return listed

    monkeypatch.setattr(os, "scandir", vanishing)
    found = examine(root, fix)
    assert not os.path.exists(root.box("carl"))
    assert not [finding for finding in found if finding.level != "ok"]


def test_each_message_is_opened_at_most_once(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    agents = [f"agent-{number}" for number in range(10)]
    for agent in agents:
        make_box(root, agent)
        for number in range(10):
            text = PLAIN.replace("bob", "carl") if number % 2 else "malformed"
            put(f"{root.inbox(agent)}/{number}.txt", text, age=9)
            put(f"{root.sent(agent)}/{number}.txt", text)
            put(f"{root.receipts(agent)}/{number}.txt", "", age=99)
    opened: Counter[str] = Counter()
    really = os.open

    def counting(path: str, flags: int, *args: Any, dir_fd: int | None = None) -> int:
        folder = "" if dir_fd is None else os.readlink(f"/proc/self/fd/{dir_fd}")
        opened[f"{folder}/{path}"] += 1
        return really(path, flags, *args, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", counting)
    examine(root)
    of_mail = {path: times for path, times in opened.items() if re.search(r"agent-.*\.txt", path)}
    assert len(of_mail) == 200 and set(of_mail.values()) == {1}
