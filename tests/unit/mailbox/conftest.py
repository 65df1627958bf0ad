"""Mail trees: one with bob's mailbox in it, and one whose registry has a few agents."""

import os
from pathlib import Path

import pytest

from swarm.mailbox.layout import Root, make_box


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """bob has a mailbox and no entry; nobody else is known."""
    made = Root(str(tmp_path / "mail"), sync=False)
    os.makedirs(made.dir)
    make_box(made, "bob")
    return made


@pytest.fixture
def team(root: Root) -> Root:
    """alice, bob and carl have mailboxes and entries, and are active."""
    for agent in ("alice", "bob", "carl"):
        make_box(root, agent)
        Path(root.entry(agent)).write_text(f"id: {agent}\nstatus: active\n")
    return root
