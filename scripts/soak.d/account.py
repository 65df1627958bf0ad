"""Accounts for every message by the files alone, and by what writers and readers were told."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from course import SWARM, Course, Letter
from letters import find

Counts = Counter[Letter]
TEMP = re.compile(r"\.swarm-(\d+)-\d+\.tmp")
LATER = 2 * 86400  # seconds


class Account:
    """What is in the tree, against the ledger; each rule gives the cases that break it."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.ledger = course.ledger
        self.root = Path(course.root)
        self.torn = list(course.ledger.torn)
        self.there: Counts = Counter()
        self.copies: Counts = Counter()
        for path in self.root.glob("*/*/*.txt"):
            if path.parent.name in ("inbox", "sent"):
                self._look(path)

    def _look(self, path: Path) -> None:
        agent = path.parent.parent.name
        data = path.read_bytes()
        letters = find(data)
        if [whole for _, whole in letters] != [True]:
            self.torn.append(str(path))
            return
        box = data.partition(b"\n")[0].decode().removeprefix("To: ")
        letter = Letter(box, letters[0][0])
        (self.there if agent in self.course.boxes else self.copies)[letter] += 1

    def lost(self) -> list[Letter]:
        """Acknowledged, but not there or never shown whole."""
        seen = {letter for letter, _ in self.ledger.shown}
        return [x for x, _ in self.ledger.sent if not self.there[x] or x not in seen]

    def twice(self) -> list[Letter]:
        """In a mailbox more than once."""
        return [letter for letter, times in self.there.items() if times > 1]

    def read_twice(self) -> list[Letter]:
        """Shown by two readers that both ended well."""
        times = Counter(letter for letter, well in self.ledger.shown if well)
        return [letter for letter, count in times.items() if count > 1]

    def without_copy(self) -> list[Letter]:
        """Acknowledged, but not once in the writer's sent."""
        return [letter for letter, _ in self.ledger.sent if self.copies[letter] != 1]

    def temporaries(self) -> list[Path]:
        """Everything half-written, wherever it is."""
        return [*self.root.rglob(".swarm-*"), *self.root.glob("*/drafts/[!.]*")]

    def left(self) -> list[str]:
        """Half-written, and not by a process that was killed."""
        killed = {str(pid) for pid in (*self.ledger.killed_writers, *self.ledger.killed_readers)}
        paths = [(path, TEMP.fullmatch(path.name)) for path in self.temporaries()]
        return [str(path) for path, of in paths if not of or of[1] not in killed]

    def mended(self) -> list[str]:
        """What doctor leaves of all that, days later."""
        for path in self.temporaries():
            written = path.stat().st_mtime - LATER
            os.utime(path, (written, written))
        self.course.run("doctor", SWARM, "doctor", "--fix")
        return [str(path) for path in self.temporaries()]

    def problems(self) -> dict[str, list[str]]:
        """The cases of every rule, by what the figures call it."""
        cases: dict[str, Sequence[object]] = {
            "lost": self.lost(),
            "torn": self.torn,
            "sent twice": self.twice(),
            "read twice": self.read_twice(),
            "without a copy": self.without_copy(),
            "left by others": self.left(),
            "left by doctor": self.mended(),
            "failed": self.ledger.failed,
        }
        return {rule: [str(case) for case in found] for rule, found in cases.items()}
