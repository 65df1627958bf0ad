"""What an agent's own program calls, and who the agent is in it without saying so each time."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swarm.cli import hook_commands, render
from swarm.cli.main import guarded
from swarm.harness import asked, known

from .conftest import CLEAN, SWARM, Swarm

SAID = b'{"session_id":"s","stop_hook_active":false}'

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
    assert done.stderr.splitlines()[0] == f"bob is kept for the working tree {tree}"
    done = swarm("whoami", "--keep", "bob", SWARM_AGENT="alice", **NO_SESSION)
    assert (
        done.stdout.split("\t")[0] == "alice" and "here you are alice all the same" in done.stderr
    )
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


def test_what_is_kept_is_nothing_that_doctor_wonders_at(tree: Path, swarm: Swarm) -> None:
    before = swarm("doctor").stdout
    swarm("whoami", "--keep", "bob", **NO_SESSION)
    swarm("whoami", "--keep", "bob", **CODEX)
    assert (tree / "mail/.names").exists() and (tree / "mail/.sessions").exists()
    assert swarm("doctor").stdout == before


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
    done = swarm("--as", "bob", "whoami", **NO_SESSION)  # a mailbox is all it has
    assert done.returncode == 0 and done.stderr.startswith("bob has no entry, so no list has it: ")
    swarm("register", "bob", *ENTRY)
    assert swarm("--as", "bob", "whoami", **NO_SESSION).stderr == ""


@pytest.mark.parametrize("words", ["whoami", "whoami --json"])
def test_another_session_with_the_same_id_is_told(tree: Path, swarm: Swarm, words: str) -> None:
    swarm("whoami", "--keep", "bob", **CODEX)
    (tree / "mail/.sessions/claude-s").write_text("serves: bob\n")
    done = swarm(*words.split(), **CODEX)
    assert "another session uses bob too: claude-s, 0 s ago" in done.stderr
    if "--json" in words:
        told = json.loads(done.stdout)["agents"][0]["sessions"]
        assert [one["session"] for one in told] == ["claude-s"]


def test_the_one_session_of_gemini_is_no_other_to_its_own_shell(tree: Path, swarm: Swarm) -> None:
    """Its shells are told that they are of Gemini CLI, and not of which session."""
    swarm("whoami", "--keep", "bob", **NO_SESSION)
    (tree / "mail/.sessions").mkdir(exist_ok=True)
    (tree / "mail/.sessions/gemini-s").write_text("serves: bob\n")
    own = {**NO_SESSION, "GEMINI_CLI": "1"}
    assert "gemini-s" in swarm("whoami", **NO_SESSION).stderr
    assert "another session" not in swarm("whoami", **own).stderr
    (tree / "mail/.sessions/claude-s").write_text("serves: bob\n")
    (tree / "mail/.sessions/gemini-t").write_text("serves: bob\n")
    assert swarm("whoami", **own).stderr.count("another session") == 3


def test_two_sessions_in_one_environment_are_told(tree: Path, swarm: Swarm) -> None:
    swarm("whoami", "--keep", "bob", **CODEX)
    swarm("whoami", "--keep", "alice", SWARM_SESSION="pi-1", **NO_SESSION)
    done = swarm("unread", SWARM_SESSION="pi-1", **CODEX)
    assert done.returncode == 2 and "alice" in done.stderr and "bob" in done.stderr


# The hook


def hook(
    tree: Path, *words: str, said: bytes | int = SAID, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    given = {"stdin": said} if isinstance(said, int) else {"input": said}
    return subprocess.run(
        [SWARM, "hook", *words], cwd=tree, capture_output=True, timeout=30,
        env={**CLEAN, **NO_SESSION, "SWARM_AGENT": "bob", **(env or {})}, **given,
    )  # type: ignore[call-overload,no-any-return]  # fmt: skip


def test_new_mail_is_told_in_the_harness_s_format(tree: Path) -> None:
    done = hook(tree, "claude", "Stop")
    said = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert said["decision"] == "block" and '"one"' in said["reason"]
    assert hook(tree, "claude", "Stop").stdout == b""


@pytest.mark.parametrize(
    "said", [b"", b"null", b"{", b"\xff\xfe\x00", SAID[:-5], b'{"x":' + b"[" * 10**6], ids=str
)
def test_what_is_no_input_is_answered_with_silence(tree: Path, said: bytes) -> None:
    done = hook(tree, "claude", "Stop", said=said)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_neither_a_terminal_nor_a_closed_input_is_waited_for(tree: Path) -> None:
    ours, terminal = os.openpty()
    assert hook(tree, "claude", "Stop", said=terminal).returncode == 0
    os.close(terminal)
    os.close(ours)
    done = subprocess.run(["sh", "-c", f"{SWARM} hook claude Stop <&-"], cwd=tree, env=CLEAN)
    assert done.returncode == 0


def test_a_hundred_megabytes_are_read_to_their_end(tree: Path) -> None:
    """The harness shall not meet a closed pipe."""
    done = hook(tree, "claude", "PostToolUse", said=SAID[:-1] + b',"x":"' + b"x" * 10**8 + b'"}')
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def broken(tree: Path, how: str) -> dict[str, str]:
    if how == "no root":
        return {"SWARM_ROOT": "/nowhere"}
    if how == "no such agent":
        return {"SWARM_AGENT": "nobody"}
    if how == "sessions in the way":
        (tree / "mail/.sessions").touch()
    if how == "an inbox that is a file":
        (tree / "mail/bob/inbox").rename(tree / "away")
        (tree / "mail/bob/inbox").touch()
    return {}


BROKEN = ["no root", "no such agent", "sessions in the way", "an inbox that is a file"]


@pytest.mark.parametrize("how", BROKEN)
def test_its_own_failure_is_silence_and_its_reason_is_there_on_request(
    tree: Path, how: str
) -> None:
    env = broken(tree, how)
    for event in ("Stop", "SessionStart", "SessionEnd"):
        done = hook(tree, "claude", event, env=env)
        assert (done.returncode, done.stderr) == (0, b"")
        assert not done.stdout or "no name" in done.stdout.decode()
    told = hook(tree, "claude", "Stop", env={**env, "SWARM_DEBUG": "1"})
    assert told.returncode == 0 and told.stdout == b""
    assert told.stderr.startswith(b"swarm: ") or how == "no such agent"
    told = hook(tree, "claude", "Nosuch", env={**env, "SWARM_DEBUG": "1"})
    assert (told.returncode, told.stdout) == (0, b"") and b"no such event" in told.stderr


def test_an_answer_that_nobody_takes_is_given_again(tree: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [SWARM, "--as", "bob", "hook", "claude", "Stop"], input=SAID, cwd=tree, env=CLEAN, stdout=full,
            stderr=subprocess.PIPE,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert hook(tree, "claude", "Stop").stdout


def test_on_a_full_disk_nothing_is_said_that_could_not_be_noted(tree: Path) -> None:
    """It would be said again after each tool.  A limit on files stands for the disk."""
    script = f"ulimit -f 0; exec {SWARM} --as bob hook claude PostToolUse"
    for _ in range(2):
        done = subprocess.run(
            ["sh", "-c", script], input=SAID, cwd=tree, env=CLEAN, capture_output=True
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert hook(tree, "claude", "PostToolUse").stdout


def test_an_event_of_a_newer_harness_is_none_of_ours(tree: Path) -> None:
    for event in ("Nosuch", "SubagentStop", "PreToolUse", ""):
        assert hook(tree, "claude", event).stdout == b""
    done = hook(tree, "nosuch", "Stop")
    assert done.returncode == 2 and b"no harness 'nosuch'" in done.stderr


def test_a_name_kept_in_a_session_is_whom_its_hooks_serve(tree: Path, swarm: Swarm) -> None:
    nobody = {"SWARM_AGENT": ""}
    assert b"no name" in hook(tree, "codex", "SessionStart", env=nobody).stdout
    swarm("whoami", "--keep", "bob", **{**CODEX, "CODEX_THREAD_ID": "s"})
    assert b"for bob" in hook(tree, "codex", "PostToolUse", env=nobody).stdout


ANY_CALL = st.sampled_from([(h, event) for h, events in known.EVENTS.items() for event in events])
INSIDE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["s", "clear"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
KEYS = st.sampled_from(["session_id", "conversation_id", "cwd", "source", "reason", "status", "agent_id", "stop_hook_active"])  # fmt: skip
SAYINGS = st.dictionaries(KEYS, INSIDE).map(
    lambda said: json.dumps({"session_id": "s", **said}).encode()
)
CUT = st.tuples(SAYINGS, st.integers(0, 60)).map(lambda pair: pair[0][: pair[1]])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_CALL, SAYINGS | CUT | st.binary(max_size=60))
def test_any_bytes_are_answered_with_silence_or_one_object_of_the_right_form(
    tree: Path, monkeypatch: pytest.MonkeyPatch, call: tuple[str, str], said: bytes
) -> None:
    heard: list[bytes] = []
    shutil.rmtree(tree / "mail/.sessions", ignore_errors=True)
    with monkeypatch.context() as here:
        here.chdir(tree)
        here.setattr(asked, "read", lambda fd: said)
        here.setattr(render, "write", lambda data, fd=1: heard.append(data))
        here.delenv("SWARM_DEBUG", raising=False)
        options = {"harness": call[0], "event": call[1], "root": None, "as_": "bob"}
        assert guarded(hook_commands.hook, options) == 0
    assert len(heard) <= 1
    for line in heard:
        assert len(line) <= 901 and line.endswith(b"}\n")
        assert call[0] in FORMS[frozenset(json.loads(line))]


FORMS = {
    frozenset(["hookSpecificOutput"]): ("claude", "codex", "gemini"),
    frozenset(["decision", "reason"]): ("claude", "codex", "gemini"),
    frozenset(["additional_context"]): ("cursor",),
    frozenset(["followup_message"]): ("cursor",),
    frozenset(["notice"]): ("opencode", "pi"),
}


# The doorbell


def doorbell(tree: Path, *words: str, **env: str) -> "subprocess.Popen[bytes]":
    started = subprocess.Popen(
        [SWARM, "wait", "--hook", *words], cwd=tree, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**CLEAN, **NO_SESSION, "SWARM_AGENT": "bob", **env},
    )  # fmt: skip
    assert started.stdin
    started.stdin.write(SAID)
    started.stdin.close()
    started.stdin = None
    return started


def test_the_doorbell_wakes_with_exit_2_and_a_notice_on_stderr(tree: Path) -> None:
    with doorbell(tree) as one:
        out, err = one.communicate(timeout=30)
    assert (one.returncode, out) == (2, b"") and b'alice "one"' in err
    assert (tree / "mail/.sessions/claude-s").exists()
    assert hook(tree, "claude", "Stop").stdout == b""


def test_the_doorbell_of_another_harness_is_known_by_its_variable(tree: Path) -> None:
    with doorbell(tree, CODEX_THREAD_ID="s") as one:
        one.communicate(timeout=30)
    assert (tree / "mail/.sessions/codex-s").exists()


@pytest.mark.parametrize("how", ["in time", *BROKEN])
def test_nothing_else_wakes_an_agent(tree: Path, how: str) -> None:
    """A failure that did would wake it at the end of each of its turns."""
    env = broken(tree, how)
    if how == "in time":
        (tree / "mail/bob/inbox").rename(tree / "away")
    with doorbell(tree, "--timeout", "0", **env) as one:
        assert one.communicate(timeout=30) == (b"", b"")
    assert one.returncode == 0


def test_a_doorbell_for_some_mail_only_is_refused_without_waking(tree: Path) -> None:
    with doorbell(tree, "--from", "alice") as one:
        assert b"--hook waits for all mail" in one.communicate(timeout=30)[1]
    assert one.returncode == 1


def test_a_doorbell_whose_program_is_killed_ends_too(tree: Path) -> None:
    """Even with a shell between the two that lives on."""
    script = f"{SWARM} wait --hook; true"
    (tree / "mail/bob/inbox").rename(tree / "away")
    ours, its = os.pipe()
    with subprocess.Popen(
        ["sh", "-c", script], cwd=tree, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=its,
        env={**CLEAN, **NO_SESSION, "SWARM_AGENT": "bob"},
    ) as shell:  # fmt: skip
        os.close(its)
        assert shell.stdin and shell.stdout
        shell.stdin.write(SAID)
        shell.stdin.close()
        end, bell = time.monotonic() + 10, tree / "mail/.sessions/.claude-s.bell"
        while not bell.exists() and time.monotonic() < end:
            time.sleep(0.01)
        assert bell.exists()
        os.close(ours)
        shell.wait(20)
    assert not bell.exists()


@pytest.mark.parametrize("call", ["--as bob hook claude Stop", "hook claude Stop --as bob"])
def test_a_program_that_names_no_session_is_told_once_for_its_agent(tree: Path, call: str) -> None:
    argv, env = [SWARM, *call.split()], {**CLEAN, **NO_SESSION}
    first, again = (
        subprocess.run(argv, input=b"{}", cwd=tree, env=env, stdout=-1).stdout for _ in range(2)
    )
    assert json.loads(first)["decision"] == "block" and again == b""
