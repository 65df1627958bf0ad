"""What ``swarm init --shared`` makes; what it keeps from whom is in tests/system/test_shared.py."""

import errno
import os
import re
from pathlib import Path

import pytest

from swarm.errors import Conflict, Unreadable, UsageError
from swarm.mailbox import layout, making, shared
from swarm.mailbox.layout import Root

PAGE = Path(__file__).parents[3] / "docs/security.md"


@pytest.fixture
def tree(tmp_path: Path) -> Root:
    """A shared tree of the caller's own group."""
    try:
        return making.init(str(tmp_path), ["bob"], str(os.getegid()))[0]
    except Unreadable as error:
        pytest.skip(error.message)


def modes(root: Root) -> dict[str, str]:
    """The modes of all folders, a mailbox's under ``ID``."""
    found = {"mail": root.path}
    for folder, names, _ in os.walk(root.path):
        found |= {
            os.path.relpath(f"{folder}/{name}", root.path): f"{folder}/{name}" for name in names
        }
    shown = {name.replace("bob", "ID"): path for name, path in found.items() if "orch" not in name}
    return {name: f"{shared.mode_of(path):04o}" for name, path in shown.items()}


def test_the_page_tells_the_modes_that_are_made(tree: Root) -> None:
    told = re.findall(r"^\| `([^`]+)` \| `(\d{4})` \|", PAGE.read_text(), re.M)
    assert dict(told) == modes(tree)


def test_it_is_told_by_the_modes_alone(tree: Root) -> None:
    assert Root(tree.path).shared
    os.chmod(tree.dir, 0o770)
    assert not Root(tree.path).shared


def test_making_it_again_changes_nothing(tree: Root, tmp_path: Path) -> None:
    before = modes(tree)
    assert making.init(str(tmp_path), ["bob"], str(os.getegid()))[1] == []
    assert modes(tree) == before


def test_a_tree_that_is_not_shared_is_refused(tmp_path: Path) -> None:
    making.init(str(tmp_path), [])
    with pytest.raises(Conflict, match="not shared"):
        making.init(str(tmp_path), [], str(os.getegid()))


@pytest.mark.parametrize("group", ["", "no such group"])
def test_a_group_that_is_none_is_refused(tmp_path: Path, group: str) -> None:
    with pytest.raises(UsageError, match="no group"):
        making.init(str(tmp_path), [], group)
    assert not list(tmp_path.iterdir())


def test_without_access_lists_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    for name in ("setxattr", "removexattr"):
        monkeypatch.setattr(os, name, refused, raising=False)
    with pytest.raises(Unreadable, match="cannot be shared: no access lists here"):
        making.init(str(tmp_path), [], str(os.getegid()))
    assert not list(tmp_path.iterdir())


def test_a_mailbox_that_is_missing_is_not_made_by_who_writes_to_it(tree: Root) -> None:
    with pytest.raises(Unreadable, match="only its owner makes it"):
        layout.check_inbox(tree, "carol")
