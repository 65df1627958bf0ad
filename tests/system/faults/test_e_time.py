"""Listings go by what is there: not by times, not by looks at single names, not by what is old."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from .team import Team
from .test_d_clutter import moving

HOUR = 3600
# As on a system, or a mount, where the kernel tells of nothing.
UNTOLD = 'import sys; sys.platform = "another"'


def draft(team: Team, name: str, age: float) -> Path:
    """A message written by hand, long ago."""
    path = team.root / "alice/drafts" / name
    path.write_text("To: bob\nFrom: alice\nSubject: s\nThread: T\n---\nbody\n")
    then = time.time() - age
    os.utime(path, (then, then))
    return path


def deliver(team: Team, name: str, age: float = 0) -> None:
    """With ``mv``, which keeps the time."""
    subprocess.run(["mv", draft(team, name, age), team.root / "bob/inbox" / name], check=True)


def names(team: Team, *words: str) -> list[str]:
    return [line.split("\t")[0] for line in team.lines(*(words or ("unread",)))]


# Delivered now, but dated


@pytest.mark.parametrize("age", [HOUR, 10 * 365 * 24 * HOUR, -24 * HOUR, 56 * 365 * 24 * HOUR])
def test_what_comes_now_is_new_whatever_its_time(team: Team, age: float) -> None:
    deliver(team, "02_new_aaaa.txt")
    assert names(team) == ["02_new_aaaa.txt"]
    deliver(team, "01_old_aaaa.txt", age)
    assert names(team) == ["01_old_aaaa.txt", "02_new_aaaa.txt"]
    team.ok("read", "02")
    assert names(team) == ["01_old_aaaa.txt"]
    team.ok("read", "--next")
    deliver(team, "00_older_aaaa.txt", 2 * age)
    assert names(team) == ["00_older_aaaa.txt"]


@pytest.mark.parametrize("hook", ["", UNTOLD], ids=["told", "untold"])
@pytest.mark.parametrize("age", [HOUR, -HOUR])
def test_who_waits_is_woken_by_a_message_of_any_time(team: Team, hook: str, age: float) -> None:
    waiting = team.start("wait", "--timeout", "20", hook=hook)
    time.sleep(0.15)
    deliver(team, "01_old_aaaa.txt", age)
    out, err = waiting.communicate(timeout=20)
    assert (waiting.returncode, out, err) == (0, b"01_old_aaaa.txt\talice\ts\n", b"")


@pytest.mark.parametrize("age", [HOUR, -HOUR])
def test_who_watches_is_told_of_a_message_of_any_time(team: Team, age: float) -> None:
    watching = team.start("watch")
    try:
        assert watching.stdout
        os.set_blocking(watching.stdout.fileno(), False)
        told, sent = b"", 0
        end = time.monotonic() + 20
        while told.count(b"\n") < 2 and time.monotonic() < end:
            deliver(team, f"{sent:02d}_old_aaaa.txt", age)
            sent += 1
            time.sleep(0.05)
            told += watching.stdout.read() or b""
        assert told.startswith(b"delivered\tbob/inbox/") and told.count(b"\n") >= 2
    finally:
        watching.kill()
        watching.communicate()


# Changes that the folder's time does not tell


def stopped(folder: Path) -> None:
    """The folder's time is as it was long ago, as on disks that count whole seconds."""
    os.utime(folder, (1_700_000_000, 1_700_000_000))


@pytest.mark.parametrize("steps", [2, 5])
def test_each_change_within_one_second_is_seen(team: Team, steps: int) -> None:
    inbox, wanted = team.root / "bob/inbox", []
    stopped(inbox)
    for number in range(steps):
        deliver(team, f"{number:02d}_a_aaaa.txt")
        stopped(inbox)
        wanted.append(f"{number:02d}_a_aaaa.txt")
        assert names(team) == names(team, "thread", "T") == wanted
    for name in tuple(wanted):
        team.ok("read", name)
        stopped(inbox / ".read")
        wanted.remove(name)
        assert names(team) == wanted


@pytest.mark.parametrize("hook", ["", UNTOLD], ids=["told", "untold"])
def test_who_waits_looks_again_though_the_folder_seems_unchanged(team: Team, hook: str) -> None:
    inbox = team.root / "bob/inbox"
    stopped(inbox)
    waiting = team.start("wait", "--timeout", "20", "--from", "alice", hook=hook)
    time.sleep(0.15)
    deliver(team, "01_a_aaaa.txt")
    stopped(inbox)
    assert waiting.communicate(timeout=20)[0].startswith(b"01_a_aaaa.txt\t")


# Under two names in turn


@pytest.mark.parametrize("call", ["unread", "thread T --json"])
@pytest.mark.parametrize("to", ["02_b_bbbb.txt", "10_later_bbbb.txt"])
def test_a_file_that_is_renamed_all_the_time_hides_no_other(team: Team, call: str, to: str) -> None:
    stable = [f"0{number}_stays_aaaa.txt" for number in range(3, 9)]
    for name in stable:
        team.put(name, Thread="T")
    path = team.put("01_a_aaaa.txt", Thread="T")
    with moving(path, path.with_name(to)):
        for done in team.often([call.split()] * 40):
            assert (done.returncode, done.stderr) == (0, b""), done
            assert all(name.encode() in done.stdout for name in stable), done
    assert names(team) == ["01_a_aaaa.txt", *stable] or names(team) == sorted([to, *stable])


@pytest.mark.parametrize("to", ["02_b_bbbb.txt", ".hidden.txt"])
def test_a_file_that_is_renamed_all_the_time_is_not_marked_as_read(team: Team, to: str) -> None:
    path = team.put("01_a_aaaa.txt")
    with moving(path, path.with_name(to)):
        team.often([["unread"], ["read", "--all", "--peek"], ["wait", "--timeout", "0"]] * 5)
    assert team.receipts() == set() and len(team.lines("unread", "--count")) == 1


# Looks that lie

# A look at that one name says that nothing is there.
BLIND = """
import os
def blind(look):
    def looked(path, *args, **how):
        if isinstance(path, str) and path.endswith({name!r}):
            raise FileNotFoundError(2, os.strerror(2), path)
        return look(path, *args, **how)
    return looked
os.stat, os.lstat = blind(os.stat), blind(os.lstat)
access = os.access
os.access = lambda path, *a, **how: not str(path).endswith({name!r}) and access(path, *a, **how)
"""


CALLS = [
    "unread", "unread --json", "unread --thread T", "thread T", "threads", "search body",
    "wait --timeout 0",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_the_listing_is_believed_not_a_look_at_the_name(team: Team, call: str) -> None:
    def answer(hook: str) -> bytes:
        for path in (team.root / "bob").rglob("*.txt"):
            path.unlink()
        team.put("01_a_aaaa.txt", Thread="T")
        return team.ok(*call.split(), hook=hook)

    assert answer(BLIND.format(name="/01_a_aaaa.txt")) == answer("") != b""


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("kind", ["message", "link"])
def test_no_delivery_goes_by_a_look_at_the_name(team: Team, kind: str, links: bool) -> None:
    name = "01_same_abab.txt"
    hook = BLIND.format(name=f"/{name}") + (
        "random, draws = os.urandom, [b'\\xab\\xab']\n"
        "os.urandom = lambda size: draws.pop() if draws else random(size)\n"
    )
    if not links:
        hook += "def link(*args, **how): raise PermissionError(1, 'no')\nos.link = link\n"
    taken = team.root / "bob/inbox" / name
    other = team.raw("other.md", b"precious") if kind == "link" else taken
    other.write_text("precious")
    if kind == "link":
        taken.symlink_to(other)
    done = team.run("send", "bob", "-s", "same", "-m", "x", hook=hook, SWARM_AGENT="alice")
    assert done.returncode == 0, done
    path = team.root / done.stdout.decode().strip()
    assert path != taken and path.read_bytes().endswith(b"\n---\nx\n")
    assert taken.read_text() == "precious" and taken.is_symlink() == (kind == "link")


# Twenty thousand

COUNT = """
import os, sys
counted, end = 0, os._exit
def one(*args):
    global counted
    counted += 1
def counting(call):
    def called(*args, **how):
        one()
        return call(*args, **how)
    return called
def ended(code):
    os.write(2, f"{counted}\\n".encode())
    end(code)
os.stat, os.lstat, os.access = counting(os.stat), counting(os.lstat), counting(os.access)
os.open, os.link, os.readlink = counting(os.open), counting(os.link), counting(os.readlink)
os._exit = ended
sys.addaudithook(lambda event, args: one() if event in ("open", "os.listdir", "os.scandir") else None)
"""
READ = 20_000


@pytest.fixture(scope="module")
def thousands(tmp_path_factory: pytest.TempPathFactory) -> Team:
    """bob has read 20,000 messages, and 3 not."""
    team = Team(tmp_path_factory.mktemp("many") / "project")
    inbox = team.root / "bob/inbox"
    first, receipt = (
        team.put("000001_old_aaaa.txt", Thread="T"),
        inbox / ".read/000001_old_aaaa.txt",
    )
    receipt.touch()
    for number in range(2, READ + 1):
        os.link(first, f"{inbox}/{number:06d}_old_aaaa.txt")
        os.link(receipt, f"{inbox}/.read/{number:06d}_old_aaaa.txt")
    for number in (7, 10_007, READ + 7):
        team.put(f"{number:06d}_new_bbbb.txt", Thread="T")
    return team


@pytest.mark.parametrize(
    "call",
    [
        "unread", "unread --json", "unread --count", "unread -n 1",
        "unread --thread nosuch", "read --all --peek", "read 000007_new --peek",
        "wait --timeout 0", "wait", "agents", "status", "send carl -s s -m x",
        "reply 000007_new -m x", "mark 000007_new ack",
    ],
)  # fmt: skip
def test_what_was_read_long_ago_costs_no_look_each(thousands: Team, call: str) -> None:
    fresh = Team(Path(thousands.place.parent / f"few-{call.replace(' ', '-')}"))
    for number in (7, 10_007, READ + 7):
        fresh.put(f"{number:06d}_new_bbbb.txt", Thread="T")
    looks = []
    for team in (fresh, thousands):
        done = team.run(*call.split(), hook=COUNT)
        assert done.returncode in (0, 4), done
        looks.append(int(done.stderr.splitlines()[-1]))
    assert 0 < looks[1] <= looks[0] + 10 and len(team.receipts()) == READ
