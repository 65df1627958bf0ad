"""A name is kept where that is asked for: for the session, else for the working tree."""

from pathlib import Path

import pytest

from swarm import keeping
from swarm.errors import Conflict, SwarmError, UsageError
from swarm.mailbox import registry
from swarm.mailbox.layout import Root

from .here import CLAUDE, found


def test_a_name_is_kept_for_the_whole_git_working_tree(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tree in ("one", "two"):
        (tmp_path / tree / "deep/down").mkdir(parents=True)
        (tmp_path / tree / ".git").touch()
    monkeypatch.chdir("one/deep")
    keeping.keep(root, "alice", {})
    monkeypatch.chdir("down")
    assert found(root, {}) == ("alice", "tree")
    monkeypatch.chdir(tmp_path / "two/deep")
    assert found(root, {}) == ("", "")
    keeping.keep(root, "bob", {})
    assert (tmp_path / "mail/.names").read_text() == (
        f"{tmp_path}/one\talice\n{tmp_path}/two\tbob\n"
    )


def test_without_git_it_is_kept_for_the_folder_and_what_is_below(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    keeping.keep(root, "alice", {})
    monkeypatch.chdir(inner)
    assert found(root, {}) == ("alice", "tree")
    keeping.keep(root, "bob", {})
    assert found(root, {}) == ("bob", "tree")
    assert keeping.forget(root, {}).agent == "bob"
    assert found(root, {}) == ("alice", "tree")


@pytest.mark.parametrize("env", [{}, CLAUDE], ids=["tree", "session"])
def test_a_place_kept_for_one_is_not_taken_by_another(root: Root, env: dict[str, str]) -> None:
    registry.register(root, "alice", "r", "planner", "t")
    keeping.keep(root, "alice", env)
    keeping.keep(root, "alice", env)
    with pytest.raises(Conflict, match="is kept for alice"):
        keeping.keep(root, "bob", env)
    registry.unregister(root, "alice")
    keeping.keep(root, "bob", env)
    assert found(root, env)[0] == "bob"


@pytest.mark.parametrize("env", [{}, CLAUDE], ids=["tree", "session"])
def test_what_is_forgotten_is_kept_no_more(root: Root, env: dict[str, str]) -> None:
    keeping.keep(root, "alice", env)
    assert keeping.forget(root, {**env, "SWARM_AGENT": "bob"}).agent == "alice"
    assert found(root, env) == ("", "")
    assert keeping.forget(root, env).source == ""


def test_a_folder_that_cannot_be_written_down_is_refused(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a\nb").mkdir()
    monkeypatch.chdir("a\nb")
    with pytest.raises(UsageError):
        keeping.keep(root, "alice", {})


def test_names_that_cannot_be_read_are_not_written_over(root: Root, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("/other\tbob\n")
    (tmp_path / "mail/.names").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SwarmError, match="regular file"):
        keeping.keep(root, "alice", {})
    assert (tmp_path / "mail/.names").is_symlink()


def test_what_cannot_be_kept_is_told(root: Root, tmp_path: Path) -> None:
    (tmp_path / "mail/.names").mkdir()
    (tmp_path / "mail/.sessions").touch()
    for env, what in (({}, ".names"), (CLAUDE, ".sessions/claude-s1")):
        with pytest.raises(SwarmError, match=f" {tmp_path}/mail/{what}:"):
            keeping.keep(root, "alice", env)
