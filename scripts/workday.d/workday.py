"""Plays a working day: see ``scripts/workday``."""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

BIN = Path(sys.executable).parent
SWARM = str(BIN / "swarm")
ENV = {name: value for name, value in os.environ.items() if not name.startswith("SWARM_")}
SUITES = {
    "passes": "def test_one(): assert 1 + 1 == 2\n",
    "fails": "def test_one(): assert 1 + 1 == 3\n",
    "long": "import time\ndef test_one(): time.sleep(20)\n",
    "floods": "def test_one():\n    for n in range(30000): print('line', n)\n    assert False\n",
    "breaks": "import nothing_of_that_name\n",
}
# What each ends as, unless it was cancelled or its guardian died.
ENDS = {"passes": "done", "fails": "failed", "long": "done", "floods": "failed", "breaks": "failed"}
RUNNER = """#!/bin/sh
read -r suite
echo "$SWARM_TASK" >> "$RUNS"
echo "update: running $suite"
exec "$PYTHON" -m pytest -q -p no:cacheprovider "$SUITES/test_$suite.py"
"""
GRACE = 180.0


class Side:
    """One transport: boss asks, tester works, each with a guardian."""

    def __init__(self, folder: Path, channel: bool) -> None:
        self.folder = folder
        self.where = ["--channel", "ops"] if channel else []
        self.env = {**ENV, "SWARM_TEAM_HOME": str(folder / "team"), "RUNS": str(folder / "runs"),
                    "PYTHON": sys.executable, "SUITES": str(folder / "suites")}  # fmt: skip
        self.asked: dict[str, str] = {}
        self.cancelled: set[str] = set()
        self.killed = 0
        (folder / "suites").mkdir(parents=True)
        for name, text in SUITES.items():
            (folder / f"suites/test_{name}.py").write_text(text)
        (folder / "run.sh").write_text(RUNNER)
        self._enter(channel)
        self.guards = {agent: self._guard(agent) for agent in ("boss", "tester")}

    def _enter(self, channel: bool) -> None:
        if channel:
            self.swarm("team", "create", "ops")
        else:
            self.swarm("init", ".")
        for agent in ("boss", "tester"):
            if channel:
                self.swarm("--as", agent, "team", "join", "ops")
            else:
                self.swarm("register", agent, "--role", agent, "--archetype", "specialist",
                           "--task", "a working day", "--status", "paused")  # fmt: skip

    def swarm(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            [SWARM, *words], cwd=self.folder, env=self.env, capture_output=True, text=True
        )
        if check and done.returncode:
            raise SystemExit(f"{words}: {done.stderr}")
        return done.stdout.strip()

    def _guard(self, agent: str) -> "subprocess.Popen[bytes]":
        how = ["--exec", "sh run.sh"] if agent == "tester" else ["--jsonl"]
        with open(self.folder / f"{agent}.log", "ab") as log:
            return subprocess.Popen(
                [SWARM, "mamoru", "--as", agent, *self.where, *how, "--task-timeout", "90"],
                cwd=self.folder, env=self.env, stdout=log, stderr=log,
            )  # fmt: skip

    def ask(self, draw: random.Random) -> None:
        suite = draw.choice([*SUITES, "passes", "passes", "fails"])
        retry = draw.choice([[], ["--queue"], ["--queue"], ["--block"]])
        key = self.swarm("--as", "boss", "task", "request", "tester", *self.where, *retry,
                         "-s", f"run {suite}", "-m", suite)  # fmt: skip
        self.asked[key] = suite

    def cancel(self, draw: random.Random) -> None:
        found = [task["task"] for task in self.tasks() if task["state"] in ("accepted", "asked")]
        if found:
            key = draw.choice(found)
            self.swarm("--as", "boss", "task", "cancel", key, *self.where, check=False)
            self.cancelled.add(key)

    def kill(self, draw: random.Random) -> None:
        agent = draw.choice(list(self.guards))
        self.guards[agent].kill()
        self.guards[agent].wait()
        self.killed += 1
        time.sleep(draw.random())
        self.guards[agent] = self._guard(agent)

    def pause(self, draw: random.Random) -> None:
        guard = draw.choice(list(self.guards.values()))
        guard.send_signal(signal.SIGSTOP)
        time.sleep(draw.uniform(0.5, 4))
        guard.send_signal(signal.SIGCONT)

    def tasks(self) -> list[dict[str, str]]:
        found = json.loads(
            self.swarm("--as", "boss", "task", "list", "--all", "--json", *self.where)
        )
        return list(found["tasks"])

    def open(self) -> list[str]:
        finals = ("done", "failed", "rejected", "cancelled")
        return [task["task"] for task in self.tasks() if task["state"] not in finals]

    def end(self) -> None:
        for guard in self.guards.values():
            guard.terminate()
            guard.wait(20)

    def account(self) -> tuple[Counter[str], list[str]]:
        """How the tasks ended, and what is wrong."""
        ends, wrong = Counter[str](), []
        tasks = {task["task"]: task for task in self.tasks()}
        runs = Counter((self.folder / "runs").read_text().split())
        wrong += [f"{key} ran {n} times" for key, n in runs.items() if n > 1]
        for key, suite in self.asked.items():
            state = tasks[key]["state"] if key in tasks else "lost"
            ends[state] += 1
            if state not in ("done", "failed", "rejected", "cancelled"):
                wrong.append(f"{key} ({suite}) is {state}")
            elif state == "done" and ENDS[suite] != "done":
                wrong.append(f"{key} ({suite}) is done")
        return ends, wrong


def main() -> int:
    words = argparse.ArgumentParser()
    words.add_argument("--minutes", type=float, default=60)
    words.add_argument("--seed", type=int, default=None)
    given = words.parse_args()
    seed = given.seed if given.seed is not None else random.randrange(1_000_000)
    draw = random.Random(seed)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        sides = {kind: Side(Path(folder, kind), kind == "channel") for kind in ("mail", "channel")}
        try:
            work(sides, draw, 60 * given.minutes)
            return report(sides)
        finally:
            for side in sides.values():
                side.end()


def work(sides: dict[str, Side], draw: random.Random, seconds: float) -> None:
    """Ask for this and that, and disturb who does it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        side = draw.choice(list(sides.values()))
        draw.choice([side.ask] * 6 + [side.cancel, side.kill, side.pause])(draw)
        time.sleep(draw.uniform(0.5, 6))


def report(sides: dict[str, Side]) -> int:
    late = time.monotonic() + GRACE
    while time.monotonic() < late and any(side.open() for side in sides.values()):
        time.sleep(1)
    failed = 0
    for kind, side in sides.items():
        side.end()
        ends, wrong = side.account()
        said = ", ".join(f"{count} {state}" for state, count in sorted(ends.items()))
        print(f"{kind}: {len(side.asked)} tasks, {side.killed} guardians killed: {said}")
        for line in wrong:
            print(f"  {line}")
        failed += len(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
