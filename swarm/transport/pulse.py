"""The trace of a guardian for those outside: whom it guards, and when a pass last went through.

One file for each process, ``.guardians/<process>-<hex>`` in the folder of its store: the ids of
those guarded, one a line; its time is that of the last good pass, written every few seconds
whatever the number of agents; it is locked while the process lives, and removed at its end.
"""

import os
import time
from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

from swarm import disk, names
from swarm.ages import age
from swarm.errors import from_os

FOLDER = ".guardians"
EVERY = 3.0  # seconds between two marks at the least
OLD = 60.0  # seconds after which a guardian that lives is stuck
TRIES = 20


class Pulse:
    """One process's trace in the folder of a store."""

    def __init__(self, folder: str) -> None:
        self._folder = f"{folder}/{FOLDER}"
        self._path = ""
        self._fd = -1
        self._ids: list[str] = []
        self._next = 0.0

    def beat(self, agents: Collection[str]) -> None:
        """A pass over these went through just now; SwarmError where that cannot be written."""
        now = time.monotonic()
        if now < self._next and len(agents) == len(self._ids):
            return
        self._next = now + EVERY
        try:
            self._mark(list(agents))
        except OSError as error:
            raise from_os(error, "write to", self._folder) from None

    def _mark(self, ids: list[str]) -> None:
        if self._fd < 0 or not os.fstat(self._fd).st_nlink:
            self._begin()
        if ids != self._ids:
            self._write(ids)
        os.utime(self._fd)

    def _begin(self) -> None:
        self._close()
        disk.make_folders(os.path.dirname(self._folder), self._folder)
        self._path = f"{self._folder}/{os.getpid()}-{os.urandom(4).hex()}"
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        for _ in range(TRIES):  # who looks may hold it for a moment
            if disk.try_lock(self._fd):
                break
            time.sleep(0.005)
        self._ids = []

    def _write(self, ids: list[str]) -> None:
        data = "".join(f"{agent}\n" for agent in ids).encode()
        os.lseek(self._fd, 0, os.SEEK_SET)
        disk.write_all(self._fd, data)
        os.truncate(self._fd, len(data))
        self._ids = ids
        self._inherit(set(ids))

    def _inherit(self, ids: set[str]) -> None:
        """Remove the traces of dead processes all of whose agents are guarded here now."""
        for other in guardings(os.path.dirname(self._folder), time.time()):
            if not other.lives and other.agents <= ids:
                with suppress(PermissionError):  # another user's: not ours to clear away
                    disk.remove(f"{self._folder}/{other.file}")

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def end(self) -> None:
        """Remove the trace; twice does no harm."""
        if self._fd >= 0:
            try:
                disk.remove(self._path)
            except OSError:  # the folder is gone, or may not be written any more: it looks dead
                pass
            self._close()


class Guarding(NamedTuple):
    """A trace as it is seen.  ``file``: its name.  ``age``: seconds since the last good pass."""

    file: str
    agents: frozenset[str]
    age: float
    lives: bool

    @property
    def problem(self) -> str:
        """What is wrong with the guardian, in words, "" if nothing."""
        if not self.lives:
            return f"was killed (last pass {age(self.age)} ago)"
        return f"has not got through for {age(self.age)}" if self.age > OLD else ""

    @property
    def process(self) -> str:
        """Its number."""
        return self.file.partition("-")[0]

    @property
    def whom(self) -> str:
        """Those guarded, in few words."""
        first = sorted(self.agents)
        more = f" and {len(first) - 3} more" if len(first) > 3 else ""
        return ", ".join(first[:3]) + more or "nobody"


def guardings(folder: str, now: float) -> list[Guarding]:
    """All traces in the folder of a store; what cannot be read is left out."""
    try:
        found = sorted(os.listdir(f"{folder}/{FOLDER}"))
    except OSError:
        return []
    seen = (_seen(f"{folder}/{FOLDER}", name, now) for name in found)
    return [one for one in seen if one is not None]


def _seen(folder: str, name: str, now: float) -> Guarding | None:
    if not name.partition("-")[0].isdecimal():
        return None
    try:
        fd = disk.open_regular(f"{folder}/{name}")
        try:
            changed = os.fstat(fd).st_mtime
            words = disk.read_fd(fd).decode("ascii", "replace").split()
            lives = disk.is_locked(fd)
        finally:
            os.close(fd)
    except OSError:
        return None
    ids = frozenset(word for word in words if names.is_id(word))
    return Guarding(name, ids, max(0.0, now - changed), lives)
