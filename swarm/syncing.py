"""The only home of fsync: what a power cut must not undo, and threads that wait for it together."""

import errno
import os
from _thread import allocate_lock, get_ident, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NO_SYNC = frozenset((errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF))

_turn = allocate_lock()
_waits: "dict[int, Callable[[], object]]" = {}  # by thread that has begun its turn


def sync_folder(path: str) -> None:
    """Make the names in a folder survive a power cut, where the system lets us.

    A folder that may be written to but not listed, and some remote mounts, cannot be synced.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        flush(fd)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise
    finally:
        os.close(fd)


def sync_files(*paths: str) -> None:
    """Make the bytes of files last, and on common file systems the names they just got."""
    files: list[int] = []
    try:
        for path in paths:
            files.append(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        flush(*files)
    finally:
        for fd in files:
            os.close(fd)


def flush(*files: int) -> None:
    """Have open files on the disk; another thread has its ``Turn`` meanwhile."""
    waits = _waits.get(get_ident())
    if waits is None:
        _sync(*files)
        return
    waits()
    _turn.release()
    try:
        _sync(*files)
    finally:
        _turn.acquire()


def _sync(first: int, *others: int) -> None:
    """All at once: for the disk two together are little more than one."""
    if not others:
        os.fsync(first)
        return
    failed: list[BaseException] = []
    done = allocate_lock()
    done.acquire()

    def rest() -> None:
        try:
            _sync(*others)
        except BaseException as error:
            failed.append(error)
        finally:
            done.release()

    try:
        start_new_thread(rest, ())
    except RuntimeError:  # no more threads: one after the other
        rest()
    try:
        os.fsync(first)
    finally:
        done.acquire()
    if failed:
        raise failed[0]


class Turn:
    """``with Turn(waits):`` one thread at a time, but for the time in which it waits for the disk.

    So many threads are as one, and their syncs are one.  ``waits`` is called before each wait.
    """

    __slots__ = ("_wait",)

    def __init__(self, waits: "Callable[[], object]") -> None:
        self._wait = waits

    def __enter__(self) -> None:
        _turn.acquire()
        _waits[get_ident()] = self._wait

    def __exit__(self, *_: object) -> None:
        del _waits[get_ident()]
        _turn.release()
