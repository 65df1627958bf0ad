"""Real processes on one store: each message once, and what the kernel takes back."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from swarm.errors import Conflict
from swarm.transport.base import Outcome

SCRIPT = Path(__file__).parent / "process.py"


def start(world: Any, agent: str) -> subprocess.Popen[str]:
    if not world.place.processes:
        pytest.skip("lives in one process")
    arguments = [str(world.path), str(world.folder), agent, str(world.folder / "stop")]
    child = subprocess.Popen(
        [sys.executable, str(SCRIPT), *arguments], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout and child.stdout.readline() == "open\n"
    return child


def end(world: Any, *children: subprocess.Popen[str]) -> None:
    (world.folder / "stop").touch()
    for child in children:
        child.wait(10)
        assert child.stdout
        child.stdout.close()


def test_a_dead_guardian_gives_its_agent_back(world: Any) -> None:
    child = start(world, "bob")
    store = world.store()
    with pytest.raises(Conflict):
        store.open("bob")
    child.kill()
    end(world, child)
    assert store.open("bob").me == "bob"


def test_two_processes_answer_each_message_once(world: Any) -> None:
    children = [start(world, agent) for agent in ("bob", "eve")]
    amy = world.open("amy")
    for number in range(20):
        for to in ("bob", "eve"):
            world.say("ping", to=to, content=f"n{number}")
    heard: Counter[tuple[str, str]] = Counter()
    patience = time.monotonic() + 20
    while sum(heard.values()) < 40 and time.monotonic() < patience:
        for event in amy.receive():
            heard[event.sender, event.content] += 1
            amy.commit(event, Outcome())
        world.stores[0].wait(0.1)
    end(world, *children)
    assert amy.receive() == []
    assert heard == {(to, f"n{number}"): 1 for number in range(20) for to in ("bob", "eve")}


def test_a_killed_guardian_is_followed_without_loss_or_repetition_k11(world: Any) -> None:
    amy = world.open("amy")
    for number in range(40):
        world.say("ping", content=f"n{number}")
    heard: list[str] = []
    for life in range(6):
        child = start(world, "bob")
        time.sleep(0.01 * life)
        child.kill()
        end(world, child)
        (world.folder / "stop").unlink()
    last = start(world, "bob")
    patience = time.monotonic() + 20
    while len(heard) < 40 and time.monotonic() < patience:
        for event in amy.receive():
            heard.append(event.content)
            amy.commit(event, Outcome())
        time.sleep(0.05)
    end(world, last)
    heard += [event.content for event in amy.receive()]
    assert heard == [f"n{number}" for number in range(40)]
