"""Where a session begins its context is empty, and where it ends nothing is left of it."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from swarm import lock
from swarm.harness import sessions
from swarm.harness.session import load
from swarm.mailbox.layout import Root

from .conftest import Hook, state

Mail = Callable[..., None]


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact", "fork"])
def test_a_context_that_begins_is_told_of_all_unread_mail(
    call: Hook, mail: Mail, source: str
) -> None:
    mail("01_x_aaaa", "02_x_bbbb")
    for _ in range(3):
        assert "2 new messages" in call("SessionStart", source=source)[0]
    assert call("Stop") == []


def test_who_has_no_name_is_told_once_how_to_get_one(root: Root, call: Hook) -> None:
    (said,) = call("SessionStart", agent=None)
    assert "swarm register NAME --role" in said and root.path in said and "--keep" in said
    assert call("SessionStart", agent=None, source="compact") == call("Stop", agent=None) == []
    assert len(call("SessionStart", agent=None, session="other")) == 1


def test_who_has_a_name_and_no_mail_hears_nothing(call: Hook) -> None:
    assert call("SessionStart") == []


def test_a_second_session_with_the_same_id_is_told(root: Root, call: Hook, mail: Mail) -> None:
    call("SessionStart", "codex", session="first")
    os.utime(f"{root.path}/.sessions/codex-first", (time.time() - 200,) * 2)
    (said,) = call("SessionStart")
    assert said.startswith("[swarm] Another session (codex, 3 min ago) is bob too")
    assert call("Stop") == []
    mail("01_x_aaaa")
    (said,) = call("SessionStart")
    assert said.splitlines()[1].startswith("[swarm] 1 new message for bob")


def test_an_end_leaves_nothing(root: Root, call: Hook, mail: Mail) -> None:
    mail("01_x_aaaa")
    call("SessionStart")
    (Path(root.path) / ".sessions/.claude-s.bell").touch()
    call("SessionEnd", reason="logout")
    assert list(Path(root.path, ".sessions").iterdir()) == []
    call("SessionEnd")


def test_a_name_that_was_kept_is_there_when_the_session_is_resumed(
    root: Root, call: Hook, mail: Mail
) -> None:
    mail("01_x_aaaa")
    sessions.keep(root, "claude-s", "bob")
    call("SessionStart", agent=None)
    call("SessionEnd", agent=None, reason="prompt_input_exit")
    assert sessions.others(root, "bob") == []
    assert "1 new message for bob" in call("SessionStart", agent=None, source="resume")[0]
    assert [one.name for one in sessions.others(root, "bob")] == ["claude-s"]


def test_a_name_goes_along_where_clearing_gives_the_session_another_id(
    root: Root, call: Hook, mail: Mail, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail("01_x_aaaa")
    sessions.keep(root, "claude-s", "bob")
    call("SessionEnd", agent=None, reason="clear")
    with monkeypatch.context() as another:
        another.setattr(os, "getppid", lambda: 1)
        assert "no name" in call("SessionStart", agent=None, session="x", source="clear")[0]
    assert "no name" in call("SessionStart", agent=None, session="y", source="startup")[0]
    assert "for bob" in call("SessionStart", agent=None, session="new", source="clear")[0]
    assert not state(root) and "agent: bob" in state(root, "claude-new")
    assert "no name" in call("SessionStart", agent=None, session="z", source="clear")[0]


def test_claude_s_shells_learn_their_session(root: Root, call: Hook, tmp_path: Path) -> None:
    file = tmp_path / "env"
    file.write_text("export OTHER=1\n")
    for harness in ("claude", "claude", "codex"):
        call("SessionStart", harness, session="a b", env={"CLAUDE_ENV_FILE": str(file)})
    assert file.read_text() == "export OTHER=1\nexport SWARM_SESSION='claude-a=20b'\n"


def test_sessions_without_a_sign_for_a_week_are_swept(root: Root, call: Hook) -> None:
    for name in ("claude-old", "codex-old", "pi-rung", "claude-new"):
        sessions.keep(root, name, "bob")
    folder = Path(root.path, ".sessions")
    (folder / "notes").touch()
    fd = lock.take(str(folder / ".pi-rung.bell"))
    for path in folder.iterdir():
        if path.name != "claude-new":
            os.utime(path, (time.time() - 8 * 86400,) * 2)
    call("SessionStart")
    os.close(fd)
    left = {path.name for path in folder.iterdir()}
    assert left == {"notes", "pi-rung", ".pi-rung.bell", "claude-new", "claude-s"}


def test_the_session_itself_is_not_swept_with_its_name(root: Root, call: Hook) -> None:
    sessions.keep(root, "claude-s", "bob")
    os.utime(f"{root.path}/.sessions/claude-s", (time.time() - 8 * 86400,) * 2)
    call("SessionStart", agent=None, source="resume")
    found = load(root, "claude-s")
    assert found and found.agent == "bob"
