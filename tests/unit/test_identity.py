"""Who one is: by word, by the environment, by the session, by the working tree; and why."""

import os
from pathlib import Path

import pytest

from swarm import identity, keeping
from swarm.errors import Unreadable, UsageError
from swarm.harness import sessions
from swarm.mailbox.layout import Root

from .here import CLAUDE, CODEX, found
from .rights import bound_here, mode


def test_what_is_said_goes_before_what_is_kept(root: Root, tmp_path: Path) -> None:
    assert found(root, CLAUDE) == ("", "")
    keeping.keep(root, "alice", {})
    assert found(root, CLAUDE) == ("alice", "tree")
    keeping.keep(root, "bob", CLAUDE)
    assert found(root, CLAUDE) == ("bob", "session")
    assert found(root, {**CLAUDE, "SWARM_AGENT": "carl"}) == ("carl", "SWARM_AGENT")
    assert found(root, {**CLAUDE, "SWARM_AGENT": "carl"}, "dora") == ("dora", "--as")
    assert found(root, {"SWARM_AGENT": ""}) == ("alice", "tree")
    assert found(root, {"CLAUDE_CODE_SESSION_ID": "another"}) == ("alice", "tree")


def test_it_says_why(root: Root, tmp_path: Path) -> None:
    keeping.keep(root, "alice", {})
    keeping.keep(root, "bob", CLAUDE)
    assert f" {tmp_path} in {root.path}/.names" in identity.who(root, None, {}).detail
    why = identity.who(root, None, CLAUDE).detail
    assert f" {root.path}/.sessions/claude-s1," in why and "CLAUDE_CODE_SESSION_ID" in why


def test_a_sibling_whose_name_only_begins_alike_is_not_below(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("work", "workshop"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir("work")
    keeping.keep(root, "alice", {})
    monkeypatch.chdir(tmp_path / "workshop")
    assert found(root, {}) == ("", "")


def test_lines_that_are_none_of_ours_say_nothing(root: Root, tmp_path: Path) -> None:
    (tmp_path / "mail/.names").write_bytes(
        b"no tab\n\t\n\xff\xfe\tbob\n" + os.fsencode(tmp_path) + b"\tno id!\n"
    )
    assert found(root, {}) == ("", "")
    keeping.keep(root, "alice", {})
    assert found(root, {}) == ("alice", "tree")


def test_what_an_editor_leaves_in_the_file_is_no_matter(root: Root, tmp_path: Path) -> None:
    here = os.getcwd()
    (tmp_path / "mail/.names").write_bytes(f"\ufeff{here}/\tbob\r\n/else\tcarl\r\n".encode())
    assert found(root, {}) == ("bob", "tree")
    keeping.keep(root, "alice", {})
    assert (tmp_path / "mail/.names").read_text() == f"/else\tcarl\n{here}\talice\n"


def test_two_sessions_with_two_names_are_nobody_rather_than_the_wrong_one(root: Root) -> None:
    keeping.keep(root, "alice", CLAUDE)
    keeping.keep(root, "bob", CODEX)
    one = identity.who(root, None, {**CLAUDE, **CODEX})
    assert one.two and not one.agent and "alice" in one.detail and "bob" in one.detail
    with pytest.raises(UsageError, match="two sessions"):
        keeping.keep(root, "alice", {**CLAUDE, **CODEX})
    sessions.keep(root, "codex-t1", "alice")
    assert found(root, {**CLAUDE, **CODEX}) == ("alice", "session")


def test_a_working_directory_that_is_gone_names_nobody(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert found(root, {}) == ("", "")


def test_whose_session_cannot_be_read_just_now_is_not_taken_for_another(root: Root) -> None:
    keeping.keep(root, "alice", {})
    keeping.keep(root, "bob", CLAUDE)
    path = f"{root.path}/.sessions/claude-s1"
    with bound_here(), mode(path, 0o000), pytest.raises(Unreadable):
        found(root, CLAUDE)
    os.unlink(path)
    os.mkdir(path)
    assert found(root, CLAUDE) == ("alice", "tree")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("part", ["", "/claude-s1"])
def test_a_session_that_another_user_keeps_to_himself_is_nobodys(root: Root, part: str) -> None:
    keeping.keep(root, "alice", {})
    keeping.keep(root, "bob", CLAUDE)
    path = f"{root.path}/.sessions{part}"
    os.chown(path, 65534, 65534)
    with bound_here(), mode(path, 0o700):
        assert found(root, CLAUDE) == ("alice", "tree")
