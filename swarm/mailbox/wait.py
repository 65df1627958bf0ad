"""Waiting for mail: woken by the kernel where it can, by a look at the folder's time else."""

import os
import sys
import time

from swarm.mailbox.inbox import Item, unread
from swarm.mailbox.layout import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal  # the module without the enums, whose import costs as much as a look

POLL = 0.02
LOOK = 1.0  # however quiet it is, look again after this: remote mounts wake nobody
SETTLE = 0.05  # what a hand-written message gets to become whole
F_SETOWN_EX = 15
F_OWNER_TID = 0

Place = tuple[int, int, int]


def wait(
    root: Root, agent: str, timeout: float | None, sender: str = "", thread: str = ""
) -> list[Item]:
    """Unread messages, at once if there are some, else as soon as some come.

    On time-out there is none, or none that can be read: such a message wakes nobody.
    """
    items = unread(root, agent, None, sender, thread)[0]
    if _readable(items) or (timeout is not None and timeout <= 0):
        return items
    end = None if timeout is None else time.monotonic() + timeout
    with Bell(root.inbox(agent)) as bell:
        while True:
            bell.arm()
            items = unread(root, agent, None, sender, thread)[0]
            if _readable(items):
                return _settled(root, agent, items, sender, thread)
            left = LOOK if end is None else end - time.monotonic()
            if left <= 0:
                return items
            bell.wait(min(LOOK, left))


def _readable(items: list[Item]) -> bool:
    return not all(item.unreadable for item in items)


def _settled(root: Root, agent: str, items: list[Item], sender: str, thread: str) -> list[Item]:
    """The same, looked at again if one seems caught while it was being written."""
    if not any("malformed" in item.flags for item in items):
        return items
    time.sleep(SETTLE)
    return unread(root, agent, None, sender, thread)[0] or items


class Bell:
    """Rings when something changes in a folder, which may be missing or replaced meanwhile."""

    __slots__ = ("_blocked", "_fd", "_folder", "_place")

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._fd = -1
        self._place: Place | None = None
        self._blocked = False

    def __enter__(self) -> "Bell":
        return self

    def __exit__(self, *_: object) -> None:
        self._disarm()
        if self._blocked:
            _unblock()

    def arm(self) -> None:
        """Note how the folder is before it is listed, and ask the kernel to tell of changes."""
        place, before = self._look(), self._place
        self._place = place
        if place is None:
            self._disarm()
        elif before is None or before[:2] != place[:2]:
            self._disarm()
            self._notify()

    def wait(self, seconds: float) -> bool:
        """Return at a change since ``arm``, or after that time; whether there was one."""
        if self._fd >= 0:
            return _signal.sigtimedwait((_signal.SIGIO,), seconds) is not None
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._look() != self._place:
                return True
            time.sleep(min(POLL, left))
        return False

    def _look(self) -> Place | None:
        try:
            found = os.stat(self._folder)
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_mtime_ns

    def _disarm(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _notify(self) -> None:
        """Ask for SIGIO to this very thread, where it is blocked: unblocked it would kill."""
        if sys.platform != "linux":
            return
        import fcntl
        from _thread import get_native_id

        events = fcntl.DN_CREATE | fcntl.DN_MODIFY | fcntl.DN_RENAME | fcntl.DN_MULTISHOT
        owner = F_OWNER_TID.to_bytes(4, sys.byteorder) + get_native_id().to_bytes(4, sys.byteorder)
        if not self._blocked:
            self._blocked = _block()
        try:
            self._fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.fcntl(self._fd, F_SETOWN_EX, owner)
            fcntl.fcntl(self._fd, fcntl.F_NOTIFY, events)
        except OSError:
            self._disarm()


def _block() -> bool:
    """Block SIGIO in this thread; whether it was not blocked before."""
    return _signal.SIGIO not in _signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGIO,))


def _unblock() -> None:
    """Let SIGIO through again, after those of ours that are left."""
    while _signal.sigtimedwait((_signal.SIGIO,), 0) is not None:
        pass
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (_signal.SIGIO,))
