"""Moving a file: no name is taken from another, and a move that died is finished."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from swarm import disk
from swarm.mailbox.moving import move

SHM = "/dev/shm"


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Path]:
    """A file on another file system."""
    if not os.path.isdir(SHM) or os.stat(SHM).st_dev == os.stat(tmp_path).st_dev:
        pytest.skip("no second file system here")
    path = Path(disk.write_temp(SHM, b"x\0y", False))
    yield path
    path.unlink(missing_ok=True)


def test_a_file_is_moved_to_another_file_system(tmp_path: Path, far: Path) -> None:
    assert move(str(far), str(tmp_path / "a"), True)
    assert names(tmp_path) == ["a"] and (tmp_path / "a").read_bytes() == b"x\0y"
    assert not far.exists()


def test_a_taken_name_on_another_file_system_is_kept(tmp_path: Path, far: Path) -> None:
    (tmp_path / "a").write_text("old")
    assert not move(str(far), str(tmp_path / "a"), False)
    assert names(tmp_path) == ["a"] and (tmp_path / "a").read_text() == "old"
    assert far.read_bytes() == b"x\0y"


def test_a_move_that_died_halfway_is_finished(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("x")
    os.link(source, target)
    assert move(str(source), str(target), False)
    assert names(tmp_path) == ["b"] and target.read_text() == "x"


def test_a_move_to_another_file_system_that_died_halfway_is_finished(
    tmp_path: Path, far: Path
) -> None:
    (tmp_path / "a").write_bytes(far.read_bytes())
    assert move(str(far), str(tmp_path / "a"), False)
    assert names(tmp_path) == ["a"] and not far.exists()
