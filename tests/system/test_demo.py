"""scripts/demo runs to its end, leaves nothing behind, and its check finds what is wrong."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "scripts" / "demo"
CHECK = ROOT / "scripts" / "demo.d" / "check.py"
VENV = ROOT / ".venv"
needs_venv = pytest.mark.skipif(
    not (VENV / "bin" / "swarm").exists(), reason="there is no .venv with swarm"
)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment whose temporary files go to a folder that must be empty at the end."""
    folder = tmp_path / "tmp dir"
    folder.mkdir()
    env = {k: v for k, v in os.environ.items() if not k.startswith("SWARM_")}
    yield {**env, "TMPDIR": str(folder), "SWARM_DEMO_SETUP": "no", "SWARM_ROOT": "/nowhere"}
    deadline = time.monotonic() + 5
    while left_running(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left_running(folder) == []
    assert list(folder.iterdir()) == []


def left_running(folder: Path) -> list[str]:
    """The processes that still have to do with a folder, where the system can tell."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if b"SWARM_ROOT=" + bytes(folder) in environ.read_bytes():
                found.append(str(environ))
        except OSError:
            continue
    return found


@needs_venv
def test_the_demo_accounts_for_every_message(place: dict[str, str], tmp_path: Path) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [DEMO], env=place, cwd=tmp_path, capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert time.monotonic() - began < 60
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(r"yes: 1[0-9] messages sent, each received whole, read once .*", last)
    for line in ("== Thread search-1", "== Status", "Which word shall I search for?"):
        assert line in done.stdout
    texts = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
    longest = max(len(text.read_bytes().split()) for text in texts)
    assert re.search(rf"(?m)^ +{longest}  \S+\.md$", done.stdout)
    assert f"The longest of {len(texts)} texts" in done.stdout


@needs_venv
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_demo_leaves_nothing(place: dict[str, str], sent: signal.Signals) -> None:
    demo = subprocess.Popen([DEMO], env=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert demo.stdout
    demo.stdout.readline()
    time.sleep(1.5)
    demo.send_signal(sent)
    demo.communicate(timeout=20)
    assert demo.returncode in (128 + sent, -sent)


def put(path: Path, text: str = "To: b\nFrom: a\nSubject: s\n---\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def demo_mail(tmp_path: Path) -> Path:
    """What the check is content with: one message from a to b, read once."""
    mail = tmp_path / "mail"
    (mail / "a" / "inbox" / ".read").mkdir(parents=True)
    put(mail / "a" / "sent" / "1.txt")
    put(mail / "b" / "inbox" / "1.txt")
    put(mail / "b" / "inbox" / ".read" / "1.txt", "")
    put(tmp_path / "logs" / "b", "1.txt\n")
    return mail


def check(mail: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, CHECK, mail, mail.parent / "logs"], capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def test_the_check_is_content_with_mail_in_order(demo_mail: Path) -> None:
    assert check(demo_mail) == (
        0,
        "yes: 1 messages sent, each received whole, read once and receipted\n",
    )
    (demo_mail / "b" / "sent").mkdir()
    (demo_mail / "b" / "inbox" / "1.txt").rename(demo_mail / "b" / "sent" / "1.txt")
    assert check(demo_mail)[0] == 0  # archived


@pytest.mark.parametrize(
    ("breaks", "says"),
    [
        (lambda mail: (mail / "b/inbox/1.txt").unlink(), "received 0 times: b/1.txt"),
        (lambda mail: (mail / "a/sent/1.txt").unlink(), "sent False, received 1 times"),
        (lambda mail: put(mail / "b/inbox/1.txt", "From: a\n---\n"), "received 1 times"),
        (lambda mail: shutil.copytree(mail / "b/inbox", mail / "b/sent"), "received 2 times"),
        (lambda mail: (mail / "b/inbox/.read/1.txt").unlink(), "0 receipts, 1 times read"),
        (lambda mail: put(mail / "../logs/b", "1.txt\n1.txt\n"), "1 receipts, 2 times read"),
        (lambda mail: (mail / "../logs/b").unlink(), "1 receipts, 0 times read"),
        (lambda mail: put(mail / "b/inbox/.read/2.txt", ""), "received 0 times: b/2.txt"),
        (lambda mail: put(mail / "a/drafts/2.txt"), "left in drafts"),
        (lambda mail: put(mail / "b/inbox/.2.txt"), "left half-written"),
        (lambda mail: [shutil.rmtree(mail / box) for box in "ab"], "nothing was sent"),
    ],
)
def test_the_check_finds_what_is_wrong(demo_mail: Path, breaks, says: str) -> None:
    breaks(demo_mail)
    if says == "nothing was sent":
        shutil.rmtree(demo_mail.parent / "logs")
    code, text = check(demo_mail)
    assert code == 1
    assert says in text
