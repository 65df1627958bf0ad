"""The overview beside the doctor: what is broken for one is told, and hides nobody else."""

import os
import shutil
import time
from pathlib import Path

import pytest

from swarm import status
from swarm.mailbox.layout import Root

from .tree import put


@pytest.mark.parametrize("part", ["", "/inbox", "/inbox/.read", "/drafts", "/sent"])
def test_everybody_is_listed_whatever_stands_where_a_folder_belongs(root: Root, part: str) -> None:
    path = f"{root.path}/bob{part}"
    for make in (Path(path).touch, lambda: os.symlink("nowhere", path)):
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        make()
        states, _ = status.overview(root, time.time())
        assert [state.id for state in states] == ["alice", "bob"]


def test_the_overview_names_what_is_wrong_worst_first(root: Root) -> None:
    now = time.time()
    put(f"{root.inbox('bob')}/01.txt", age=1200)
    put(root.entry("carl"), "id: carl\n")
    os.makedirs(root.box("dave"))
    put(root.inbox("dave"))
    states, problems = status.overview(root, now)
    assert [(state.id, state.unread) for state in states] == [
        ("alice", 0), ("bob", 1), ("carl", 0), ("dave", 0),
    ]  # fmt: skip
    assert states[1].oldest == pytest.approx(1200, abs=5)
    assert [problem.agent for problem in problems] == ["dave", "carl", "bob"]
