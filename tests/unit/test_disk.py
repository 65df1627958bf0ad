"""Steps on the disk: nothing is replaced, nothing is half there, nothing blocks."""

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm import disk


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def no_links(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.fixture(params=["links", "no links"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system with hard links, and one that refuses them."""
    if request.param == "no links":
        monkeypatch.setattr(os, "link", no_links)


def test_a_temporary_file_is_hidden_and_new_each_time(tmp_path: Path) -> None:
    paths = [disk.write_temp(str(tmp_path), b"x", sync) for sync in (True, False)]
    assert [os.path.basename(path) for path in sorted(paths)] == names(tmp_path)
    for name in names(tmp_path):
        assert name.startswith(disk.TEMP_PREFIX) and name.endswith(disk.TEMP_SUFFIX)
        assert (tmp_path / name).read_bytes() == b"x"


def test_a_left_over_of_a_dead_process_is_not_written_to(tmp_path: Path) -> None:
    number = int(disk.write_temp(str(tmp_path), b"", False).rpartition("-")[2][:-4])
    dead = tmp_path / f"{disk.TEMP_PREFIX}{os.getpid()}-{number + 1}{disk.TEMP_SUFFIX}"
    dead.write_text("dead")
    path = disk.write_temp(str(tmp_path), b"x", False)
    assert path != str(dead) and dead.read_text() == "dead"


def test_a_write_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        disk.write_temp(str(tmp_path), b"x", False)
    with pytest.raises(OSError, match="No space"):
        disk.create(str(tmp_path / "a"), b"x", False)
    assert names(tmp_path) == []


def test_every_byte_is_written_however_many_calls_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:3]))
    assert disk.create(str(tmp_path / "a"), b"0123456789", False)
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_publishing_gives_the_name_and_takes_the_old_one(tmp_path: Path, links: None) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("new")
    assert disk.publish(str(source), str(target))
    assert names(tmp_path) == ["b"] and target.read_text() == "new"


def test_publishing_never_replaces(tmp_path: Path, links: None) -> None:
    source, taken = tmp_path / "a", tmp_path / "b"
    source.write_text("new")
    for make in (lambda: taken.write_text("old"), lambda: taken.symlink_to("nowhere"), taken.mkdir):
        make()
        assert not disk.publish(str(source), str(taken))
        assert source.read_text() == "new" and names(tmp_path) == ["a", "b"]
        taken.rmdir() if taken.is_dir() else taken.unlink()


def test_of_many_writers_of_one_name_one_wins(tmp_path: Path, links: None) -> None:
    sources = [disk.write_temp(str(tmp_path), str(n).encode(), False) for n in range(12)]
    won: list[str] = []

    def work(source: str) -> None:
        if disk.publish(source, str(tmp_path / "name")):
            won.append(source)

    workers = [threading.Thread(target=work, args=(source,)) for source in sources]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(won) == 1 and len(names(tmp_path)) == 12
    assert (tmp_path / "name").read_text() == str(sources.index(won[0]))


def test_replacing_keeps_the_mode_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o640)
    disk.replace(str(path), b"new", True)
    assert names(tmp_path) == ["a"] and path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        disk.replace(str(tmp_path / "folder"), b"new", False)
    assert names(tmp_path) == ["a", "folder"]


def test_a_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        assert disk.create(str(tmp_path / "a"), b"x", True)
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_creating_never_replaces(tmp_path: Path, links: None) -> None:
    path = tmp_path / "a"
    assert disk.create(str(path), b"x", False)
    assert not disk.create(str(path), b"y", False)
    assert names(tmp_path) == ["a"] and path.read_text() == "x"


def test_removing_tells_whether_it_was_there(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert disk.remove(str(tmp_path / "a")) and not disk.remove(str(tmp_path / "a"))


@given(st.binary(max_size=99), st.integers(0, 120))
def test_a_file_is_read_whole_or_up_to_a_limit(data: bytes, limit: int) -> None:
    with open(os.memfd_create("x"), "r+b") as file:
        file.write(data)
        file.seek(0)
        assert disk.read_fd(file.fileno(), limit) == data[:limit]
        assert disk.read_fd(file.fileno()) == data[limit:]


@pytest.mark.parametrize(
    "make", [os.mkfifo, os.mkdir, lambda path: os.symlink(__file__, path)], ids=["pipe", "folder", "link"]
)  # fmt: skip
def test_what_is_no_regular_file_is_refused_at_once(
    tmp_path: Path, make: Callable[[str], None]
) -> None:
    path = str(tmp_path / "x")
    make(path)
    with pytest.raises(OSError, match="not a regular file"):
        disk.read(path)
    assert not disk.is_regular(path) and not disk.is_regular(path + "y")
    assert disk.is_regular(__file__) and disk.read(__file__, 3) == b'"""'


def test_a_file_that_is_larger_than_any_message_is_not_read(tmp_path: Path) -> None:
    """A terabyte of nothing costs who makes it nothing."""
    path = tmp_path / "sparse"
    path.touch()
    os.truncate(path, 1 << 40)
    with pytest.raises(OSError, match="over 128 MiB"):
        disk.read(str(path))
    assert disk.read(str(path), 10) == bytes(10)


def test_a_name_is_looked_for_in_the_folder_that_was_opened_wherever_that_is_now(
    tmp_path: Path,
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here/a").touch()
    folder = os.open(tmp_path / "here", disk.FOLDER_FLAGS)
    (tmp_path / "here").rename(tmp_path / "away")
    (tmp_path / "here").mkdir()
    assert disk.is_there("a", folder)
    assert not disk.is_there(str(tmp_path / "here/a"))
    os.close(folder)


def test_folders_are_made_below_a_top_that_is_there_and_never_the_top(tmp_path: Path) -> None:
    top = tmp_path / "mail"
    with pytest.raises(FileNotFoundError):
        disk.make_folders(str(top), f"{top}/bob/inbox")
    assert not top.exists()
    top.mkdir()
    for _ in range(2):
        disk.make_folders(str(top), f"{top}/bob/inbox")
    assert (top / "bob/inbox").is_dir()
    (top / "file").touch()
    with pytest.raises(FileExistsError):
        disk.make_folders(str(top), f"{top}/file")
