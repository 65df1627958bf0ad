"""One bad file, one that comes and goes, or a huge one: the others are listed all the same."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from swarm.cli import render

from ...unit.rights import mode
from .team import Team

GOOD = [f"0{number}_good_aaaa.txt" for number in range(1, 6)]
BAD = {
    "no UTF-8": b"To: bob\nFrom: \xff\xfe\nSubject: \xe9\nThread: T\n---\n\x80 findme\n",
    "no UTF-8 in a name": b"To: bob\nFr\xffom: x\nThread: T\n---\nfindme\n",
    "zeros": bytes(300),
    "nothing": b"",
    "no line end": b"x" * 300_000,
    "lines without end": b"a: b\n" * 20_000,
    "a header without end": b"Subject: " + b"y" * 300_000 + b"\n",
    "returns only": b"To: bob\rFrom: x\rThread: T\r---\rfindme\r",
    "UTF-16": "To: bob\nFrom: alice\nThread: T\n---\n".encode("utf-16"),
    "escapes": b"To: \x1b[2J\nFrom: \x07\nSubject: \x1b]0;x\x07\nThread: T\n---\nfindme\n",
    "a date of nowhen": b"To: bob\nFrom: a\nSubject: s\nThread: T\nDate: 0000-99-99T\n---\n",
    "a date far away": b"To: bob\nFrom: a\nSubject: s\nThread: T\nDate: 9999-12-31T23:59:59-14:00\n---\n",
}
NAMES = ["00_bad_aaaa.txt", "03_m.txt", "zz.txt", "\udcff.txt"]
LISTINGS = [
    "unread", "unread --json", "unread --thread T", "read --all --peek", "read --all --json --peek",
    "thread T", "thread T --json", "thread T --everywhere", "search findme", "wait",
    "archive --read --delete",
]  # fmt: skip
OTHERS = [
    "threads",
    "thread T --mermaid",
    "status",
    "status --json",
    "doctor",
    "sent",
    "unread --count",
]


@pytest.fixture
def five(team: Team) -> Team:
    """bob has five good messages."""
    for name in GOOD:
        team.put(name, "findme\n", Thread="T")
    return team


# A bad one among good ones


@pytest.mark.parametrize(("bad", "name"), [*zip(BAD, NAMES * 3, strict=True)])
def test_one_bad_message_hides_no_good_one(five: Team, bad: str, name: str) -> None:
    five.raw(name, BAD[bad])
    calls = [call.split() for call in (*LISTINGS[:-1], *OTHERS)]
    answers = dict(zip(map(" ".join, calls), five.often(calls), strict=True))
    for call, done in answers.items():
        assert (done.returncode, done.stderr) == (0, b""), done
        if call in LISTINGS:
            assert all(good.encode() in done.stdout for good in GOOD), call
    assert render.shown(name).encode() in answers["unread"].stdout
    assert render.shown(name).encode() in answers["read --all --peek"].stdout
    assert answers["unread --count"].stdout == b"6\n"
    assert b"bob\t-\t6\t" in answers["status"].stdout
    assert five.receipts() == set()


@pytest.mark.parametrize("bad", ["no UTF-8", "zeros", "lines without end", "escapes"])
def test_one_bad_message_stops_nobody_from_reading_on(five: Team, bad: str) -> None:
    five.raw("00_bad_aaaa.txt", BAD[bad])
    shown = [five.ok("read", "--next") for _ in range(6)]
    assert shown[0] == BAD[bad] and all(b"findme" in text for text in shown[1:])
    assert five.ok("read", "--next") == b"" and five.receipts() == {"00_bad_aaaa.txt", *GOOD}
    assert len(five.lines("archive", "--read")) == 6 and five.inbox("bob") == {}


@pytest.mark.parametrize("kind", ["link", "dangling", "folder", "pipe", "socket", "device"])
def test_what_is_no_file_is_no_message(five: Team, kind: str) -> None:
    import socket
    import stat

    path = five.root / "bob/inbox/00_odd_aaaa.txt"
    if kind in ("link", "dangling"):
        path.symlink_to(GOOD[0] if kind == "link" else "nowhere")
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        # Its whole path may be too long for a socket.
        with contextlib.chdir(os.path.dirname(path)), socket.socket(socket.AF_UNIX) as listening:
            listening.bind(os.path.basename(path))
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero
        except PermissionError:
            pytest.skip("only root makes devices")
    calls = [call.split() for call in LISTINGS[:-1]]
    for done in five.often(calls):
        assert (done.returncode, done.stderr) == (0, b""), done
        assert all(good.encode() in done.stdout for good in GOOD)
        assert path.name.encode() not in done.stdout
    assert path.name in five.run("doctor").stdout.decode()


@pytest.mark.parametrize("name", ["00_shut_aaaa.txt", "zz.txt"])
def test_a_message_that_may_not_be_read_hides_no_good_one(five: Team, name: str) -> None:
    five.raw(name, BAD["nothing"])
    with mode(five.root / "bob/inbox" / name, 0):
        for call in LISTINGS[:-1]:
            done = five.bound(*call.split())
            assert done.returncode == 6 and name.encode() in done.stderr, done
            assert all(good.encode() in done.stdout for good in GOOD)


@pytest.mark.parametrize("bad", ["no UTF-8", "nothing", "zeros", "no line end"])
def test_one_bad_entry_hides_no_agent(team: Team, bad: str) -> None:
    for agent in ("alice", "carl"):
        team.enter(agent, task=f"task of {agent}")
    entry = team.enter("bob")
    entry.write_bytes(BAD[bad])
    done = team.run("agents")
    assert done.returncode == 0 and b"dir/bob.txt is damaged" in done.stderr
    assert [line.split(b"\t")[0] for line in done.stdout.splitlines()] == [
        b"alice",
        b"bob",
        b"carl",
    ]
    assert team.ok("register", "dora", "--role", "r", "--archetype", "planner", "--task", "t")
    assert entry.read_bytes() == BAD[bad]
    assert [agent["id"] for agent in team.json("status")["agents"]] == [
        "alice",
        "bob",
        "carl",
        "dora",
    ]


# Copies that a sync tool or an editor made

COPIES = [
    "{}.sync-conflict-20260101-101010-ABCDEFG.txt", "{} (conflicted copy 2026-01-01).txt",
    "{} (1).txt", "{}~HEAD.txt", "{}-2.txt", "Copy of {}.txt", "{}.txt.txt",
]  # fmt: skip


@pytest.mark.parametrize("form", COPIES)
def test_a_second_copy_is_a_message_that_can_be_seen(team: Team, form: str) -> None:
    stem = "01_m_ab12"
    names = {f"{stem}.txt", form.format(stem)}
    for name in names:
        team.put(name, Thread="T")
    assert {line.split("\t")[0] for line in team.lines("unread")} == names
    assert team.ok("unread", "--count") == b"2\n"
    team.ok("read", f"{stem}.txt")
    assert team.receipts() == {f"{stem}.txt"}
    assert {line.split("\t")[0] for line in team.lines("unread")} == names - {f"{stem}.txt"}
    assert team.ok("read", form.format(stem)) == team.ok("read", f"{stem}.txt")
    assert len(team.lines("archive", "--read")) == 2 and team.sent("bob").keys() == names


# One that comes and goes

SWAP = """
import os, sys
here, there = sys.argv[1:]
print("on", flush=True)
while True:
    os.rename(here, there)
    os.rename(there, here)
"""


@contextmanager
def moving(here: Path, there: Path) -> Iterator[None]:
    """A process that moves a file there and back all the time."""
    process = subprocess.Popen([sys.executable, "-c", SWAP, here, there], stdout=subprocess.PIPE)
    try:
        assert process.stdout and process.stdout.readline() == b"on\n"
        yield
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("call", "to"),
    [
        ("unread", "bob/sent/03_gone_bbbb.txt"),
        ("read --all --peek", "bob/inbox/.hidden.txt"),
        ("thread T --json", "bob/sent/03_gone_bbbb.txt"),
        ("search findme", "away.txt"),
    ],
)
def test_a_file_that_is_moved_away_and_back_hides_no_other(five: Team, call: str, to: str) -> None:
    path = five.put("03_gone_bbbb.txt", "findme\n", Thread="T")
    with moving(path, five.root / to):
        for done in five.often([call.split()] * 60):
            assert (done.returncode, done.stderr) == (0, b""), done
            assert all(good.encode() in done.stdout for good in GOOD), done


@pytest.mark.parametrize("count", [1, 40])
def test_a_listing_and_an_archiver_at_once_lose_nothing(five: Team, count: int) -> None:
    for number in range(count):
        five.put(f"{number + 10}_read_cccc.txt", Thread="T")
        (five.root / f"bob/inbox/.read/{number + 10}_read_cccc.txt").touch()
    archiving = five.start("archive", "--read")
    for done in five.often([["unread"], ["thread", "T"]] * 20):
        assert (done.returncode, done.stderr) == (0, b""), done
        assert all(good.encode() in done.stdout for good in GOOD), done
    assert len(archiving.communicate()[0].splitlines()) == count
    assert len(five.lines("thread", "T")) == count + 5


# A huge one

SIZE = 200 * 1024 * 1024
# What the process has read, and the most memory it had, told when it ends.
MEASURE = """
import os, re
end = os._exit
def ended(code):
    read = re.search(r"rchar: (\\d+)", open("/proc/self/io").read())[1]
    peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
    os.write(2, f"{read} {peak}\\n".encode())
    end(code)
os._exit = ended
"""
HUGE = {
    "a header": (b"To: bob\nFrom: alice\nSubject: s\nThread: T\n---\n", 8192),
    "zeros": (b"", 2_200_000),
    "a header without end": (b"To: bob\nFrom: alice\nThread: T\nSubject: ", 2_200_000),
}
measured = pytest.mark.skipif(not os.path.exists("/proc/self/io"), reason="no /proc")


def cost(team: Team, words: list[str]) -> tuple[bytes, int, int]:
    """What it says, the bytes that it read, and its memory in kB."""
    done = team.run(*words, anew=True, hook=MEASURE)
    assert done.returncode == 0, done
    read, peak = done.stderr.splitlines()[-1].split()
    return done.stdout, int(read), int(peak)


def huge(team: Team, start: bytes) -> None:
    with open(team.raw("06_huge_bbbb.txt", start), "r+b") as file:
        file.truncate(SIZE)


@measured
@pytest.mark.parametrize("kind", HUGE)
@pytest.mark.parametrize("call", ["unread", "unread --json", "thread T", "doctor"])
def test_of_a_huge_message_only_the_head_is_read(five: Team, kind: str, call: str) -> None:
    start, most = HUGE[kind]
    _, before, memory = cost(five, call.split())
    huge(five, start)
    out, read, peak = cost(five, call.split())
    assert read - before <= most and peak - memory < 10_000
    if "unread" in call or (call == "thread T" and start):
        assert b"06_huge_bbbb.txt" in out
        assert all(good.encode() in out for good in GOOD)


@measured
@pytest.mark.parametrize("call", ["unread", "threads"])
def test_of_a_huge_message_without_subject_the_first_line_is_enough(five: Team, call: str) -> None:
    start = b"To: bob\nFrom: alice\nThread: T\n---\nfirst line\n"
    five.raw("06_huge_bbbb.txt", start)  # small yet: what reads such a message is loaded then too
    _, before, _ = cost(five, call.split())
    huge(five, start)
    out, read, _ = cost(five, call.split())
    assert b"first line" in out or call == "threads"
    assert read - before <= 8192


@measured
@pytest.mark.parametrize("call", ["sent", "thread T"])
def test_of_a_huge_copy_only_the_head_is_read(team: Team, call: str) -> None:
    _, before, _ = cost(team, ["sent"])
    head = b"To: alice\nFrom: bob\nSubject: s\nThread: T\n---\n"
    path = team.root / "bob/sent/01_huge_aaaa.txt"
    path.write_bytes(head)
    os.truncate(path, SIZE)
    out, read, _ = cost(team, call.split())
    assert b"01_huge_aaaa.txt" in out
    # The thread command loads a module more than the other.
    assert read - before < 400_000


@pytest.mark.parametrize("size", [2 << 20, 30 << 20])
def test_a_large_message_is_read_whole(team: Team, size: int) -> None:
    path = team.put("01_large_aaaa.txt", bytes(range(256)) * (size // 256))
    assert team.ok("read", "--next") == path.read_bytes()
    assert team.receipts() == {path.name}
    if size < 3 << 20:
        assert len(team.json("read", "01")["messages"][0]["body"]) == size
    assert json.loads(team.ok("unread", "--json"))["messages"] == []
