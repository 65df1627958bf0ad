"""The fast parser and the typer app are one command line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from swarm.cli.describe import grammar_source
from swarm.cli.grammar import GRAMMAR
from swarm.cli.parse import parse

BIN = os.path.join(sys.prefix, "bin", "swarm")
HEAVY = {"re", "typing", "pathlib", "dataclasses", "rich", "typer", "asyncio", "watchfiles", "json"}
TYPER = "import sys; from swarm.cli.run import run; sys.exit(run(sys.argv[1:]))"


def test_the_grammar_is_the_apps() -> None:
    import swarm.cli.grammar as module

    assert module.__file__
    assert Path(module.__file__).read_text() == grammar_source(), "python -m swarm.cli.describe"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    subprocess.run([BIN, "init", ".", "--agents", "alice,bob"], cwd=tmp_path, check=True)
    send = [BIN, "--as", "alice", "send", "bob", "-s", "one", "-m", "x", "-t", "T"]
    subprocess.run(send, cwd=tmp_path, check=True)
    return tmp_path


CALLS = [
    "unread", "unread -n 0", "unread --count", "unread --exit-code", "unread --json",
    "unread --from alice --thread T", "read --next", "read --all --peek", "read nosuch",
    "read", "read --next --all", "reply one -s re -m -m", "wait --timeout 0 --from carl",
    "thread T", "thread nosuch", "unread --as nobody", "unread --nosuch", "unread -n many",
    "send alice -m x", "send nobody -s x -m y", "send alice", "unread --root nowhere",
]  # fmt: skip


@pytest.mark.parametrize("words", CALLS)
def test_both_paths_give_the_same_answer(tree: Path, words: str) -> None:
    twin = tree.parent / "twin"
    shutil.copytree(tree, twin, symlinks=True)
    argv = ["--as", "bob", *words.split()]
    answers = []
    for folder, command in ((tree, [BIN]), (twin, [sys.executable, "-c", TYPER])):
        done = subprocess.run(
            [*command, *argv], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, text=True
        )
        out = done.stdout.rpartition("_")[0] if "reply" in words else done.stdout
        answers.append((done.returncode, out, done.stderr))
    shutil.rmtree(twin)
    assert answers[0] == answers[1]


@pytest.mark.parametrize("words", ["unread", "send alice -s x -m y", "read --next", "wait"])
def test_a_hot_command_imports_nothing_heavy(tree: Path, words: str) -> None:
    code = (
        "import os, sys\n"
        "os._exit = lambda c: None\n"
        "from swarm.__main__ import main; main()\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    argv = [sys.executable, "-S", "-c", code, "--as", "bob", *words.split()]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(argv, cwd=tree, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not HEAVY & set(done.stderr.split())


def test_what_the_fast_parser_does_not_know_goes_to_typer() -> None:
    for argv in (["unread", "--help"], ["unread", "--nosuch"], ["unread", "-n"], ["nosuch"], []):
        assert parse(argv, GRAMMAR) is None
    found = parse(["--as", "bob", "unread", "-n", "3", "--count"], GRAMMAR)
    assert found and found[1]["n"] == 3 and found[1]["as_"] == "bob"
