"""What is synced to the disk, and who waits for it with whom."""

import errno
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest

from swarm import disk, syncing


@pytest.mark.parametrize(("number", "told"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_file_system_that_syncs_no_folders_is_told_apart_from_a_failing_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, told: bool
) -> None:
    def fail(fd: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError) if told else nullcontext():
        syncing.sync_folder(str(tmp_path))


def test_turns_of_threads_overlap_only_while_they_wait_for_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_wait = threading.Barrier(2, timeout=10)
    monkeypatch.setattr(os, "fsync", lambda _: both_wait.wait())
    at_work: list[int] = []
    told: list[int] = []

    def work(number: int) -> int:
        at_work.append(number)
        time.sleep(0.01)
        there = len(at_work)
        at_work.remove(number)
        return there

    def turn(number: int) -> list[int]:
        with syncing.Turn(lambda: told.append(number)):
            return [work(number), disk.create(f"{tmp_path}/{number}", b"", True), work(number)]

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(turn, range(2))) == [[1, True, 1]] * 2
    assert sorted(told) == [0, 0, 1, 1]  # of each wait: the file's and its folder's


@pytest.fixture
def two(tmp_path: Path) -> list[str]:
    """Two files."""
    paths = [f"{tmp_path}/one", f"{tmp_path}/other"]
    for path in paths:
        Path(path).touch()
    return paths


def test_files_are_synced_at_the_same_time(two: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2, timeout=10)
    synced: list[str] = []

    def fsync(fd: int) -> None:
        both.wait()
        synced.append(os.readlink(f"/proc/self/fd/{fd}"))

    monkeypatch.setattr(os, "fsync", fsync)
    syncing.sync_all(two)
    assert sorted(synced) == two


def test_a_page_of_files_is_synced_whole_by_a_bounded_number_of_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [f"{tmp_path}/{number}" for number in range(100)]
    for path in files:
        Path(path).touch()
    synced: list[str] = []
    threads: set[int] = set()

    def fsync(fd: int) -> None:
        threads.add(threading.get_ident())
        time.sleep(0.01)
        synced.append(os.readlink(f"/proc/self/fd/{fd}"))

    monkeypatch.setattr(os, "fsync", fsync)
    syncing.sync_all(files, [str(tmp_path)])
    assert sorted(synced) == sorted([*files, str(tmp_path)])
    assert len(threads) <= syncing.LANES


@pytest.mark.parametrize("bad", [0, 1])
def test_one_that_fails_is_told_when_all_have_ended(
    two: list[str], monkeypatch: pytest.MonkeyPatch, bad: int
) -> None:
    ended: list[str] = []

    def fsync(fd: int) -> None:
        path = os.readlink(f"/proc/self/fd/{fd}")
        if path == two[bad]:
            raise OSError(errno.EIO, "failing disk")
        time.sleep(0.05)
        ended.append(path)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(OSError, match="failing disk"):
        syncing.sync_all(two)
    assert ended == [two[1 - bad]]


def test_without_another_thread_they_are_synced_in_turn(
    two: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise RuntimeError("can't start new thread")

    synced: list[int] = []
    monkeypatch.setattr(syncing, "start_new_thread", refused)
    monkeypatch.setattr(os, "fsync", synced.append)
    syncing.sync_all(two)
    assert len(synced) == 2
