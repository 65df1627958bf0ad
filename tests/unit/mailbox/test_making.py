"""A new tree: nothing is made before all of it may be."""

import os
from pathlib import Path

import pytest

from swarm.errors import Conflict, UsageError
from swarm.mailbox import layout, making

from .mail import PLAIN, files


def test_init_makes_a_tree_and_is_harmless_to_repeat(tmp_path: Path) -> None:
    root, made = making.init(str(tmp_path), ["alice"])
    paths = {root.relative(path) for path in made[1:]}
    boxes = {f"{agent}/{part}" for agent in ("orchestrator", "alice")
             for part in ("inbox", "inbox/.read", "drafts", "sent")}  # fmt: skip
    assert made[0] == root.path and paths == boxes | {"dir"} and files(root) == []
    Path(root.inbox("alice"), "01.txt").write_bytes(PLAIN)
    assert making.init(str(tmp_path), ["alice"])[1] == []
    assert files(root) == ["alice/inbox/01.txt"]


@pytest.mark.parametrize("folder", ["mail", "mail/alice", "mail/alice/inbox", "mail/new/deep"])
def test_no_tree_is_made_inside_a_tree(tmp_path: Path, folder: str) -> None:
    making.init(str(tmp_path), ["alice"])
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Conflict, match="is a mail tree already"):
        making.init(str(tmp_path / folder), [])
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("agents", "error"),
    [(["a", "A"], Conflict), (["Orchestrator"], Conflict), (["a", "../b"], UsageError),
     (["all"], UsageError), (["a", ""], UsageError)],
)  # fmt: skip
def test_ids_that_cannot_be_make_no_tree(
    tmp_path: Path, agents: list[str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        making.init(str(tmp_path), agents)
    assert os.listdir(tmp_path) == []


def test_an_id_that_differs_in_case_from_one_that_is_there_adds_nothing(tmp_path: Path) -> None:
    root, _ = making.init(str(tmp_path), ["alice"])
    with pytest.raises(Conflict, match="Alice differs only in case from alice"):
        making.init(str(tmp_path), ["carl", "Alice"])
    assert layout.boxes(root) == ["alice", "orchestrator"]
