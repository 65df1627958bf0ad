"""The command as one of several real users, which only root can be in turn.

It is a fork of the tests' own process that has loaded everything: an installation may lie where
other users cannot read.
"""

import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

import swarm
from swarm.mailbox import shared
from tests import forks

GROUP = 41100
ALICE, BOB, CAROL, STRANGER = 41001, 41002, 41003, 41004
MEMBERS = (ALICE, BOB, CAROL)
LATE = (
    "ctypes",
    "concurrent.futures.thread",
    "grp",
    "hashlib",
    "pwd",
    "encodings.idna",
    "watchfiles",
)
Done = subprocess.CompletedProcess[str]


def call(user: int, tree: Path, *words: str, seconds: float = 0, **env: str) -> Done:
    """``swarm`` run by a user in the folder that holds the tree; asked to end after so long."""

    def run() -> None:
        from swarm.__main__ import main

        os.chdir(tree)
        os.environ.clear()
        os.environ.update({"SWARM_FSYNC": "0", "HOME": str(tree), "PATH": "/bin", **env})
        sys.argv = ["swarm", "--root", f"{tree}/mail", *words]
        if words[0] == "init":
            del sys.argv[1:3]
        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
        signal.setitimer(signal.ITIMER_REAL, seconds)
        main()

    _load()
    code, out, err = _as(user, run)
    return Done(words, code, out, err)


def attempt(user: int, path: Path, doing: str) -> str:
    """What the kernel says to a user who does something with ``path``; '' if it lets him."""

    def run() -> None:
        try:
            exec(doing, {"os": os, "path": str(path)})
        except OSError as error:
            os.write(1, (error.strerror or "refused").encode())

    code, said, problem = _as(user, run)
    assert code == 0, problem
    return said


def _as(user: int, run: Callable[[], None]) -> tuple[int, str, str]:
    """The exit code and the outputs of a fork that is that user's."""
    files = [os.memfd_create("out"), os.memfd_create("err")]
    if not (pid := os.fork()):
        code = 99
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for target, fd in enumerate(files, 1):
                os.dup2(fd, target)
            for name, target in (("stdout", 1), ("stderr", 2)):
                setattr(sys, name, open(target, "w", closefd=False))  # noqa: SIM115
            os.setgroups([GROUP] if user in MEMBERS else [])
            os.setgid(user)
            os.setuid(user)
            run()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    status = os.waitpid(pid, 0)[1]
    out, err = (os.pread(fd, 1 << 20, 0).decode() for fd in files)
    for fd in files:
        os.close(fd)
    return os.waitstatus_to_exitcode(status), out, err


@cache
def _load() -> None:
    for module in pkgutil.walk_packages(swarm.__path__, "swarm."):
        if not module.name.startswith(("swarm.mcp", "swarm.__main__")):
            importlib.import_module(module.name)
    for name in LATE:
        importlib.import_module(name)
    forks.warm()


@cache
def lacking() -> str:
    """Why there cannot be several users here; '' if there can."""
    if os.geteuid():
        return "only root can be several users"
    if not hasattr(os, "setxattr"):
        return "no access lists on this system"
    templates = Path(swarm.__file__).parent.parent / "templates"
    if attempt(STRANGER, templates, "os.listdir(path)"):
        return "other users cannot read the templates here"
    with tempfile.TemporaryDirectory() as folder:
        try:
            os.setxattr(folder, shared.DEFAULT, shared.acl(shared.OWN))
        except OSError as error:
            return f"no access lists in {folder}: {error.strerror}"
    return ""


@contextmanager
def place() -> Iterator[Path]:
    """A folder of alice's that everybody can reach; skips where there is but one user."""
    if reason := lacking():
        pytest.skip(reason)
    with tempfile.TemporaryDirectory(prefix="swarm-users-") as folder:
        os.chmod(folder, 0o755)
        os.chown(folder, ALICE, GROUP)
        yield Path(folder)
