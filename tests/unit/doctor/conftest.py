"""A sound mail tree: alice and bob are registered."""

import os
from pathlib import Path

import pytest

from swarm.mailbox import registry
from swarm.mailbox.layout import Root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made = Root(str(tmp_path / "mail"), sync=False)
    os.makedirs(made.dir)
    for agent in ("alice", "bob"):
        registry.register(made, agent, "role", "specialist", "task")
    return made
