"""What the app tells of itself is what it does."""

import json
import subprocess
from pathlib import Path
from select import select

import pytest

from swarm import errors
from swarm.cli import grammar
from swarm.cli.describe import EXITS, FIELDS, description, grammar_source

from .conftest import CLEAN, SWARM, Swarm

# In this order: each makes what the next shows.
CALLS = {
    "created": "init more",
    "agents of register": "register alice --role r --archetype planner --task t",
    "agents": "agents",
    "delivered": "send bob -s s -m x -t U",
    "messages of sent": "sent",
    "messages": "--as bob unread",
    "messages of thread": "thread U",
    "messages of search": "search x",
    "messages of wait": "--as bob wait",
    "threads": "threads",
    "messages of read": "--as bob read --next",
    "marked": "--as bob mark one ack",
    "archived": "--as bob archive one",
    "agents of status": "status",
    "findings": "doctor",
    "agents of update": "update --status done",
    "removed": "cleanup --dry-run",
    "agents of unregister": "unregister",
}


def test_the_grammar_of_the_fast_parser_is_the_apps() -> None:
    source = Path(grammar.__file__).read_text()
    assert source == grammar_source(), "python -m swarm.cli.describe > swarm/cli/grammar.py"


def fields(name: str) -> list[str]:
    """What an item of the list has: that of its kind, and what only this command adds."""
    kind = name.partition(" of ")[0]
    if name in ("agents of register", "agents of update", "agents of unregister"):
        return ["id"]
    if name == "agents of status":
        return FIELDS[name]
    return [*FIELDS[kind], *(FIELDS[name] if name in FIELDS and name != kind else [])]


def test_every_answer_has_the_fields_it_is_said_to_have(tree: Path, swarm: Swarm) -> None:
    shown = set()
    for name, words in CALLS.items():
        done = swarm(*words.split(), "--json", SWARM_AGENT="alice")
        assert done.returncode == 0, (name, done.stderr)
        answer, key = json.loads(done.stdout), name.partition(" of ")[0]
        assert answer["v"] == 1 and next(iter(answer)) == key and answer[key], name
        if FIELDS[key]:
            assert [sorted(item) for item in answer[key]] == [sorted(fields(name))] * len(
                answer[key]
            )
        shown |= {key, name} & set(FIELDS)
    assert set(FIELDS) - shown == {"problems", "watch"}


def test_a_problem_has_the_fields_it_is_said_to_have(tree: Path, swarm: Swarm) -> None:
    (tree / "mail/dir/carl.txt").touch()
    problems = json.loads(swarm("status", "--json").stdout)["problems"]
    assert [list(problem) for problem in problems] == [FIELDS["problems"]]


def test_a_change_has_the_fields_it_is_said_to_have(tree: Path) -> None:
    argv = [SWARM, "watch", "--json"]
    with subprocess.Popen(argv, cwd=tree, env=CLEAN, stdout=subprocess.PIPE) as watch:
        assert watch.stdout
        while not select([watch.stdout], [], [], 0.2)[0]:  # until it listens
            (tree / "mail/dir/carl.txt").touch()
        line = watch.stdout.readline()
        watch.terminate()
    assert list(json.loads(line)) == [*FIELDS["watch"], "v"]


def test_every_error_has_an_exit_code_that_is_told() -> None:
    kinds = [errors.SwarmError, *errors.SwarmError.__subclasses__()]
    assert {kind.exit for kind in kinds} | {0, 130, 141} == set(EXITS)
    assert [item["exit"] for item in description()["exits"]] == sorted(EXITS)


@pytest.mark.parametrize("command", description()["commands"], ids=lambda c: str(c["name"]))
def test_everything_that_can_be_given_is_explained(command: dict[str, object]) -> None:
    flags = {flag for given in command["flags"] for flag in given["flags"]}  # type: ignore[attr-defined]
    assert {"--json", "--root", "--as"} <= flags and command["help"]
    for given in [*command["flags"], *command["arguments"]]:  # type: ignore[misc]
        assert given["help"], given
        assert given["value"] or given["flags"]
