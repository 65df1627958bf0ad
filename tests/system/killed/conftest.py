"""The stage on which commands are killed."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from .command import Stage

# Thousands of small trees, each there for some milliseconds: a disk has better things to do.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """One for all tests, so that a command is killed at each step only once."""
    with TemporaryDirectory(prefix="swarm-killed-", dir=MEMORY) as folder:
        yield Stage(Path(folder))
