"""The registry: entries are whole, unknown parts are kept, an id is taken once."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.errors import Conflict, Unknown, UsageError
from swarm.mailbox import registry
from swarm.mailbox.layout import Root, has_entry

from ..rights import bound, mode
from .mail import put

printable = st.characters(exclude_categories=["Cc", "Cs"])
tasks = st.text(printable, max_size=20).filter(lambda text: text.strip(" "))
GIVEN = ("r", "planner", "t")


def test_registering_makes_the_entry_and_the_mailbox(root: Root) -> None:
    assert registry.register(root, "carl", *GIVEN) == "carl"
    text = Path(root.entry("carl")).read_text()
    assert text == "id: carl\nrole: r\narchetype: planner\ntask: t\nstatus: active\n"
    assert os.path.isdir(root.receipts("carl")) and os.listdir(root.dir) == ["carl.txt"]


def test_a_taken_id_is_kept_unless_it_is_to_be_replaced(root: Root) -> None:
    registry.register(root, "carl", *GIVEN)
    text = Path(root.entry("carl")).read_text()
    with pytest.raises(Conflict) as caught:
        registry.register(root, "carl", "other", "planner", "t")
    assert caught.value.code == "registered" and "--replace" in caught.value.hint
    assert Path(root.entry("carl")).read_text() == text
    registry.register(root, "carl", "other", "planner", "t", "paused", replace=True)
    found = registry.entry(root, "carl")
    assert (found.role, found.status, found.problems) == ("other", "paused", [])


@pytest.mark.parametrize("replace", [False, True])
def test_an_id_that_differs_only_in_case_is_taken(root: Root, replace: bool) -> None:
    registry.register(root, "carl", *GIVEN)
    for agent in ("Carl", "BOB"):  # bob has only a mailbox
        with pytest.raises(Conflict, match="differs only in case"):
            registry.register(root, agent, *GIVEN, replace=replace)
    assert os.listdir(root.dir) == ["carl.txt"]


def test_a_mailbox_without_entry_may_be_registered_and_keeps_its_mail(root: Root) -> None:
    path = put(root, "01.txt")
    assert registry.register(root, "bob", *GIVEN) == "bob" and os.path.exists(path)


def test_who_gives_no_id_gets_one_that_is_free(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    draws = iter([b"\0\0", b"\0\0", b"\1\1"])
    monkeypatch.setattr(os, "urandom", lambda size: next(draws))
    drawn = [registry.register(root, "", *GIVEN) for _ in range(2)]
    assert drawn == ["monkey-0000", "monkey-0101"]


def test_of_several_registrations_at_once_one_wins(root: Root) -> None:
    won: list[str] = []

    def work(role: str) -> None:
        try:
            registry.register(root, "carl", role, "planner", "t")
        except Conflict:
            return
        won.append(role)

    workers = [threading.Thread(target=work, args=(f"r{number}",)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(won) == 1 and registry.entry(root, "carl").role == won[0]
    assert os.listdir(root.dir) == ["carl.txt"]


def test_one_of_two_that_differ_only_in_case_may_be_replaced(root: Root) -> None:
    for agent in ("carl", "Carl"):  # the second by hand
        Path(root.entry(agent)).write_text(f"id: {agent}\n")
    registry.register(root, "carl", *GIVEN, replace=True)
    assert registry.entry(root, "carl").role == "r" and registry.entry(root, "Carl").role == ""


@pytest.mark.parametrize("replace", [[], ["--replace"]])
def test_a_registry_that_cannot_be_written_to_makes_no_mailbox(
    root: Root, replace: list[str]
) -> None:
    words = ["register", "carl", "--role", "r", "--archetype", "planner", "--task", "t", *replace]
    with mode(root.dir, 0o500):
        done = bound("--root", root.path, *words)
    assert (done.returncode, done.stdout) == (6, "")
    assert done.stderr.startswith("swarm: dir is a folder that cannot be written to\nhint: ")
    assert sorted(os.listdir(root.path)) == ["bob", "dir"] and os.listdir(root.dir) == []


@pytest.mark.parametrize(
    "given",
    [
        ("../x", *GIVEN), ("x", "r", "king", "t"), ("x", *GIVEN, "busy"), ("x", "", "planner", "t"),
        ("x", "r\nstatus: done", "planner", "t"), ("x", "r", "planner", "\x1b[0m"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_makes_nothing(root: Root, given: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        registry.register(root, *given)
    assert sorted(os.listdir(root.path)) == ["bob", "dir"] and os.listdir(root.dir) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            b"x: y\nStatus: a\nstatus: z\n---\n status: no",
            b"x: y\nStatus: done\nstatus: z\n---\n status: no",
        ),
        (b"id: bob\r\nstatus: a\r\nrole: r", b"id: bob\r\nstatus: done\r\nrole: r"),
        (b"id: bob\r\nrole: r", b"id: bob\r\nrole: r\r\nstatus: done\r\n"),
        (b"id: bob\n---\nfree", b"id: bob\nstatus: done\n---\nfree"),
        (b"task: a\rstatus: b\n", b"task: a\rstatus: b\nstatus: done\n"),
        (b"\xff\x00", b"status: done\n\xff\x00"),
        (b"", b"status: done\n"),
    ],
)  # fmt: skip
def test_update_keeps_every_other_byte(root: Root, before: bytes, after: bytes) -> None:
    path = Path(root.entry("bob"))
    path.write_bytes(before)
    registry.update(root, "bob", status="done")
    assert path.read_bytes() == after
    assert registry.entry(root, "bob").status == "done"
    assert os.listdir(root.dir) == ["bob.txt"]


@given(st.binary(max_size=80), tasks)
def test_an_update_of_any_entry_is_read_back(data: bytes, task: str) -> None:
    with TemporaryDirectory() as folder:
        root = Root(folder, sync=False)
        os.mkdir(root.dir)
        Path(root.entry("bob")).write_bytes(data)
        registry.update(root, "bob", task=task)
        after = Path(root.entry("bob")).read_bytes()
        assert registry.entry(root, "bob").task == task.strip(" ")
        assert len(after) <= len(data) + len(task.encode()) + len("task: \r\n\n")


@pytest.mark.parametrize(
    "values", [{"status": "tired"}, {"status": ""}, {"role": " "}, {"role": "x\ny"}]
)
def test_what_an_entry_may_not_have_changes_nothing(root: Root, values: dict[str, str]) -> None:
    registry.register(root, "carl", *GIVEN)
    before = Path(root.entry("carl")).read_bytes()
    with pytest.raises(UsageError):
        registry.update(root, "carl", **values, task="new")
    assert Path(root.entry("carl")).read_bytes() == before


def test_who_is_not_registered_is_told_who_was_meant(root: Root) -> None:
    registry.register(root, "carl", *GIVEN)
    for do in (registry.unregister, registry.entry, registry.update):
        with pytest.raises(Unknown) as caught:
            do(root, "karl")
        assert caught.value.hint == "did you mean carl?"
    assert os.listdir(root.dir) == ["carl.txt"]


def test_updates_at_the_same_time_lose_none(root: Root) -> None:
    registry.register(root, "carl", *GIVEN)

    def work(name: str) -> None:
        for number in range(10):
            registry.update(root, "carl", note=f"{name}-{number}")

    workers = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    notes = Path(root.entry("carl")).read_text().partition("---\n")[2].splitlines()
    assert sorted(notes) == sorted(f"{name}-{n}" for name in "abcd" for n in range(10))


def test_notes_are_added(root: Root) -> None:
    registry.register(root, "bob", *GIVEN)
    for note in ("disk is full", "still\nfull\n"):
        registry.update(root, "bob", note=note)
    assert Path(root.entry("bob")).read_text().endswith("active\n---\ndisk is full\nstill\nfull\n")


def test_damaged_entries_are_named_and_hide_no_other(root: Root) -> None:
    Path(root.entry("bob")).write_bytes(b"")
    Path(root.entry("carl")).write_bytes(b"\xff\x00\xfe")
    Path(root.entry("dave")).write_text("id: carl\nstatus: busy\nstatus: active\nrole: r\n")
    registry.register(root, "alice", *GIVEN)
    found = {entry.id: entry.problems for entry in registry.entries(root)}
    assert list(found) == ["alice", "bob", "carl", "dave"]
    assert found["alice"] == [] and found["bob"] == ["empty"] and found["carl"]
    assert {"status given twice", "its id is 'carl'", "status is 'busy'"} <= set(found["dave"])


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r\r\n", b""])
def test_a_changed_value_is_that_value_whatever_ended_its_line(root: Root, end: bytes) -> None:
    """A second CR is part of the value that goes."""
    path = Path(root.entry("bob"))
    path.write_bytes(b"id: bob\nrole: r\narchetype: planner\ntask: t\nstatus: paused" + end)
    registry.update(root, "bob", status="done")
    assert registry.entry(root, "bob").status == "done"
    assert path.read_bytes().endswith(b"status: done" + end[-2:].replace(b"\r\r", b"\r"))


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink("bob.txt", path)])
def test_what_is_no_regular_file_is_no_entry(root: Root, make: Callable[[str], None]) -> None:
    make(root.entry("amy"))
    assert not has_entry(root, "amy")
    with pytest.raises(Unknown):
        registry.entry(root, "amy")
