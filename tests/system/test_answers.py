"""What the command answers where something is in the way: never less than what happened."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..unit.rights import SWARM, bound, mode

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SWARM_")}
ENTRY = ("--role", "r", "--archetype", "planner", "--task", "t")
MAIL = "To: bob\nFrom: alice\nSubject: {}\nThread: T\n---\nbody\n"
Done = subprocess.CompletedProcess[str]


def run(folder: Path, *words: str, stdout: object = subprocess.PIPE, **env: str) -> Done:
    return subprocess.run(
        [SWARM, *words], cwd=folder, env={**CLEAN, "SWARM_FSYNC": "0", **env}, text=True,
        stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, timeout=30,
    )  # type: ignore[call-overload,no-any-return]  # fmt: skip


def unheard(folder: Path, *words: str) -> Done:
    """As bob, on a full disk for the answer."""
    with open("/dev/full", "w") as full:
        return run(folder, *words, stdout=full, SWARM_AGENT="bob")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """bob is registered, and has 01_one.txt and 02_two.txt from alice."""
    run(tmp_path, "init", ".", "--agents", "alice")
    run(tmp_path, "register", "bob", *ENTRY)
    for name in ("01_one", "02_two"):
        (tmp_path / f"mail/bob/inbox/{name}.txt").write_text(MAIL.format(name))
    return tmp_path


@pytest.fixture
def shut(tree: Path) -> Path:
    """01_one.txt cannot be read."""
    (tree / "mail/bob/inbox/01_one.txt").chmod(0)
    return tree


def files(tree: Path) -> set[str]:
    return {str(path.relative_to(tree)) for path in tree.rglob("*")}


# A body that nobody can give


@pytest.mark.parametrize("words", ["send alice -s s", "send alice -s s -F -", "reply one"])
def test_a_closed_stdin_is_no_body(tree: Path, words: str) -> None:
    before = files(tree)
    argv = ["sh", "-c", f"exec {SWARM} --as bob {words} <&-"]
    done = subprocess.run(argv, cwd=tree, env=CLEAN, capture_output=True, text=True, timeout=30)
    told = "swarm: no body\nhint: give it with -m or -F, or pipe it in\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
    assert files(tree) == before


# An answer that cannot be written


def test_a_closed_output_is_told(tree: Path) -> None:
    argv = ["sh", "-c", f"exec {SWARM} --as bob unread --count >&-"]
    done = subprocess.run(argv, cwd=tree, env=CLEAN, stderr=subprocess.PIPE, text=True, timeout=30)
    told = "swarm: the output is closed\nhint: open it, or send it to /dev/null\n"
    assert (done.returncode, done.stderr) == (1, told)


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ("init more", "more/mail/dir"),
        ("register carl --role r --archetype planner --task t", "mail/dir/carl.txt"),
        ("send alice -s s -m x --id k", "mail/alice/inbox/*_s_*.txt"),
        ("reply one -m x", "mail/alice/inbox/*_re-01-one_*.txt"),
        ("archive one", "mail/bob/sent/01_one.txt"),
    ],
)
def test_what_was_done_is_not_asked_for_again(tree: Path, words: str, made: str) -> None:
    done = unheard(tree, *words.split())
    assert done.returncode not in (0, 1, 2) and len(list(tree.glob(made))) == 1
    line, hint = done.stderr.splitlines()
    assert line.startswith("swarm: cannot write to the output: ")
    assert hint == f"hint: the {words.split()[0]} itself was done: look before you repeat it"


@pytest.mark.parametrize(
    ("words", "holds"),
    [("update --status error", "status: error"), ("mark one done", "Status: done"),
     ("unregister", None), ("cleanup", None)],
)  # fmt: skip
def test_for_programs_it_is_told_too(tree: Path, words: str, holds: str | None) -> None:
    entry = tree / "mail/dir/bob.txt"
    if words == "cleanup":
        entry.write_text(entry.read_text().replace("active", "done"))
    done = unheard(tree, *words.split(), "--json")
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert error["exit"] == done.returncode != 0
    assert error["hint"] == f"the {words.split()[0]} itself was done: look before you repeat it"
    changed = tree / "mail/bob/inbox/01_one.txt" if "mark" in words else entry
    assert holds in changed.read_text() if holds else not changed.exists()


@pytest.mark.parametrize("words", ["unread", "read --next", "read --all", "read one two --json"])
def test_what_nobody_could_read_is_unread(tree: Path, words: str) -> None:
    before = files(tree)
    done = unheard(tree, *words.split())
    assert done.returncode == 75 and "run the same command again" in done.stderr
    assert files(tree) == before
    assert run(tree, "--as", "bob", "unread", "--count").stdout == "2\n"


@pytest.mark.parametrize("words", ["--help", "--version", "send --help", "describe", "status"])
def test_even_help_on_a_full_disk_is_no_traceback(tree: Path, words: str) -> None:
    done = unheard(tree, *words.split())
    assert done.returncode == 75
    assert done.stderr.startswith("swarm: cannot write to the output: ")


# A message that cannot be read


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("unread", True), ("unread --from alice", True), ("unread --from carl", False),
        ("unread --thread T -n 9", True), ("unread --exit-code", True), ("threads", True),
        ("thread T", True), ("thread T --everywhere", True), ("thread U", False),
        ("search body", True), ("search nothing", False), ("wait", True),
        ("read --all --peek", True),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_and_told_by_the_code(
    shut: Path, words: str, shown: bool
) -> None:
    done = bound("--as", "bob", *words.split(), cwd=shut)
    assert done.returncode == 6 and "bob/inbox/01_one.txt" in done.stderr
    assert ("02_two" in done.stdout) == shown
    told = bound("--as", "bob", *words.split(), "--json", cwd=shut)
    error = json.loads(told.stderr.splitlines()[-1])["error"]
    assert (error["exit"], told.returncode) == (6, 6) and "01_one.txt" in error["message"]


def test_a_wait_is_not_ended_by_what_cannot_be_read(shut: Path) -> None:
    (shut / "mail/bob/inbox/02_two.txt").unlink()
    done = bound("--as", "bob", "wait", "--timeout", "0.1", cwd=shut)
    assert (done.returncode, done.stdout) == (124, "")
    assert "cannot read bob/inbox/01_one.txt" in done.stderr


def test_an_entry_that_cannot_be_read_is_told_by_the_code(tree: Path) -> None:
    (tree / "mail/dir/bob.txt").chmod(0)
    done = bound("agents", cwd=tree)
    assert done.returncode == 6 and "dir/bob.txt is damaged: cannot be read" in done.stderr


# What is asked for


def test_a_thread_everywhere_is_asked_for_by_nobody_in_particular(tree: Path) -> None:
    done = run(tree, "thread", "T", "--everywhere")
    assert (done.returncode, done.stderr) == (0, "") and "01_one.txt" in done.stdout
    assert run(tree, "thread", "T").returncode == 2


@pytest.mark.parametrize("key", ["", " "])
def test_an_empty_key_is_refused(tree: Path, key: str) -> None:
    before = files(tree)
    done = run(tree, "--as", "bob", "send", "alice", "-s", "s", "-m", "x", "--id", key)
    assert done.returncode == 2 and done.stderr.startswith("swarm: --id is empty\nhint: ")
    assert files(tree) == before


@pytest.mark.parametrize("command", ["unread", "unread --count", "wait --timeout 0"])
@pytest.mark.parametrize("option", ["--from", "--thread"])
def test_an_empty_filter_is_refused(tree: Path, command: str, option: str) -> None:
    done = run(tree, "--as", "bob", *command.split(), option, "")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"swarm: {option} is empty\nhint: ")


def test_a_filter_that_only_looks_empty_is_none(tree: Path) -> None:
    (tree / "mail/bob/inbox/03.txt").write_text(
        "To: bob\nFrom: \u3000\nSubject: s\nThread: \u00a0\n---\n"
    )
    for option, value in (("--from", "\u3000"), ("--thread", "\u00a0")):
        assert run(tree, "--as", "bob", "unread", option, value).stdout == "03.txt\t\u3000\ts\n"
    told = run(tree, "--as", "bob", "send", "alice", "-t", "\u00a0", "-s", "s", "-m", "x")
    path = tree / "mail" / told.stdout.strip()
    assert "\nThread: \u00a0\n" in path.read_text()


def test_a_repeated_key_says_so_and_sends_nothing(tree: Path) -> None:
    send = ("--as", "bob", "send", "alice", "-s", "s", "-m", "x", "--id", "k")
    first = run(tree, *send)
    before = files(tree)
    again, program = run(tree, *send), run(tree, *send, "--json")
    assert first.stderr == "" and again.stdout == first.stdout and files(tree) == before
    for done in (again, program):
        assert (done.returncode, done.stderr.count("nothing new was sent")) == (0, 1)
    assert json.loads(program.stdout)["delivered"][0]["path"] == first.stdout.strip()


def test_a_new_thread_is_named(tree: Path) -> None:
    send = ("--as", "bob", "send", "alice", "-s", "s", "-m", "x", "--new-thread", "review")
    plain, program = run(tree, *send), json.loads(run(tree, *send, "--json").stdout)
    key = plain.stderr.strip().removeprefix("thread ")
    assert key.startswith("review-") and program["thread"].startswith("review-")
    for thread, path in (
        (key, plain.stdout.strip()),
        (program["thread"], program["delivered"][0]["path"]),
    ):
        assert f"\nThread: {thread}\n" in (tree / "mail" / path).read_text()
    assert key != program["thread"]


def test_without_a_command_the_help_is_no_answer(tree: Path) -> None:
    bare, asked = run(tree), run(tree, "--help")
    assert (bare.returncode, bare.stdout) == (2, "") and (asked.returncode, asked.stderr) == (0, "")
    assert bare.stderr.startswith("Usage: swarm ") and " send " in bare.stderr
    assert bare.stderr.split() == asked.stdout.split()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("task request", "TO is missing"),
        ("register x", "--role is missing"),
        ("task request bob hello you", "unexpected: hello you"),
        ("mamoru bob", "an agent after --as"),
    ],
)
def test_a_wrong_call_is_told_in_the_words_of_the_help(tree: Path, words: str, told: str) -> None:
    done = run(tree, *words.split())
    assert done.returncode == 2 and told in done.stderr


def test_the_version_is_told_without_a_tree(tmp_path: Path) -> None:
    from swarm import __version__

    for argv in ([SWARM], [sys.executable, "-m", "swarm"]):
        done = subprocess.run([*argv, "--version"], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, f"swarm {__version__}\n")


@pytest.mark.parametrize("seconds", ["-1", "-0.1", "nan", "soon", ""])
def test_a_wait_takes_seconds_from_0_up(tree: Path, seconds: str) -> None:
    for words in (["--timeout", seconds], [f"--timeout={seconds}"]):
        done = run(tree, "--as", "bob", "wait", *words)
        assert (done.returncode, done.stdout) == (2, "") and "--timeout" in done.stderr


def test_what_an_orchestrator_may_not_look_into_is_no_empty_answer(tree: Path) -> None:
    with mode(tree / "mail/bob/inbox", 0):
        done = bound("status", "--json", cwd=tree)
        (problem,) = json.loads(done.stdout)["problems"]
        assert (problem["kind"], problem["agent"]) == ("unreadable", "bob")
        assert bound("--as", "bob", "unread", cwd=tree).returncode == 6
