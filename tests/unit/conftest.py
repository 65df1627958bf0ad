"""Where one stands in a tree; and no property fails on a busy machine."""

from pathlib import Path

import pytest
from hypothesis import settings

from swarm.mailbox.layout import Root
from swarm.mailbox.making import init

# Properties are about answers, not about time.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Root:
    """A tree, and one stands in the folder around it."""
    monkeypatch.chdir(tmp_path)
    return Root(init(str(tmp_path), ["alice", "bob"])[0].path, sync=False)
