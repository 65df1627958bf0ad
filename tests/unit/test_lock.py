"""Locks: another process is kept out for as long as whoever has it lives, and no longer."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from swarm import disk
from swarm.lock import Lock, is_taken, take

from .rights import bound_here, mode

HOLD = """
import sys, time
from swarm.lock import Lock
with Lock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_lock_excludes_another_process_until_that_ends_however_it_ends(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        folder = os.open(tmp_path, os.O_RDONLY)
        assert not disk.try_lock(folder)
        holder.kill()
        holder.wait()
        assert disk.try_lock(folder)
        os.close(folder)
    with Lock(str(tmp_path)):
        assert os.listdir(tmp_path) == []


def test_a_lock_on_what_is_no_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), Lock(str(tmp_path / "nowhere")):
        pass
    with pytest.raises(NotADirectoryError), Lock(__file__):
        pass


def test_a_file_is_taken_by_one_and_told_as_taken_until_it_is_given_back(tmp_path: Path) -> None:
    path = str(tmp_path / "own")
    assert not is_taken(path, os.O_RDWR)
    fd = take(path)
    assert Path(path).read_text() == f"{os.getpid()}\n"
    assert take(path) == -1 and is_taken(path, os.O_RDWR)
    os.close(fd)
    assert not is_taken(path, os.O_RDWR)


def test_who_has_a_folder_may_take_it_again(tmp_path: Path) -> None:
    with Lock(str(tmp_path)):
        with Lock(str(tmp_path)):
            pass
        assert is_taken(str(tmp_path), os.O_RDONLY)
    assert not is_taken(str(tmp_path), os.O_RDONLY)


def test_who_has_what_may_not_be_looked_at_cannot_be_told(tmp_path: Path) -> None:
    path = tmp_path / "folder/own"
    path.parent.mkdir()
    fd = take(str(path))
    with bound_here(), mode(path.parent, 0o000), pytest.raises(PermissionError):
        is_taken(str(path), os.O_RDWR)
    os.close(fd)
