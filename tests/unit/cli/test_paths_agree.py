"""The fast parser and the typer app are one command line, and the fast one stays light."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from swarm.cli.grammar import GRAMMAR
from swarm.cli.parse import parse

from .conftest import CLEAN, SWARM

HEAVY = {"re", "typing", "pathlib", "dataclasses", "rich", "typer", "asyncio", "watchfiles", "json"}
TYPER = "import sys; from swarm.cli.run import run; sys.exit(run(sys.argv[1:]))"
LOADED = """
import os, sys
os._exit = lambda code: None
from swarm.__main__ import main; main()
print("\\n".join(sys.modules), file=sys.stderr)
"""
CALLS = [
    "unread", "unread -n 0", "unread --count", "unread --exit-code", "unread --json",
    "unread --from alice --thread T", "read --next", "read --all --peek", "read nosuch",
    "read", "read --next --all", "reply one -s re -m -m", "wait --timeout 0 --from carl",
    "thread T", "thread nosuch", "unread --as nobody", "unread --nosuch", "unread -n many",
    "send alice -m x", "send nobody -s x -m y", "send alice", "unread --root nowhere",
    "task list --all --json", "task list -0 --as nobody", "task show nosuch", "task wait T --timeout 0", "task done",
    "hook", "hook nosuch Stop", "hook claude Nosuch", "hook claude Stop", "whoami", "wait --hook --thread T",
    "task update nosuch -s x", "task request nobody -s x", "task request", "task answer a b", "task",
]  # fmt: skip
HOT = ["unread", "send alice -s x -m y", "read --next", "wait", "reply one -m x"]
HOOK = "hook claude PostToolUse"


@pytest.mark.parametrize("words", CALLS)
def test_both_paths_give_the_same_answer(tree: Path, words: str) -> None:
    twin = tree.parent / "twin"
    shutil.copytree(tree, twin, symlinks=True)
    argv = ["--as", "bob", *words.split()]
    answers = []
    for folder, command in ((tree, [SWARM]), (twin, [sys.executable, "-c", TYPER])):
        done = subprocess.run(
            [*command, *argv], cwd=folder, env=CLEAN, capture_output=True,
            stdin=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        out = done.stdout.rpartition("_")[0] if "reply" in words else done.stdout
        answers.append((done.returncode, out, done.stderr))
    shutil.rmtree(twin)
    assert answers[0] == answers[1]


def loaded(tree: Path, words: str, said: str = "") -> tuple[str, set[str]]:
    """What a call of bob's says, and all that it imported."""
    argv = [sys.executable, "-S", "-c", LOADED, "--as", "bob", *words.split()]
    env = {**CLEAN, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(argv, cwd=tree, env=env, capture_output=True, text=True, input=said)
    assert done.returncode == 0, done.stderr
    return done.stdout, set(done.stderr.split())


@pytest.mark.parametrize("words", HOT)
def test_a_hot_command_imports_nothing_heavy(tree: Path, words: str) -> None:
    found = loaded(tree, words)[1]
    assert "swarm.cli.commands" in found and not HEAVY & found


@pytest.mark.parametrize("words", ["unread", "threads"])
def test_a_listing_of_plain_mail_parses_none(tree: Path, words: str) -> None:
    said, found = loaded(tree, words)
    assert said and "swarm.mailbox.plain" in found and "swarm.message" not in found


def test_a_hook_imports_less_still_where_nothing_is_new(tree: Path) -> None:
    """It runs after each tool of each agent: what it may load is listed."""
    said = '{"session_id":"s","tool_input":{"a":[1,"x"]}}'
    out, found = loaded(tree, HOOK, said)
    assert out and not HEAVY & found
    out, found = loaded(tree, HOOK, said)
    assert not out and not HEAVY & found
    assert {name for name in found if name.startswith("swarm.")} == {
        "swarm.__main__", "swarm.cli", "swarm.cli.call", "swarm.cli.grammar", "swarm.cli.hook_commands",
        "swarm.cli.main", "swarm.cli.parse", "swarm.disk", "swarm.errors",
        "swarm.harness", "swarm.harness.asked", "swarm.harness.hook", "swarm.harness.known",
        "swarm.harness.session", "swarm.identity", "swarm.mailbox", "swarm.mailbox.inbox",
        "swarm.mailbox.layout", "swarm.names", "swarm.syncing",
    }  # fmt: skip


@pytest.mark.parametrize("words", [*HOT, HOOK, "whoami --keep x"])
def test_a_hot_command_goes_the_fast_way(words: str) -> None:
    found = parse(["--root", "x", "--as", "bob", *words.split(), "--json"], GRAMMAR)
    assert found and (found[0], found[1]["as_"]) == (words.split()[0], "bob")


@pytest.mark.parametrize("words", ["task list --all", "task request amy -s x", "task wait k"])
def test_so_does_a_command_of_a_task(words: str) -> None:
    found = parse(words.split(), GRAMMAR)
    assert found and found[0] == " ".join(words.split()[:2])


@pytest.mark.parametrize("line", ["", "--version", "unread --help", "unread --nosuch", "nosuch"])
def test_help_and_usage_errors_are_the_apps(line: str) -> None:
    assert parse(line.split(), GRAMMAR) is None


def test_the_environment_of_the_tests_says_nothing_to_the_command() -> None:
    assert not [name for name in CLEAN if name.startswith("SWARM_")]
    assert os.access(SWARM, os.X_OK)
