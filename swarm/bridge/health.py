"""How the bridges of a tree are, as whoever looks at it from outside can see.

``.bridge/<channel>/lock`` is locked while a bridge lives and holds its number; its time is that
of the last good pass.  ``problems`` holds what could not cross, a line each.
"""

import os
from typing import NamedTuple

from swarm import disk
from swarm.ages import age
from swarm.errors import from_os
from swarm.mailbox.layout import Root

FOLDER = ".bridge"
UP = ".up"
LOG = ".up.log"
# Seconds after which a bridge that lives is stuck.
STUCK = 60.0
# So many problems are kept; the newest are left out, since what is wrong often comes in thousands.
MOST = 1000


class Health(NamedTuple):
    """One bridge.  ``process``: 0 if none runs.  ``age``: seconds since its last good pass, None
    before the first."""

    channel: str
    process: int
    age: float | None
    problems: tuple[str, ...]

    @property
    def problem(self) -> str:
        """What is wrong with the process, "" if nothing is, or none runs."""
        if self.process and self.age is not None and self.age > STUCK:
            return f"the bridge to {self.channel} has not got through for {age(self.age)}"
        return ""


def bridges(root: Root, now: float) -> list[Health]:
    """All bridges that the tree remembers."""
    try:
        found = sorted(os.listdir(f"{root.path}/{FOLDER}"))
    except OSError:
        return []
    return [_health(f"{root.path}/{FOLDER}/{channel}", channel, now) for channel in found]


def _health(folder: str, channel: str, now: float) -> Health:
    process, changed = _locked(f"{folder}/lock")
    past = max(0.0, now - changed) if changed else None
    return Health(channel, process, past, tuple(_problems(folder)))


def running(root: Root) -> int:
    """The number of the process that ``swarm up`` began for a tree, 0 if none is there."""
    return _locked(f"{root.path}/{UP}")[0]


def was_killed(root: Root) -> bool:
    """Whether such a process ended without ``swarm down`` or a signal that it heeds."""
    return os.path.lexists(f"{root.path}/{UP}") and not running(root)


def _locked(path: str) -> tuple[int, float]:
    """Who holds a lock, 0 if nobody, and when its file was last touched."""
    try:
        fd = disk.open_regular(path)
        try:
            text = disk.read_fd(fd, 20).strip()
            process = int(text) if disk.is_locked(fd) and text.isdigit() else 0
            return process, os.fstat(fd).st_mtime
        finally:
            os.close(fd)
    except OSError:
        return 0, 0.0


def _problems(folder: str) -> list[str]:
    try:
        text = disk.read(f"{folder}/problems").decode("utf-8", "replace")
    except OSError:
        return []
    return [line for line in text.split("\n") if line]


class Crossings:
    """What could not cross, told once for each thing, also after a restart."""

    def __init__(self, root: Root, channel: str) -> None:
        self._path = f"{root.path}/{FOLDER}/{channel}/problems"
        self._known = set(_problems(os.path.dirname(self._path)))

    def add(self, text: str) -> bool:
        """Note a line; whether it is a new one."""
        line = " ".join(text.split())
        if line in self._known:
            return False
        self._known.add(line)
        if len(self._known) > MOST:
            return True
        try:
            fd = os.open(self._path, disk.OWN_FLAGS | os.O_WRONLY | os.O_APPEND, 0o666)
            try:
                disk.write_all(fd, f"{line}\n".encode("utf-8", "replace"))
            finally:
                os.close(fd)
        except OSError as error:
            raise from_os(error, "write to", self._path) from None
        return True
