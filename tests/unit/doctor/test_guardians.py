"""Guardians that were killed or hang are told; the trace of a long dead one can go."""

import os
import time
from pathlib import Path

import pytest

from swarm.doctor import examine
from swarm.doctor.guardians import HOUR
from swarm.mailbox.layout import Root
from swarm.transport.pulse import FOLDER, OLD, Pulse

from .tree import one, wrong


@pytest.fixture
def dead(root: Root) -> Path:
    """What a killed guardian of bob left."""
    os.makedirs(f"{root.path}/{FOLDER}")
    path = Path(root.path, FOLDER, "1-ab")
    path.write_text("bob\n")
    return path


def aged(path: Path, seconds: float) -> None:
    os.utime(path, (time.time() - seconds,) * 2)


def test_one_that_works_is_nothing_to_be_told(root: Root) -> None:
    trace = Pulse(root.path)
    trace.beat(["bob"])
    assert wrong(root) == {}
    (file,) = Path(root.path, FOLDER).iterdir()
    aged(file, OLD + 1)
    found = one(root, f"{FOLDER}/{file.name}")
    assert found.text.startswith("the guardian of bob has not got through for 1m: ")
    assert f"kill {os.getpid()}" in found.fix
    trace.end()


def test_one_that_was_killed_is_told_and_its_trace_removed_after_an_hour(
    root: Root, dead: Path
) -> None:
    shown = f"{FOLDER}/{dead.name}"
    assert one(root, shown).text.startswith("the guardian of bob was killed (last pass 0s ago): ")
    examine(root, fix=True)
    assert dead.exists()
    aged(dead, HOUR + 60)
    assert [f.level for f in examine(root, fix=True) if f.path == shown] == ["ok"]
    assert not dead.exists() and wrong(root) == {}
