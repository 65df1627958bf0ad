"""What is known of a session: one small file, which nothing odd in it can make wrong."""

import os
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm import disk
from swarm.harness import session
from swarm.harness.session import Locked, Session
from swarm.mailbox.layout import Root, init


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(init(str(tmp_path), ["alice", "bob"])[0].path, sync=False)


def all_of(one: Session) -> list[object]:
    return [getattr(one, name) for name in Session.__slots__]


NAMES = st.text(st.characters(exclude_characters="\0/"), min_size=1, max_size=30)


@given(st.lists(NAMES), st.integers(0, 99), st.sampled_from(["", "bob"]))
def test_what_is_written_is_read_again(told: list[str], count: int, agent: str) -> None:
    one = Session()
    one.told, one.notices, one.receipts, one.agent = told, count, 2 * count, agent
    assert all_of(session.parse(session.format_session(one))) == all_of(one)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_session(data: bytes) -> None:
    one = session.parse(data)
    assert one.notices >= 0 and one.receipts >= 0


def test_of_a_line_given_twice_the_first_counts() -> None:
    one = session.parse(b"agent: bob\nserves: no id!\nnotices: x\nagent: alice\ntold: cut of")
    assert (one.agent, one.serves, one.notices, one.told) == ("bob", "", 0, [])


@given(st.text(max_size=200))
def test_any_id_of_a_session_is_one_plain_name_or_none(text: str) -> None:
    name = session.file_name("claude", text)
    assert name == "" or (name.startswith("claude-") and len(name) <= session.NAME_MAX)
    assert session.PLAIN | {"="} >= set(name)


@given(st.text(max_size=20), st.text(max_size=20))
def test_two_sessions_never_have_one_file(one: str, other: str) -> None:
    if one != other:
        first, second = (session.file_name("claude", text) for text in (one, other))
        assert first != second or not first


def test_the_environment_names_the_session() -> None:
    assert session.here({}) == []
    assert session.here({"CODEX_THREAD_ID": "t/1"}) == [("CODEX_THREAD_ID", "codex-t=2f1")]
    both = {"SWARM_SESSION": "claude-s1", "CLAUDE_CODE_SESSION_ID": "s1"}
    assert session.here(both) == [("SWARM_SESSION", "claude-s1")]
    assert session.here({"SWARM_SESSION": "pi-abc"}) == [("SWARM_SESSION", "pi-abc")]
    assert session.here({"SWARM_SESSION": "pi-a=2f"}) == [("SWARM_SESSION", "pi-a=2f")]
    for odd in ("claude", "claude-", "other-x", "claude-../x", "pi-" + 200 * "x"):
        assert session.here({"SWARM_SESSION": odd}) == []


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
    monkeypatch.setattr(session, "PATIENCE_S", 0.01)
    with Locked(root, "pi-1"), pytest.raises(TimeoutError), Locked(root, "pi-1"):
        pass


def test_other_live_sessions_of_an_agent_are_known(root: Root, tmp_path: Path) -> None:
    folder = tmp_path / "mail/.sessions"
    for name, agent in (("claude-a", "bob"), ("codex-b", "bob"), ("pi-c", "alice")):
        session.keep(root, name, agent)
    (folder / "notes.txt").write_text("agent: bob\n")
    old = time.time() - session.LIVE_S - 60
    os.utime(folder / "codex-b", (old, old))
    assert [o.name for o in session.others(root, "bob")] == ["claude-a"]
    assert session.others(root, "bob", "claude-a") == []
    fd = disk.take(str(folder / ".codex-b.bell"))
    found = session.others(root, "bob", "claude-a")
    os.close(fd)
    assert [(o.name, o.harness) for o in found] == [("codex-b", "codex")]
    assert found[0].ago > session.LIVE_S


def test_one_that_only_serves_the_agent_counts_too(root: Root) -> None:
    with Locked(root, "gemini-g") as state:
        state.found.serves = "bob"
        state.save()
    assert [o.harness for o in session.others(root, "bob")] == ["gemini"]
