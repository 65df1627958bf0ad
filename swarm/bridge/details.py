"""Detail files of the channel as bodies of mail.

Only what lies in the channel's own folder is copied: a row may name any file of this machine,
and whoever runs the bridge can read more than who gets the mail.
"""

import os

from swarm import disk
from swarm.bridge.crossing import File
from swarm.message import BODY_MAX


def with_text(file: File, folder: str) -> tuple[list[tuple[str, str]], bytes, str]:
    """Headers and body of a file, with the text of its detail; and what is wrong with that."""
    path = dict(file.lines).get("Detail", "")
    if not path or file.body:
        return file.lines, file.body, ""
    inner = _within(path, os.path.realpath(folder))
    if not inner:
        return file.lines, file.body, _outside(path)
    try:
        text = _read_beneath(folder, inner, BODY_MAX + 1)
    except OSError as error:
        return file.lines, file.body, f"its detail {path} cannot be read: {error.strerror}"
    if len(text) > BODY_MAX:
        return file.lines, file.body, f"its detail {path} is over 1 MiB: only its path is passed on"
    return file.lines, text, ""


def _within(path: str, folder: str) -> str:
    """The path of a file below the folder, "" if it lies elsewhere."""
    real = os.path.realpath(path)
    inside = os.path.isabs(path) and real.startswith(f"{folder}/")
    return real[len(folder) + 1 :] if inside else ""


def _read_beneath(folder: str, path: str, limit: int) -> bytes:
    """The first bytes of a regular file below ``folder``; no link leads out of it, at no moment."""
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


def _outside(path: str) -> str:
    """Only a path that leads nowhere is worth a word."""
    if not os.path.isabs(path):
        return f"its detail {path!a} is no absolute path"
    return "" if os.path.isfile(path) else f"its detail {path} is no file here"
