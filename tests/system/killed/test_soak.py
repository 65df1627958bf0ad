"""scripts/soak finds nothing wrong with swarm, and does find what is wrong."""

import importlib
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).parents[3]
SOAK = HOME / "scripts" / "soak"
VENV = HOME / ".venv" / "bin" / "swarm"
needs_venv = pytest.mark.skipif(not VENV.exists(), reason="there is no .venv with swarm")
FIGURES = re.compile(
    r"4 s, seed 1: [1-9]\d* sent by 8 writers \([1-9]\d* killed\), "
    r"[1-9]\d* shown by 4 readers \(\d+ killed\), \d+ left by the killed: "
    r"0 lost, 0 torn, 0 sent twice, 0 read twice, 0 without a copy, 0 left by others, "
    r"0 left by doctor, 0 failed\n"
)


@needs_venv
def test_a_short_soak_loses_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    env = {**os.environ, "TMPDIR": str(tmp_path), "SWARM_ROOT": "/nowhere"}
    argv = [str(SOAK), "--seconds", "4", "--seed", "1"]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stdout + done.stderr
    assert FIGURES.fullmatch(done.stdout)
    assert list(tmp_path.iterdir()) == []


class Small:
    """A soak of one letter, as it is when all went well."""

    def __init__(self, folder: Path) -> None:
        course, letters = (importlib.import_module(name) for name in ("course", "letters"))
        self.course: Any = course.Course(str(folder), ["box0"], 1)
        self.mail = folder / "mail"
        self.letter = course.Letter("box0", "w-1")
        text = letters.make("w-1", self.course.chance("w"))
        for path in ("box0/inbox/1.txt", "w/sent/1.txt"):
            self.put(path, b"To: box0\nFrom: w\nSubject: s\n---\n" + text)
        (self.mail / "dir").mkdir()
        self.course.ledger.sent.append((self.letter, "box0/inbox/1.txt"))
        self.course.ledger.shown.append((self.letter, True))

    def put(self, path: str, data: bytes = b"") -> None:
        target = self.mail / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def tear(self, path: str) -> None:
        self.put(path, (self.mail / path).read_bytes()[:-1])

    def rules(self) -> set[str]:
        """The rules that are broken."""
        problems = importlib.import_module("account").Account(self.course).problems()
        return {rule for rule, cases in problems.items() if cases}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Small:
    monkeypatch.syspath_prepend(str(HOME / "scripts" / "soak.d"))
    return Small(tmp_path)


def test_the_account_is_content_with_one_letter_read_once(small: Small) -> None:
    assert small.rules() == set()


@pytest.mark.parametrize(
    ("breaks", "rule"),
    [
        (lambda s: (s.mail / "box0/inbox/1.txt").unlink(), "lost"),
        (lambda s: s.course.ledger.shown.clear(), "lost"),
        (lambda s: s.tear("box0/inbox/1.txt"), "torn"),
        (lambda s: s.tear("w/sent/1.txt"), "torn"),
        (lambda s: s.put("box0/sent/9.txt", b"To: box0\n---\n"), "torn"),
        (lambda s: s.put("box0/sent/2.txt", (s.mail / "w/sent/1.txt").read_bytes()), "sent twice"),
        (lambda s: s.course.ledger.shown.append((s.letter, True)), "read twice"),
        (lambda s: (s.mail / "w/sent/1.txt").unlink(), "without a copy"),
        (lambda s: s.put("w/drafts/.swarm-1-1.tmp"), "left by others"),
        (lambda s: s.put("w/drafts/01_x_aa.txt"), "left by others"),
        (lambda s: s.put("w/drafts/01_x_aa.txt"), "left by doctor"),
        (lambda s: s.course.run("w", "false"), "failed"),
    ],
)
def test_the_account_finds_what_is_wrong(
    small: Small, breaks: Callable[[Small], object], rule: str
) -> None:
    breaks(small)
    assert rule in small.rules()


def test_what_killed_processes_left_and_showed_is_no_fault(small: Small) -> None:
    small.course.ledger.killed_writers.append(7)
    small.put("w/drafts/.swarm-7-1.tmp")
    small.course.ledger.shown.append((small.letter, False))
    assert small.rules() == set()
