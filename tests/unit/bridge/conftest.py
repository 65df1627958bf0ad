"""A tree and a channel that a bridge has just made one conversation."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.bridge.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    made.settle()
    yield made
    made.close()
