"""Temporary files of ours: named wherever they lie, removed only when nobody can want them."""

import os
import subprocess

import pytest

from swarm.disk import TEMP_PREFIX
from swarm.doctor import examine
from swarm.mailbox.layout import Root

from .tree import one, put, wrong

HOUR, DAY = 3600, 86400
PLACES = ("", "dir/", "bob/", "bob/inbox/", "bob/inbox/.read/", "bob/drafts/", "bob/sent/")


def dead() -> int:
    """The number of a process that has ended."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    return ended.pid


def left(root: Root, place: str, pid: int, age: float) -> str:
    """A temporary file; its path as the doctor names it."""
    path = f"{place}{TEMP_PREFIX}{pid}-1.tmp"
    put(f"{root.path}/{path}", age=age)
    return path


@pytest.mark.parametrize("place", PLACES)
def test_an_old_one_is_named_and_removed_on_demand(root: Root, place: str) -> None:
    path = left(root, place, dead(), HOUR + 60)
    assert wrong(root) == {path: "warn"}
    found = one(root, path)
    assert found.text == "left by a killed process: swarm doctor --fix removes it"
    mended = one(root, path, fix=True)
    assert (mended.level, mended.text) == ("ok", "mended: left by a killed process, now removed")
    assert not os.path.exists(f"{root.path}/{path}")


@pytest.mark.parametrize("place", PLACES)
def test_a_young_one_may_be_in_use(root: Root, place: str) -> None:
    path = left(root, place, dead(), HOUR - 60)
    for fix in (False, True):
        assert wrong(root, fix) == {path: "warn"}
    assert one(root, path).fix == "wait; swarm doctor --fix removes it when it is an hour old"


@pytest.mark.parametrize("age", [0, HOUR - 60, HOUR + 60, DAY - 60])
def test_that_of_a_living_process_is_never_removed(root: Root, age: float) -> None:
    path = left(root, "bob/inbox/", os.getpid(), age)
    for fix in (False, True):
        assert wrong(root, fix) == {path: "warn"}
    assert f"process {os.getpid()}" in one(root, path).text


def test_after_a_day_the_number_is_that_of_another_process(root: Root) -> None:
    path = left(root, "bob/inbox/", os.getpid(), DAY + 60)
    assert wrong(root, fix=True) == {} and not os.path.exists(f"{root.path}/{path}")


@pytest.mark.parametrize("name", ["1.tmp", "0-1.tmp", f"{10**30}-1.tmp", "-1-1.tmp", "²-1.tmp", ""])
def test_a_name_without_the_number_of_a_process_goes_by_its_age(root: Root, name: str) -> None:
    path = f"bob/inbox/{TEMP_PREFIX}{name}"
    put(f"{root.path}/{path}", age=HOUR + 60)
    assert wrong(root, fix=True) == {} and not os.path.exists(f"{root.path}/{path}")


def test_one_of_another_users_process_is_in_use(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(pid: int, signal: int) -> None:
        raise PermissionError

    path = left(root, "bob/inbox/", 4321, HOUR + 60)
    monkeypatch.setattr(os, "kill", refusing)
    assert wrong(root, fix=True) == {path: "warn"}


def test_only_files_of_ours_are_removed(root: Root) -> None:
    inbox = root.inbox("bob")
    put(f"{inbox}/.tmp-1.txt", age=9 * DAY)
    os.mkdir(f"{inbox}/{TEMP_PREFIX}1-3.tmp")
    os.symlink("nowhere", f"{inbox}/{TEMP_PREFIX}1-4.tmp")
    for name in os.listdir(inbox):
        os.utime(f"{inbox}/{name}", (0, 0), follow_symlinks=False)
    before = wrong(root)
    names = (".tmp-1.txt", f"{TEMP_PREFIX}1-3.tmp", f"{TEMP_PREFIX}1-4.tmp")
    assert before == {f"bob/inbox/{name}": "warn" for name in names}
    assert wrong(root, fix=True) == before


def test_a_clock_that_was_set_back_makes_nothing_old(root: Root) -> None:
    path = left(root, "bob/inbox/", dead(), -9 * DAY)
    assert wrong(root, fix=True) == {path: "warn"}


def test_one_that_is_gone_meanwhile_is_no_finding(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{root.path}/{left(root, 'bob/inbox/', dead(), DAY)}"
    listed = os.scandir

    def vanishing(folder: str) -> object:
        found = listed(folder)
        if os.path.exists(path) and os.fspath(folder) == root.inbox("bob"):
            os.unlink(path)
        return found

    monkeypatch.setattr(os, "scandir", vanishing)
    assert {found.level for found in examine(root, fix=True)} == {"ok"}
