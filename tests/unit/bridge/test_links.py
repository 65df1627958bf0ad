"""A tree may come from elsewhere, with links in the places of the bridge's own files."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from swarm.bridge.health import Crossings
from swarm.bridge.pair import Ledger
from swarm.bridge.running import Standby
from swarm.errors import SwarmError
from swarm.mailbox import making
from swarm.mailbox.layout import Root

WRITERS: dict[str, Callable[[Root], object]] = {
    "lock": lambda root: Standby(root, "ops").take(),
    "rows": lambda root: Ledger(root, "ops").note({"key": 1}),
    "problems": lambda root: Crossings(root, "ops").add("something"),
}


@pytest.mark.parametrize("file", WRITERS)
def test_a_file_outside_is_not_written_through_a_link(tmp_path: Path, file: str) -> None:
    root, _ = making.init(str(tmp_path), [])
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    folder = Path(root.path, ".bridge/ops")
    folder.mkdir(parents=True)
    os.symlink(victim, folder / file)
    with pytest.raises(SwarmError):
        WRITERS[file](root)
    assert victim.read_text() == "mine\n"
