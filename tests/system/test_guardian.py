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


def test_it_says_goodbye_only_if_asked(team: Team) -> None:
    for leave, status in (("", "available"), ("1", "inactive")):
        process = team.guarded("left", **({"GUARD_LEAVE": leave} if leave else {}))
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert team.store.roster()["bob"].status == status


def test_a_standstill_makes_nobody_look_dead(team: Team) -> None:
    """SIGSTOP is not silence of the others; the roster tells nothing new right after it."""
    process = team.guarded("jsonl")
    process.send_signal(signal.SIGSTOP)
    time.sleep(7)
    process.send_signal(signal.SIGCONT)
    team.until(lambda: "stood still" in (team.place / "err").read_text())
    assert team.store.roster()["amy"].status == "available"
