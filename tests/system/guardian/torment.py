"""Guardians killed at any step, again and again: every effect has to be there exactly once.

A round: amy says a few things to bob, whose guardian is started and killed, at a drawn step or
after a drawn time.  At the end one that nobody kills finishes what is left, and all is counted.
"""

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

from swarm.events import Event
from tests.system.guardian.place import KINDS, Person, environment, prepare, store

DRIVER = Path(__file__).with_name("driver.py")
VERDICTS = ("task_ack", "task_reject")
ENDS = ("task_done", "task_fail", "task_cancel_ack")
WORK = """read -r line
echo "$SWARM_TASK" >>"{runs}"
echo update: begun
case $line in *long*) sleep 1 ;; *bad*) exit 3 ;; esac
echo fine
"""
STEPS = {"mail": 40, "team": 120}


class Torment:
    """One store, and the rounds on it.  ``mode``: what its guardians do with the messages."""

    def __init__(self, kind: str, mode: str, place: Path, seed: int) -> None:
        self.kind, self.mode, self.place = kind, mode, place
        self.random = random.Random(seed)
        self.out, self.err = place / "out", place / "err"
        self.runs = place / "runs"
        (place / "work.sh").write_text(WORK.format(runs=self.runs))
        prepare(kind, place)
        self.store = store(kind, place)
        self.amy = Person(self.store.open("amy"), kind)
        self.said: list[Event] = []
        self.killed_at_a_step = 0

    def start(self, kill: int = 0) -> "subprocess.Popen[bytes]":
        mode = f"exec:sh {self.place / 'work.sh'}" if self.mode == "exec" else self.mode
        with open(self.out, "ab") as out, open(self.err, "ab") as err:
            return subprocess.Popen(
                [sys.executable, str(DRIVER), self.kind, str(self.place), mode, "bob"],
                env=environment() | {"GUARD_KILL": str(kill)},
                stdout=out,
                stderr=err,
            )

    def say_something(self) -> None:
        """What amy says in a round: requests, cancels of what is open, pings, remarks."""
        for _ in range(self.random.randint(1, 4)):
            what = self.random.choice(["task_req", "task_req", "cancel", "ping", "info_only"])
            requests = [event for event in self.said if event.kind == "task_req"]
            if what == "cancel" and requests:
                self.say("task_cancel", task=self.random.choice(requests[-3:]).task)
            elif what != "cancel":
                words = self.random.choice(["a short one", "a long one", "a bad one"])
                self.say(what, content=f"{words} {len(self.said)}")

    def say(self, kind: str, **more: str) -> None:
        self.said.append(self.amy.say(kind, "bob", **more))

    def round(self) -> None:
        """One guardian, killed."""
        self.say_something()
        by_step = self.random.random() < 0.7
        process = self.start(self.random.randint(1, STEPS[self.kind]) if by_step else 0)
        try:
            process.wait(1.2 if by_step else 0.3 + self.random.random())
            self.killed_at_a_step += 1
        except subprocess.TimeoutExpired:
            process.kill()
        assert process.wait() == -signal.SIGKILL, self.err.read_text()
        self.check_nothing_twice()

    def finish(self) -> None:
        """One that nobody kills; ended by SIGTERM when all is answered."""
        self.say("ping")
        process = self.start()
        end = time.monotonic() + 20
        try:
            while missing := self.missing():
                assert time.monotonic() < end and process.poll() is None, (
                    missing,
                    self.err.read_text()[-2000:],
                )
                time.sleep(0.05)
        finally:
            process.send_signal(signal.SIGTERM)
            begun = time.monotonic()
            code = process.wait(10)
        took = time.monotonic() - begun
        assert code == 0 and took < 2.5, (code, took, self.err.read_text()[-3000:])
        self.check_nothing_twice()
        self.check_unread()

    def missing(self) -> list[str]:
        """What is still owed to amy."""
        answers = Counter((event.ref, event.kind) for event in self.amy.look())
        ended = Counter(event.task for event in self.amy.seen if event.kind in ENDS)
        owed = []
        for event in self.said:
            if event.kind == "ping" and not answers[event.id, "pong"]:
                owed.append(f"pong to {event.id}")
            if event.kind == "task_cancel" and not answers[event.id, "task_cancel_ack"]:
                owed.append(f"ack of cancel {event.id}")
            if event.kind == "task_req":
                verdict = [kind for kind in VERDICTS if answers[event.id, kind]]
                if not verdict and not ended[event.task]:
                    owed.append(f"verdict on {event.task}")
                if verdict == ["task_ack"] and self.mode == "exec" and not ended[event.task]:
                    owed.append(f"end of {event.task}")
        return owed + sorted(f"forward {one}" for one in self.remarks() - self.forwarded())

    def remarks(self) -> set[str]:
        """What was said that needs a mind; under exec it stays unread."""
        found = {event.id for event in self.said if event.kind == "info_only"}
        return found if self.mode == "jsonl" else set()

    def forwarded(self) -> set[str]:
        lines = self.out.read_bytes().split(b"\n")[:-1]
        return {record["id"] for record in map(json.loads, lines) if "id" in record}

    def check_nothing_twice(self) -> None:
        """No answer, verdict, end or run of a task is there twice."""
        seen = self.amy.look()
        answers = Counter((e.ref, e.kind) for e in seen if e.ref and e.kind != "task_update")
        assert not [pair for pair, count in answers.items() if count > 1], answers
        for kinds in (VERDICTS, ("task_done", "task_fail")):
            counts = Counter(event.task for event in seen if event.kind in kinds)
            assert not [task for task, count in counts.items() if count > 1], counts
        runs = Counter(self.runs.read_text().split() if self.runs.exists() else [])
        assert not [task for task, count in runs.items() if count > 1], runs
        done = {event.task for event in seen if event.kind == "task_done"}
        assert self.mode != "exec" or done <= runs.keys(), (done, runs)

    def check_unread(self) -> None:
        """Only what is left for a mind is unread, and bob is as free as he should be."""
        bob = self.store.open("bob")
        left = {event.id for event in bob.receive() if event.kind != "broadcast"}
        stays = self.mode == "exec" and self.kind == "mail"
        assert left == ({e.id for e in self.said if e.kind == "info_only"} if stays else set())
        assert self.mode != "exec" or bob.status() == "available"
        bob.close()

    def close(self) -> None:
        self.store.close()


def run(kind: str, mode: str, rounds: int, seed: int) -> int:
    """The rounds, in a folder of their own; how many guardians died at a step."""
    with tempfile.TemporaryDirectory(prefix="torment-") as place:
        torment = Torment(kind, mode, Path(place), seed)
        try:
            for _ in range(rounds):
                torment.round()
            torment.finish()
        finally:
            torment.close()
        return torment.killed_at_a_step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500, help="of each kind of store")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    options = parser.parse_args()
    each, batch = 0, 25
    for start in range(0, options.rounds, batch):
        for kind in KINDS:
            mode = ("exec", "jsonl")[each // 2 % 2]
            seed = options.seed + each
            each += 1
            rounds = min(batch, options.rounds - start)
            print(f"{kind} {mode}: {rounds} rounds, seed {seed}", end=" ", flush=True)
            count = run(kind, mode, rounds, seed)
            print(f"- every effect once; {count} died at a step", flush=True)


if __name__ == "__main__":
    main()
