"""Lets one step on the disk go wrong, in a process that runs this first.

A step is a call that changes what is below FAULT_TREE, or that writes to stdout.  Each gets a
line in FAULT_LOG.  To step number FAULT_AT happens FAULT_KIND:

    before, after   the process is killed before or after the call
    within          half of a write goes out, then the process is killed
    ENOSPC, EIO …   the call does nothing and fails, this once

FAULT_LINKS is what every os.link says: EPERM where there are no links at all, EXDEV between
two folders as between two file systems.  Syncing is a step, but not done: it outlives a power
cut, and here is none.
"""

from __future__ import annotations

import errno
import itertools
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # both take long to import, and this is started a thousand times
    from collections.abc import Callable
    from typing import Any

    Call = Callable[..., Any]

TREE = os.environ.get("FAULT_TREE", "")
AT = int(os.environ.get("FAULT_AT", "0"))
KIND = os.environ.get("FAULT_KIND", "")
LINKS = os.environ.get("FAULT_LINKS", "")
BY_PATH = ("link", "mkdir", "remove", "rename", "replace", "rmdir", "symlink", "unlink", "utime")
BY_FD = ("fchmod", "fdatasync", "fsync", "ftruncate", "pwrite", "write", "writev")
BY_EITHER = ("chmod", "truncate")
NEW = os.O_CREAT | os.O_TRUNC
WRITES = os.O_WRONLY | os.O_RDWR | NEW
# What Python itself tells of, so that a way past this hook is seen.
TOLD = {f"os.{name}" for name in (*BY_PATH, *BY_EITHER)}

_open, _close, _write = os.open, os.close, os.write
_opened = {1}
_steps = itertools.count(1)  # in one step of the interpreter: two threads may sync at once
_inside = False


def below(path: object) -> bool:
    """Whether a path leads into the tree."""
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    whole = os.path.abspath(os.fsdecode(path))
    return whole == TREE or whole.startswith(TREE + "/")


def log(line: str) -> None:
    fd = _open(os.environ["FAULT_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    _write(fd, f"{line}\n".encode())
    _close(fd)


def die() -> None:
    os.kill(os.getpid(), 9)


def step(call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Count one step, and let happen to it what should."""
    global _inside
    kind = KIND if next(_steps) == AT else ""
    _inside = True
    log(call.__name__)
    if kind == "before":
        die()
    elif kind == "within":
        call(args[0], args[1][: len(args[1]) // 2])
        die()
    elif kind not in ("", "after"):
        code = getattr(errno, kind)
        _inside = False
        raise OSError(code, os.strerror(code), *[path for path in args[:1] if path not in _opened])
    try:
        return call(*args, **kwargs)
    finally:
        _inside = False
        if kind == "after":
            die()


def wrapped(call: Call, concerns: Callable[[tuple[Any, ...]], bool]) -> Call:
    """The same function, but a call that concerns the tree is a step."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return step(call, args, kwargs) if concerns(args) else call(*args, **kwargs)

    return function


def by_path(args: tuple[Any, ...]) -> bool:
    return any(below(path) for path in args[:2])


def by_fd(args: tuple[Any, ...]) -> bool:
    return args[0] in _opened


def fsync(fd: int) -> None:
    """Nothing."""


def opened(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
    """os.open: a step if it may make or empty a file; descriptors of the tree are known."""
    inside = below(path)
    if inside and flags & NEW:
        fd = step(_open, (path, flags, *args), kwargs)
    else:
        fd = _open(path, flags, *args, **kwargs)
    if inside:
        _opened.add(fd)
    return int(fd)


def closed(fd: int) -> None:
    _opened.discard(fd)
    _close(fd)


def linked(link: Call) -> Call:
    """os.link as a file system has it that knows no links, or none to another folder."""

    def function(source: str, target: str, **kwargs: Any) -> None:
        folders = {os.path.dirname(source), os.path.dirname(target)}
        if LINKS == "EPERM" or (LINKS == "EXDEV" and len(folders) == 2):
            raise OSError(getattr(errno, LINKS), "no link", source)
        link(source, target, **kwargs)

    return function


def told(event: str, args: tuple[Any, ...]) -> None:
    """Python's own word of a change that did not come through a step."""
    if _inside:
        return
    if event == "open" and args[2] & WRITES:
        args = args[:1]
    elif event not in TOLD:
        return
    if by_path(args) or by_fd(args):
        log(f"missed: {event}")


def install() -> None:
    for name in BY_PATH:
        setattr(os, name, wrapped(getattr(os, name), by_path))
    for name in BY_FD:
        call = fsync if name in ("fsync", "fdatasync") else getattr(os, name)
        setattr(os, name, wrapped(call, by_fd))
    for name in BY_EITHER:
        setattr(os, name, wrapped(getattr(os, name), lambda args: by_path(args) or by_fd(args)))
    os.open, os.close = opened, closed
    os.link = linked(os.link)
    sys.addaudithook(told)


if TREE:
    install()
