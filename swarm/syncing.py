"""The only home of fsync: what a power cut must not undo, and threads that wait for it together."""

import errno
import os
from _thread import allocate_lock, get_ident, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Iterable

    Sync = tuple[Callable[[str], None], str]

LANES = 16  # so many threads sync side by side, whatever there is to sync
NO_SYNC = frozenset((errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF))

_turn = allocate_lock()
_waits: "dict[int, Callable[[], object]]" = {}  # by thread that has begun its turn


def sync_folder(path: str) -> None:
    """Make the names in a folder survive a power cut, where the system lets us."""
    _waiting(_sync_folder, path)


def sync_all(files: "Iterable[str]", folders: "Iterable[str]" = ()) -> None:
    """Make files last, and on common file systems the names they just got; and names in folders.

    Side by side: for the disk many together are little more than one.
    """
    syncs = [(_sync_file, path) for path in files]
    syncs += [(_sync_folder, path) for path in folders]
    if syncs:
        _waiting(_side_by_side, syncs)


def flush(fd: int) -> None:
    """Have an open file on the disk."""
    _waiting(os.fsync, fd)


def _waiting(sync: "Callable[..., object]", what: object) -> None:
    """Wait for the disk; another thread has its ``Turn`` meanwhile."""
    waits = _waits.get(get_ident())
    if waits is None:
        sync(what)
        return
    waits()
    _turn.release()
    try:
        sync(what)
    finally:
        _turn.acquire()


def _sync_file(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _sync_folder(path: str) -> None:
    """A folder that may be written to but not listed, and some remote mounts, cannot be synced."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise
    finally:
        os.close(fd)


def _side_by_side(syncs: "list[Sync]") -> None:
    failed: list[BaseException] = []
    others = [_beside(syncs[lane::LANES], failed) for lane in range(1, min(LANES, len(syncs)))]
    try:
        _in_turn(syncs[::LANES])
    finally:
        for ended in others:
            ended.acquire()
    if failed:
        raise failed[0]


def _beside(syncs: "list[Sync]", failed: list[BaseException]) -> "LockType":
    """Have another thread do them; what is returned can be acquired when it has ended."""
    ended = allocate_lock()
    ended.acquire()

    def run() -> None:
        try:
            _in_turn(syncs)
        except BaseException as error:  # raised by who waits for all of them
            failed.append(error)
        finally:
            ended.release()

    try:
        start_new_thread(run, ())
    except RuntimeError:  # no more threads: one after the other
        run()
    return ended


def _in_turn(syncs: "list[Sync]") -> None:
    for sync, path in syncs:
        sync(path)


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
