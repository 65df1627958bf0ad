"""Who one is: by word, by the environment, by the session, by the working tree; and why."""

import os
from pathlib import Path

import pytest

from swarm import identity
from swarm.errors import Conflict, SwarmError, UsageError
from swarm.harness import session
from swarm.mailbox import registry
from swarm.mailbox.layout import Root, init

CLAUDE = {"CLAUDE_CODE_SESSION_ID": "s1"}
CODEX = {"CODEX_THREAD_ID": "t1"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Root:
    """A tree, and one stands in the folder around it."""
    monkeypatch.chdir(tmp_path)
    return Root(init(str(tmp_path), ["alice", "bob"])[0].path, sync=False)


def found(root: Root, env: dict[str, str], given: str | None = None) -> tuple[str, str]:
    one = identity.who(root, given, env)
    return one.agent, one.source


def test_what_is_said_goes_before_what_is_kept(root: Root, tmp_path: Path) -> None:
    assert found(root, CLAUDE) == ("", "")
    identity.keep(root, "alice", {})
    assert found(root, CLAUDE) == ("alice", "tree")
    identity.keep(root, "bob", CLAUDE)
    assert found(root, CLAUDE) == ("bob", "session")
    assert found(root, {**CLAUDE, "SWARM_AGENT": "carl"}) == ("carl", "SWARM_AGENT")
    assert found(root, {**CLAUDE, "SWARM_AGENT": "carl"}, "dora") == ("dora", "--as")
    assert found(root, {"SWARM_AGENT": ""}) == ("alice", "tree")
    assert found(root, {"CLAUDE_CODE_SESSION_ID": "another"}) == ("alice", "tree")


def test_it_says_why(root: Root, tmp_path: Path) -> None:
    identity.keep(root, "alice", {})
    identity.keep(root, "bob", CLAUDE)
    assert str(tmp_path) in identity.who(root, None, {}).detail
    why = identity.who(root, None, CLAUDE).detail
    assert ".sessions/claude-s1" in why and "CLAUDE_CODE_SESSION_ID" in why


def test_a_name_is_kept_for_the_whole_git_working_tree(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tree in ("one", "two"):
        (tmp_path / tree / "deep/down").mkdir(parents=True)
        (tmp_path / tree / ".git").touch()
    monkeypatch.chdir("one/deep")
    identity.keep(root, "alice", {})
    monkeypatch.chdir("down")
    assert found(root, {}) == ("alice", "tree")
    monkeypatch.chdir(tmp_path / "two/deep")
    assert found(root, {}) == ("", "")
    identity.keep(root, "bob", {})
    assert (tmp_path / "mail/.names").read_text() == (
        f"{tmp_path}/one\talice\n{tmp_path}/two\tbob\n"
    )


def test_without_git_it_is_kept_for_the_folder_and_what_is_below(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    identity.keep(root, "alice", {})
    monkeypatch.chdir(inner)
    assert found(root, {}) == ("alice", "tree")
    identity.keep(root, "bob", {})
    assert found(root, {}) == ("bob", "tree")
    assert identity.forget(root, {}).agent == "bob"
    assert found(root, {}) == ("alice", "tree")


def test_a_sibling_whose_name_only_begins_alike_is_not_below(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("work", "workshop"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir("work")
    identity.keep(root, "alice", {})
    monkeypatch.chdir(tmp_path / "workshop")
    assert found(root, {}) == ("", "")


def test_lines_that_are_none_of_ours_say_nothing(root: Root, tmp_path: Path) -> None:
    (tmp_path / "mail/.names").write_bytes(
        b"no tab\n\t\n\xff\xfe\tbob\n" + os.fsencode(tmp_path) + b"\tno id!\n"
    )
    assert found(root, {}) == ("", "")
    identity.keep(root, "alice", {})
    assert found(root, {}) == ("alice", "tree")


def test_two_sessions_with_two_names_are_nobody_rather_than_the_wrong_one(root: Root) -> None:
    identity.keep(root, "alice", CLAUDE)
    identity.keep(root, "bob", CODEX)
    one = identity.who(root, None, {**CLAUDE, **CODEX})
    assert one.two and not one.agent and "alice" in one.detail and "bob" in one.detail
    with pytest.raises(UsageError, match="two sessions"):
        identity.keep(root, "alice", {**CLAUDE, **CODEX})
    session.keep(root, "codex-t1", "alice")
    assert found(root, {**CLAUDE, **CODEX}) == ("alice", "session")


@pytest.mark.parametrize("env", [{}, CLAUDE], ids=["tree", "session"])
def test_a_place_kept_for_one_is_not_taken_by_another(root: Root, env: dict[str, str]) -> None:
    registry.register(root, "alice", "r", "planner", "t")
    identity.keep(root, "alice", env)
    identity.keep(root, "alice", env)
    with pytest.raises(Conflict, match="is kept for alice"):
        identity.keep(root, "bob", env)
    registry.unregister(root, "alice")
    identity.keep(root, "bob", env)
    assert found(root, env)[0] == "bob"


@pytest.mark.parametrize("env", [{}, CLAUDE], ids=["tree", "session"])
def test_what_is_forgotten_is_kept_no_more(root: Root, env: dict[str, str]) -> None:
    identity.keep(root, "alice", env)
    assert identity.forget(root, {**env, "SWARM_AGENT": "bob"}).agent == "alice"
    assert found(root, env) == ("", "")
    assert identity.forget(root, env).source == ""


def test_a_folder_that_cannot_be_written_down_is_refused(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a\nb").mkdir()
    monkeypatch.chdir("a\nb")
    with pytest.raises(UsageError):
        identity.keep(root, "alice", {})


def test_a_working_directory_that_is_gone_names_nobody(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert found(root, {}) == ("", "")


def test_what_cannot_be_kept_is_told(root: Root, tmp_path: Path) -> None:
    (tmp_path / "mail/.names").mkdir()
    (tmp_path / "mail/.sessions").touch()
    for env, what in (({}, ".names"), (CLAUDE, ".sessions/claude-s1")):
        with pytest.raises(SwarmError, match=what):
            identity.keep(root, "alice", env)
