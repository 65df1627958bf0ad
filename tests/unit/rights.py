"""Commands run by a process that file modes bind, also where the tests are root's."""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

SWARM = os.path.join(sys.prefix, "bin", "swarm")
DROP = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


@cache
def dropping() -> tuple[str, ...] | None:
    """What goes before a command to bind it; None where that is impossible."""
    if os.geteuid():
        return ()
    able = shutil.which(DROP[0]) and not subprocess.run([*DROP, "true"]).returncode
    return DROP if able else None


def bound(*words: str, cwd: str | Path = ".", **env: str) -> "subprocess.CompletedProcess[str]":
    """``swarm`` with these words, run without root's rights and told nothing by the environment."""
    return bound_program(SWARM, *words, cwd=cwd, **env)


def bound_program(
    *words: str, cwd: str | Path = ".", **env: str
) -> "subprocess.CompletedProcess[str]":
    """Any program in the same way."""
    drop = dropping()
    if drop is None:
        pytest.skip("root may do everything, and setpriv cannot take that away here")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SWARM_")}
    return subprocess.run(
        [*drop, *words],
        cwd=cwd,
        env={**clean, "SWARM_FSYNC": "0", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )


@contextmanager
def bound_here() -> Iterator[None]:
    """File modes bind this thread too for a while, also where the tests are root's."""
    if os.geteuid():
        yield
        return
    libc = ctypes.CDLL(None)
    version, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(version, sets) == 0
    before, sets[0] = sets[0], sets[0] & ~0b110  # may read, write and enter what modes forbid
    assert libc.capset(version, sets) == 0
    try:
        yield
    finally:
        sets[0] = before
        assert libc.capset(version, sets) == 0


@contextmanager
def mode(path: str | Path, bits: int) -> Iterator[None]:
    """A file or folder that has these permissions for a while."""
    before = os.stat(path).st_mode
    os.chmod(path, bits)
    try:
        yield
    finally:
        os.chmod(path, before)
