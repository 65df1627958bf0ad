"""A tree with alice and bob, and the command in it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ... import forks

SWARM = os.path.join(sys.prefix, "bin", "swarm")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SWARM_")}
Swarm = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def swarm(tmp_path: Path) -> Swarm:
    """``swarm("--as", "bob", "unread")`` in the test's own folder; ``stdout`` may be a file."""

    def run(*words: str, stdout: object = subprocess.PIPE, **env: str) -> object:
        end = stdout if isinstance(stdout, int) else stdout.fileno()  # type: ignore[attr-defined]
        done = forks.run(words, tmp_path, {**CLEAN, "SWARM_FSYNC": "0", **env}, stdout=end)
        out = None if done.stdout is None else done.stdout.decode()
        err = done.stderr.decode()
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run  # type: ignore[return-value]


@pytest.fixture
def tree(tmp_path: Path, swarm: Swarm) -> Path:
    """The folder around a mail tree; bob has a message of alice's in thread T."""
    assert swarm("init", ".", "--agents", "alice,bob").returncode == 0
    send = ("--as", "alice", "send", "bob", "-s", "one", "-m", "x", "-t", "T")
    assert swarm(*send).returncode == 0
    return tmp_path
