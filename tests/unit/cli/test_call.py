"""What commands have in common."""

from pathlib import Path

import pytest

from .conftest import Swarm


@pytest.mark.parametrize("command", ["send alice", "reply 01", "task request alice"])
def test_a_long_text_that_is_not_there_is_told_and_named_all_the_same(
    tree: Path, swarm: Swarm, command: str
) -> None:
    words = ["--as", "bob", *command.split(), "-s", "s", "--detail", "long.md"]
    words += [] if "task" in command else ["-m", "b"]
    for there in (False, True):
        done = swarm(*words)
        assert done.returncode == 0 and ("nothing is there yet" in done.stderr) != there
        (tree / "long.md").write_text("")
    named = f"Detail: {tree}/long.md"
    assert all(named in p.read_text() for p in (tree / "mail/alice/inbox").glob("*.txt"))
