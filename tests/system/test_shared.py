"""A tree shared by the users of a group (docs/security.md): real users, and the kernel's word."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from swarm import lock
from swarm.doctor import examine
from swarm.mailbox import shared
from swarm.mailbox.layout import Root
from tests.users import ALICE, BOB, CAROL, GROUP, STRANGER, attempt, call, place

LISTED, READ, CHANGED = "os.listdir(path)", "open(path).read()", "open(path, 'a').write('x')"
REMOVED, RENAMED = "os.unlink(path)", "os.rename(path, path + '-')"
LINKED = "os.link(path, path + '-')"
WRITTEN, ASKED = "open(path, 'x').write('To: alice')", "os.stat(path)"
REFUSED = {"Permission denied", "Operation not permitted"}


def registered(user: int, tree: Path, agent: str) -> None:
    words = ("--role", "r", "--archetype", "planner", "--task", "t")
    done = call(user, tree, "register", agent, *words)
    assert done.returncode == 0, done.stderr


def told(user: int, tree: Path, *words: str, **env: str) -> str:
    """What a command prints that does what it should."""
    done = call(user, tree, *words, **env)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def common() -> Iterator[Path]:
    """Alice, bob and carol share a tree; bob has written to alice."""
    with place() as folder:
        told(ALICE, folder, "init", ".", "--shared", str(GROUP))
        for user, agent in ((ALICE, "alice"), (BOB, "bob"), (CAROL, "carol")):
            registered(user, folder, agent)
        told(BOB, folder, "--as", "bob", "send", "alice", "-s", "secret", "-m", "the key is 5")
        yield folder


def letter(tree: Path) -> Path:
    """Bob's message in alice's inbox."""
    return next((tree / "mail/alice/inbox").glob("*_secret_*.txt"))


def test_a_member_delivers_and_only_the_owner_of_the_mailbox_reads(common: Path) -> None:
    assert "the key is 5" in told(ALICE, common, "--as", "alice", "read", "--next", "--peek")
    done = call(CAROL, common, "--as", "alice", "unread")
    assert (done.returncode, done.stdout) == (5, "")
    assert "belongs to user 41001" in done.stderr


@pytest.mark.parametrize("doing", [READ, CHANGED, REMOVED, RENAMED, LINKED])
def test_a_member_who_knows_the_name_may_do_nothing_with_the_message(
    common: Path, doing: str
) -> None:
    assert attempt(CAROL, letter(common), doing) in REFUSED


@pytest.mark.parametrize("folder", ["alice", "alice/inbox", "alice/inbox/.read", "alice/sent"])
def test_a_member_lists_nothing_of_anothers_mailbox(common: Path, folder: str) -> None:
    assert attempt(CAROL, common / "mail" / folder, LISTED) in REFUSED


@pytest.mark.parametrize(
    "path",
    ["alice/inbox/.read/x.txt", "alice/sent/x.txt", "alice/drafts/x.txt", "alice/x.txt"],
)
def test_a_member_makes_files_in_inboxes_only(common: Path, path: str) -> None:
    assert attempt(CAROL, common / "mail" / path, WRITTEN) in REFUSED


@pytest.mark.parametrize("path", ["alice/inbox", "alice/inbox/.read", "alice", "dir/alice.txt"])
def test_nobody_puts_another_thing_in_the_place_of_what_is_anothers(
    common: Path, path: str
) -> None:
    assert attempt(BOB, common / "mail" / path, RENAMED) in REFUSED


def test_an_entry_is_read_by_all_and_changed_by_its_owner(common: Path) -> None:
    assert attempt(BOB, common / "mail/dir/alice.txt", READ) == ""
    assert attempt(BOB, common / "mail/dir/alice.txt", CHANGED) in REFUSED
    assert attempt(BOB, common / "mail/dir/alice.txt", REMOVED) in REFUSED
    done = call(BOB, common, "--as", "alice", "update", "--status", "done")
    assert done.returncode == 5
    told(ALICE, common, "--as", "alice", "update", "--status", "paused")


def test_files_that_all_have_in_common_are_no_more_open_than_told(common: Path) -> None:
    """Whatever the umask."""
    for path, mode in (("dir/new.txt", 0o640), (".sessions/x", 0o600), (".nudges/x", 0o600)):
        file = common / "mail" / path
        doing = "os.umask(0o777 if 'dir' in path else 0); open(path, 'x').close()"
        assert attempt(BOB, file, doing) == ""
        assert shared.mode_of(str(file)) == mode
        file.unlink()


def test_a_user_outside_the_group_sees_nothing(common: Path) -> None:
    assert attempt(STRANGER, common / "mail", LISTED) in REFUSED
    assert attempt(STRANGER, letter(common), READ) in REFUSED
    assert attempt(STRANGER, common / "mail/alice/inbox/x.txt", WRITTEN) in REFUSED
    assert call(STRANGER, common, "status").returncode == 6


def test_a_sender_learns_of_the_receipt_without_listing(common: Path) -> None:
    told(BOB, common, "--as", "bob", "send", "carol", "-s", "seen", "-m", "x")
    assert "carol\tunread\tseen" in told(BOB, common, "--as", "bob", "sent")
    told(CAROL, common, "--as", "carol", "read", "--all")
    assert "carol\tread\tseen" in told(BOB, common, "--as", "bob", "sent")


def test_a_trace_tells_what_can_be_seen_and_what_cannot(common: Path) -> None:
    name = letter(common).name
    for whose in (["--as", "bob", "trace", name], ["trace", name, "--everywhere"]):
        said = told(BOB, common, *whose)
        assert "unread\tno receipt" in said
        assert "unknown\thow much unread mail comes first: the mailbox is another user's" in said


def test_names_cannot_be_guessed(common: Path) -> None:
    token = letter(common).stem.rpartition("_")[2]
    assert len(token) == 16


@pytest.mark.parametrize("killed", [False, True])
def test_a_retry_by_key_sends_once(common: Path, killed: bool) -> None:
    """Also after a kill before the copy was named, and after it was archived."""
    words = (
        "--as",
        "bob",
        "send",
        "carol",
        "-s",
        f"once {killed}",
        "-m",
        "x",
        "--id",
        f"k{killed}",
    )
    first = told(BOB, common, *words).strip()
    copy = common / "mail/bob/sent" / os.path.basename(first)
    if killed:
        copy.unlink()
        told(BOB, common, "--as", "bob", "send", "carol", "-s", "later", "-m", "x")
    assert told(BOB, common, *words).strip() == first
    assert copy.exists()
    told(CAROL, common, "--as", "carol", "archive", first)
    if killed:
        copy.unlink()
    assert told(BOB, common, *words).strip() == first


def test_what_was_archived_is_changed_by_its_sender_no_more(common: Path) -> None:
    path = told(BOB, common, "--as", "bob", "send", "carol", "-s", "put away", "-m", "x").strip()
    told(CAROL, common, "--as", "carol", "mark", path, "ack")
    other = told(BOB, common, "--as", "bob", "send", "carol", "-s", "kept", "-m", "x").strip()
    before = os.stat(common / "mail" / other).st_mtime_ns
    for name in (path, other):
        kept = told(CAROL, common, "--as", "carol", "archive", name).strip()
        seen = os.stat(common / "mail" / kept)
        assert (seen.st_uid, seen.st_nlink) == (CAROL, 1)
    assert seen.st_mtime_ns == before


def test_status_says_of_others_that_it_cannot_look(common: Path) -> None:
    rows = [line.split("\t") for line in told(BOB, common, "status").splitlines()]
    unread = {row[0]: row[2] for row in rows}
    assert unread["alice"] == unread["orchestrator"] == "not readable"
    assert unread["bob"] == "0"
    assert not [row for row in rows if row[0].startswith("!")]


def test_a_mailbox_is_whose_it_is_and_nobody_else_registers_it(common: Path) -> None:
    words = ("register", "orchestrator", "--role", "r", "--archetype", "planner", "--task", "t")
    done = call(BOB, common, *words)
    assert (done.returncode, done.stdout) == (5, "")
    assert not (common / "mail/dir/orchestrator.txt").exists()


def test_a_folder_that_is_put_in_the_place_of_an_inbox_gets_nothing(common: Path) -> None:
    """The owner of a mailbox could have who writes to him make files elsewhere."""
    registered(CAROL, common, "trap")
    inbox = common / "mail/trap/inbox"
    inbox.rename(inbox.with_name("real"))
    inbox.symlink_to(common / "mail/bob/drafts")
    done = call(BOB, common, "--as", "bob", "send", "trap", "-s", "x", "-m", "x")
    inbox.unlink()
    inbox.with_name("real").rename(inbox)
    assert done.returncode == 6
    assert "led to by a link" in done.stderr
    assert not list((common / "mail/bob/drafts").glob("*.txt"))


def test_a_name_that_another_kept_for_this_folder_is_not_ours(common: Path) -> None:
    told(BOB, common, "--as", "bob", "whoami", "--keep", "bob")
    assert told(BOB, common, "whoami").startswith("bob\t")
    kept = common / f"mail/.names-{CAROL}"
    os.link(common / f"mail/.names-{BOB}", kept)  # as if bob had made it: root may
    done = call(CAROL, common, "unread")
    kept.unlink()
    assert done.returncode == 2


def test_a_session_that_another_named_is_not_ours(common: Path) -> None:
    session = common / "mail/.sessions/claude-x"
    session.write_text("agent: bob\n")
    os.chown(session, BOB, GROUP)
    session.chmod(0o644)
    env = {"CLAUDE_CODE_SESSION_ID": "x", "SWARM_SESSION": "claude-x"}
    assert call(CAROL, common, "whoami", **env).returncode == 2
    assert call(BOB, common, "whoami", **env).stdout.startswith("bob\t")
    session.unlink()


def test_a_lock_that_another_never_gives_back_ends_in_try_again(
    common: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "LOCK_S", 0.1)
    fd = os.open(common / "mail/dir", os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        done = call(BOB, common, "--as", "bob", "update", "--task", "x")
    finally:
        os.close(fd)
    assert done.returncode == 75
    assert "locked by another process" in done.stderr


def test_the_doctor_finds_it_sound_for_each_of_them(common: Path) -> None:
    for user in (ALICE, BOB, CAROL):
        assert {line.split("\t")[0] for line in told(user, common, "doctor").splitlines()} == {"ok"}


@pytest.mark.parametrize(
    ("path", "mode", "level"),
    [
        ("", 0o2770, "fail"),
        ("dir", 0o3777, "fail"),
        ("alice", 0o2750, "fail"),
        ("alice/inbox", 0o3770, "fail"),
        ("alice/inbox", 0o2730, "fail"),
        ("alice/sent", 0o2755, "fail"),
        ("alice/inbox", 0o3700, "warn"),
        ("alice/inbox/.read", 0o2700, "warn"),
    ],
)
def test_the_doctor_tells_of_a_mode_and_its_way_out_mends_it(
    common: Path, path: str, mode: int, level: str
) -> None:
    folder = common / "mail" / path
    before = shared.mode_of(str(folder))
    folder.chmod(mode)
    found = [one for one in examine(Root(f"{common}/mail")) if one.path == (path or ".")]
    assert level in {one.level for one in found}
    way = ["--agents", "alice"] if path.startswith("alice") else ["--shared", str(GROUP)]
    assert any(" ".join(way) in one.fix for one in found)
    told(ALICE, common, "init", *way)
    assert shared.mode_of(str(folder)) == before


def test_the_doctor_tells_of_an_inbox_without_its_access_list(common: Path) -> None:
    os.removexattr(common / "mail/alice/inbox", shared.DEFAULT)
    said = call(BOB, common, "doctor")
    told(ALICE, common, "init", "--agents", "alice")
    assert said.returncode == 1
    assert "fail\talice/inbox\tlets others read what comes" in said.stdout


def test_the_doctor_tells_who_put_a_message_here_under_anothers_name(common: Path) -> None:
    told(CAROL, common, "--as", "carol", "send", "alice", "-s", "mine", "-m", "x")
    forged = common / "mail/alice/inbox/09_forged_1234.txt"
    assert (
        attempt(
            CAROL, forged, "open(path, 'x').write('To: alice\\nFrom: bob\\nSubject: x\\n---\\n')"
        )
        == ""
    )
    said = told(ALICE, common, "doctor")
    forged.unlink()
    assert "From says bob, but user 41003 put it here" in said
    assert "_mine_" not in said


def test_a_guardian_hands_its_own_users_files_to_nobody(common: Path) -> None:
    """A command with the rights of carol is asked to print a file of hers."""
    secret = common / "secret.txt"
    secret.write_text("only carol's")
    os.chown(secret, CAROL, GROUP)
    secret.chmod(0o600)
    words = ("task", "request", "carol", "-s", "print it", "--detail", str(secret))
    told(BOB, common, "--as", "bob", *words)
    call(CAROL, common, "mamoru", "--as", "carol", "--exec", "cat", seconds=1.5)
    sent = list((common / "mail/carol/sent").glob("*.txt"))
    assert not [one for one in sent if "only carol's" in one.read_text()]
    assert [one for one in sent if "Event: task_fail" in one.read_text()]


def test_a_guardian_of_all_is_one_of_its_own_users(common: Path) -> None:
    """What others leave among the traces is not in its way."""
    trace = common / "mail/.guardians/4194304-dead"
    trace.write_text("bob\n")
    pipe = common / "mail/.sessions/claude-y"
    pipe.write_text("agent: bob\n")
    os.mkfifo(common / "mail/.sessions/.claude-y.bell", 0o666)
    done = call(BOB, common, "mamoru", "--all", seconds=2)
    told(BOB, common, "--as", "bob", "task", "request", "orchestrator", "-s", "x", "-m", "x")
    assert done.stderr.splitlines() == ["guarding everybody by mail; Ctrl-C ends it"]
    done = call(BOB, common, "mamoru", "--as", "alice", seconds=1)
    assert done.returncode == 5
    assert call(BOB, common, "status").returncode == 0
    for path in (trace, pipe, pipe.with_name(".claude-y.bell")):
        path.unlink()


def test_the_owner_of_the_tree_removes_the_entry_of_anybody_who_is_silent(common: Path) -> None:
    registered(CAROL, common, "quiet")
    os.utime(common / "mail/dir/quiet.txt", (1, 1))
    assert told(ALICE, common, "cleanup", "--stale", "1d").startswith("quiet\t")
    assert not (common / "mail/dir/quiet.txt").exists()


def test_no_bridge_acts_for_several_users(common: Path) -> None:
    home = {"SWARM_TEAM_HOME": str(common / "team")}
    told(ALICE, common, "team", "create", "ops", **home)
    done = call(ALICE, common, "bridge", "--channel", "ops", seconds=2, **home)
    assert done.returncode == 5
    assert "needs a tree of one" in done.stderr


def test_mail_by_hand_is_copied_and_the_doctor_tells_of_what_was_moved(common: Path) -> None:
    recipe = Path(__file__).parents[2] / "scripts/by-hand/send.sh"
    by_hand = f"echo x | MAIL={common}/mail ME=bob PATH=/usr/bin:/bin sh {recipe} alice copied"
    assert attempt(BOB, recipe, f"assert not os.system({by_hand!r} + ' >/dev/null')") == ""
    copied = next((common / "mail/alice/inbox").glob("*_copied_*"))
    assert attempt(CAROL, copied, READ) in REFUSED
    assert "x" in told(ALICE, common, "--as", "alice", "read", copied.name)
    moved = copied.with_name("08_moved_1234.txt")
    draft = common / "mail/bob/drafts/08_moved.txt"
    said = "To: alice\nFrom: bob\nSubject: moved\n---\n"
    doing = f"open({str(draft)!r}, 'x').write({said!r}); os.rename({str(draft)!r}, path)"
    assert attempt(BOB, moved, doing) == ""
    warned = [one for one in told(ALICE, common, "doctor").splitlines() if "warn" in one]
    for path in (copied, moved):
        path.unlink()
    assert [line.split("\t")[1] for line in warned] == ["alice/inbox/08_moved_1234.txt"]


def test_who_is_not_in_the_group_cannot_share_with_it() -> None:
    with place() as folder:
        folder.chmod(0o777)
        done = call(STRANGER, folder, "init", ".", "--shared", str(GROUP))
        assert (done.returncode, list(folder.iterdir())) == (2, [])


def test_a_tree_that_is_there_becomes_no_shared_one() -> None:
    with place() as folder:
        told(ALICE, folder, "init", ".")
        assert call(ALICE, folder, "init", ".", "--shared", str(GROUP)).returncode == 5
        assert not Root(f"{folder}/mail").shared
