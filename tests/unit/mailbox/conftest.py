"""A mail tree with bob's mailbox in it."""

import os
from pathlib import Path

import pytest

from swarm.mailbox.layout import Root, make_box


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made = Root(str(tmp_path / "mail"), sync=False)
    os.makedirs(made.dir)
    make_box(made, "bob")
    return made
