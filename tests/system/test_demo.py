"""scripts/demo runs to its end, leaves nothing behind, and its checks find what is wrong."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "scripts" / "demo"
CHECK = ROOT / "scripts" / "demo.d" / "check.py"
ACCOUNTS = ROOT / "scripts" / "demo.d" / "accounts.py"
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
@pytest.mark.slow
def test_the_demo_accounts_for_every_message_and_task(
    place: dict[str, str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [DEMO], env=place, cwd=tmp_path, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = re.findall(r"(?m)^yes: .*", done.stdout)
    assert len(told) == 3
    assert re.fullmatch(r"yes: 1[0-9] messages sent, each received whole, read once .*", told[0])
    assert set(told[1:]) == {
        "yes: 5 tasks of 22 messages: 2 done, 1 rejected, 1 cancelled, 1 failed"
    }
    for line in ("== Thread search-1", "== Status", "Which word shall I search for?"):
        assert line in done.stdout
    texts = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
    longest = max(len(text.read_bytes().split()) for text in texts)
    assert re.search(rf"(?m)^ +{longest}  \S+\.md$", done.stdout)
    assert f"The longest of {len(texts)} texts" in done.stdout
    traffic = done.stdout.partition("Part 2:")[2]
    mail, _, channel = traffic.partition("Part 3:")
    assert re.search(r"(?m)^delivered\tlead/inbox/\S*busy", mail)
    assert re.search(r"(?m)^#\d+\tcounter\tlead\t#\d+\ttask_reject\tbusy$", channel)
    assert re.search(r"(?m)^frail\tfrail\tinactive\t", channel)
    assert done.stdout.endswith("every message is on both sides\n")


@needs_venv
@pytest.mark.parametrize(
    ("part", "sent"),
    [
        ("Part 1", signal.SIGTERM),
        ("Part 1", signal.SIGINT),
        pytest.param("-- the guardian of frail", signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_demo_leaves_nothing(
    place: dict[str, str], part: str, sent: signal.Signals
) -> None:
    demo = subprocess.Popen([DEMO], env=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert demo.stdout
    while part.encode() not in (line := demo.stdout.readline()):
        assert line
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


STORIES = [
    ("1", "lead", "counter", "done", "req ack update done"),
    ("2", "lead", "counter", "rejected", "req reject"),
    ("3", "lead", "counter", "done", "req ack update done"),
    ("4", "lead", "searcher", "cancelled", "req ack clarify clarify_res update cancel cancel_ack"),
    ("5", "hasty", "frail", "failed", "req ack update cancel fail"),
]


class Told:
    """The demo's tasks, by mail and on a channel at once, as its accounts are content with."""

    def __init__(self, folder: Path) -> None:
        self.mail = folder / "mail"
        self.database = folder / "team.db"
        self.lists = folder / "list.json"
        self.text = folder / "text"
        put(self.text, "one\ntwo\n")
        with closing(sqlite3.connect(self.database)) as db:
            db.executescript((ROOT / "swarm" / "team" / "schema.sql").read_text())
        self.list = []
        self.count = 0
        for key, requester, worker, state, events in STORIES:
            self.list.append({"task": key, "worker": worker, "state": state})
            for event in events.split():
                asks = event in ("req", "clarify_res", "cancel")
                self.say(key, event, *((requester, worker) if asks else (worker, requester)))
        self.ping("lead", "counter")
        self.sql("INSERT INTO agents (session_id, agent_name, status) VALUES ('frail', '', ?)")

    def sql(self, statement: str, *values: object) -> None:
        with closing(sqlite3.connect(self.database)) as db, db:
            db.execute(statement, values or ("inactive",))

    def say(self, key: str, event: str, sender: str, to: str) -> None:
        self.count += 1
        content = f"2 lines in {self.text}" if event == "done" else event
        name = f"{self.count:02}_it_{self.count:04x}.txt"
        message = (
            f"To: {to}\nFrom: {sender}\nSubject: {content}\nThread: {key}\n"
            f"Date: 2030-01-01T00:00:{self.count:02}Z\nEvent: task_{event}\n---\n{self.text}\n"
        )
        put(self.mail / to / "inbox" / name, message)
        put(self.mail / sender / "sent" / name, message)
        detail = self.text.parent / "detail"
        put(detail, f"{self.text}\n")
        payload = {"event": f"task_{event}", "content": content, "detail": str(detail)}
        self.sql(
            "INSERT INTO messages VALUES (?, ?, ?, 'ops', ?, NULL, ?, 0)",
            *(self.count, sender, to, int(key), json.dumps(payload)),
        )

    def ping(self, sender: str, to: str) -> None:
        ping = f"To: {to}\nFrom: {sender}\nSubject: ping\nEvent: ping\n---\n"
        put(self.mail / to / "inbox" / "90_ping_aaaa.txt", ping)
        put(self.mail / sender / "sent" / "90_ping_aaaa.txt", ping)

    def accounts(self, place: Path) -> tuple[int, str]:
        self.lists.write_text(json.dumps({"tasks": self.list}))
        done = subprocess.run(
            [sys.executable, ACCOUNTS, place, self.lists], capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


def test_the_accounts_are_content_with_tasks_in_order(told: Told) -> None:
    says = (0, "yes: 5 tasks of 22 messages: 2 done, 1 rejected, 1 cancelled, 1 failed\n")
    assert told.accounts(told.mail) == says
    assert told.accounts(told.database) == says


@pytest.mark.parametrize(
    ("breaks", "says"),
    [
        (lambda told: told.say("1", "done", "counter", "lead"), "not told: counter done req ack"),
        (lambda told: told.say("2", "ack", "counter", "lead"), "too often: counter open req rej"),
        (lambda told: told.say("6", "req", "lead", "counter"), "too often: counter open req"),
        (lambda told: told.text.write_text("one\n"), "1 has a wrong result: 2 lines in"),
        (lambda told: told.list.pop(), "the list of tasks says otherwise"),
        (lambda told: told.list[0].update(state="accepted"), "says otherwise"),
    ],
)
def test_the_accounts_find_what_is_wrong(told: Told, breaks, says: str) -> None:
    breaks(told)
    for place in (told.mail, told.database):
        code, text = told.accounts(place)
        assert code == 1
        assert says in text


def test_the_accounts_find_a_lost_message_and_an_agent_not_found_out(told: Told) -> None:
    next(told.mail.glob("lead/inbox/*_0002.txt")).unlink()
    assert "23 messages sent, 22 received" in told.accounts(told.mail)[1]
    next(told.mail.glob("lead/sent/*_0001.txt")).unlink()
    assert "its sender has no copy of counter/inbox/01_it_0001.txt" in told.accounts(told.mail)[1]
    told.sql("UPDATE agents SET status = ?", "available")
    assert "frail is ('available',), not inactive" in told.accounts(told.database)[1]
