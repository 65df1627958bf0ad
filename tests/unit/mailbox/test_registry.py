"""The registry: entries are whole, unknown parts are kept, an id is taken once."""

import os
import time
from pathlib import Path

import pytest

from swarm.errors import Conflict, Unknown, UsageError
from swarm.mailbox import registry
from swarm.mailbox.layout import Root

GIVEN = ("r", "planner", "t")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made = Root(str(tmp_path / "mail"), sync=False)
    os.makedirs(made.dir)
    return made


def test_register(root: Root) -> None:
    assert registry.register(root, "bob", *GIVEN) == "bob"
    text = Path(root.entry("bob")).read_text()
    assert text == "id: bob\nrole: r\narchetype: planner\ntask: t\nstatus: active\n"
    assert os.path.isdir(root.receipts("bob"))
    with pytest.raises(Conflict) as caught:
        registry.register(root, "bob", "other", "planner", "t")
    assert "--replace" in caught.value.hint
    assert Path(root.entry("bob")).read_text() == text
    registry.register(root, "bob", "other", "planner", "t", "paused", replace=True)
    found = registry.entry(root, "bob")
    assert (found.role, found.status, found.problems) == ("other", "paused", [])
    with pytest.raises(Conflict):
        registry.register(root, "Bob", *GIVEN, replace=True)
    assert registry.register(root, "", *GIVEN).startswith("monkey-")


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
    assert os.listdir(root.path) == ["dir"] and os.listdir(root.dir) == []


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
    for values in ({"status": "tired"}, {"status": ""}, {"role": "x\ny"}):
        with pytest.raises(UsageError):
            registry.update(root, "bob", **values)
    assert path.read_bytes() == after
    with pytest.raises(Unknown):
        registry.update(root, "dave", status="done")
    assert os.listdir(root.dir) == ["bob.txt"]


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


def test_leaving(root: Root) -> None:
    for agent in ("alice", "bob", "carl", "dave"):
        registry.register(root, agent, *GIVEN)
        os.utime(root.entry(agent), (time.time() - 7200,) * 2)
    registry.update(root, "carl", status="error")
    Path(root.receipts("dave"), "01_x_aaaa.txt").touch()
    gone = [
        ("alice", "no sign of life for 2h"),
        ("bob", "no sign of life for 2h"),
        ("carl", "error"),
    ]
    assert registry.cleanup(root, 3600, dry_run=True) == gone
    assert registry.cleanup(root, None, dry_run=True) == gone[2:]
    assert registry.cleanup(root, 3600, dry_run=False) == gone
    assert os.listdir(root.dir) == ["dave.txt"] and os.path.isdir(root.inbox("bob"))
    registry.unregister(root, "dave")
    with pytest.raises(Unknown):
        registry.unregister(root, "dave")


def test_ages() -> None:
    assert [registry.parse_age(text) for text in ("90m", "1h", "0s", "2d")] == [
        5400,
        3600,
        0,
        172800,
    ]
    for text in ("", "soon", "m", "-1h", "1.5h", "90", "²m", "1h "):
        with pytest.raises(UsageError):
            registry.parse_age(text)
