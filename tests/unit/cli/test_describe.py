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
    "found": "install --project",
    "files": "install claude --dry-run",
    "trace": "trace one",
    "nudges": "nudge alice",
    "tasks of task request": "task request bob -s s -m x",
    "tasks": "task list",
    "sent": "--as bob task done {task} -s s -m x",
    "tasks of task wait": "task wait {task}",
    "tasks of task show": "task show {task}",
    "agents of roster": "--as bob roster",
    "created of team create": "team create ops",
    "channels": "team list",
    "agents of team join": "team join ops",
    "agents of team roster": "team roster ops",
    "messages of team history": "team history ops",
    "agents of team leave": "team leave ops",
    "removed of team prune": "--as bob team prune ops",
    "agents of update": "update --status done",
    "agents of whoami": "whoami",
    "removed": "cleanup --dry-run",
    "agents of unregister": "unregister",
}


def test_the_grammar_of_the_fast_parser_is_the_apps() -> None:
    source = Path(grammar.__file__).read_text()
    assert source == grammar_source(), "run scripts/grammar"


def test_every_answer_has_the_fields_it_is_said_to_have(tree: Path, swarm: Swarm) -> None:
    shown, task = {"problems", "watch", "events"}, ""
    for name, words in CALLS.items():
        env = {"SWARM_AGENT": "alice", "SWARM_TEAM_HOME": str(tree)}
        done = swarm(*words.format(task=task).split(), "--json", **env)
        assert done.returncode == 0, (name, done.stderr)
        answer, key = json.loads(done.stdout), name.partition(" of ")[0]
        assert answer["v"] == 1 and next(iter(answer)) == key and answer[key], name
        fields = FIELDS.get(name, FIELDS[key])
        for item in answer[key] if fields else ():
            assert sorted(item) == sorted(fields), name
            assert all(sorted(e) == sorted(FIELDS["events"]) for e in item.get("events", ()))
            task = item["task"] if key == "tasks" else task
        shown |= {key, name} & set(FIELDS)
    assert set(FIELDS) == shown | {"missing", "up", "down"}


def test_what_bridges_answers_as_it_is_said_to(tree: Path, swarm: Swarm) -> None:
    env = {"SWARM_AGENT": "alice", "SWARM_TEAM_HOME": str(tree)}

    def said(*words: str) -> object:
        return json.loads(swarm(*words, "--json", **env).stdout)

    swarm("team", "join", "ops", **env)
    bridge = ("bridge", "--channel", "ops")
    missing = said(*bridge, "--dry-run")["missing"]  # type: ignore[index]
    assert [sorted(one) for one in missing] == [sorted(FIELDS["missing"])] * len(missing) != []
    assert said(*bridge, "--once") == {"missing": [], "v": 1}
    assert [list(one) for one in said("up", "-d")["up"]] == [FIELDS["up"]]  # type: ignore[index]
    assert [list(one) for one in said("down")["down"]] == [FIELDS["down"]]  # type: ignore[index]


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
    first = str(command["help"]).partition(". ")[0].partition("\n")[0]
    assert len(first) <= 66, "a list of commands, 80 columns wide, would cut it"
    for given in [*command["flags"], *command["arguments"]]:  # type: ignore[misc]
        assert given["help"], given
        assert given["value"] or given["flags"]
