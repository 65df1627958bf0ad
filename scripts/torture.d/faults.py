"""The faults: each is begun, holds for a while, and is taken back."""

import errno
import os
import random
import resource
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stage import CHANNEL, Stage

Fault = Callable[[Stage, random.Random], None]
HOUR = 3600


def hold(stage: Stage, draw: random.Random, least: float, most: float) -> None:
    stage.over.wait(draw.uniform(least, most))


def victim(stage: Stage, draw: random.Random) -> int | None:
    pids = sorted(stage.alive)
    return draw.choice(pids) if pids else None


def kill(stage: Stage, draw: random.Random) -> None:
    """SIGKILL at any moment."""
    for _ in range(draw.randint(1, 4)):
        pid = victim(stage, draw)
        with suppress(ProcessLookupError):
            if pid:
                os.kill(pid, signal.SIGKILL)
        time.sleep(draw.uniform(0, 0.3))


def stop(stage: Stage, draw: random.Random) -> None:
    """SIGSTOP, mostly short, sometimes longer than every time-out of the stage."""
    pid = victim(stage, draw)
    if pid is None:
        return
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        hold(stage, draw, *draw.choice(((0.2, 3), (0.2, 3), (12, 30))))
        os.kill(pid, signal.SIGCONT)


def disk_full(stage: Stage, draw: random.Random) -> None:
    """Not a byte left."""
    with stage.without_room(lambda disk: f"size={(disk.f_blocks - disk.f_bfree) * disk.f_bsize}"):
        hold(stage, draw, 0.5, 3)


def no_inodes(stage: Stage, draw: random.Random) -> None:
    """Not a file left."""
    with stage.without_room(lambda disk: f"nr_inodes={disk.f_files - disk.f_ffree}"):
        hold(stage, draw, 0.5, 3)


def no_rights(stage: Stage, draw: random.Random) -> None:
    """A folder that may not be written."""
    folders = [*stage.disk.glob("mail/*/inbox"), *stage.disk.glob("mail/*/inbox/.read")]
    folders += [*stage.disk.glob("mail/*/drafts"), *stage.disk.glob("mail/*/sent")]
    folders += [stage.disk / "mail/dir", stage.disk / "team" / CHANNEL]
    folder = draw.choice(sorted(folders))
    with suppress(FileNotFoundError):
        mode = folder.stat().st_mode
        folder.chmod(draw.choice((0o555, 0o000)))
        hold(stage, draw, 0.5, 3)
        folder.chmod(mode)


def read_only(stage: Stage, draw: random.Random) -> None:
    """The whole disk read-only, if nobody has a file open for writing; else tried in vain."""
    if stage.remount("ro"):
        hold(stage, draw, 0.5, 3)
        stage.ledger.faults["read_only held"] += 1
    stage.remount("rw")


def calls(error: int) -> Fault:
    """Some of the calls on the disk fail with that error."""

    def fault(stage: Stage, draw: random.Random) -> None:
        stage.switch.set(often=draw.choice((2_000, 20_000, 200_000)), error=error)
        hold(stage, draw, 0.5, 4)
        stage.switch.set(often=0)

    return fault


def few_files(stage: Stage, draw: random.Random) -> None:
    """A process that may open no file more (EMFILE by the kernel)."""
    pid = victim(stage, draw)
    with suppress(OSError):
        before = resource.prlimit(pid or 0, resource.RLIMIT_NOFILE)
        begun = time.time() - os.stat(f"/proc/{pid}").st_mtime
        now = len(os.listdir(f"/proc/{pid}/fd"))
        if pid and begun > 4:  # a younger one may still be loading its libraries
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (now, before[1]))
            hold(stage, draw, 0.5, 3)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def clock(stage: Stage, draw: random.Random) -> None:
    """The time of day jumps, and back."""
    stage.switch.set(clock=draw.choice((-HOUR, -30, 30, HOUR, 26 * HOUR)))
    hold(stage, draw, 1, 8)
    stage.switch.set(clock=0)


def watcher_off(stage: Stage, draw: random.Random) -> None:
    """New watches are refused; some processes begin in that time."""
    stage.switch.set(deaf=1)
    kill(stage, draw)
    hold(stage, draw, 2, 8)
    stage.switch.set(deaf=0)


def watcher_overflow(stage: Stage, draw: random.Random) -> None:
    """All that watchers hear is that something was lost."""
    stage.switch.set(overflow=1)
    hold(stage, draw, 1, 6)
    stage.switch.set(overflow=0)


@contextmanager
def exclusive(stage: Stage) -> Iterator[Path]:
    """The database, locked for everybody else; nothing if that cannot be had."""
    path = stage.disk / "team" / CHANNEL / "team.db"
    database = sqlite3.connect(f"file:{path}?mode=rw", 5, isolation_level=None, uri=True)
    try:
        database.execute("BEGIN EXCLUSIVE")
        yield path
        database.execute("ROLLBACK")
    finally:
        database.close()


def locked(stage: Stage, draw: random.Random) -> None:
    """The database locked, sometimes for longer than its busy time-out."""
    with suppress(sqlite3.Error), exclusive(stage):
        hold(stage, draw, *draw.choice(((0.2, 2), (6, 9))))


def replaced(stage: Stage, draw: random.Random) -> None:
    """The database replaced by a copy of itself, made while nobody could write."""
    with stage.still, suppress(sqlite3.Error, OSError), exclusive(stage) as path:
        new = path.with_name("copy.db")
        source = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        copy = sqlite3.connect(new)
        source.backup(copy)
        copy.close()
        source.close()
        # First the log: who opened the new file with the log of the old one would write into a
        # log that is nobody else's, which SQLite forbids and no client can tell.
        for left in ("-wal", "-shm"):
            path.with_name(path.name + left).unlink(missing_ok=True)
        os.replace(new, path)


def moved_away(stage: Stage, draw: random.Random) -> None:
    """The tree, a mailbox or the channel's folder, moved away for a while."""
    boxes = [path.parent for path in stage.disk.glob("mail/*/inbox")]
    path = draw.choice(sorted([*boxes, stage.disk / "mail", stage.disk / "team" / CHANNEL]))
    away = stage.folder / "away" if not stage.mounted else stage.disk / "away"
    with stage.still:  # the other client would begin a new database
        with suppress(OSError):
            os.rename(path, away)
            hold(stage, draw, 0.3, 2)
        if (away / "team.db").exists() and (path / "team.db").exists():
            stage.ledger.wrong.append("a database was made in place of the one moved away")
        if away.exists():
            back(stage, away, path)


def back(stage: Stage, away: Path, path: Path) -> None:
    """Put it where it was, or, while everybody stands still, into what was made there meanwhile."""
    try:
        os.rename(away, path)
    except OSError:
        with everybody_still(stage):
            merge(away, path)


@contextmanager
def everybody_still(stage: Stage) -> Iterator[None]:
    """Nobody runs, and nobody begins: else one would see a message before its receipt."""
    with stage.beginning:
        pids = list(stage.alive)
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
            if number == signal.SIGSTOP:
                time.sleep(0.05)
                yield


def merge(away: Path, path: Path) -> None:
    """Every file to its place, but for those that are there."""
    for child in sorted(away.rglob("*"), key=lambda one: len(one.parts)):
        there = path / child.relative_to(away)
        if child.is_dir():
            there.mkdir(exist_ok=True)
        elif not there.exists():
            os.rename(child, there)
    shutil.rmtree(away)


# What needs a disk of our own is left out where none can be mounted.
ANYWHERE: dict[str, Fault] = {
    "SIGKILL": kill,
    "SIGSTOP": stop,
    "no rights": no_rights,
    "EIO": calls(errno.EIO),
    "ENOSPC in calls": calls(errno.ENOSPC),
    "EMFILE in calls": calls(errno.EMFILE),
    "EMFILE": few_files,
    "clock": clock,
    "watcher off": watcher_off,
    "watcher overflow": watcher_overflow,
    "database locked": locked,
    "database replaced": replaced,
    "moved away": moved_away,
}
ON_A_DISK: dict[str, Fault] = {
    "disk full": disk_full,
    "no inodes": no_inodes,
    "read-only": read_only,
}
