"""Who an agent is in its own program, without saying so each time."""

import json
from pathlib import Path

import pytest

from .conftest import Swarm

ENTRY = ("--role", "r", "--archetype", "planner", "--task", "t")
# Whatever these tests run in is no session of theirs.
NO_SESSION = {"CLAUDE_CODE_SESSION_ID": "", "CODEX_THREAD_ID": "", "CURSOR_CONVERSATION_ID": ""}
CODEX = {**NO_SESSION, "CODEX_THREAD_ID": "t1"}


def test_nobody_is_told_how_to_be_somebody(tree: Path, swarm: Swarm) -> None:
    for words in (["whoami"], ["unread"]):
        done = swarm(*words, **NO_SESSION)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines()[0] == "swarm: no agent given"
        assert "swarm whoami --keep ID" in done.stderr


def test_what_is_kept_does_for_every_command(tree: Path, swarm: Swarm) -> None:
    done = swarm("whoami", "--keep", "bob", **NO_SESSION)
    assert done.stdout.split("\t")[:2] == ["bob", "tree"]
    assert done.stderr == f"bob is kept for the working tree {tree}\n"
    assert swarm("unread", "--count", **NO_SESSION).stdout == "1\n"
    assert swarm("whoami", "--forget", **NO_SESSION).stdout == "bob\n"
    assert swarm("unread", "--count", **NO_SESSION).returncode == 2
    assert swarm("whoami", "--forget", **NO_SESSION).stderr == "no name is kept here\n"


def test_who_registers_may_stay_who_it_is(tree: Path, swarm: Swarm) -> None:
    plain = swarm("register", "carl", *ENTRY, **CODEX)
    assert plain.stdout == "carl\n" and swarm("whoami", **CODEX).returncode == 2
    done = swarm("register", "dora", *ENTRY, "--keep", **CODEX)
    assert done.stderr == "dora is kept for the session codex-t1\n"
    assert swarm("whoami", **CODEX).stdout.split("\t")[:2] == ["dora", "session"]
    assert swarm("whoami", **NO_SESSION).returncode == 2


def test_a_place_of_anothers_is_refused_before_anything_is_done(tree: Path, swarm: Swarm) -> None:
    assert swarm("register", "dora", *ENTRY, "--keep", **CODEX).returncode == 0
    done = swarm("register", "carl", *ENTRY, "--keep", **CODEX)
    assert done.returncode == 5 and "kept for dora" in done.stderr
    assert not (tree / "mail/dir/carl.txt").exists()


def test_only_a_known_agent_is_kept(tree: Path, swarm: Swarm) -> None:
    assert swarm("whoami", "--keep", "nobody", **NO_SESSION).returncode == 4
    assert swarm("whoami", "--keep", "bob", "--forget", **NO_SESSION).returncode == 2
    assert not (tree / "mail/.names").exists()


def test_for_programs_it_says_source_and_reason(tree: Path, swarm: Swarm) -> None:
    item = json.loads(swarm("whoami", "--json", SWARM_AGENT="bob", **NO_SESSION).stdout)["agents"][
        0
    ]
    assert item.pop("why")
    assert item == {"id": "bob", "source": "SWARM_AGENT", "sessions": []}
    done = swarm("--as", "nobody", "whoami", **NO_SESSION)
    assert done.stdout.startswith("nobody\t--as\t") and "nobody is not known here" in done.stderr


@pytest.mark.parametrize("words", ["whoami", "whoami --json"])
def test_another_session_with_the_same_id_is_told(tree: Path, swarm: Swarm, words: str) -> None:
    swarm("whoami", "--keep", "bob", **CODEX)
    (tree / "mail/.sessions/claude-s").write_text("serves: bob\n")
    done = swarm(*words.split(), **CODEX)
    assert "another session uses bob too: claude-s, 0 s ago" in done.stderr
    if "--json" in words:
        told = json.loads(done.stdout)["agents"][0]["sessions"]
        assert [one["session"] for one in told] == ["claude-s"]


def test_two_sessions_in_one_environment_are_told(tree: Path, swarm: Swarm) -> None:
    swarm("whoami", "--keep", "bob", **CODEX)
    swarm("whoami", "--keep", "alice", SWARM_SESSION="pi-1", **NO_SESSION)
    done = swarm("unread", SWARM_SESSION="pi-1", **CODEX)
    assert done.returncode == 2 and "alice" in done.stderr and "bob" in done.stderr
