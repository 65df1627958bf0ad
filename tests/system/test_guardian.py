"""Guardians as processes, over mail and over a channel: killed, ended, two at once."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from swarm.errors import Conflict
from swarm.mamoru.run_command import INTERRUPTED

from .guardian.place import KINDS, Person, environment, prepare, store
from .guardian.torment import run

DRIVER = Path(__file__).parent / "guardian" / "driver.py"
ROUNDS = 5


class Team:
    """amy is a person, bob is guarded by processes of the test."""

    def __init__(self, kind: str, place: Path) -> None:
        self.kind, self.place = kind, place
        prepare(kind, place)
        self.store = store(kind, place)
        self.amy = Person(self.store.open("amy"), kind)
        self.processes: list[subprocess.Popen[bytes]] = []

    def guard(self, mode: str, **variables: str) -> "subprocess.Popen[bytes]":
        with open(self.place / "out", "ab") as out, open(self.place / "err", "ab") as err:
            process = subprocess.Popen(
                [sys.executable, str(DRIVER), self.kind, str(self.place), mode, "bob"],
                env=environment() | variables,
                stdout=out,
                stderr=err,
            )
        self.processes.append(process)
        return process

    def guarded(self, mode: str, **variables: str) -> "subprocess.Popen[bytes]":
        """One that is known to be at work."""
        process = self.guard(mode, **variables)
        ping = self.amy.say("ping", "bob")
        self.until(lambda: [e for e in self.amy.look() if e.kind == "pong" and e.ref == ping.id])
        return process

    def until(self, condition: Callable[[], Any], seconds: float = 15.0) -> Any:
        end = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < end, (self.place / "err").read_text()
            time.sleep(0.01)
        return found

    def kinds(self, task: str) -> list[str]:
        return [event.kind for event in self.amy.look() if event.task == task]

    def forwarded(self) -> list[Any]:
        return [json.loads(line) for line in (self.place / "out").read_text().splitlines()]

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        self.store.close()


@pytest.fixture(params=KINDS)
def team(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Team]:
    made = Team(request.param, tmp_path)
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["exec", "jsonl"])
@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_any_step_again_and_again_every_effect_is_there_once(
    kind: str, mode: str
) -> None:
    assert run(kind, mode, ROUNDS, seed=7) > 0, "none died at a step: the draw is too wide"


def test_a_command_is_a_working_teammate(team: Team) -> None:
    team.guarded("exec:sh -c 'cat; echo update: half; echo fine'")
    task = team.amy.say("task_req", "bob", content="please").task
    team.until(lambda: team.kinds(task) == ["task_ack", "task_update", "task_done"])
    (done,) = [event for event in team.amy.seen if event.kind == "task_done"]
    text = done.body or Path(done.detail).read_bytes()
    assert done.content == "fine" and text == b"please\nupdate: half\nfine\n"


def test_a_cancel_ends_the_command(team: Team) -> None:
    team.guarded(f"exec:sh -c 'echo $$ >{team.place}/pid; sleep 60'")
    task = team.amy.say("task_req", "bob").task
    pid = int(
        team.until(lambda: (team.place / "pid").exists() and (team.place / "pid").read_text())
    )
    team.amy.say("task_cancel", "bob", task=task)
    team.until(lambda: team.kinds(task) == ["task_ack", "task_cancel_ack"])
    team.until(lambda: not os.path.exists(f"/proc/{pid}"))


def test_a_killed_guardian_takes_its_command_along_and_the_next_one_says_so(team: Team) -> None:
    process = team.guarded(f"exec:sh -c 'echo $$ >>{team.place}/pid; sleep 60'")
    task = team.amy.say("task_req", "bob").task
    pid = int(
        team.until(lambda: (team.place / "pid").exists() and (team.place / "pid").read_text())
    )
    process.kill()
    process.wait()
    team.until(lambda: not os.path.exists(f"/proc/{pid}"))
    team.guarded("exec:true")
    team.until(lambda: team.kinds(task) == ["task_ack", "task_fail"])
    (failed,) = [event for event in team.amy.seen if event.kind == "task_fail"]
    assert failed.content == INTERRUPTED
    assert len((team.place / "pid").read_text().split()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_within_2_s_though_a_command_is_at_work(
    team: Team, number: signal.Signals
) -> None:
    process = team.guarded("exec:sh -c \"trap '' INT TERM; echo begun; sleep 60\"")
    task = team.amy.say("task_req", "bob").task
    team.until(lambda: team.kinds(task) == ["task_ack"])
    begun = time.monotonic()
    process.send_signal(number)
    assert process.wait(10) == 0 and time.monotonic() - begun < 2.0
    assert team.kinds(task) == ["task_ack", "task_fail"]


def test_it_says_goodbye_only_if_asked(team: Team) -> None:
    for leave, status in (("", "available"), ("1", "inactive")):
        process = team.guarded("left", **({"GUARD_LEAVE": leave} if leave else {}))
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert team.store.roster()["bob"].status == status


def test_a_second_guardian_of_one_agent_is_refused(team: Team) -> None:
    team.guarded("left")
    second = team.guard("left")
    assert second.wait(15) == Conflict.exit
    assert "guarded by another process" in (team.place / "err").read_text()


def test_a_standstill_makes_nobody_look_dead(team: Team) -> None:
    """SIGSTOP is not silence of the others; the roster tells nothing new right after it."""
    process = team.guarded("jsonl")
    process.send_signal(signal.SIGSTOP)
    time.sleep(7)
    process.send_signal(signal.SIGCONT)
    team.until(lambda: "stood still" in (team.place / "err").read_text())
    assert team.store.roster()["amy"].status == "available"


def test_lines_of_json_carry_what_needs_thinking(team: Team) -> None:
    team.guarded("jsonl")
    said = team.amy.say("info_only", "bob", content="lunch at noon")
    team.until(lambda: [r for r in team.forwarded() if r.get("id") == said.id])
    assert [r["content"] for r in team.forwarded()] == ["lunch at noon"]
