"""One message on its way: whole or not there, under a free name, and told as it is."""

import errno
import os
import threading
from pathlib import Path

import pytest

from swarm import disk, message
from swarm.errors import SwarmError, Temporary
from swarm.mailbox import delivery, letter
from swarm.mailbox.layout import Root

from ..rights import bound, mode
from .mail import files, put


def read(root: Root, path: str) -> message.Message:
    return message.parse(Path(root.path, path).read_bytes())


def one(root: Root, *to: str) -> str:
    return delivery.send(root, "alice", list(to) or ["bob"], "a b", b"x").delivered[0].path


def test_missing_folders_of_a_known_agent_are_made(team: Root) -> None:
    Path(team.entry("dave")).write_text("id: dave\n")
    for part in ("sent", "drafts"):
        os.rmdir(f"{team.box('alice')}/{part}")
    path = one(team, "dave")
    assert read(team, path).body == b"x" and os.path.isdir(team.receipts("dave"))


def test_a_taken_name_is_drawn_again(team: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("inbox", "inbox/.read"):
        put(team, "01_a-b_0000.txt", b"kept", folder)
    monkeypatch.setattr(os, "urandom", bytes)
    assert one(team) == "bob/inbox/01_a-b_0000000000000000.txt"
    assert Path(team.inbox("bob"), "01_a-b_0000.txt").read_text() == "kept"


def test_a_receipt_alone_makes_a_name_taken(team: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    put(team, "01_a-b_0000.txt", b"", "inbox/.read")
    monkeypatch.setattr(os, "urandom", bytes)
    assert one(team) == "bob/inbox/01_a-b_0000000000000000.txt"


@pytest.mark.parametrize("failing", [1, 2])
def test_a_full_disk_leaves_nothing(
    team: Root, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    real, calls, before = disk.write_all, [0], files(team)

    def full(fd: int, data: bytes) -> None:
        calls[0] += 1
        if calls[0] == failing:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(fd, data)

    monkeypatch.setattr(disk, "write_all", full)
    with pytest.raises(Temporary):
        one(team)
    assert files(team) == before


def test_an_inbox_on_another_file_system(team: Root, tmp_path: Path) -> None:
    shm = Path("/dev/shm")
    if not shm.is_dir() or shm.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system here")
    far = Path(disk.write_temp(str(shm), b"", False))
    far.unlink()
    far.mkdir()
    try:
        os.rmdir(team.receipts("carl"))
        os.rmdir(team.inbox("carl"))
        os.symlink(far, team.inbox("carl"))
        path = one(team, "carl")
        assert read(team, path).body == b"x" and os.listdir(far) == [os.path.basename(path)]
        assert os.listdir(team.drafts("alice")) == []
    finally:
        for left in far.iterdir():
            left.unlink()
        far.rmdir()


def test_many_writers_lose_no_message(team: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the names they draw are few."""
    drawn = iter(range(10**9))
    monkeypatch.setattr(os, "urandom", lambda size: bytes([next(drawn) % 4] * size))
    failed: list[SwarmError] = []

    def work(sender: str) -> None:
        try:
            for _ in range(20):
                delivery.send(team, sender, ["bob"], "s", sender.encode())
        except SwarmError as error:
            failed.append(error)

    workers = [threading.Thread(target=work, args=(who,)) for who in ("alice", "carl") * 2]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    got = [path for path in files(team) if path.startswith("bob/inbox/")]
    assert failed == [] and len(got) == 80
    assert sorted(read(team, path).body for path in got) == [b"alice"] * 40 + [b"carl"] * 40


def test_what_fails_after_the_delivery_is_told_beside_it(
    team: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(staged: str, folder: str, name: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(letter, "_publish_copy", full)
    result = delivery.send(team, "alice", ["bob", "carl"], "s", b"x")
    assert [d.agent for d in result.delivered] == ["bob", "carl"]
    for made, error in zip(result.delivered, result.failed, strict=True):
        assert error.temporary and "alice/sent" in error.message
        assert error.hint.startswith(f"{made.path} is delivered: do not send it again")
    assert sorted(files(team)) == sorted(
        [d.path for d in result.delivered] + [f"dir/{a}.txt" for a in ("alice", "bob", "carl")]
    )


def test_an_inbox_that_may_be_written_to_and_not_listed_takes_mail(team: Root) -> None:
    words = ("--root", team.path, "--as", "alice", "send", "bob", "-s", "s", "-m", "x")
    with mode(team.inbox("bob"), 0o300):
        done = bound(*words, SWARM_FSYNC="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert read(team, done.stdout.strip()).body == b"x\n"
