"""Joining and leaving, signs of life, the roster, and who may wipe a channel."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from swarm.errors import Conflict, Unknown, Unreadable, UsageError
from swarm.events import Event
from swarm.team import members
from swarm.team.channel import Channel
from swarm.team.place import Place
from swarm.team.writing import Effects
from tests.unit.rights import bound_here, mode


def say(channel: Channel, sender: str, content: str = "x", to: str = "") -> Event:
    kind = "info_only" if to else "broadcast"
    return channel.send(Event(kind=kind, sender=sender, to=to, content=content))


def contents(events: list[Event]) -> list[str]:
    return [event.content for event in events]


def test_a_newcomer_begins_after_the_newest_message(channel: Channel) -> None:
    old = say(channel, "alice", "old")
    assert channel.join("carl") == old.id
    assert channel.receive("carl") == []
    say(channel, "alice", "new")
    assert contents(channel.receive("carl")) == ["new"]


def test_a_known_session_keeps_its_place(
    channel: Channel, opened: Callable[..., Channel], place: Place
) -> None:
    first = say(channel, "alice", "one")
    channel.receive("bob")
    channel.commit("bob", first.id, Effects())
    channel.leave("bob")
    say(channel, "alice", "missed")
    later = opened()
    assert later.join("bob") == first.id
    assert contents(later.receive("bob")) == ["missed"]


def test_a_known_session_may_skip_what_it_missed(
    channel: Channel, opened: Callable[..., Channel]
) -> None:
    channel.leave("bob")
    missed = say(channel, "alice", "missed")
    later = opened()
    assert later.join("bob", skip=True) == missed.id
    say(channel, "alice", "new")
    assert contents(later.receive("bob")) == ["new"]


def test_a_row_holds_what_was_given_and_text_that_can_be_stored(channel: Channel) -> None:
    channel.join(
        "carl", "C\udc80", "does\ud800", provider="p", model="m", cwd="/\udcff", status="busy"
    )
    row = channel.roster()[-1]
    given = (row.session, row.name, row.description, row.provider, row.model, row.cwd, row.status)
    assert given == ("carl", "C\ufffd", "does\ufffd", "p", "m", "/\ufffd", "busy")
    assert abs(row.seen - time.time()) < 5
    with pytest.raises(UsageError):
        channel.join("dave", status="tired")
    assert "dave" not in [row.session for row in channel.roster()]


def test_who_leaves_stays_in_the_table_as_inactive(channel: Channel) -> None:
    channel.leave("bob")
    assert {row.session: row.status for row in channel.roster()} == {
        "alice": "available",
        "bob": "inactive",
    }
    with pytest.raises(Conflict):
        channel.receive("bob")


def test_status_is_one_of_three_words_of_an_agent_that_is_there(channel: Channel) -> None:
    channel.set_status("bob", "busy")
    assert channel.roster()[1].status == "busy"
    with pytest.raises(UsageError):
        channel.set_status("bob", "tired")
    for nobody in ("nobody", "\ud800"):
        with pytest.raises(Unknown):
            channel.set_status(nobody, "busy")


def test_pruning_removes_the_inactive_and_keeps_what_they_said(channel: Channel, peer: Any) -> None:
    client = peer()
    for session, name in (("old-1", "Old"), ("old-2", "Old"), ("other", "Other")):
        channel.join(session, name)
        say(channel, session, f"by {session}")
        channel.leave(session)
    assert channel.prune("Old", keep="old-2") == ["old-1"]
    assert channel.prune("\udcff") == []
    assert channel.prune() == ["old-2", "other"] and channel.prune() == []
    assert [row.session for row in channel.roster()] == ["alice", "bob", "pi-1"]
    assert contents(channel.receive("alice")) == ["by old-1", "by old-2", "by other"]
    assert client.value("SELECT count(*) FROM agent_cursors") == 3
    client.send("broadcast", "still works")


def test_an_agent_is_meant_by_its_id_or_by_a_name_that_one_has(channel: Channel) -> None:
    channel.join("b2", "Twin")
    channel.join("b3", "Twin")
    assert channel.resolve("bob") == "bob" and channel.resolve("Bob") == "bob"
    with pytest.raises(Conflict) as caught:
        channel.resolve("Twin")
    assert "b2, b3" in caught.value.message
    channel.leave("b3")
    assert channel.resolve("Twin") == "b2"
    with pytest.raises(Unknown) as unknown:
        channel.resolve("boob")
    assert unknown.value.hint == "did you mean bob?"


def test_a_heartbeat_is_written_at_most_every_five_seconds(
    channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    assert channel.beat(["bob"]) == ["bob"]
    before = channel._database.version()
    clock[0] += 4.9
    assert channel.beat(["bob"]) == [] and channel._database.version() == before
    assert channel.beat(["bob", "alice"]) == ["alice"]
    clock[0] += 0.1
    assert channel.beat(["bob", "alice"]) == ["bob"]


def test_an_agent_whose_row_was_removed_is_entered_again_and_misses_nothing(
    channel: Channel, peer: Any
) -> None:
    client = peer()
    seen = say(channel, "alice", "seen")
    channel.receive("bob")
    channel.commit("bob", seen.id, Effects())
    client.delete("bob")
    say(channel, "alice", "while away")
    assert contents(channel.receive("bob")) == ["while away"]
    client.delete("bob")
    assert channel.beat(["alice", "bob"]) == ["alice", "bob"]
    assert [row.status for row in channel.roster() if row.session == "bob"] == ["available"]
    client.delete("bob")
    assert say(channel, "bob").sender == "bob"
    client.delete("bob")
    (event,) = channel.receive("bob")
    assert channel.commit("bob", event.id, Effects(sends=[Event(kind="info_only", content="y")]))
    assert channel.notes and channel.receive("bob") == []


@pytest.mark.parametrize("bad", [999_999, None, "abc", -7])
def test_a_cursor_that_cannot_be_is_mended(channel: Channel, peer: Any, bad: object) -> None:
    client = peer()
    request = client.send("task_req", "old work", "bob")
    (event,) = channel.receive("bob")
    answer = Event(kind="task_ack", to="pi-1", content="accepted", task=event.task, ref=event.id)
    channel.commit("bob", str(request), Effects(sends=[answer]))
    channel.leave("bob")
    sql = "UPDATE agent_cursors SET last_read_id = ? WHERE session_id = 'bob'"
    client.db.execute(sql, (bad,))
    channel.join("bob")
    if bad == -7:
        assert contents(channel.receive("bob")) == ["old work"]
        return
    assert channel.receive("bob") == []
    assert len(channel.notes) == 1 and "cursor of bob" in channel.notes[0]
    client.send("info_only", "new", "bob")
    assert contents(channel.receive("bob")) == ["new"]


def test_a_lost_cursor_is_found_by_what_was_answered(channel: Channel, peer: Any) -> None:
    client = peer()
    first = client.send("ping", "ping", "bob")
    channel.receive("bob")
    channel.commit(
        "bob",
        str(first),
        Effects(sends=[Event(kind="pong", to="pi-1", content="pong", ref=str(first))]),
    )
    client.send("info_only", "not yet seen", "bob")
    channel.leave("bob")
    client.db.execute("DELETE FROM agent_cursors WHERE session_id = 'bob'")
    assert channel.join("bob") == str(first)
    assert contents(channel.receive("bob")) == ["not yet seen"]


def test_an_id_is_never_given_again_j03(channel: Channel, peer: Any) -> None:
    client = peer()
    for number in range(5):
        last = client.send("info_only", str(number), "bob")
    for event in channel.receive("bob"):
        channel.commit("bob", event.id, Effects())
    client.db.execute("DELETE FROM messages WHERE message_id = ?", (last,))
    assert channel.receive("bob") == []
    assert client.send("info_only", "next", "bob") == last + 1
    assert contents(channel.receive("bob")) == ["next"] and channel.notes == []


def test_a_channel_is_not_wiped_under_agents_at_work(channel: Channel, home: str) -> None:
    say(channel, "alice")
    with pytest.raises(Conflict) as caught:
        Channel.create(home, "ops")
    assert "alice, bob" in caught.value.message and "--force" in caught.value.hint
    assert len(channel.history()) == 1


def test_a_client_without_heartbeats_is_alive_by_its_messages(
    channel: Channel, peer: Any, home: str
) -> None:
    client = peer()
    for session in ("alice", "bob"):
        channel.leave(session)
    client.beat(at=1)
    Channel.create(home, "ops").close()
    Channel.create(home, "ops").close()
    with Channel.open(home, "ops") as found:
        assert found.roster() == []


def test_a_message_of_the_last_minute_keeps_a_channel(
    channel: Channel, peer: Any, home: str
) -> None:
    client = peer()
    channel.leave("alice")
    channel.leave("bob")
    client.beat(at=1)
    client.send("broadcast", "here I am")
    with pytest.raises(Conflict):
        Channel.create(home, "ops")
    client.db.execute("UPDATE messages SET created_at = created_at - 61000")
    Channel.create(home, "ops").close()


def test_a_wipe_removes_the_files_of_the_channel_too(home: str, place: Place) -> None:
    Channel.create(home, "ops").close()
    place.write_detail("bob", "a.md", b"x")
    with Channel.create(home, "ops", force=True) as channel:
        assert channel.roster() == []
    assert not os.path.exists(f"{place.folder}/bob")


def test_a_wipe_follows_no_link(home: str, place: Place, tmp_path: Path) -> None:
    Channel.create(str(tmp_path), "elsewhere").close()
    os.rmdir(place.folder)
    os.symlink(tmp_path / "elsewhere", place.folder)
    with pytest.raises(Unreadable):
        Channel.create(home, "ops", force=True)
    assert os.path.isfile(tmp_path / "elsewhere" / "team.db")


def test_a_damaged_channel_is_wiped_only_by_force(home: str, place: Place) -> None:
    place.make()
    Path(place.database).write_text("this is no database at all, but somebody's text\n" * 100)
    with pytest.raises(Unreadable):
        Channel.create(home, "ops")
    assert Path(place.database).read_text().startswith("this is no")
    Channel.create(home, "ops", force=True).close()


def test_an_unknown_channel_is_not_made_by_looking(home: str) -> None:
    with pytest.raises(Unknown) as caught:
        Channel.open(home, "nosuch")
    assert caught.value.code == "unknown-channel" and not os.path.exists(home)


def test_fresh_means_a_minute() -> None:
    assert (members.BEAT_EVERY, members.FRESH) == (5.0, 60.0)


def test_a_channel_is_not_wiped_where_it_cannot_be_seen_who_is_at_work(
    channel: Channel, peer: Any, home: str, place: Place
) -> None:
    peer().db.execute("UPDATE agents SET last_heartbeat = 1")
    with bound_here(), mode(place.session("bob"), 0o000), pytest.raises(Unreadable):
        channel.release("alice")
        Channel.create(home, "ops")
    assert len(channel.roster()) >= 2
