"""Whatever the disk refuses and whoever races, a message is delivered once, whole, and told."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ...unit.rights import mode
from .team import ENTRY, RECIPES, Done, Team

SEND = ("send", "bob", "-s", "same", "-m")
WHOLE = b"To: bob\nFrom: alice\nSubject: a subject\nThread: T\n---\nbody\n"

# The generator says the same for so many draws; before a link so many processes meet.
RACE = """
import errno, fcntl, os, time
here, draws, links, of = {here!r}, {draws}, {links!r}, {of}
random, link = os.urandom, os.link
waited = False
def urandom(size):
    global draws
    draws -= 1
    return b"\\xab" * size if draws >= 0 else random(size)
def meet():
    global waited
    if not waited:
        waited = True
        os.close(os.open(f"{{here}}/{{os.getpid()}}", os.O_CREAT))
        end = time.monotonic() + 5
        while len(os.listdir(here)) < of and time.monotonic() < end:
            time.sleep(0.001)
def linked(source, target, **how):
    meet()
    if links:
        raise OSError(getattr(errno, links), "refused", source)
    link(source, target, **how)
os.urandom, os.link = urandom, linked
"""
NO_LOCKS = """
def no_lock(fd, how):
    raise OSError(errno.ENOLCK, "no locks")
fcntl.flock = no_lock
"""
# No rename that replaces nothing: what is left is the folder's lock.
OLD_SYSTEM = """
import ctypes
ctypes.CDLL = lambda *args, **how: object()
"""
REFUSED = """
import errno, os
def link(source, target, **how):
    raise OSError(errno.{}, os.strerror(errno.{}), source)
os.link = link
"""
# Folders cannot be synced, or one of them has a bad disk.
SYNC = """
import errno, os
from stat import S_ISDIR
fsync = os.fsync
def refused(fd):
    if S_ISDIR(os.fstat(fd).st_mode) and os.readlink(f"/proc/self/fd/{{fd}}").endswith({end!r}):
        raise OSError(errno.{kind}, os.strerror(errno.{kind}))
    fsync(fd)
os.fsync = refused
"""
NO_COPY = """
import errno, os
link = os.link
def full(source, target, **how):
    if "/sent/" in target:
        raise OSError(errno.{kind}, os.strerror(errno.{kind}), source)
    link(source, target, **how)
os.link = full
"""
linux = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="names open folders")


def bodies(found: dict[str, bytes]) -> list[bytes]:
    return sorted(data.partition(b"\n---\n")[2] for data in found.values())


# One name for two


def racing(team: Team, draws: int, links: str = "", of: int = 1) -> str:
    """The hook for so many processes that are to meet."""
    here = tempfile.mkdtemp(dir=team.place.parent)
    return RACE.format(here=here, draws=draws, links=links, of=of)


def race(team: Team, senders: list[str], hook: str) -> list[Done]:
    running = [
        team.start(*SEND, f"letter {at}", hook=hook, SWARM_AGENT=sender)
        for at, sender in enumerate(senders)
    ]
    told = [process.communicate(timeout=30) for process in running]
    return [Done([], p.returncode, *said) for p, said in zip(running, told, strict=True)]


@pytest.mark.parametrize("senders", [["alice", "carl"], ["alice", "alice"], ["bob", "alice"]])
@pytest.mark.parametrize(
    ("draws", "links", "more"),
    [(1, "", ""), (20, "", ""), (1, "EPERM", ""), (9, "EPERM", ""), (1, "EPERM", OLD_SYSTEM)],
    ids=["once", "often", "no links", "no links, often", "no links, old system"],
)
def test_two_that_draw_one_name_at_once_are_both_delivered(
    team: Team, senders: list[str], draws: int, links: str, more: str
) -> None:
    answers = race(team, senders, racing(team, draws, links, 2) + more)
    assert [(done.returncode, done.stderr) for done in answers] == [(0, b"")] * 2
    paths = [done.stdout.decode().strip() for done in answers]
    for at, path in enumerate(paths):
        assert (team.root / path).read_bytes().endswith(f"---\nletter {at}\n".encode())
    assert bodies(team.inbox("bob")) == [b"letter 0\n", b"letter 1\n"]
    assert draws > 8 or "01_same_abab.txt" in team.inbox("bob")
    for sender in set(senders):
        own = [f"letter {at}\n".encode() for at, by in enumerate(senders) if by == sender]
        assert bodies(team.sent(sender)) == own
    assert not list(team.root.rglob(".swarm-*"))


@pytest.mark.parametrize("senders", [["alice", "carl"], ["alice", "alice"]])
def test_without_links_and_locks_too_nothing_is_replaced(team: Team, senders: list[str]) -> None:
    answers = race(team, senders, racing(team, 1, "EPERM", 2) + NO_LOCKS)
    assert [(done.returncode, done.stderr) for done in answers] == [(0, b"")] * 2
    assert bodies(team.inbox("bob")) == [b"letter 0\n", b"letter 1\n"]


@pytest.mark.parametrize("used", ["inbox", "inbox/.read", "both"])
def test_a_name_in_use_or_used_before_is_drawn_again(team: Team, used: str) -> None:
    hook = racing(team, 1)
    name = "01_same_abab.txt"
    folders = ("inbox", "inbox/.read") if used == "both" else (used,)
    for folder in folders:
        (team.root / "bob" / folder / name).write_text("precious")
    (path,) = team.lines(*SEND, "new", hook=hook, SWARM_AGENT="alice")
    assert re.fullmatch(r"bob/inbox/01_same_[0-9a-f]{4}\.txt", path) and name not in path
    for folder in folders:
        assert (team.root / "bob" / folder / name).read_text() == "precious"


# Tools for the recipes: the same random bytes, and a link that waits for the other one's.
TOOLS = {
    "od": """n=$(cat {here}/n.$ME 2>/dev/null || echo 0); echo $((n + 1)) >{here}/n.$ME
case $n in 0|2|4|6) echo " 0$n $PPID";; 1|3) echo ' aa aa';; *) exec {od} "$@";; esac
""",
    "ln": """: >{here}/at.$ME; n=0
while [ ! -e {here}/at.alice ] || [ ! -e {here}/at.carl ]; do
  n=$((n + 1)); [ $n -lt 2000 ] || exit 9; sleep 0.002
done
exec {ln} "$@"
""",
}


@pytest.fixture
def tools(team: Team) -> str:
    """A PATH on which two recipes draw the same and link at the same time."""
    here = team.place.parent / "tools"
    here.mkdir()
    for name, script in TOOLS.items():
        real = shutil.which(name)
        (here / name).write_text("#!/bin/sh\n" + script.format(here=here, od=real, ln=real))
        (here / name).chmod(0o755)
    return f"{here}:{os.environ['PATH']}"


@pytest.mark.parametrize("shell", [name for name in ("dash", "bash", "sh") if shutil.which(name)])
def test_two_by_hand_that_draw_one_name_at_once_are_both_delivered(
    team: Team, tools: str, shell: str
) -> None:
    letters = [b"letter 0\n", b"letter 1\n"]
    running = []
    for sender, body in zip(("alice", "carl"), letters, strict=True):
        with tempfile.TemporaryFile() as file:
            file.write(body)
            file.seek(0)
            env = team.env(PATH=tools, MAIL=str(team.root), ME=sender)
            argv = [shell, "-eu", str(RECIPES / "send.sh"), "bob", "same"]
            running.append(subprocess.Popen(argv, env=env, stdin=file, stdout=-1, stderr=-1))
    told = [process.communicate(timeout=20) for process in running]
    assert [p.returncode for p in running] == [0, 0], told
    for (out, err), body in zip(told, letters, strict=True):
        assert err == b"" and (team.root / out.decode().strip()).read_bytes().endswith(body)
    assert "01_same_aaaa.txt" in team.inbox("bob") and bodies(team.inbox("bob")) == letters
    assert bodies(team.sent("alice")) == letters[:1] and bodies(team.sent("carl")) == letters[1:]
    assert not list(team.root.rglob(".swarm-*"))


@pytest.mark.parametrize("first", ["hand", "command"])
def test_by_hand_and_by_command_with_one_name_are_both_delivered(
    team: Team, tools: str, first: str
) -> None:
    hook = racing(team, 1).replace("\\xab", "\\xaa")
    Path(tools.split(":")[0], "at.carl").touch()

    def by_hand() -> None:
        argv = ["sh", "-eu", str(RECIPES / "send.sh"), "bob", "same"]
        env = team.env(PATH=tools, MAIL=str(team.root), ME="alice")
        subprocess.run(argv, env=env, input=b"by hand\n", check=True, capture_output=True)

    if first == "hand":
        by_hand()
    team.ok(*SEND, "by command", SWARM_AGENT="carl", hook=hook)
    if first == "command":
        by_hand()
    assert bodies(team.inbox("bob")) == [b"by command\n", b"by hand\n"]
    assert "01_same_aaaa.txt" in team.inbox("bob")


# Half-written


def seen(team: Team) -> list[str]:
    return team.lines("unread")


@settings(max_examples=10, deadline=None)
@given(st.integers(0, len(WHOLE) - 1))
def test_a_message_that_is_still_being_written_is_shown_as_far_as_it_is(cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        team = Team(Path(folder, "project"))
        team.put("01_good_aaaa.txt", Thread="T")
        with open(team.root / "bob/inbox/02_slow_bbbb.txt", "wb", 0) as file:
            file.write(WHOLE[:cut])
            rows = [line.split("\t") for line in team.lines("unread")]
            assert [row[0] for row in rows] == ["01_good_aaaa.txt", "02_slow_bbbb.txt"]
            assert ("malformed" in rows[1][-1]) == (b"\n---" not in WHOLE[:cut])
            assert team.ok("read", "--peek", "02") == WHOLE[:cut]
            file.write(WHOLE[cut:])
        assert team.lines("unread")[1] == "02_slow_bbbb.txt\talice\ta subject"
        assert team.receipts() == set()
        assert len(team.lines("thread", "T")) == 2


@pytest.mark.parametrize("cut", [0, 12, WHOLE.index(b"---"), len(WHOLE) - 3])
def test_who_waits_is_given_the_message_when_it_is_whole_soon(team: Team, cut: int) -> None:
    waiting = team.start("wait", "--timeout", "10")
    with open(team.root / "bob/inbox/slow.txt", "wb", 0) as file:
        file.write(WHOLE[:cut])
        file.write(WHOLE[cut:])
    out, err = waiting.communicate(timeout=20)
    assert (waiting.returncode, out, err) == (0, b"slow.txt\talice\ta subject\n", b"")


@pytest.mark.parametrize("way", ["mv", "ln"])
@pytest.mark.parametrize("start", [WHOLE, WHOLE[:30], b""], ids=["whole", "half", "empty"])
def test_a_writer_may_go_on_in_what_was_delivered(team: Team, way: str, start: bytes) -> None:
    draft, target = team.root / "alice/drafts/d.txt", team.root / "bob/inbox/01_d_aaaa.txt"
    with open(draft, "wb", 0) as file:
        file.write(start)
        subprocess.run([way, draft, target], check=True)
        assert len(seen(team)) == 1
        file.write(WHOLE[len(start) :] + b"two\n")
        assert seen(team) == ["01_d_aaaa.txt\talice\ta subject"]
        assert team.ok("read", "--next") == WHOLE + b"two\n"
        file.write(b"three\n")
    assert seen(team) == []
    assert team.ok("read", "01") == WHOLE + b"two\nthree\n"
    assert team.json("thread", "T")["messages"][0]["file"] == "01_d_aaaa.txt"
    later = os.stat(team.root / "bob/inbox/.read/01_d_aaaa.txt").st_mtime + 60
    os.utime(target, (later, later))
    told = team.run("doctor").stdout.decode()
    assert "bob/inbox/01_d_aaaa.txt\thidden by a receipt older than itself" in told


@pytest.mark.parametrize("edited", ["inbox", "sent"])
@pytest.mark.parametrize("links", ["", "EPERM", "EOPNOTSUPP"])
def test_the_copy_is_another_file(team: Team, edited: str, links: str) -> None:
    hook = REFUSED.format(links, links) if links else ""
    (path,) = team.lines(*SEND, "x", SWARM_AGENT="alice", hook=hook)
    inbox, copy = team.root / path, team.root / "alice/sent" / Path(path).name
    before = inbox.read_bytes()
    changed, kept = (inbox, copy) if edited == "inbox" else (copy, inbox)
    with open(changed, "ab") as file:
        file.write(b"edited\n")
    assert kept.read_bytes() == before and changed.read_bytes() == before + b"edited\n"


# Zeros


@pytest.mark.parametrize("size", [0, 1, 300, 4096, 5000, 70000])
def test_a_file_of_zeros_hides_no_other(team: Team, size: int) -> None:
    team.put("01_good_aaaa.txt", "findme\n", Thread="T")
    team.raw("02_zero_bbbb.txt", bytes(size))
    team.put("03_good_cccc.txt", "findme\n", Thread="T")
    calls = ("unread", "unread --json", "thread T", "search findme", "threads", "doctor")
    told = team.answers(*calls)
    rows = [line.split("\t") for line in told["unread"].splitlines()]
    assert [row[0][:2] for row in rows] == ["01", "02", "03"] and rows[1][-1] == "malformed"
    flags = [found["flags"] for found in json.loads(told["unread --json"])["messages"]]
    assert flags == [[], ["malformed"], []]
    assert told["thread T"].count("\n") == told["search findme"].count("\n") == 2
    assert told["threads"] == "T\t2\ts\n"
    assert "bob/inbox/02_zero_bbbb.txt\tmalformed (lacks To, From, Subject, ---)" in told["doctor"]
    assert team.ok("read", "02") == bytes(size)
    assert team.ok("read", "--all").count(b"findme\n") == 2
    assert team.receipts() == {"01_good_aaaa.txt", "02_zero_bbbb.txt", "03_good_cccc.txt"}


# What a file system refuses


def delivered_once(team: Team, done: Done, err: bytes = b"", code: int = 0) -> str:
    """The path that was told, where the one message lies."""
    assert (done.returncode, done.stderr) == (code, err), done
    path = done.stdout.decode().removesuffix("\n")
    assert [f"bob/inbox/{name}" for name in team.inbox("bob")] == [path]
    assert not list(team.root.rglob(".swarm-*"))
    return path


@pytest.mark.parametrize("errno", ["EPERM", "EACCES", "EOPNOTSUPP", "ENOSYS", "EMLINK"])
def test_where_links_are_refused_mail_is_sent_and_put_away(team: Team, errno: str) -> None:
    hook = REFUSED.format(errno, errno)
    path = delivered_once(team, team.run(*SEND, "x", SWARM_AGENT="alice", hook=hook))
    assert team.sent("alice") == team.inbox("bob")
    assert team.ok("reply", path, "-m", "y", hook=hook).startswith(b"alice/inbox/")
    assert team.lines("archive", path, hook=hook) == [path.replace("inbox", "sent")]
    assert team.lines("send", "carl", "-s", "s", "-m", "x", "--id", "k", hook=hook)


@pytest.mark.parametrize("errno", ["EPERM", "EOPNOTSUPP"])
@pytest.mark.parametrize("more", ["", OLD_SYSTEM], ids=["new system", "old system"])
def test_where_links_are_refused_an_agent_is_registered(team: Team, errno: str, more: str) -> None:
    hook = REFUSED.format(errno, errno) + more
    assert team.ok("register", "dora", *ENTRY, hook=hook) == b"dora\n"
    assert (team.root / "dir/dora.txt").is_file()
    assert team.run("register", "dora", *ENTRY, hook=hook).returncode == 5


@linux
@pytest.mark.parametrize("errno", ["EINVAL", "EOPNOTSUPP", "ENOSYS", "EBADF"])
@pytest.mark.parametrize("links", ["", "EPERM"])
def test_where_folders_cannot_be_synced_mail_is_sent(team: Team, errno: str, links: str) -> None:
    hook = SYNC.format(end="", kind=errno) + (REFUSED.format(links, links) if links else "")
    env = {"SWARM_FSYNC": "", "SWARM_AGENT": "alice"}
    delivered_once(team, team.run(*SEND, "x", hook=hook, **env))
    assert team.sent("alice") == team.inbox("bob")
    assert links or team.ok("register", "dora", *ENTRY, hook=hook, **env) == b"dora\n"


@pytest.mark.parametrize("fsync", ["", "0"])
@pytest.mark.parametrize("words", [SEND, ("reply", "01", "-m")])
def test_an_inbox_that_may_be_written_to_but_not_listed_takes_mail(
    team: Team, fsync: str, words: tuple[str, ...]
) -> None:
    team.put("01_q_aaaa.txt", agent="alice", From="bob")
    with mode(team.root / "bob/inbox", 0o333):
        done = team.bound(*words, "x", SWARM_AGENT="alice", SWARM_FSYNC=fsync)
    delivered_once(team, done)
    assert team.sent("alice") == team.inbox("bob")


@pytest.mark.parametrize("fsync", ["", "0"])
def test_where_a_key_cannot_be_looked_for_nothing_is_sent(team: Team, fsync: str) -> None:
    with mode(team.root / "bob/inbox", 0o333):
        done = team.bound(*SEND, "x", "--id", "k", SWARM_AGENT="alice", SWARM_FSYNC=fsync)
    assert (done.returncode, done.stdout) == (6, b"") and b"cannot list bob/inbox" in done.stderr
    assert team.inbox("bob") == team.sent("alice") == {}


# What fails after the delivery


@linux
@pytest.mark.parametrize("key", [(), ("--id", "key")])
@pytest.mark.parametrize(
    ("hook", "doing"),
    [
        (SYNC.format(end="/bob/inbox", kind="EIO"), "sync bob/inbox/{}: Input/output error"),
        (NO_COPY.format(kind="ENOSPC"), "keep a copy in alice/sent: No space left on device"),
        (NO_COPY.format(kind="EDQUOT"), "keep a copy in alice/sent: Disk quota exceeded"),
        (NO_COPY.format(kind="EROFS"), "keep a copy in alice/sent: Read-only file system"),
    ],
    ids=["sync", "full", "quota", "readonly"],
)  # fmt: skip
def test_what_fails_after_the_delivery_is_told_beside_it(
    team: Team, key: tuple[str, ...], hook: str, doing: str
) -> None:
    env = {"SWARM_FSYNC": "", "SWARM_AGENT": "alice"}
    done = team.run(*SEND, "x", *key, hook=hook, **env)
    path = done.stdout.decode().strip()
    error = f"swarm: cannot {doing.format(Path(path).name)}\n"
    error += f"hint: {path} is delivered: do not send it again without the same --id\n"
    delivered_once(team, done, error.encode(), 6 if "Read-only" in doing else 75)
    if key:
        again = team.run(*SEND, "x", *key, **env)
        assert again.stdout == done.stdout and again.returncode == 0
        assert team.sent("alice") == team.inbox("bob") and len(team.inbox("bob")) == 1


@linux
@pytest.mark.parametrize("to", [["bob", "carl"], ["carl", "bob"], ["all"]])
def test_the_others_get_theirs(team: Team, to: list[str]) -> None:
    team.enter("bob")
    team.enter("carl")
    hook = SYNC.format(end="/bob/inbox", kind="EIO")
    env = {"SWARM_FSYNC": "", "SWARM_AGENT": "alice"}
    done = team.run("send", *to, "-s", "s", "-m", "x", "--json", hook=hook, **env)
    assert done.returncode == 75
    told = {item["path"] for item in json.loads(done.stdout)["delivered"]}
    assert {path.split("/")[0] for path in told} == {"bob", "carl"}
    assert all((team.root / path).is_file() for path in told)
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert error["exit"] == 75 and "bob/inbox/" in error["hint"] and "delivered" in error["hint"]


@linux
def test_an_answer_is_told_of_like_a_message(team: Team) -> None:
    team.put("01_q_aaaa.txt", agent="alice", From="bob")
    hook = SYNC.format(end="/bob/inbox", kind="EIO")
    env = {"SWARM_FSYNC": "", "SWARM_AGENT": "alice"}
    done = team.run("reply", "01", "-m", "x", hook=hook, **env)
    path = done.stdout.decode().strip()
    assert done.returncode == 75 and (team.root / path).is_file()
    assert f"hint: {path} is delivered".encode() in done.stderr
