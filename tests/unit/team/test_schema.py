"""The file: seed S's tables, whoever makes them first, with settings that hold."""

import os
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from swarm.errors import Unreadable
from swarm.events import Event
from swarm.team import database, queries
from swarm.team.channel import Channel
from swarm.team.place import Place

COLUMNS = {
    "agents": [
        "session_id",
        "agent_name",
        "description",
        "provider",
        "model",
        "cwd",
        "status",
        "last_heartbeat",
    ],
    "messages": [
        "message_id",
        "from_agent",
        "to_agent",
        "channel",
        "task_id",
        "ref_message_id",
        "payload",
        "created_at",
    ],
    "agent_cursors": ["session_id", "channel", "last_read_id"],
}


def look(path: str, sql: str, *values: object) -> list[Any]:
    db = sqlite3.connect(path)
    try:
        return db.execute(sql, values).fetchall()
    finally:
        db.close()


def test_the_tables_are_those_of_the_seed(channel: Channel, place: Place) -> None:
    for table, columns in COLUMNS.items():
        found = look(place.database, f"PRAGMA table_info({table})")
        assert [row[1] for row in found] == columns
    keys = look(place.database, "PRAGMA foreign_key_list(messages)")
    assert sorted((key[2], key[3]) for key in keys) == [
        ("agents", "from_agent"), ("messages", "ref_message_id"), ("messages", "task_id"),
    ]  # fmt: skip
    tables = {
        row[0]
        for row in look(place.database, "SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    assert tables == {*COLUMNS, "sqlite_sequence"}
    db = sqlite3.connect(place.database)
    with pytest.raises(sqlite3.IntegrityError):
        db.execute("INSERT INTO agents (session_id, agent_name, status) VALUES ('x', 'x', 'tired')")
    db.execute("INSERT INTO agents (session_id, agent_name) VALUES ('y', 'y')")
    assert db.execute("SELECT status FROM agents WHERE session_id = 'y'").fetchone() == (
        "available",
    )
    db.close()


def test_both_clients_make_the_same_tables(
    channel: Channel, place: Place, new_peer: Any, tmp_path: Any
) -> None:
    new_peer(str(tmp_path / "other.db"), "pi", "ops").db.close()
    for table in COLUMNS:
        for pragma in ("table_info", "foreign_key_list"):
            sql = f"PRAGMA {pragma}({table})"
            assert look(place.database, sql) == look(str(tmp_path / "other.db"), sql)


@pytest.mark.parametrize("ours_first", [True, False])
def test_either_client_may_come_first(
    home: str, place: Place, new_peer: Any, ours_first: bool
) -> None:
    if ours_first:
        Channel.create(home, "ops").close()
    else:
        place.make()
    peer = new_peer(place.database, "pi-1", "ops")
    peer.join("Pi")
    with Channel.open(home, "ops") as channel:
        channel.join("bob")
        request = peer.send("task_req", "count the files", "bob")
        (event,) = channel.receive("bob")
        assert (event.kind, event.sender, event.task) == ("task_req", "pi-1", str(request))
        ack = Event(kind="task_ack", to="pi-1", content="accepted", task=event.task, ref=event.id)
        channel.commit("bob", event.id, effects(sends=[ack], status="busy"))
        (seen,) = peer.poll()
        assert (seen["event"], seen["task"], seen["ref"]) == ("task_ack", request, request)
        asked = channel.send(Event(kind="task_req", sender="bob", to="pi-1", content="and you?"))
        assert [m["event"] for m in peer.poll()] == ["task_req"]
        (answer,) = channel.receive("bob")
        assert (answer.kind, answer.task, answer.ref) == ("task_ack", asked.id, asked.id)
        statuses = {row.session: row.status for row in channel.roster()}
        assert statuses == {"pi-1": "busy", "bob": "busy"}
    peer.db.close()
    assert look(place.database, "PRAGMA user_version") == [(2,)]


def effects(**given: Any) -> Any:
    from swarm.team.writing import Effects

    return Effects(**given)


def test_the_version_number_of_the_other_client_is_left_alone(
    channel: Channel, place: Place
) -> None:
    assert look(place.database, "PRAGMA user_version") == [(0,)]


def test_settings_hold_on_every_connection(channel: Channel) -> None:
    db = channel._database._db
    for pragma, value in (
        ("journal_mode", "wal"), ("foreign_keys", 1), ("busy_timeout", 5000), ("synchronous", 1),
    ):  # fmt: skip
        assert db.execute(f"PRAGMA {pragma}").fetchone() == (value,)
    assert db.isolation_level is None
    channel.prune()
    assert db.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_a_place_without_write_ahead_log_is_refused_j06(
    home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "WAL", "PRAGMA journal_mode = DELETE")
    with pytest.raises(Unreadable) as caught:
        Channel.create(home, "ops")
    assert caught.value.code == "no-wal" and "SWARM_TEAM_HOME" in caught.value.hint


def test_opening_writes_nothing_where_all_is_there(
    channel: Channel, opened: Callable[..., Channel]
) -> None:
    before = channel._database.version()
    opened()
    assert channel._database.version() == before


def test_the_schema_is_part_of_the_package() -> None:
    assert os.path.isfile(database.SCHEMA)


@pytest.mark.parametrize(
    "payload",
    [
        "", "not json", '"origin"', '{"origin":', '{"origin": 5}', '{"origin": null}', '{"origin": {}}',
        '{"a": {"origin": "x"}}', '["origin"]', b"\xff\x00\"origin\"", '{"origin": "\\ud800"}', "[" * 3000 + '"origin"',
    ],
)  # fmt: skip
def test_our_index_refuses_no_row_of_another_client(peer: Any, payload: str | bytes) -> None:
    client = peer()
    first = client.insert(payload)
    if payload != '{"origin": "\\ud800"}':
        assert client.insert(payload) == first + 1
    client.db.execute("UPDATE messages SET task_id = message_id")
    assert client.value("PRAGMA integrity_check") == "ok"
    client.db.execute("PRAGMA foreign_keys=OFF")
    client.db.execute("DELETE FROM messages")


def test_a_request_written_in_two_steps_passes_our_indexes(peer: Any) -> None:
    client = peer()
    assert client.send("task_req", "x", "bob") == client.value("SELECT max(task_id) FROM messages")


def test_a_file_with_history_gets_its_indexes_when_it_is_opened(
    home: str, place: Place, new_peer: Any
) -> None:
    place.make()
    peer = new_peer(place.database, "pi-1", "ops")
    peer.join()
    for payload in ("no json", '{"origin": 1}', {"event": "info_only", "content": "x"}):
        peer.insert(payload)
    peer.db.close()
    with Channel.open(home, "ops") as channel:
        assert channel._database.rows(queries.OURS) == [(queries.OURS_COUNT,)]
        assert channel.check() == [] and len(channel.history()) == 3


def test_an_agent_that_registers_again_keeps_the_columns_of_others(
    channel: Channel, peer: Any
) -> None:
    client = peer()
    client.db.execute("ALTER TABLE agents ADD COLUMN mood TEXT")
    client.db.execute("UPDATE agents SET mood = 'glad' WHERE session_id = 'bob'")
    channel.join("bob", "Robert")
    found = client.db.execute("SELECT agent_name, mood FROM agents WHERE session_id = 'bob'")
    assert found.fetchone() == ("Robert", "glad")
