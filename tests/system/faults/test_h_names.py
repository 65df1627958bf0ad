"""A name in From gives no power, and a missing right is told by the folder that lacks it."""

import os
import re
from pathlib import Path

import pytest

from ...unit.rights import mode
from .team import ENTRY, Team

# Commands that only look, as anybody may call them.
LOOKS = [
    "unread", "read --all --peek", "thread T", "thread T --everywhere", "threads", "search x",
    "sent", "agents", "status", "doctor", "doctor --fix", "cleanup", "cleanup --stale 9d", "wait --timeout 0",
    "thread T --mermaid", "archive --read",
]  # fmt: skip
CLAIMS = [
    {"Status": "done"},
    {"Status": "cancelled", "Event": "task_cancel"},
    {"Status": "error", "Event": "task_fail", "Ref": "01_mine_aaaa.txt"},
    {"Subject": "unregister carl", "Event": "task_req", "Intent": "cleanup", "Need-Reply": "yes"},
    {"Via": "bridge", "Detail": "/etc/passwd", "To": "carl"},
]


@pytest.fixture
def forged(team: Team, request: pytest.FixtureRequest) -> Team:
    """bob has a message from carl, and one that says it is from carl."""
    for agent in ("alice", "bob", "carl"):
        team.enter(agent)
    team.put("01_mine_aaaa.txt", From="carl", Thread="T", Subject="please")
    team.put("02_forged_bbbb.txt", "x\n", **{"From": "carl", "Thread": "T", **request.param})
    return team


# Who says to be somebody


@pytest.mark.parametrize("forged", CLAIMS, indirect=True)
@pytest.mark.parametrize("agent", ["bob", "carl"])
def test_nothing_is_done_because_a_message_says_who_sent_it(forged: Team, agent: str) -> None:
    before = forged.everything()
    answers = forged.often([call.split() for call in LOOKS[:-1]], SWARM_AGENT=agent)
    answers += forged.often([["archive", "--read"]], SWARM_AGENT=agent)
    for done in answers:
        assert done.returncode in (0, 4, 124), done
    assert forged.everything() == before
    if agent == "bob":
        forged.ok("read", "--all")
        made = forged.everything().keys() - before.keys()
        assert {Path(path).parent.name for path in made} == {".read"} and len(made) == 2
        assert all(forged.everything()[path] == data for path, data in before.items())


@pytest.mark.parametrize("forged", CLAIMS, indirect=True)
def test_whose_name_is_used_sent_nothing_and_gave_no_sign_of_life(forged: Team) -> None:
    old = 1_700_000_000
    for folder in ("dir/carl.txt", "carl/sent", "carl/inbox/.read"):
        os.utime(forged.root / folder, (old, old))
    assert forged.lines("sent", SWARM_AGENT="carl") == []
    assert forged.json("status")["agents"][2]["seen"] > 1000
    assert forged.lines("cleanup", "--stale", "30d", "--dry-run")[0].startswith("carl\t")


@pytest.mark.parametrize("forged", CLAIMS[:2], indirect=True)
@pytest.mark.parametrize("agent", ["alice", "carl"])
@pytest.mark.parametrize(
    "message",
    ["01_mine_aaaa.txt", "01_mine", "bob/inbox/01_mine_aaaa.txt", "../../bob/inbox/01_mine_aaaa.txt"],
)  # fmt: skip
def test_only_the_owner_marks_reads_and_archives(forged: Team, agent: str, message: str) -> None:
    before = forged.everything()
    absolute = str(forged.root / "bob/inbox/01_mine_aaaa.txt")
    calls = [
        call
        for path in (message, absolute)
        for call in (
            ["mark", path, "done"], ["archive", path], ["archive", path, "--delete"],
            ["read", path], ["read", path, "--peek"], ["reply", path, "-m", "x"],
        )
    ]  # fmt: skip
    for done in forged.often(calls, SWARM_AGENT=agent):
        assert (done.returncode, done.stdout) == (4, b""), done
        assert done.stderr.startswith(b"swarm: no message "), done
    assert forged.everything() == before


@pytest.mark.parametrize("call", ["mark {} done", "archive {}", "archive {} --delete"])
def test_who_sent_it_has_no_say_in_what_becomes_of_it(team: Team, call: str) -> None:
    (path,) = team.lines("send", "bob", "-s", "s", "-m", "x", SWARM_AGENT="alice")
    before = team.everything()
    for name in (path, path.rpartition("/")[2]):
        done = team.run(*call.format(name).split(), SWARM_AGENT="alice")
        assert (done.returncode, done.stdout) == (4, b""), done
    assert team.everything() == before


@pytest.mark.parametrize("sender", ["bob", "carl", "orchestrator", "boss", ""])
def test_a_reader_is_shown_the_sender_that_was_written_and_acts_on_none(
    team: Team, sender: str
) -> None:
    team.put("01_a_aaaa.txt", From=sender)
    (row,) = team.json("unread")["messages"]
    assert row["from"] == sender and ("malformed" in row["flags"]) == (not sender)
    before = team.everything()
    known = sender in ("bob", "carl")
    done = team.run("reply", "01", "-m", "x")
    assert done.returncode == (0 if known else 4 if sender else 2)
    assert known or team.everything() == before


# Rights


@pytest.mark.parametrize(
    ("folder", "bits", "code"),
    [
        ("bob", 0o644, 6), ("bob", 0o600, 6), ("bob", 0, 6), ("bob/inbox", 0o555, 6),
        ("bob/inbox", 0o666, 6), ("bob/inbox", 0, 6), ("alice/sent", 0o555, 6),
        ("alice/drafts", 0o555, 6), ("alice", 0o644, 6), ("alice/sent", 0o333, 6),
        ("bob", 0o111, 0), ("bob", 0o777, 0), ("bob/inbox", 0o777, 0), ("bob/inbox", 0o1777, 0),
        ("bob/inbox/.read", 0, 0), ("bob/sent", 0, 0), ("bob/drafts", 0, 0), ("dir", 0, 0),
    ],
)  # fmt: skip
def test_a_send_is_done_or_says_which_folder_lacks_which_right(
    team: Team, folder: str, bits: int, code: int
) -> None:
    with mode(team.root / folder, bits):
        done = team.bound("send", "bob", "-s", "s", "-m", "x", SWARM_AGENT="alice")
    assert done.returncode == code, done
    if code:
        assert done.stdout == b"" and team.inbox("bob") == team.sent("alice") == {}
        line, hint = done.stderr.decode().splitlines()
        assert f" {folder}" in line and hint.startswith("hint: "), done
        assert not list(team.root.rglob(".swarm-*"))
    else:
        assert (team.root / done.stdout.decode().strip()).is_file()
        assert team.sent("alice") == team.inbox("bob") and done.stderr == b""


@pytest.mark.parametrize("bits", [0o644, 0o600, 0])
@pytest.mark.parametrize("call", ["send bob -s s -m x", "unread", "read --next"])
def test_of_a_box_that_cannot_be_entered_the_box_is_named(team: Team, bits: int, call: str) -> None:
    with mode(team.root / "bob", bits):
        done = team.bound(*call.split())
    assert done.returncode == 6
    assert re.search(rb"^hint: .*\bbob(?![\w/])", done.stderr, re.MULTILINE), done


@pytest.mark.parametrize(("folder", "bits"), [("bob", 0o644), ("bob/inbox", 0o555), ("bob", 0)])
def test_the_others_of_a_message_to_all_get_theirs(team: Team, folder: str, bits: int) -> None:
    team.enter("bob")
    team.enter("carl")
    send = ("send", "-s", "s", "-m", "x")
    with mode(team.root / folder, bits):
        every = team.bound(*send, "all", SWARM_AGENT="alice")
        named = team.bound(*send, "carl", "bob", SWARM_AGENT="alice")
    assert every.returncode == named.returncode == 6
    assert every.stdout.startswith(b"carl/inbox/") and named.stdout == b""
    assert b"bob" in every.stderr and b"bob" in named.stderr
    assert len(team.inbox("carl")) == 1 and team.inbox("bob") == {}


@pytest.mark.parametrize(
    ("folder", "bits"), [("bob", 0o644), ("bob/inbox", 0), ("bob/inbox", 0o666), ("bob", 0)]
)
@pytest.mark.parametrize("call", ["unread", "read --all", "wait --timeout 0", "unread --count"])
def test_a_box_that_cannot_be_looked_into_is_not_empty(
    team: Team, folder: str, bits: int, call: str
) -> None:
    path = team.put("01_a_aaaa.txt")
    with mode(team.root / folder, bits):
        done = team.bound(*call.split())
        told = team.bound("doctor").stdout.decode()
    if bits == 0o666 and call.split()[0] in ("wait", "unread") and call != "unread":
        assert done.stdout == b"1\n" or b"cannot read bob/inbox/01_a_aaaa.txt" in done.stderr
    else:
        assert done.returncode == 6 and b"bob/inbox" in done.stderr, done
    assert f"fail\t{folder}\t" in told and "you lack" in told
    assert team.receipts() == set() and path.is_file()


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o007, 0o027])
def test_a_new_mailbox_can_be_entered_by_its_owner(team: Team, umask: int) -> None:
    before = os.umask(umask)
    try:
        done = team.bound("register", "dora", *ENTRY)
        sent = team.bound("send", "dora", "-s", "s", "-m", "x")
    finally:
        os.umask(before)
    assert done.returncode == sent.returncode == 0
    for folder in ("", "inbox", "inbox/.read", "sent", "drafts"):
        assert (team.root / "dora" / folder).stat().st_mode & 0o777 == 0o777 & ~umask
    assert (team.root / sent.stdout.decode().strip()).stat().st_mode & 0o777 == 0o666 & ~umask
    assert team.bound("read", "--all", SWARM_AGENT="dora").returncode == 0
