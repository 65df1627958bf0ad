"""Detail files that lie in the channel's own folder.

A row may name any file of this machine, and who reads it can read more than who sent it.
"""

import os

from swarm import disk


def within(path: str, folder: str) -> str:
    """The path of a file, from the channel's folder on; "" if it lies elsewhere, or is no path."""
    if "\0" in path:
        return ""
    folder, real = os.path.realpath(folder), os.path.realpath(path)
    inside = os.path.isabs(path) and real.startswith(f"{folder}/")
    return real[len(folder) + 1 :] if inside else ""


def read(folder: str, path: str, limit: int) -> bytes:
    """The first bytes of a regular file below ``folder``; no link leads out of it, at no moment.

    ``path``: as ``within`` gives it.  Raises OSError.
    """
    *parents, name = path.split("/")
    fd = os.open(folder, disk.FOLDER_FLAGS)
    try:
        for part in parents:
            inner = os.open(part, disk.FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=fd)
            os.close(fd)
            fd = inner
        file = disk.open_regular(name, fd)
    finally:
        os.close(fd)
    try:
        return disk.read_fd(file, limit)
    finally:
        os.close(file)
