"""Accounts, when the faults are over, for all that was acknowledged."""

import json
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cast import BOXES, ON_CHANNEL, shown
from letters import find
from stage import CHANNEL, SWARM, Stage

FINAL = frozenset(("done", "failed", "rejected", "cancelled"))
GRACE = 120.0
LATER = 2 * 86400  # seconds


class Account:
    """What is there, against the ledger; each rule gives the cases that break it."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.ledger = stage, stage.ledger
        self.mail = stage.disk / "mail"

    def settle(self) -> float:
        """Wait until everything has crossed and ended; the seconds it took."""
        begun = time.monotonic()
        while time.monotonic() < begun + GRACE and (self.open_tasks() or self.not_crossed()):
            time.sleep(1)
        return time.monotonic() - begun

    def drain(self) -> None:
        """Read what is left, so that every letter was shown to somebody."""
        for box in BOXES:
            done = self.stage.run(box, SWARM, "read", "--all")
            shown(self.stage, box, done.out, done.code)
            left = self.stage.run(box, SWARM, "unread")
            if left.out or left.code:
                self.ledger.wrong.append(f"{box}: still unread: {left.out!r} {left.err!r}")

    def tasks(self, side: str) -> dict[str, str]:
        """The state of each task that one asked for."""
        where = ON_CHANNEL if side == "chief" else ()
        done = self.stage.run(side, SWARM, "task", "list", "--all", "--json", *where)
        found = json.loads(done.out)["tasks"] if done.code == 0 else []
        return {task["task"]: task["state"] for task in found}

    def states(self) -> list[tuple[str, str, str]]:
        """The key of each task asked for, how it stands, and its name."""
        found = {side: self.tasks(side) for side in ("boss", "chief")}
        return [(key, found[side].get(key, "lost"), name) for side, key, name in self.ledger.tasks]

    def open_tasks(self) -> list[str]:
        """Acknowledged requests without an end."""
        return [f"{key}: {state}" for key, state, _ in self.states() if state not in FINAL]

    def unearned(self) -> list[str]:
        """Done, though the command never ran."""
        ran = set(self.ran())
        return [key for key, state, name in self.states() if state == "done" and name not in ran]

    def kept(self, box: str) -> list[Path]:
        """Received, and perhaps archived."""
        return [*self.mail.glob(f"{box}/inbox/*.txt"), *self.mail.glob(f"{box}/sent/*.txt")]

    def letters(self) -> Counter[tuple[str, str]]:
        """The letters in each mailbox; what is torn goes into the ledger."""
        found: Counter[tuple[str, str]] = Counter()
        for box in BOXES:
            for path in [
                *self.mail.glob(f"{box}/inbox/*.txt"),
                *self.mail.glob(f"{box}/sent/*.txt"),
            ]:
                data = path.read_bytes()
                if b"\nFrom: writer" not in data[:200]:
                    continue
                inside = find(data)
                if [whole for _, whole in inside] != [True]:
                    self.ledger.wrong.append(f"torn: {path}")
                    continue
                found[box, inside[0][0]] += 1
        return found

    def crossed(self) -> Counter[tuple[int, str]]:
        """The rows of the other client that lie in mailboxes, by number and box."""
        found: Counter[tuple[int, str]] = Counter()
        for box in BOXES:
            for path in [
                *self.mail.glob(f"{box}/inbox/*.txt"),
                *self.mail.glob(f"{box}/sent/*.txt"),
            ]:
                if "_row-pia" in path.name:
                    found[int(path.name.partition("_")[0]), box] += 1
        return found

    def not_crossed(self) -> list[str]:
        there = self.crossed()
        return [
            f"row {number} to {to}" for number, _, to in self.ledger.rows if not there[number, to]
        ]

    def ran(self) -> list[str]:
        """The names of the tasks whose command ran, each time it did."""
        return self.stage.runs.read_text().split() if self.stage.runs.exists() else []

    def runs(self) -> list[str]:
        """Tasks whose command ran twice."""
        counts = Counter(self.ran())
        return [f"{key} ran {count} times" for key, count in counts.items() if count > 1]

    def doctor(self) -> list[str]:
        """What doctor cannot mend, and what is half-written and left by it, days later."""
        for path in self.temporaries():
            written = path.stat().st_mtime - LATER
            os.utime(path, (written, written))
        self.stage.run("box0", SWARM, "doctor", "--fix")
        done = self.stage.run("box0", SWARM, "doctor")
        lines = done.out.decode().splitlines()
        return [line for line in lines if line.startswith("fail")] + [
            str(path) for path in self.temporaries()
        ]

    def temporaries(self) -> list[Path]:
        """Everything half-written; a draft that a recipe could not deliver is its writer's."""
        return list(self.mail.rglob(".swarm-*"))

    def database(self) -> list[str]:
        path = self.stage.disk / "team" / CHANNEL / "team.db"
        check = sqlite3.connect(path).execute("PRAGMA integrity_check").fetchall()
        return [] if check == [("ok",)] else [str(check)]

    def problems(self) -> dict[str, list[str]]:
        """The cases of every rule, by what the figures call it."""
        there = self.letters()
        seen = {(box, name) for box, name, _ in self.ledger.shown}
        owed = [(box, name) for box, name, _ in self.ledger.sent]
        well = Counter((box, name) for box, name, good in self.ledger.shown if good)
        crossed = self.crossed()
        cases: dict[str, Sequence[object]] = {
            "lost": [one for one in owed if not there[one] or one not in seen],
            "lost rows": self.not_crossed(),
            "doubled": [one for one, count in [*there.items(), *crossed.items()] if count > 1],
            "read twice": [one for one, count in well.items() if count > 1],
            "doubled effects": self.runs(),
            "done without a run": self.unearned(),
            "stuck tasks": self.open_tasks(),
            "left by doctor": self.doctor(),
            "database": self.database(),
            "wrong": self.ledger.wrong,
        }
        return {rule: [str(case) for case in found] for rule, found in cases.items()}
