"""A tree with alice and bob, and the command in it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SWARM = os.path.join(sys.prefix, "bin", "swarm")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SWARM_")}
Swarm = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def swarm(tmp_path: Path) -> Swarm:
    """``swarm("--as", "bob", "unread")`` in the test's own folder; ``stdout`` may be a file."""

    def run(*words: str, stdout: object = subprocess.PIPE, **env: str) -> object:
        return subprocess.run(
            [SWARM, *words], cwd=tmp_path, env={**CLEAN, "SWARM_FSYNC": "0", **env},
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=30,
        )  # fmt: skip

    return run  # type: ignore[return-value]


@pytest.fixture
def tree(tmp_path: Path, swarm: Swarm) -> Path:
    """The folder around a mail tree; bob has a message of alice's in thread T."""
    assert swarm("init", ".", "--agents", "alice,bob").returncode == 0
    send = ("--as", "alice", "send", "bob", "-s", "one", "-m", "x", "-t", "T")
    assert swarm(*send).returncode == 0
    return tmp_path
