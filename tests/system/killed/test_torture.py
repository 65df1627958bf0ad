"""scripts/torture finds nothing wrong with swarm, and does find what is wrong; a slip in the call is told."""

import importlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).parents[3]
VENV = HOME / ".venv" / "bin" / "swarm"
needs_venv = pytest.mark.skipif(not VENV.exists(), reason="there is no .venv with swarm")
needs_cc = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler for the faults")
RULES = "lost|lost rows|doubled|read twice|doubled effects|done without a run|stuck tasks"
FIGURES = re.compile(
    r"[1-9]\d* letters, [1-9]\d* rows and [1-9]\d* tasks acknowledged; at rest after \d+ s:"
    rf"( 0 ({RULES}|left by doctor|database|wrong),?){{10}}\n"
)


@needs_venv
@needs_cc
def test_a_short_torture_loses_and_doubles_nothing(tmp_path: Path) -> None:
    argv = [str(HOME / "scripts" / "torture"), "--minutes", "0.06", "--seed", "5"]
    env = {**os.environ, "TMPDIR": str(tmp_path), "SWARM_ROOT": "/nowhere"}
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert FIGURES.search(done.stdout), done.stdout
    assert list(tmp_path.iterdir()) == []


@needs_venv
@pytest.mark.parametrize(
    ("script", "words", "says"),
    [
        ("torture", ("--only", "EIO,no such"), "no fault 'no such': SIGKILL"),
        ("bench", ("no-such",), "no part 'no-such': mail"),
    ],
)
def test_a_mistyped_name_is_told_and_nothing_runs(
    script: str, words: tuple[str, ...], says: str
) -> None:
    argv = [str(HOME / "scripts" / script), *words]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and says in done.stderr and not done.stdout


LETTER, MAIL = "w-1", b"To: box0\nFrom: writer1\nSubject: s\n---\n"


class Small:
    """A stage on which one letter was sent and read, one row crossed, and one task done."""

    def __init__(self, folder: Path) -> None:
        stage, letters = (importlib.import_module(name) for name in ("stage", "letters"))
        self.stage: Any = stage.Stage(folder, 1)
        self.ledger = self.stage.ledger
        cast = importlib.import_module("cast")
        cast.prepare(self.stage)
        self.mail = self.stage.disk / "mail"
        self.text = letters.make(LETTER, self.stage.chance("w"))
        self.put("box0/inbox/01_letter_aaaa.txt", MAIL + self.text)
        self.put("box0/inbox/07_row-pia-1_bbbb.txt", b"To: box0\nFrom: pia\nSubject: row\n---\n")
        self.ledger.sent.append(("box0", LETTER, "box0/inbox/01_letter_aaaa.txt"))
        self.ledger.shown.append(("box0", LETTER, True))
        self.ledger.rows.append((7, "pia-1", "box0"))

    def put(self, path: str, data: bytes) -> None:
        (self.mail / path).write_bytes(data)

    def rules(self) -> set[str]:
        """The rules that are broken."""
        problems = importlib.import_module("verdict").Account(self.stage).problems()
        return {rule for rule, cases in problems.items() if cases}

    def ask(self) -> None:
        """A task that nobody works on."""
        done = self.stage.run("boss", "swarm", "task", "request", "worker", "-s", "dig")
        self.ledger.tasks.append(("boss", done.out.decode().strip(), "boss-1"))

    def done_without_a_run(self) -> None:
        self.ask()
        key = self.ledger.tasks[0][1]
        for word in ("ack", "done"):
            said = f"To: boss\nFrom: worker\nSubject: s\nThread: {key}\nEvent: task_{word}\n---\n"
            self.put(f"boss/inbox/0{len(word)}_{word}_cccc.txt", said.encode())


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    for folder in ("scripts/soak.d", "scripts/torture.d"):
        monkeypatch.syspath_prepend(str(HOME / folder))
    monkeypatch.setenv("PATH", f"{VENV.parent}:{os.environ['PATH']}")
    found = Small(tmp_path)
    yield found
    found.stage.close()


@needs_venv
@needs_cc
def test_the_account_is_content_when_all_went_well(small: Small) -> None:
    assert small.rules() == set()


@needs_venv
@needs_cc
def test_the_account_finds_all_that_can_be_wrong(small: Small) -> None:
    (small.mail / "box0/inbox/07_row-pia-1_bbbb.txt").unlink()
    small.put("box0/inbox/02_letter_aaab.txt", MAIL + small.text)
    small.put("box0/inbox/03_letter_aaac.txt", MAIL + small.text[:-1])
    small.ledger.shown.append(("box0", LETTER, True))
    small.ledger.sent.append(("box1", "w-2", "box1/inbox/01_letter_aaaa.txt"))
    small.stage.runs.write_text("key\nkey\n")
    small.done_without_a_run()
    small.ask()
    small.stage.run("box0", "sh", "-c", "exit 9")
    assert small.rules() == {
        "lost", "lost rows", "doubled", "read twice", "doubled effects", "done without a run",
        "stuck tasks", "wrong",
    }  # fmt: skip
    assert len([case for case in small.ledger.wrong if case.startswith("torn")]) == 1
