"""The files of sessions: one writer at a time, and who else is about."""

import os
import threading
import time
from pathlib import Path

import pytest

from swarm import lock
from swarm.harness import session, sessions
from swarm.harness.sessions import Locked
from swarm.mailbox.layout import Root
from swarm.mailbox.making import init


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(init(str(tmp_path), ["alice", "bob"])[0].path, sync=False)


def test_one_at_a_time_has_the_file(root: Root) -> None:
    """And what is saved replaces all that was there, in the same file."""

    def note() -> None:
        for _ in range(20):
            with Locked(root, "pi-1") as state:
                state.found.notices += 1
                state.found.told = ["x" * (10 * (state.found.notices % 3))]
                state.save()

    threads = [threading.Thread(target=note) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = session.load(root, "pi-1")
    assert found and (found.notices, found.told) == (80, ["x" * 20])


def test_one_that_is_new_is_known_as_new(root: Root) -> None:
    with Locked(root, "pi-1") as state:
        assert state.new
        state.save()
    with Locked(root, "pi-1") as state:
        assert not state.new


def test_who_holds_it_for_ever_stops_nobody(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PATIENCE_S", 0.01)
    with Locked(root, "pi-1"), pytest.raises(TimeoutError), Locked(root, "pi-1"):
        pass


def test_other_live_sessions_of_an_agent_are_known(root: Root, tmp_path: Path) -> None:
    folder = tmp_path / "mail/.sessions"
    for name, agent in (("claude-a", "bob"), ("codex-b", "bob"), ("pi-c", "alice")):
        sessions.keep(root, name, agent)
    (folder / "notes.txt").write_text("agent: bob\n")
    old = time.time() - sessions.LIVE_S - 60
    os.utime(folder / "codex-b", (old, old))
    assert [o.name for o in sessions.others(root, "bob")] == ["claude-a"]
    assert sessions.others(root, "bob", "claude-a") == []
    fd = lock.take(str(folder / ".codex-b.bell"))
    found = sessions.others(root, "bob", "claude-a")
    os.close(fd)
    assert [(o.name, o.harness) for o in found] == [("codex-b", "codex")]
    assert found[0].ago > sessions.LIVE_S


def test_a_sign_that_is_yet_to_come_is_no_sign(root: Root) -> None:
    """The clock was wrong when it was given: a session is not alive for days by that."""
    sessions.keep(root, "pi-1", "bob")
    later = time.time() + 3 * 86400
    os.utime(f"{root.path}/.sessions/pi-1", (later, later))
    assert sessions.others(root, "bob") == []


def test_one_that_only_serves_the_agent_counts_too(root: Root) -> None:
    with Locked(root, "gemini-g") as state:
        state.found.serves = "bob"
        state.save()
    assert [o.harness for o in sessions.others(root, "bob")] == ["gemini"]


def test_very_much_unread_mail_is_remembered(root: Root) -> None:
    told = [f"{n:05}_a-subject-of-forty-characters-or-nearly-so_{n:08x}.txt" for n in range(30_000)]
    with Locked(root, "pi-1") as state:
        state.found.told = told
        state.save()
    found = session.load(root, "pi-1")
    assert found and found.told == told
