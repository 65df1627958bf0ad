"""Writers: by command, by the library, by hand, and by commands that are killed and tried again."""

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from course import HOME, LONG, SWARM, Course, Letter
from letters import make

BY_HAND = str(HOME / "scripts" / "by-hand" / "send.sh")
LIBRARY = str(Path(__file__).parent / "library.py")
TRIES = 6


def by_command(course: Course, agent: str, name: str, chance: random.Random) -> None:
    """`swarm send` to one mailbox, or to all at once."""
    boxes = course.boxes if chance.randrange(4) == 0 else [chance.choice(course.boxes)]
    argv = [SWARM, "send", *boxes, "-s", f"letter {name}"]
    out = course.run(agent, *argv, data=make(name, chance)).out
    acknowledge(course, name, out)


def by_hand(course: Course, agent: str, name: str, chance: random.Random) -> None:
    """The recipe, run by sh."""
    argv = ["sh", BY_HAND, chance.choice(course.boxes), f"letter {name}"]
    acknowledge(course, name, course.run(agent, *argv, data=make(name, chance)).out)


def killed(course: Course, agent: str, name: str, chance: random.Random) -> None:
    """`swarm send --id`, killed at some moment and tried again with the same key."""
    argv = [SWARM, "send", *course.boxes, "-s", f"letter {name}", "--id", name]
    data = make(name, chance)
    pids = course.ledger.killed_writers
    for _ in range(TRIES):
        delay = chance.uniform(0.2, 1.5) * course.usual
        done = course.killed(agent, *argv, data=data, delay=delay, pids=pids)
        if done.code == 0:
            break
    else:
        done = course.run(agent, *argv, data=data)
    acknowledge(course, name, done.out)


def acknowledge(course: Course, name: str, out: bytes) -> None:
    """Enter the deliveries that stdout tells of."""
    for path in out.decode().splitlines():
        box, _, _ = path.partition("/")
        course.ledger.sent.append((Letter(box, name), path))


def write(course: Course, agent: str, send: Callable[..., None]) -> None:
    """One writer: letter after letter until the end."""
    chance = course.chance(agent)
    number = 0
    while not course.stop.is_set():
        number += 1
        send(course, agent, f"{agent}-{number}", chance)


def library(course: Course, agent: str) -> None:
    """A process that sends by the library until its stdin is closed; its acknowledgements."""
    argv = [sys.executable, LIBRARY, course.root, agent, str(course.seed), *course.boxes]
    log = Path(course.folder, f"{agent}.log")
    with log.open("wb") as out:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=out)
        course.stop.wait()
        process.communicate(timeout=LONG)
    if process.returncode:
        course.ledger.failed.append(f"{agent}: library: exit {process.returncode}")
    for line in log.read_text().splitlines():
        name, path = line.split()
        acknowledge(course, name, path.encode())
