"""A file in another folder, of another file system too: it never stands over another one."""

import errno
import os

from swarm import disk


def move(source: str, target: str, sync: bool, anew: bool = False) -> bool:
    """Move a file, also to another file system, never over another; False if taken.

    What an earlier move left that died before its last step is finished.  ``anew``: as a copy
    in any case, which whoever made the file can change no more.
    """
    try:
        if not anew:
            if disk.publish(source, target):
                return _leave(source, target)
            return _same(source, target) and disk.remove(source)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    seen = os.lstat(source)
    staged = disk.write_temp(os.path.dirname(target), disk.read(source), sync)
    try:
        os.utime(staged, ns=(seen.st_atime_ns, seen.st_mtime_ns))
        done = disk.publish(staged, target)
    finally:
        disk.remove(staged)
    if done and sync:
        disk.sync_folder(os.path.dirname(target))  # before the only other one is removed
    return (done or _alike(source, target)) and disk.remove(source)


def _leave(source: str, target: str) -> bool:
    """Remove what was moved if it is still there; where that is refused, nothing was moved."""
    try:
        disk.remove(source)
    except OSError:
        if os.path.lexists(source):
            disk.remove(target)
        raise
    return True


def _same(one: str, other: str) -> bool:
    """Whether both are names of one file, or, on two file systems, the same bytes."""
    try:
        first, second = os.lstat(one), os.lstat(other)
    except FileNotFoundError:
        return False
    if first.st_dev == second.st_dev:
        return first.st_ino == second.st_ino
    return _alike(one, other)


def _alike(one: str, other: str) -> bool:
    """Whether both are regular files of the same bytes."""
    return disk.is_regular(one) and disk.is_regular(other) and disk.read(one) == disk.read(other)
