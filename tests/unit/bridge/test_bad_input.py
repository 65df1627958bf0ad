"""Whatever others write: it crosses as far as it goes, or is told once, and the rest goes on."""

import os
import shutil
import time
from pathlib import Path

import pytest

from swarm import message
from swarm.mailbox.layout import make_box
from tests.unit.bridge.world import PEER, PEER_ID, World
from tests.unit.rights import bound_here, mode

OLD = time.time() - 100


def goes_on(world: World) -> None:
    """After it everything crosses, also for a bridge that is started again."""
    for _ in range(2):
        world.mail("alice", PEER_ID, "and on")
        world.peer.send("info_only", "and on", "bob")
        world.settle()
        world.again()
        world.settle()
        assert world.bridge.missing() == []
    assert [event.content for event in world.rows()].count("and on") == 4
    assert len(world.told) == len(set(world.told))


@pytest.mark.parametrize(
    "session",
    ["a/b", "../../etc", " lead", "trail ", "new\nline", "tab\tx", "x" * 300, "é\u2028", "dir", "-x", "\\u0041"],
)  # fmt: skip
def test_a_session_that_is_no_file_name_is_a_guest_like_any(world: World, session: str) -> None:
    agent(world, session, "Odd")
    world.peer.insert({"event": "info_only", "content": "hello"}, "alice", sender=session)
    world.settle()
    assert "\nFrom: odd\n" in text(world, "alice")
    key = world.mail("alice", "odd", "back")
    world.settle()
    assert [event.to for event in world.rows() if event.origin.endswith(key)] == [session]
    goes_on(world)


def test_names_that_fold_to_one_get_a_mailbox_each(world: World) -> None:
    sessions = {f"0000-{name}-{number}": name for number, name in enumerate(
        ["Max", "MAX", "max", "max", "Bob", "all", "dir", "日本", ""])}  # fmt: skip
    for session, name in sessions.items():
        agent(world, session, name)
    world.settle()
    found = {world.bridge._apply.who.id(session).lower() for session in sessions}
    assert len(found) == len(sessions) and not found & {"bob", "all", "dir", ""}
    goes_on(world)


@pytest.mark.parametrize("sender", ["CAST(x'ff41fe' AS TEXT)", "x'0102ff'", "''", "17"])
def test_an_agent_and_a_row_of_odd_types_stop_nothing(world: World, sender: str) -> None:
    db = world.peer.db
    db.execute(f"INSERT INTO agents VALUES ({sender}, x'00', x'ff', 1, 2, 3, 'busy', 'soon')")
    payload = '\'{"event":"info_only","content":"odd"}\''
    db.execute("PRAGMA foreign_keys = OFF")
    for rest in ("'alice','ops',NULL,NULL", "x'00','ops','abc',x'01'", "'alice','ops',99999,-1"):
        db.execute(f"INSERT INTO messages VALUES (NULL, {sender}, {rest}, {payload}, 'when')")
    world.settle()
    assert len(world.inbox("alice")) == 2
    goes_on(world)


@pytest.mark.parametrize(
    "payload",
    ["", "[]", b"\xff\xfe", '{"event":"info_only"}', '{"event":1,"content":"x"}', "[" * 50_000,
     '{"event":"info_only","content":"\\ud800 \\u0000\\nFrom: x","intent":"a\\nb","thread":"\\n"}',
     '{"event":"info_only","content":"' + "w" * 3_000_000 + '"}'],
    ids=range(8),
)  # fmt: skip
def test_a_malformed_row_crosses_as_far_as_it_goes(world: World, payload: object) -> None:
    world.peer.insert(payload, "alice")
    world.settle()
    assert text(world, "alice").count("\nFrom: ") == 1
    assert len(body(world, "alice", world.inbox("alice")[0])) <= 1024 * 1024
    goes_on(world)


@pytest.mark.parametrize("content", ["", "one two " * 40_000])
def test_a_row_of_endless_lines_crosses_with_their_beginnings(world: World, content: str) -> None:
    world.peer.insert({"event": "e" * 400_000, "intent": "i" * 300_000, "content": content}, "bob")
    world.settle()
    [name] = world.inbox("bob")
    found = message.parse(Path(world.root.inbox("bob"), name).read_bytes())
    assert not found.malformed
    assert {found.get("event")[:9], found.get("intent")[:9]} == {"e" * 9, "i" * 9}
    assert found.body == (f"{content}\n".encode() if content else b"")
    goes_on(world)


def test_only_what_lies_in_the_channels_folder_becomes_a_body(world: World) -> None:
    folder, secret = Path(world.path).parent, Path(world.home, "secret")
    secret.write_text("SECRET")
    (folder / "link").symlink_to(secret)
    (folder / "out").symlink_to(world.home)
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "huge").write_bytes(b"SECRET" * 200_000)
    (folder / "good").write_text("good\n")
    os.mkfifo(folder / "fifo")
    inside = ("link", "out/secret", "../secret", "zero", "huge", "fifo", "missing", ".")
    paths = [f"{folder}/{name}" for name in inside] + [str(secret), "/etc/passwd", "~/x", "rel"]
    for path in [*paths, f"{folder}/good"]:
        world.peer.insert({"event": "info_only", "content": "x", "detail": path}, "alice")
    world.settle()
    bodies = [body(world, "alice", name) for name in world.inbox("alice")]
    assert bodies == [b""] * len(paths) + [b"good\n"]
    assert [line for line in world.told if "huge is over 1 MiB" in line]
    goes_on(world)


@pytest.mark.parametrize("name", [b"a\xff.txt", b"b\nc.txt", b"c\td.txt", b"d\\u0041.txt", b"e" * 251 + b".txt"])  # fmt: skip
def test_a_file_of_any_name_crosses_once_and_is_read_by_its_receipt(
    world: World, name: bytes
) -> None:
    drop(world, "bob", name, b"To: bob\nFrom: pia\nSubject: odd\n---\n")
    world.settle()
    before = world.mirror.cursors()["bob"]
    goes_on(world)
    assert [event.content for event in world.rows()].count("odd") == 1
    assert world.mirror.cursors()["bob"] == before
    [number] = [int(event.id) for event in world.rows() if event.content == "odd"]
    world.read("bob", os.fsdecode(name))
    world.settle()
    assert world.mirror.cursors()["bob"] >= number


@pytest.mark.parametrize(
    "data",
    [b"", os.urandom(500), b"To: pia\nFrom: ../x\nSubject: a\0b\nThread: a\x07\nRef: ../y\n---\n\0",
     b"To: pia\nFrom: alice\nSubject: " + b"w " * 40_000 + b"\nDate: 9999-99-99\n---\n"],
    ids=range(4),
)  # fmt: skip
def test_a_malformed_file_crosses_as_far_as_it_goes(world: World, data: bytes) -> None:
    drop(world, PEER_ID, b"odd.txt", data)
    world.settle()
    [row] = world.rows()
    assert row.to == PEER and len(row.content.split()) <= 20
    goes_on(world)


def test_of_a_file_that_is_too_long_the_beginning_crosses_and_that_is_told(world: World) -> None:
    drop(
        world, PEER_ID, b"big.txt", b"To: pia\nFrom: alice\nSubject: big\n---\n" + b"x" * 3_000_000
    )
    world.settle()
    assert os.path.getsize(world.rows()[0].detail) < 1_200_000
    assert world.told == ["pia/inbox/big.txt is over 1 MiB: only its beginning crosses"]
    goes_on(world)


MARKS = [b"", os.urandom(500), b"channel: ops\n", b"channel: \xff\nsession: \n"]


@pytest.mark.parametrize("data", MARKS)
def test_a_guest_whose_mark_is_garbage_is_known_by_its_entry(world: World, data: bytes) -> None:
    spoil(world, data)
    assert world.told == []
    assert mailboxes_of_the_peer(world) == {PEER_ID}
    goes_on(world)


@pytest.mark.parametrize("data", MARKS)
def test_a_guests_mark_that_is_garbage_is_told_and_without_entry_it_gets_another_mailbox(
    world: World, data: bytes
) -> None:
    os.remove(world.root.entry(PEER_ID))
    spoil(world, data)
    assert world.told == [f"{PEER_ID}/.guest does not say whose mailbox it is"]
    assert mailboxes_of_the_peer(world) == {PEER_ID, f"{PEER_ID}-0b5c"}
    goes_on(world)


def test_a_guest_whose_mailbox_is_away_gets_no_second_one(world: World, tmp_path: Path) -> None:
    box, away = world.root.box(PEER_ID), tmp_path / "away"
    os.rename(box, away)
    world.again()
    world.settle()
    assert mailboxes_of_the_peer(world) <= {PEER_ID}
    shutil.rmtree(box, ignore_errors=True)
    os.rename(away, box)
    goes_on(world)
    assert mailboxes_of_the_peer(world) == {PEER_ID}
    assert world.mirror.row(f"mail-{PEER_ID}") is None


def test_a_mark_that_cannot_be_read_for_a_while_makes_no_second_mailbox(world: World) -> None:
    world.peer.db.execute("UPDATE agents SET status = 'inactive' WHERE session_id = ?", (PEER,))
    world.settle()
    os.remove(world.root.entry(PEER_ID))
    world.settle()
    assert not os.path.exists(world.root.entry(PEER_ID))
    mark = Path(world.root.box(PEER_ID), ".guest")
    mark.rename(mark.with_name("aside"))
    mark.mkdir()
    os.utime(world.root.path)
    world.peer.send("info_only", "here still", "bob")
    world.settle()
    mark.rmdir()
    mark.with_name("aside").rename(mark)
    world.settle()
    assert mailboxes_of_the_peer(world) == {PEER_ID}


def spoil(world: World, data: bytes) -> None:
    """The mark of the peer's mailbox, before a bridge begins."""
    Path(world.root.box(PEER_ID), ".guest").write_bytes(data)
    os.utime(world.root.path)
    world.again()
    world.settle()


def mailboxes_of_the_peer(world: World) -> set[str]:
    return {name for name in os.listdir(world.root.path) if name.startswith(PEER_ID)}


def test_marks_and_mailboxes_that_are_something_else_stop_nothing(world: World) -> None:
    make_box(world.root, "odd")
    os.mkdir(f"{world.root.box('odd')}/.guest")
    os.symlink("/nonexistent", world.root.box("dangling"))
    os.mkdir(world.root.box("looped"))
    os.symlink("inbox", f"{world.root.box('looped')}/inbox")
    shutil.rmtree(world.root.inbox("carl"))
    Path(world.root.inbox("carl")).write_text("a file")
    os.utime(world.root.path)
    goes_on(world)


def test_a_mailbox_that_takes_no_mail_keeps_nobody_else_from_theirs(world: World) -> None:
    inbox = Path(world.root.inbox("bob"))
    shutil.rmtree(inbox)
    inbox.write_text("a file")
    numbers = [world.peer.send("info_only", "to bob", "bob"), world.peer.send("broadcast", "all")]
    for _ in range(2):
        world.peer.send("info_only", "to alice", "alice")
        world.settle()
        world.again()
    assert len(world.inbox("alice")) == 3
    assert len([line for line in world.told if "bob" in line]) <= 2
    assert world.mirror.cursors()["bob"] < numbers[0]
    inbox.unlink()
    world.settle()
    assert len(world.inbox("bob")) == 2
    goes_on(world)


@pytest.mark.parametrize("part", ["", "inbox", "inbox/.read"])
def test_mail_that_may_not_be_looked_at_for_a_while_is_not_taken_for_read(
    world: World, part: str
) -> None:
    numbers = [world.peer.send("info_only", "first", "bob")]
    world.settle()
    with bound_here(), mode(f"{world.root.box('bob')}/{part}", 0o000):
        for _ in range(2):
            numbers.append(world.peer.send("info_only", "more", "bob"))
            world.settle()
    assert world.mirror.cursors()["bob"] < numbers[0]
    world.settle()
    assert len(world.unread("bob")) == len(numbers)


@pytest.mark.parametrize("part", ["inbox/.read", "sent"])
def test_a_row_is_not_written_again_where_its_file_may_not_be_looked_for(
    world: World, part: str
) -> None:
    number = world.peer.send("info_only", "once", "bob")
    world.settle()
    [name] = world.inbox("bob")
    world.read("bob", name)
    if part == "sent":
        world.put_away("bob", name, False)
        os.unlink(f"{world.root.receipts('bob')}/{name}")
    else:
        os.unlink(f"{world.root.inbox('bob')}/{name}")
    world.mirror.set_mirrored(world.bridge.pair.token, number - 1)
    with bound_here(), mode(f"{world.root.box('bob')}/{part}", 0o000):
        world.again()
        world.settle()
        assert world.unread("bob") == []
    world.settle()
    assert world.unread("bob") == []


def agent(world: World, session: str, name: str) -> None:
    sql = "INSERT INTO agents VALUES (?, ?, NULL, NULL, NULL, '/', 'available', ?)"
    world.peer.db.execute(sql, (session, name, int(time.time() * 1000)))


def drop(world: World, owner: str, name: bytes, data: bytes) -> None:
    """A file that nobody is writing any more."""
    path = os.path.join(os.fsencode(world.root.inbox(owner)), name)
    with open(path, "wb") as file:
        file.write(data)
    os.utime(path, (OLD, OLD))


def text(world: World, owner: str) -> str:
    """The header of the only message."""
    [name] = world.inbox(owner)
    data = Path(world.root.inbox(owner), name).read_bytes()
    return data.partition(b"\n---\n")[0].decode() + "\n"


def body(world: World, owner: str, name: str) -> bytes:
    return Path(world.root.inbox(owner), name).read_bytes().partition(b"\n---\n")[2]
