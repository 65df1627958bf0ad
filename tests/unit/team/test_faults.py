"""A file that is locked, full, read-only, damaged, deleted or replaced: told, never overwritten."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from swarm.errors import Conflict, Temporary, Unknown, Unreadable
from swarm.events import Event
from swarm.team import members
from swarm.team.channel import Channel
from swarm.team.place import Place
from swarm.team.writing import Effects

HELLO = Event(kind="info_only", sender="alice", to="bob", content="hello")


def test_a_lock_that_lasts_is_temporary_and_reading_goes_on(
    channel: Channel, opened: Callable[..., Channel], peer: Any
) -> None:
    channel.send(HELLO)
    hasty = opened(patience=0.1)
    client = peer()
    client.db.execute("BEGIN IMMEDIATE")
    with pytest.raises(Temporary) as caught:
        hasty.send(HELLO)
    assert (caught.value.exit, caught.value.code) == (75, "busy") and caught.value.hint
    assert len(channel.receive("bob")) == 1 and len(hasty.roster()) == 3
    client.db.execute("COMMIT")
    hasty.send(HELLO)
    assert len(channel.receive("bob")) == 2


def test_a_lock_that_ends_is_waited_for(channel: Channel, place: Place) -> None:
    db = sqlite3.connect(place.database, isolation_level=None, check_same_thread=False)
    db.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.3, lambda: db.execute("COMMIT"))
    timer.start()
    start = time.monotonic()
    channel.send(HELLO)
    assert time.monotonic() - start > 0.25
    timer.join()
    db.close()


def test_a_commit_by_another_between_reading_and_writing_is_no_lock_j01(
    channel: Channel, peer: Any
) -> None:
    client = peer()
    client.send("ping", "ping", "bob")
    (event,) = channel.receive("bob")
    client.send("broadcast", "in between")
    start = time.monotonic()
    channel.commit("bob", event.id, Effects(status="busy"))
    assert time.monotonic() - start < 1 and len(channel.receive("bob")) == 1


def test_no_read_stays_open_and_the_log_shrinks_after_one_that_did_j05(
    channel: Channel, place: Place, peer: Any
) -> None:
    reader = sqlite3.connect(place.database, isolation_level=None)
    client = peer()
    channel.send(HELLO)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM messages").fetchone()
    filler = {"event": "info_only", "content": "x" * 1000}
    for _ in range(30):
        client.db.execute("BEGIN")
        for _ in range(1000):
            client.insert(filler, "nobody")
        client.db.execute("COMMIT")
    grown = os.path.getsize(f"{place.database}-wal")
    assert grown > 30_000_000
    assert channel.receive("bob", 1) and not channel._database._db.in_transaction
    reader.close()
    for _ in range(3):
        channel.send(HELLO)
    assert os.path.getsize(f"{place.database}-wal") <= 16_777_216 < grown


def test_a_full_disk_is_temporary_and_stores_nothing(channel: Channel) -> None:
    db = channel._database._db
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(Temporary) as caught:
        channel.send(HELLO.replace(content="x" * 100_000))
    assert (caught.value.exit, caught.value.code) == (75, "disk-full")
    db.execute("PRAGMA max_page_count = 1000000")
    assert channel.history() == [] and channel.send(HELLO).id == "1"


@pytest.fixture
def foreign_home() -> Iterator[str]:
    """A team home that a process without root's rights can reach."""
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    yield folder
    subprocess.run(["chmod", "-R", "u+rwx", folder])
    shutil.rmtree(folder)


UNPRIVILEGED = """
import difflib, os, sys
from swarm.errors import SwarmError
from swarm.events import Event
from swarm.team.channel import Channel
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    with Channel.open(sys.argv[1], "ops") as channel:
        print(len(channel.roster()), flush=True)
        channel.send(Event(kind="broadcast", sender="alice", content="x"))
except SwarmError as error:
    print(error.exit, error.code, error.message, "|", error.hint)
"""


@pytest.mark.parametrize("folder_mode", [0o555, 0o755])
def test_a_folder_that_cannot_be_written_is_named_j13(foreign_home: str, folder_mode: int) -> None:
    with Channel.create(foreign_home, "ops") as channel:
        channel.join("alice")
    folder = f"{foreign_home}/ops"
    os.chmod(f"{folder}/team.db", 0o444)
    os.chmod(folder, folder_mode)
    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, foreign_home], capture_output=True, text=True
    )
    last = done.stdout.splitlines()[-1]
    assert last.startswith("6 no-permission") and folder in last.split("|")[1], done.stderr
    assert stat.S_IMODE(os.stat(f"{folder}/team.db").st_mode) == 0o444


def test_a_folder_that_may_not_be_looked_into_is_not_taken_for_none(foreign_home: str) -> None:
    with Channel.create(foreign_home, "ops") as channel:
        channel.join("alice")
    os.chmod(f"{foreign_home}/ops", 0)
    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, foreign_home], capture_output=True, text=True
    )
    assert done.stdout.startswith("6 unreadable") and done.stdout.endswith("/ops\n"), done


TEXT = b"this is somebody's text, and no database\n" * 200


def test_a_file_that_is_no_database_is_told_and_kept_j15(home: str, place: Place) -> None:
    place.make()
    Path(place.database).write_bytes(TEXT)
    with pytest.raises(Unreadable) as caught:
        Channel.open(home, "ops", anew=True)
    assert caught.value.exit == 6 and place.folder in caught.value.hint
    assert Path(place.database).read_bytes() == TEXT
    assert os.listdir(place.folder) == ["team.db"]


def test_a_folder_in_the_place_of_the_database_is_told(home: str, place: Place) -> None:
    os.makedirs(place.database)
    with pytest.raises(Unreadable):
        Channel.open(home, "ops", anew=True)


def test_another_programs_database_is_told_and_kept(home: str, place: Place) -> None:
    place.make()
    db = sqlite3.connect(place.database)
    db.execute("CREATE TABLE messages (subject)")
    db.execute("INSERT INTO messages VALUES ('kept')")
    db.commit()
    db.close()
    with pytest.raises(Unreadable):
        Channel.open(home, "ops")
    db = sqlite3.connect(place.database)
    assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("messages",)]
    assert db.execute("SELECT * FROM messages").fetchall() == [("kept",)]
    db.close()


def test_an_empty_file_is_a_new_channel(home: str, place: Place) -> None:
    place.make()
    Path(place.database).touch()
    with Channel.open(home, "ops") as channel:
        assert channel.roster() == []


def test_a_damaged_database_is_told_by_each_call_and_kept_j15(home: str, place: Place) -> None:
    with Channel.create(home, "ops") as channel:
        channel.join("alice")
        channel.join("bob")
        for _ in range(400):
            channel.send(HELLO.replace(content="x" * 200))
    data = bytearray(Path(place.database).read_bytes())
    for page in range(8, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = b"\xaa" * 64
    Path(place.database).write_bytes(data)
    with Channel.open(home, "ops") as channel:
        channel.join("bob")
        with pytest.raises(Unreadable) as caught:
            channel.history(1000)
        assert caught.value.code == "damaged" and ".recover" in caught.value.hint
        assert channel.check() != []
        assert [row.session for row in channel.roster()] == ["alice", "bob"]


def test_a_deleted_database_is_made_again_and_joined_j09(channel: Channel, place: Place) -> None:
    channel.send(HELLO)
    assert len(channel.receive("bob")) == 1
    for child in os.listdir(place.folder):
        if child.startswith("team.db"):
            os.unlink(f"{place.folder}/{child}")
    assert channel.receive("bob") == []
    assert [row.session for row in channel.roster()] == ["alice", "bob"]
    assert os.path.isfile(f"{place.folder}/bob/.lock") and "replaced" in channel.notes[0]
    with pytest.raises(Conflict):
        Channel.open(os.path.dirname(place.folder), "ops").join("bob")


def test_a_folder_that_was_moved_away_is_waited_for(channel: Channel, place: Place) -> None:
    sent = channel.send(HELLO)
    os.rename(place.folder, f"{place.folder}.away")
    for call in (lambda: channel.receive("bob"), lambda: channel.send(HELLO), channel.roster):
        with pytest.raises(Unknown):
            call()
    with pytest.raises(Unknown):
        place.make("bob")
    assert not os.path.exists(place.folder)
    os.rename(f"{place.folder}.away", place.folder)
    assert [event.id for event in channel.receive("bob")] == [sent.id]


def test_who_only_looks_does_not_make_a_deleted_channel_again(
    channel: Channel, place: Place, opened: Callable[..., Channel]
) -> None:
    looker = opened()
    channel.close()
    shutil.rmtree(place.folder)
    for _ in range(2):
        with pytest.raises(Unknown):
            looker.history()
    assert not os.path.exists(place.folder)


def test_what_came_in_a_new_file_before_it_was_noticed_is_received(
    channel: Channel, place: Place, new_peer: Any
) -> None:
    channel.send(HELLO)
    assert channel.receive("bob")
    for suffix in ("", "-wal", "-shm"):
        os.unlink(place.database + suffix)
    peer = new_peer(place.database, "pi-1", "ops")
    peer.join()
    first = peer.send("task_req", "in the new file", "bob")
    assert [event.content for event in channel.receive("bob")] == ["in the new file"]
    sent = channel.send(HELLO)
    assert peer.value("SELECT count(*) FROM messages") == 2 and int(sent.id) == first + 1
    peer.db.close()


def test_an_old_file_with_history_put_in_place_is_not_received_again(
    channel: Channel, place: Place, new_peer: Any, tmp_path: Path
) -> None:
    old = new_peer(str(tmp_path / "old.db"), "pi-1", "ops")
    old.join()
    for _ in range(3):
        old.insert(
            {"event": "info_only", "content": "long ago"}, "bob", at=members.now_ms() - 60_000
        )
    old.db.close()
    for suffix in ("-wal", "-shm"):
        os.unlink(place.database + suffix)
    os.replace(tmp_path / "old.db", place.database)
    assert channel.receive("bob") == [] and len(channel.history()) == 3


def test_a_message_of_the_old_file_does_not_move_the_cursor_in_the_new(
    channel: Channel, place: Place, new_peer: Any
) -> None:
    for _ in range(3):
        channel.send(HELLO)
    old = channel.receive("bob")
    shutil.rmtree(place.folder)
    place.make()
    peer = new_peer(place.database, "pi-1", "ops")
    peer.join()
    for number in range(3):
        peer.send("info_only", str(number), "bob")
    reply = Event(kind="info_only", to="pi-1", content="late")
    assert channel.commit("bob", old[2].id, Effects(sends=[reply])) == []
    assert [event.content for event in channel.receive("bob")] == ["0", "1", "2"]
    peer.db.close()


def test_what_is_reported_as_sent_is_in_the_file_that_has_the_name_j09(
    channel: Channel, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = channel._database.in_place, [0]

    def replaced_meanwhile(self: Any) -> bool:
        calls[0] += 1
        if calls[0] == 2:  # after the commit
            shutil.rmtree(place.folder)
        return bool(real())

    monkeypatch.setattr(type(channel._database), "in_place", replaced_meanwhile)
    assert channel.send(HELLO).content == "hello"
    monkeypatch.undo()
    db = sqlite3.connect(place.database)
    assert db.execute("SELECT count(*) FROM messages").fetchone() == (1,)
    db.close()


def test_a_session_that_another_process_took_in_the_new_file_is_given_up(
    channel: Channel, place: Place, opened: Callable[..., Channel]
) -> None:
    shutil.rmtree(place.folder)
    other = opened()
    other.join("bob")
    with pytest.raises(Conflict):
        channel.receive("bob")
    assert channel.receive("alice") == [] and any(
        "bob is guarded" in note for note in channel.notes
    )
    assert other.receive("bob") == []


def test_a_session_whose_lock_was_removed_and_taken_is_given_up(
    channel: Channel, place: Place, opened: Callable[..., Channel]
) -> None:
    for session in ("alice", "bob"):
        os.unlink(f"{place.session(session)}/.lock")
    other = opened()
    other.join("bob")
    channel.beat(["alice", "bob"])
    assert channel.speaks_for("alice") and not channel.speaks_for("bob")
    assert "bob is guarded by another process" in channel.notes[-1]
    with pytest.raises(Conflict):
        other.join("alice")


def test_a_copy_made_by_backup_is_complete_j07(
    channel: Channel, place: Place, tmp_path: Path
) -> None:
    for _ in range(50):
        channel.send(HELLO)
    source, target = sqlite3.connect(place.database), sqlite3.connect(tmp_path / "copy.db")
    source.backup(target)
    assert target.execute("SELECT count(*) FROM messages").fetchone() == (50,)
    source.close()
    target.close()
