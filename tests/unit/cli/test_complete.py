"""Completion as shells ask for it: by the scripts that swarm gives them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from swarm.cli import words
from swarm.cli.complete import candidates
from swarm.cli.describe import words_source

from .conftest import CLEAN, SWARM, Swarm

BASH = """
eval "$(_SWARM_COMPLETE=source_bash swarm)"
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _swarm_completion swarm; echo "${COMPREPLY[@]}"; }
"""
# The line is what eval gets: the spec that _arguments would show.
ZSH = """
_arguments() { print -r -- "$1" }
_files() { print files }
compdef() { : }
eval "$(_SWARM_COMPLETE=source_zsh swarm)"
ask() { words=("$@"); CURRENT=$#; _swarm_completion }
"""
FISH = """
_SWARM_COMPLETE=source_fish swarm | source
function ask; complete -C "$argv"; end
"""


def shell(name: str, script: str, place: Path, **env: str) -> str:
    """What the shell says to the script."""
    if not shutil.which(name):
        pytest.skip(f"there is no {name} here")
    path = f"{os.path.dirname(SWARM)}:{os.environ['PATH']}"
    flags = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[name]
    done = subprocess.run(
        [name, *flags, "-c", script], cwd=place, env={**CLEAN, "PATH": path, "HOME": str(place), **env},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def offered(*line: str) -> list[str]:
    return [word for word, _ in candidates([*line[:-1]], line[-1])]


@pytest.fixture
def here(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tree)
    monkeypatch.delenv("SWARM_AGENT", raising=False)
    return tree


def test_the_words_are_the_apps() -> None:
    source = Path(words.__file__).read_text()
    assert source == words_source(), "run scripts/grammar"


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_each_shell_is_given_a_script(swarm: Swarm, name: str) -> None:
    done = swarm(_SWARM_COMPLETE=f"source_{name}")
    assert done.returncode == 0 and f"_SWARM_COMPLETE=complete_{name}" in done.stdout


def test_bash_is_offered_commands_flags_agents_and_messages(tree: Path) -> None:
    script = BASH + 'ask swarm un; ask swarm read --ne; ask swarm send b; ask swarm read ""'
    assert shell("bash", script, tree, SWARM_AGENT="bob").splitlines()[:3] == [
        "unregister unread", "--next", "bob",
    ]  # fmt: skip
    script = BASH + 'ask swarm --as bob read ""; ask swarm unread --as = bo'
    first, second = shell("bash", script, tree).splitlines()
    assert [first] == [path.name for path in (tree / "mail/bob/inbox").glob("*.txt")]
    assert second == "bob"


def test_zsh_gets_them_as_a_spec_with_help(tree: Path) -> None:
    out = shell(
        "zsh", ZSH + "ask swarm unreg; ask swarm send --as x b; ask swarm send x -m ''", tree
    )
    assert out.splitlines() == [
        '*: :(("unregister":"Leave\\: remove the entry, keep the mail."))', '*: :(("bob"))', "files",
    ]  # fmt: skip


def test_fish_gets_them_too(tree: Path) -> None:
    out = shell("fish", FISH + 'ask "swarm unreg"; ask "swarm send b"', tree)
    assert out.splitlines() == ["unregister\tLeave: remove the entry, keep the mail.", "bob"]


def test_nothing_is_said_outside_of_a_mail_tree_or_for_nobody(tmp_path: Path) -> None:
    script = BASH + 'ask swarm send ""; ask swarm --as nobody read ""; ask swarm nosuch ""'
    assert shell("bash", script, tmp_path).split() == []


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("--as bob thread |", ["T"]),
        ("unread --thread |", []),  # nobody asks
        ("--as bob unread --thread |", ["T"]),
        ("--as bob mark one d|", ["delivered", "done"]),
        ("update --status p|", ["paused"]),
        ("register x --archetype pl|", ["planner"]),
        ("--as bob task show |", ["T"]),
        ("--as bob read 09|", []),  # a draft is no mail yet
        ("--as bob trace 09|", ["09_draft.txt"]),
        ("task wa|", ["wait"]),
        ("--as b|", ["bob"]),
        ("--root nowhere --as |", []),
        ("--root mail --as b|", ["bob"]),
        ("send -|", [flag for flag in words.WORDS["send"][1] if flag.startswith("--")]),
        ("thread T |", []),  # it takes no second
        ("send alice bob ali|", ["alice"]),
        ("send -m ali|", []),
        ("--he|", ["--help"]),
    ],
)
def test_what_can_stand_at_a_place_is_offered(here: Path, line: str, wanted: list[str]) -> None:
    (here / "mail/bob/drafts/09_draft.txt").write_text("")
    *given, begun = line.rstrip("|").split(" ")
    assert offered(*given, begun) == wanted


def test_a_group_says_what_it_holds() -> None:
    (told,) = [help for word, help in candidates([], "team")]
    assert told.startswith("create, list, join")


def test_others_text_never_reaches_the_shell(here: Path, swarm: Swarm) -> None:
    inbox = here / "mail/bob/inbox"
    for name in ("02_$(touch x).txt", "03_`touch x`.txt", "04_a b.txt", "05_*.txt", "06_';x'.txt"):
        (inbox / name).write_text("To: bob\nFrom: alice\nSubject: s\nThread: $(touch x)\n---\n")
    assert [name[:2] for name in offered("--as", "bob", "read", "")] == ["01"]
    assert offered("--as", "bob", "thread", "") == ["T"]


def test_a_broken_answer_is_no_answer(tree: Path, swarm: Swarm) -> None:
    for env in ({}, {"COMP_WORDS": "swarm 'send", "COMP_CWORD": "x"}, {"COMP_CWORD": "99"}):
        done = swarm(_SWARM_COMPLETE="complete_bash", **env)
        assert done.returncode == 0 and not done.stderr
