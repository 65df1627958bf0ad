"""The stage on which commands are killed."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from .command import Stage


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """One for all tests, so that a command is killed at each step only once."""
    with TemporaryDirectory(prefix="swarm-killed-") as folder:
        yield Stage(Path(folder))
