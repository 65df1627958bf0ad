"""Where a message of the tree was and is, told from its files, and why it was not seen."""

import os
import time
from pathlib import Path

import pytest

from swarm.errors import Unknown, Unreadable
from swarm.harness import sessions
from swarm.mailbox import archive, delivery, receipts, registry
from swarm.mailbox.layout import Root, make_box
from swarm.trace import Fact, Trace, trace
from swarm.transport.pulse import Pulse
from tests.unit.bridge.world import PEER, World

MAIL = "To: bob\nFrom: alice\nSubject: s\n---\nx\n"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """alice and bob are registered, and were heard of a minute ago."""
    made = Root(str(tmp_path / "mail"), sync=False)
    os.makedirs(made.dir)
    for agent in ("alice", "bob"):
        registry.register(made, agent, "tester", "specialist", "tests")
        os.utime(made.entry(agent), (time.time() - 60,) * 2)
    return made


def send(root: Root, to: str = "bob", subject: str = "s", **more: str) -> str:
    """The name of the file that it is sent by."""
    sent = delivery.send(root, "alice", [to], subject, b"x\n", **more)  # type: ignore[arg-type]
    return sent.delivered[0].name


def put(root: Root, path: str, text: str = MAIL, age: float = 0) -> None:
    Path(root.path, path).write_text(text)
    os.utime(f"{root.path}/{path}", (time.time() - age,) * 2)


def of(root: Root, wanted: str, agent: str = "alice") -> Trace:
    return trace(root, agent, wanted, time.time())


def kinds(found: Trace) -> list[str]:
    return [fact.kind for fact in found.facts]


def why(root: Root, wanted: str, agent: str = "alice") -> list[str]:
    """The evidence of each reason."""
    return [fact.path for fact in of(root, wanted, agent).facts if fact.kind == "why"]


def the(found: Trace, kind: str) -> Fact:
    (fact,) = [fact for fact in found.facts if fact.kind == kind]
    return fact


def test_a_delivery_is_told_by_the_file_and_its_copy_in_order_of_time(root: Root) -> None:
    name = send(root)
    found = of(root, name)
    assert found[:4] == (name, "alice", "bob", False)
    assert kinds(found)[:3] == ["dated", "delivered", "sent"]
    there = the(found, "delivered")
    assert there.path == f"bob/inbox/{name}"
    assert there.at == os.lstat(f"{root.path}/{there.path}").st_mtime


def test_what_is_unread_says_since_when_and_what_speaks_for_it(root: Root) -> None:
    found = of(root, send(root))
    assert "it lies there since 20" in the(found, "unread").text
    silent, unguarded, alone = (fact for fact in found.facts if fact.kind == "why")
    assert silent.text.startswith("no sign of life of bob since this came, the last 20")
    assert (unguarded.path, alone.path) == (".guardians/", ".sessions/")


def test_a_receipt_ends_the_reasons(root: Root) -> None:
    name = send(root)
    receipts.write(root, "bob", name)
    found = of(root, name)
    assert found.seen and not {"unread", "why"} & set(kinds(found))
    assert the(found, "read").path == f"bob/inbox/.read/{name}"


def test_archived_mail_is_found_where_it_lies(root: Root) -> None:
    name = send(root)
    archive.archive(root, "bob", [name], False, False)
    for agent in ("alice", "bob", ""):
        found = of(root, name, agent)
        assert found[:4] == (name, "alice", "bob", True)
        assert the(found, "archived").path == f"bob/sent/{name}"
        assert the(found, "gone").path == "bob/inbox/"


def test_what_left_no_trace_is_not_guessed_at(root: Root) -> None:
    name = send(root)
    os.unlink(f"{root.inbox('bob')}/{name}")
    assert the(of(root, name), "unknown").text.startswith("whether it was removed or never came")


def test_a_draft_was_never_delivered(root: Root) -> None:
    put(root, "alice/drafts/01_hello.txt")
    found = of(root, "hello")
    assert "draft" in kinds(found) and the(found, "why").text.startswith("never delivered")


def test_a_killed_delivery_is_known_by_its_temporary_file(root: Root) -> None:
    put(root, "alice/drafts/01_hello.txt")
    put(root, "bob/inbox/.swarm-1-0a.tmp")
    put(root, "bob/inbox/.swarm-1-0b.tmp", MAIL.replace("Subject: s", "Subject: other"))
    assert "bob/inbox/.swarm-1-0a.tmp" in why(root, "hello")
    assert "bob/inbox/.swarm-1-0b.tmp" not in why(root, "hello")


def test_a_receipt_older_than_the_file_hides_it(root: Root) -> None:
    put(root, "bob/inbox/.read/01.txt", "", age=100)
    put(root, "bob/inbox/01.txt")
    found = of(root, "01", "bob")
    assert not found.seen
    assert "bob/inbox/.read/01.txt" in why(root, "01", "bob")


@pytest.mark.parametrize(
    ("status", "told"), [("active", False), ("paused", True), ("done", True), ("error", True)]
)
def test_the_status_of_the_recipient_is_a_reason(root: Root, status: str, told: bool) -> None:
    registry.update(root, "bob", status=status)
    found = [fact.text for fact in of(root, send(root)).facts if fact.path == "dir/bob.txt"]
    assert found == ([f"bob's entry says {status}"] if told else [])


def test_a_recipient_without_an_entry_is_told(root: Root) -> None:
    make_box(root, "carl")
    assert "dir/carl.txt" in why(root, send(root, "carl"))


def test_a_sign_of_life_after_it_came_is_told_instead(root: Root) -> None:
    name = send(root)
    os.utime(root.entry("bob"), (time.time() + 5,) * 2)
    found = of(root, name)
    assert the(found, "heard").at == os.lstat(root.entry("bob")).st_mtime
    assert not [fact for fact in found.facts if "sign of life" in fact.text]


def test_a_guardian_that_lives_is_told_with_its_last_pass(root: Root) -> None:
    trail = Pulse(root.path)
    trail.beat(["bob"])
    assert the(of(root, send(root)), "guarded").path.startswith(f".guardians/{os.getpid()}-")
    trail.end()


def test_mail_that_lies_with_the_wrong_one_or_lacks_something_says_so(root: Root) -> None:
    put(root, "bob/inbox/01.txt", "To: carl\nFrom: alice\n---\n")
    texts = [fact.text for fact in of(root, "01", "bob").facts if fact.kind == "why"]
    assert any(text.startswith("malformed: it lacks Subject") for text in texts)
    assert any(text.startswith("misaddressed") and "To: carl" in text for text in texts)


def test_a_name_that_no_listing_shows_is_found_by_its_path(root: Root) -> None:
    put(root, "bob/inbox/01_hello")
    found = of(root, "bob/inbox/01_hello", "bob")
    assert [f for f in found.facts if f.kind == "why" and "no listing shows" in f.text]
    put(root, "alice/sent/01_hello.txt")
    assert "bob/inbox/01_hello" in why(root, "01_hello.txt")


def test_how_much_unread_mail_comes_first(root: Root) -> None:
    names = [send(root, subject=str(number)) for number in range(3)]
    texts = [fact.text for fact in of(root, names[2]).facts]
    assert "unread mail of bob's that comes before it: 2" in texts


def test_an_answer_and_its_task_are_told_from_ones_own_mail(root: Root) -> None:
    name = send(root, thread="T")
    answer = delivery.reply(root, "bob", name, b"", status="done").delivered[0]
    found = of(root, name)
    assert the(found, "answered").path == answer.path
    assert the(found, "task").text == "T: done, asked by alice of bob"


def test_another_message_of_the_same_name_is_not_taken_for_it(root: Root) -> None:
    put(root, "alice/sent/01.txt")
    put(root, "bob/inbox/01.txt", MAIL.replace("alice", "carl"))
    assert (
        the(of(root, "01"), "unknown").text == "where it is: bob has another message of that name"
    )
    with pytest.raises(Unknown) as caught:
        of(root, "01", "")
    assert caught.value.code == "ambiguous-message"


@pytest.mark.parametrize(
    "wanted", ["", "nosuch", "/", "alice/inbox/nosuch.txt", ".read", "\0", "a/\0"]
)
def test_what_names_no_message_is_unknown(root: Root, wanted: str) -> None:
    send(root)
    with pytest.raises(Unknown):
        of(root, wanted)
    with pytest.raises(Unknown) as caught:
        of(root, "#4")
    assert "--channel" in caught.value.hint  # as `swarm team history` shows it


def test_what_is_no_file_is_no_message_and_counts_for_none(root: Root) -> None:
    os.mkfifo(f"{root.inbox('bob')}/01_pipe.txt")
    os.symlink("/dev/null", f"{root.inbox('bob')}/02_link.txt")
    for wanted in ("pipe", "02_link.txt"):
        with pytest.raises(Unreadable):
            of(root, wanted, "bob")
    put(root, "bob/inbox/03.txt")
    assert "bob/inbox/" not in why(root, "03", "bob")


def test_a_part_of_several_names_and_anothers_mail_are_unknown_too(root: Root) -> None:
    first, second = send(root), send(root)
    with pytest.raises(Unknown, match="several names"):
        of(root, "_s_")
    make_box(root, "carl")
    with pytest.raises(Unknown) as caught:
        of(root, first, "carl")
    assert "--everywhere" in caught.value.hint
    assert of(root, f"bob/inbox/{second}").name == second


def test_a_session_that_had_a_notice_of_it_is_named(root: Root) -> None:
    first, second = send(root), send(root)
    with sessions.Locked(root, "claude-1") as state:
        state.found.agent, state.found.told = "bob", [first]
        state.save()
    path = ".sessions/claude-1"
    assert the(of(root, first), "noticed").path == the(of(root, second), "session").path == path
    os.utime(f"{root.path}/{path}", (time.time() - 86400,) * 2)
    assert "noticed" in kinds(of(root, first)) and ".sessions/" in why(root, first)
    assert "session" not in kinds(of(root, second))


def test_a_nudge_for_it_is_told_and_so_is_one_before_it(root: Root) -> None:
    first, second = send(root), send(root)
    os.makedirs(f"{root.path}/.nudges")
    put(root, ".nudges/bob", f"at: 1000.5\ntold: {first}\n")
    assert the(of(root, first), "nudged")[::3] == (1000.5, ".nudges/bob")
    assert ".nudges/bob" in why(root, second)


def test_nothing_is_written(root: Root) -> None:
    name = send(root)
    before = sorted((str(p), p.lstat().st_mtime_ns) for p in Path(root.path).rglob("*"))
    for agent in ("alice", "bob", ""):
        of(root, name, agent)
    assert sorted((str(p), p.lstat().st_mtime_ns) for p in Path(root.path).rglob("*")) == before


def test_what_crossed_is_followed_to_its_row_and_the_readers_cursor(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.settle()
    name = world.mail("alice", "pia", "hello").partition("/")[2]
    assert any("not carried over" in fact.text for fact in of(world.root, name).facts)
    assert ".bridge/ops/lock" in why(world.root, name)
    world.settle()
    found = of(world.root, name)
    assert the(found, "crossed").path == ".bridge/ops/rows"
    cursor = f"ops: agent_cursors {PEER}"
    assert not found.seen and cursor in [f.path for f in found.facts if f.kind == "unread"]
    world.peer.poll()
    found = of(world.root, name)
    assert found.seen and the(found, "passed").path == cursor
    world.close()


def test_what_came_from_a_channel_names_its_row(tmp_path: Path) -> None:
    world = World(tmp_path)
    number = world.peer.send("info_only", "hello", "alice")
    world.settle()
    found = of(world.root, "hello", "alice")
    assert the(found, "row").path == f"ops: messages {number}"
    assert the(found, "via").text == "carried here from channel ops"
    world.close()
