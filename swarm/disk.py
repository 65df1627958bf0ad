"""The only home of link, rename and unlink: steps that a crash cannot halve.

Temporary files are hidden and begin with ``.swarm-``: nobody lists them as mail, and
``doctor`` knows whose they are.
"""

import errno
import os
from stat import S_IMODE, S_ISREG

from swarm.syncing import flush, sync_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TEMP_PREFIX = ".swarm-"
TEMP_SUFFIX = ".tmp"
# A file system without hard links (or that refuses them) says one of these.
NO_LINKS = frozenset((errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK))
NO_FLOCK = frozenset((errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL))
NO_NOREPLACE = frozenset((errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP))
AT_FDCWD = -100
LARGEST = 128 << 20
RENAME_NOREPLACE = 1
READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
# A file of ours under a fixed name: never what a link put there leads to, nor a pipe's other end.
OWN_FLAGS = os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_drawn = 0


def write_temp(folder: str, data: bytes, sync: bool, mode: int | None = None) -> str:
    """Write a hidden new file in ``folder`` and return its path; on failure nothing is left."""
    global _drawn
    while True:
        _drawn += 1
        path = f"{folder}/{TEMP_PREFIX}{os.getpid()}-{_drawn}{TEMP_SUFFIX}"
        try:
            fd = os.open(path, NEW_FLAGS, 0o666)
            break
        except FileExistsError:  # a dead process of the same number left one
            continue
    try:
        try:
            if mode is not None:
                os.fchmod(fd, mode)
            write_all(fd, data)
            if sync:
                flush(fd)
        finally:
            os.close(fd)
    except BaseException:
        remove(path)
        raise
    return path


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, however many calls it takes."""
    written = os.write(fd, data)
    while written < len(data):
        written += os.write(fd, data[written:])


def publish(source: str, target: str) -> bool:
    """Give ``source`` the name ``target`` in one step that replaces nothing.

    False, and nothing changed, if the name is taken.  Raises OSError (EXDEV for another file
    system), and then nothing is published.  Dying between the two calls, or a source that
    cannot be removed, leaves both names on one file, never two messages.
    """
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        return _publish_without_links(source, target)
    try:
        os.unlink(source)
    except OSError:
        return True  # published it is: an error would have it published once more
    return True


def _publish_without_links(source: str, target: str) -> bool:
    """The same where links are refused: a rename that replaces nothing, where there is one.

    Else the check and the rename under the folder's lock.
    """
    done = _rename_new(source, target)
    if done is not None:
        return done
    from swarm.lock import Lock

    with Lock(os.path.dirname(target)):
        if os.path.lexists(target):
            return False
        os.rename(source, target)
        return True


def _rename_new(source: str, target: str) -> bool | None:
    """Rename to a name that is free; False if it is taken, None where the system cannot do that."""
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)  # Linux
    if rename is None:
        return None
    if rename(AT_FDCWD, os.fsencode(source), AT_FDCWD, os.fsencode(target), RENAME_NOREPLACE) == 0:
        return True
    code = ctypes.get_errno()
    if code == errno.EEXIST:
        return False
    if code in NO_NOREPLACE:
        return None
    raise OSError(code, os.strerror(code), source, None, target)


def replace(
    path: str,
    data: bytes,
    sync: bool,
    times: tuple[int, int] | None = None,
    last: "Callable[[], object] | None" = None,
) -> None:
    """Replace a file whole: readers see the old one or the new one.  Its mode is kept.

    ``times``: access and change in nanoseconds that the new one is to have.  ``last``: called
    when only the step itself is left, which it prevents by raising.
    """
    try:
        mode: int | None = S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        mode = None
    folder = os.path.dirname(path)
    temp = write_temp(folder, data, sync, mode)
    try:
        if times:
            os.utime(temp, ns=times)
        if last:
            last()
        os.replace(temp, path)
    except BaseException:
        remove(temp)
        raise
    if sync:
        sync_folder(folder)


def create(path: str, data: bytes, sync: bool) -> bool:
    """Make a file that was not there, whole at once; False if the name is taken."""
    folder = os.path.dirname(path)
    temp = write_temp(folder, data, sync)
    try:
        made = publish(temp, path)
    except BaseException:
        remove(temp)
        raise
    if not made:
        remove(temp)
    elif sync:
        sync_folder(folder)
    return made


def remove(path: str) -> bool:
    """Remove a file; False if it was gone already."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def make_folders(top: str, path: str) -> None:
    """Make what is missing of the folders from ``top`` down to ``path``, but never ``top``.

    One begun where a tree was just moved away would keep that from coming back.  Raises OSError.
    """
    folder = top
    for name in path.removeprefix(f"{top}/").split("/"):
        folder = f"{folder}/{name}"
        try:
            os.mkdir(folder)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise


def remove_folder(path: str) -> bool:
    """Remove a folder if it is there and empty; False where it stays."""
    try:
        os.rmdir(path)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            return False
        raise
    return True


def read(path: str, limit: int = -1, owner: int | None = None) -> bytes:
    """The bytes of a regular file, all or the first ``limit``; never follows a link or blocks.

    Raises OSError; a pipe, folder, link or device is an EINVAL "not a regular file".  ``owner``:
    the only user whose file it may be.
    """
    fd = open_regular(path)
    try:
        if owner is not None and os.fstat(fd).st_uid != owner:
            raise OSError(errno.EPERM, "another user's file", path)
        return read_fd(fd, limit)
    finally:
        os.close(fd)


def open_regular(path: str, folder: int | None = None) -> int:
    """Open a regular file for reading, by its name in an open ``folder`` where one is given.

    Anything else is an OSError, at once.
    """
    try:
        fd = os.open(path, READ_FLAGS, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise OSError(errno.EINVAL, "not a regular file", path) from None
        raise
    if not S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return fd


def read_fd(fd: int, limit: int = -1) -> bytes:
    """Read from the current position: everything, or up to ``limit`` bytes.

    Over ``LARGEST`` is an error: a sparse file of a terabyte costs who makes it nothing.
    """
    if limit >= 0:
        return os.read(fd, limit)
    parts, left = [], LARGEST
    while part := os.read(fd, 1 << 20):
        left -= len(part)
        if left < 0:
            raise OSError(errno.EMSGSIZE, f"over {LARGEST >> 20} MiB, which no message is")
        parts.append(part)
    return b"".join(parts)


def is_there(path: str, folder: int | None = None) -> bool:
    """Whether anything stands there; OSError where that cannot be seen, which is no "no".

    By its name in an open ``folder`` where one is given: that may be moved away meanwhile.
    """
    try:
        os.lstat(path, dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def is_regular(path: str) -> bool:
    """Whether a regular file (no link) stands there."""
    try:
        return S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def try_lock(fd: int) -> bool:
    """Take the exclusive lock of an open file without waiting; True where locks do not exist.

    The kernel gives it back when the process ends, however it ends.
    """
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in NO_FLOCK:
            raise
    return True


def is_locked(fd: int) -> bool:
    """Whether another has the exclusive lock of an open file; True where that cannot be told."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(fd, fcntl.LOCK_UN)
    except BlockingIOError:
        return True
    except OSError as error:
        if error.errno not in NO_FLOCK:
            raise
        return True
    return False
