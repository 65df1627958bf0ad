"""Who is on the stage: writers and readers by command and by hand, and those who ask for work.

box0 and box1 receive letters on the mail side, where worker and boss have guardians; so have
digger and chief on the channel, where pia is another client.  Two bridges join both sides.
"""

import random
import sqlite3
import time
from collections.abc import Callable

from letters import find, make
from stage import CHANNEL, HOME, SWARM, Servant, Stage

from tests.peer import Peer

BOXES = ("box0", "box1")
ON_CHANNEL = ("--channel", CHANNEL)
SESSION = "0b5c-6a7e"
TIMES = ("--task-timeout", "15", "--ping-timeout", "2", "--stale", "6", "--poll", "0.5")
WORK = """#!/bin/sh
read -r line
echo "${line##* }" >>"$RUNS"
case $line in *long*) sleep 2 ;; *bad*) exit 3 ;; esac
echo fine
"""
WORDS = ("a short one", "a short one", "a long one", "a bad one")


def prepare(stage: Stage) -> None:
    """The tree, the channel, and everybody registered."""
    (stage.folder / "work.sh").write_text(WORK)
    people = ",".join((*BOXES, "writer0", "writer1", "writer2", "writer3"))
    demand(stage, "box0", "init", str(stage.disk), "--agents", people)
    for agent in ("worker", "boss"):
        words = ("--role", "r", "--archetype", "specialist", "--task", "t", "--status", "paused")
        demand(stage, agent, "register", agent, *words)
    demand(stage, "digger", "team", "create", CHANNEL)
    for agent in ("digger", "chief"):
        demand(stage, agent, "team", "join", CHANNEL)
    peer(stage).arrive("Pia")


def demand(stage: Stage, agent: str, *words: str) -> None:
    done = stage.run(agent, SWARM, *words)
    if done.code:
        raise SystemExit(f"{words}: {done.err.decode()}")


def servants(stage: Stage) -> list[Servant]:
    """Guardians, two to one of the agents, two bridges, and a watcher."""
    work = ("--exec", f"sh {stage.folder / 'work.sh'}")
    guard = (SWARM, "mamoru", *TIMES)
    return [
        Servant(stage, "worker", *guard, *work),
        Servant(stage, "worker", *guard, *work),
        Servant(stage, "boss", *guard, "--jsonl"),
        Servant(stage, "digger", *guard, *ON_CHANNEL, *work),
        Servant(stage, "chief", *guard, *ON_CHANNEL, "--jsonl"),
        Servant(stage, "box0", SWARM, "bridge", *ON_CHANNEL),
        Servant(stage, "box0", SWARM, "bridge", *ON_CHANNEL),
        Servant(stage, "box0", SWARM, "watch"),
    ]


def peer(stage: Stage) -> Peer:
    return Peer(str(stage.disk / "team" / CHANNEL / "team.db"), SESSION, CHANNEL)


# One thing that somebody does; the name is new each time.
Act = Callable[[Stage, str, str, random.Random], None]


def by_command(stage: Stage, agent: str, name: str, draw: random.Random) -> None:
    """`swarm send` with a key, repeated until it says that it is done."""
    boxes = BOXES if draw.randrange(4) == 0 else (draw.choice(BOXES),)
    argv = (SWARM, "send", *boxes, "-s", f"letter {name}", "--id", name)
    data = make(name, draw)
    for _ in range(draw.randint(1, 8)):
        done = stage.run(agent, *argv, data=data)
        acknowledge(stage, name, done.out, done.code)
        if done.code == 0 or stage.over.is_set():
            break


def by_hand(stage: Stage, agent: str, name: str, draw: random.Random) -> None:
    """The recipe, run by sh."""
    recipe = str(HOME / "scripts/by-hand/send.sh")
    argv = ("sh", recipe, draw.choice(BOXES), f"letter {name}")
    done = stage.run(agent, *argv, data=make(name, draw))
    acknowledge(stage, name, done.out, done.code)


def acknowledge(stage: Stage, name: str, out: bytes, code: int) -> None:
    """Only what was told of with exit 0 is owed."""
    if code == 0:
        for path in out.decode().splitlines():
            stage.ledger.sent.append((path.partition("/")[0], name, path))


def read(stage: Stage, agent: str, name: str, draw: random.Random) -> None:
    """Some way of reading."""
    way = draw.choice((("read", "--next"), ("read", "--all"), ("archive", "--read"), ("unread",)))
    done = stage.run(agent, SWARM, *way)
    if way[0] == "read":
        shown(stage, agent, done.out, done.code)


def shown(stage: Stage, box: str, out: bytes, code: int) -> None:
    """Enter what was shown; the last letter of a reader that failed may be cut short."""
    letters = find(out)
    if letters and not letters[-1][1] and code:
        letters.pop()
    for name, whole in letters:
        stage.ledger.shown.append((box, name, code == 0))
        if not whole:
            stage.ledger.wrong.append(f"torn: {box} was shown {name}")


def ask(stage: Stage, agent: str, name: str, draw: random.Random) -> None:
    """A task for a worker of the same side or, over the bridge, of the other."""
    where = ON_CHANNEL if agent == "chief" else ()
    worker = draw.choice(("worker", "digger"))
    retry = draw.choice(((), ("--queue",)))
    argv = (SWARM, "task", "request", worker, *where, *retry, "-s", f"{draw.choice(WORDS)} {name}")
    done = stage.run(agent, *argv)
    if done.code == 0:
        stage.ledger.tasks.append((agent, done.out.decode().strip(), name))
    if draw.randrange(5) == 0 and stage.ledger.tasks:
        side, key, _ = draw.choice(stage.ledger.tasks[-5:])
        where = ON_CHANNEL if side == "chief" else ()
        stage.run(side, SWARM, "task", "cancel", key, *where)


def say(stage: Stage, agent: str, name: str, draw: random.Random) -> None:
    """A row by the other client, to somebody on the mail side."""
    to = draw.choice(BOXES)
    with stage.still:
        try:
            client = peer(stage)
        except sqlite3.Error:
            return
        try:
            stage.ledger.rows.append((client.send("info_only", f"row {name}", to), name, to))
        except sqlite3.Error:
            pass
        finally:
            client.db.close()


ACTS: list[tuple[str, Act]] = [
    ("writer0", by_command),
    ("writer1", by_command),
    ("writer2", by_hand),
    ("box0", read),
    ("box1", read),
    ("boss", ask),
    ("chief", ask),
    ("pia", say),
]


def play(stage: Stage, agent: str, act: Act) -> None:
    """One of them: act after act until it is over."""
    draw = stage.chance(agent)
    number = 0
    while not stage.over.is_set():
        number += 1
        act(stage, agent, f"{agent}-{number}", draw)
        time.sleep(draw.uniform(0, 0.3))
