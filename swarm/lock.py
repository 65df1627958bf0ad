"""Who excludes whom: a folder that one process works in, a file that only one may have as its own.

The kernel gives every lock back when its process ends, however it ends.
"""

import errno
import os
from _thread import get_ident
from stat import S_ISVTX

from swarm import disk

LOCK_S = 10
# What is said of a name with nothing behind it that anybody could lock.
NOTHING = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO))
# Who holds which folder, by thread: the kernel would make a holder wait for itself.
_held: set[tuple[int, str]] = set()


def take(path: str) -> int:
    """A file of that name, locked, with this process's number in it; -1 if another has the lock.

    Taken again if it was replaced or removed meanwhile: such a lock would lock nobody out.
    """
    while True:
        fd = os.open(path, os.O_RDWR | disk.OWN_FLAGS, 0o666)
        if not disk.try_lock(fd):
            os.close(fd)
            return -1
        try:
            same = os.path.samestat(os.fstat(fd), os.stat(path))
        except FileNotFoundError:
            same = False
        if same:
            os.truncate(fd, 0)
            disk.write_all(fd, f"{os.getpid()}\n".encode())
            return fd
        os.close(fd)


def is_taken(path: str, flags: int) -> bool:
    """Whether some process has the lock of what stands there; of nothing nobody has.

    OSError where it cannot be opened: who has it cannot be told then.
    """
    try:
        fd = os.open(path, flags)
    except OSError as error:
        if error.errno in NOTHING:
            return False
        raise
    try:
        return not disk.try_lock(fd)
    finally:
        os.close(fd)


def _wait_for(fd: int) -> None:
    """Lock a folder; EAGAIN after a while where other users may hold it for ever (sticky)."""
    import fcntl
    import time

    if not os.fstat(fd).st_mode & S_ISVTX:
        fcntl.flock(fd, fcntl.LOCK_EX)
        return
    until = time.monotonic() + LOCK_S
    while not disk.try_lock(fd):
        if time.monotonic() >= until:
            raise OSError(errno.EAGAIN, f"locked by another process for {LOCK_S} s")
        time.sleep(0.005)


class Lock:
    """``with Lock(folder):`` one process at a time; no lock file, nothing to clean up.

    Where the file system has no such locks (some network mounts) it excludes nobody:
    the steps inside still replace nothing.  Who holds it may take it again.
    """

    __slots__ = ("_key", "fd", "folder")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.fd = -1
        self._key = (get_ident(), folder)

    def __enter__(self) -> "Lock":
        if self._key in _held:
            return self
        self.fd = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _wait_for(self.fd)
        except OSError as error:
            if error.errno not in disk.NO_FLOCK:
                os.close(self.fd)
                raise
        _held.add(self._key)
        return self

    def __exit__(self, *_: object) -> None:
        if self.fd >= 0:
            _held.discard(self._key)
            os.close(self.fd)
