"""Sending, receiving, looking back: what is stored, what is refused, and what bad rows do."""

import json
import resource
import threading
import time
import tracemalloc
from typing import Any

import pytest

from swarm.errors import Conflict, SwarmError, Unknown
from swarm.events import Event
from swarm.team.channel import Channel
from swarm.team.writing import Effects

NOTHING = Effects()


def take(channel: Channel, session: str) -> list[Event]:
    """Everything that is new, committed."""
    found = []
    while page := channel.receive(session):
        for event in page:
            channel.commit(session, event.id, NOTHING)
        found += page
    return found


def test_a_request_carries_its_own_number(channel: Channel, peer: Any) -> None:
    sent = channel.send(
        Event(kind="task_req", sender="alice", to="bob", content="do it", need_reply=True)
    )
    assert sent.task == sent.id and sent.at == pytest.approx(time.time(), abs=5)
    (got,) = channel.receive("bob")
    assert (got.kind, got.sender, got.to, got.content, got.need_reply) == (
        "task_req",
        "alice",
        "bob",
        "do it",
        True,
    )
    assert (got.id, got.task, got.ref, got.problem) == (sent.id, sent.id, "", "")
    row = (
        peer("pi-1")
        .db.execute("SELECT task_id, ref_message_id, channel, payload FROM messages")
        .fetchone()
    )
    assert row[:3] == (int(sent.id), None, "ops")
    assert json.loads(row[3]) == {
        "event": "task_req",
        "intent": None,
        "need_reply": True,
        "content": "do it",
        "detail": None,
    }


def test_a_request_not_yet_numbered_is_its_own(channel: Channel, peer: Any) -> None:
    request = peer().insert({"event": "task_req", "content": "x"}, "bob")
    assert channel.receive("bob")[0].task == str(request)
    assert [event.id for event in channel.task(str(request))] == [str(request)]
    assert [event.id for event in channel.tasks_of("bob")] == [str(request)]


def test_others_mail_to_me_and_to_all_but_not_my_own(channel: Channel) -> None:
    channel.join("carl")
    for sender, to in (
        ("alice", ""),
        ("alice", "bob"),
        ("alice", "carl"),
        ("bob", ""),
        ("bob", "bob"),
    ):
        channel.send(Event(kind="info_only", sender=sender, to=to, content=f"{sender}-{to}"))
    assert [event.content for event in channel.receive("bob")] == ["alice-", "alice-bob"]


def test_another_channel_in_the_file_is_another_channel(channel: Channel, peer: Any) -> None:
    client = peer()
    client.channel = "other"
    client.send("broadcast", "x")
    assert channel.receive("bob") == [] and channel.history() == []


def test_what_is_not_committed_comes_again(channel: Channel) -> None:
    for number in range(3):
        channel.send(Event(kind="info_only", sender="alice", to="bob", content=str(number)))
    first = channel.receive("bob", limit=2)
    assert [event.content for event in first] == ["0", "1"]
    channel.commit("bob", first[0].id, NOTHING)
    assert [event.content for event in channel.receive("bob")] == ["1", "2"]


def test_pages_follow_each_other_until_nothing_is_left(channel: Channel, peer: Any) -> None:
    client = peer()
    client.db.execute("BEGIN")
    for number in range(450):
        client.send("info_only", str(number), "bob")
    client.db.execute("COMMIT")
    assert len(channel.receive("bob")) == 200
    assert [event.content for event in take(channel, "bob")] == [str(n) for n in range(450)]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"sender": "nobody"}, "unknown-agent"), ({"to": "nobody"}, "unknown-agent"),
        ({"to": "\ud800"}, "unknown-agent"), ({"to": "x" * 10_000}, "unknown-agent"),
        ({"task": "99"}, "unknown-task"), ({"task": "-1"}, "unknown-task"), ({"task": "0"}, "unknown-task"),
        ({"task": "thread-7"}, "unknown-task"), ({"task": "9" * 5000}, "unknown-task"), ({"task": "٣"}, "unknown-task"),
        ({"task": str(2**63)}, "unknown-task"), ({"ref": "99"}, "unknown-message"), ({"ref": "1; DROP"}, "unknown-message"),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_refused_before_anything_is_stored(
    channel: Channel, change: dict[str, str], code: str
) -> None:
    event = Event(kind="task_update", sender="alice", to="bob", content="x").replace(**change)
    with pytest.raises(Unknown) as caught:
        channel.send(event)
    assert caught.value.code == code and caught.value.hint
    assert channel.history() == []


def test_a_likely_recipient_is_suggested(channel: Channel) -> None:
    with pytest.raises(Unknown) as caught:
        channel.send(Event(kind="info_only", sender="alice", to="bobb", content="x"))
    assert caught.value.hint == "did you mean bob?"


def test_text_that_is_sql_json_or_no_character_comes_back_as_it_was(channel: Channel) -> None:
    odd = "'); DROP TABLE messages;-- \"\\ {x} %s \u2028 ünï 日本 \x00end"
    channel.send(Event(kind="info_only", sender="alice", to="bob", content=odd, detail="/a\udcffb"))
    (event,) = channel.receive("bob")
    assert event.content == odd and event.detail == "/a\ufffdb"


BAD = [
    b"\xff\xfe", b'{"event":"info_only","content":"\xff"}', '{"event":"info_only","content":"\\ud800"}',
    "", "null", "[]", "[" * 100_000, '{"event":1,"content":"x"}', '{"event":"x"}', "{" + '"a":' * 2000,
    '{"event":"task_req","content":"' + "x" * 2_000_000 + '"}', "1e999999", '{"event":"nosuch","content":"y"}',
]  # fmt: skip


@pytest.mark.parametrize("payload", BAD, ids=range(len(BAD)))
def test_a_bad_row_is_told_and_stops_nobody(
    channel: Channel, peer: Any, payload: str | bytes
) -> None:
    client = peer()
    client.send("info_only", "before", "bob")
    bad = client.insert(payload, "bob")
    client.send("info_only", "after", "bob")
    found = take(channel, "bob")
    assert [event.id for event in found] == [str(bad - 1), str(bad), str(bad + 1)]
    assert (found[0].content, found[2].content) == ("before", "after")
    event = found[1]
    assert event.sender == "pi-1" and event.to == "bob" and event.at > 0
    assert event.problem or event.kind in ("info_only", "nosuch")
    str(event).encode()
    assert len(channel.history()) == 3 and channel.receive("bob") == []


@pytest.mark.parametrize("as_text", ["CAST(payload AS TEXT)", "payload"])
def test_text_columns_that_are_no_utf8_do_not_stop_anything_j11(
    channel: Channel, peer: Any, as_text: str
) -> None:
    client = peer(foreign_keys=False)
    raw = b'{"event":"info_only","content":"caf\xe9"}'
    client.db.execute(
        f"INSERT INTO messages SELECT NULL, CAST(x'ff41' AS TEXT), 'bob', 'ops', 'x', CAST(x'fe' AS TEXT),"
        f" {as_text}, 'when' FROM (SELECT ? AS payload)", (raw,),
    )  # fmt: skip
    client.db.execute(
        "INSERT INTO agents (session_id, agent_name) VALUES (CAST(x'ff' AS TEXT), CAST(x'fe' AS TEXT))"
    )
    (event,) = take(channel, "bob")
    assert (event.sender, event.content, event.task, event.ref, event.at) == (
        "\ufffdA",
        "caf\ufffd",
        "x",
        "\ufffd",
        0,
    )
    assert channel.roster()[-1].name == "\ufffd"
    client.delete("pi-1")


def test_a_payload_of_50_mib_is_not_loaded(channel: Channel, peer: Any) -> None:
    client = peer()
    client.db.execute(
        "INSERT INTO messages VALUES (NULL, 'pi-1', 'bob', 'ops', NULL, NULL,"
        " CAST(zeroblob(52428800) AS TEXT), 1)"
    )
    client.send("info_only", "after", "bob")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    start = time.perf_counter()
    found = take(channel, "bob")
    spent = time.perf_counter() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [bool(event.problem) for event in found] == [True, False]
    assert (found[0].sender, found[0].id) == ("pi-1", "1") and "1 MiB" in found[0].problem
    assert peak < 3_000_000 and spent < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_a_sender_without_a_row_is_heard_and_answering_it_does_not_stop_the_rest(
    channel: Channel, peer: Any
) -> None:
    client = peer(foreign_keys=False)
    cancel = client.insert(
        {"event": "task_cancel", "content": "stop"}, "bob", task=77, ref=78, sender="ghost"
    )
    (event,) = channel.receive("bob")
    assert (event.sender, event.task, event.problem) == ("ghost", "77", "")
    answers = [
        Event(kind="task_cancel_ack", to="ghost", content="cancelled", task="77", ref=event.id),
        Event(kind="task_cancel_ack", to="pi-1", content="cancelled", task="77", ref=event.id),
        Event(kind="info_only", to="pi-1", content="told"),
    ]
    sent = channel.commit("bob", event.id, Effects(sends=answers, status="busy"))
    assert [bool(one.problem) for one in sent] == [True, True, False] and not sent[0].id
    assert channel.receive("bob") == [] and channel.roster()[1].status == "busy"
    assert client.value("SELECT last_read_id FROM agent_cursors WHERE session_id = 'bob'") == cancel


def test_history_is_the_last_ones_oldest_first_and_goes_back_in_pages(channel: Channel) -> None:
    for number in range(7):
        channel.send(Event(kind="broadcast", sender="alice", content=str(number)))
    page = channel.history(3)
    assert [event.content for event in page] == ["4", "5", "6"]
    assert [event.content for event in channel.history(3, before=page[0].id)] == ["1", "2", "3"]
    assert [event.content for event in channel.history(100)] == [str(n) for n in range(7)]


def test_the_messages_of_a_task_are_those_and_no_others(channel: Channel) -> None:
    first = channel.send(Event(kind="task_req", sender="alice", to="bob", content="one"))
    other = channel.send(Event(kind="task_req", sender="alice", to="bob", content="two"))
    for number in range(3):
        channel.send(
            Event(
                kind="task_update",
                sender="bob",
                to="alice",
                task=first.id,
                ref=first.id,
                content=str(number),
            )
        )
    page = channel.task(first.id, limit=2)
    assert [event.content for event in page] == ["one", "0"]
    assert [event.content for event in channel.task(first.id, after=page[-1].id)] == ["1", "2"]
    assert [event.content for event in channel.task(other.id)] == ["two"]
    assert channel.task("99") == [] and channel.task("no number") == []
    channel.join("carl")
    assert channel.tasks_of("carl") == [] and len(channel.tasks_of("alice")) == 5
    assert [event.content for event in channel.tasks_of("bob", after=page[-1].id)] == ["1", "2"]


def test_an_origin_is_stored_once_and_found_again(channel: Channel) -> None:
    event = Event(kind="info_only", sender="alice", to="bob", content="x", origin="ack/7")
    first = channel.send(event)
    again = channel.send(event.replace(content="y", sender="bob"))
    assert (again.id, again.content, again.sender) == (first.id, "x", "alice")
    assert channel.send(event.replace(origin="ack/8")).id != first.id
    assert channel.send(event.replace(origin="")).id != channel.send(event.replace(origin="")).id
    assert len(channel.history()) == 4


def test_who_has_mail_is_one_question_for_all_agents(channel: Channel) -> None:
    assert channel.parties("0") == ("0", frozenset())
    first = channel.send(Event(kind="info_only", sender="alice", to="bob", content="x"))
    last = channel.send(Event(kind="broadcast", sender="alice", content="x"))
    assert channel.parties("0") == (last.id, frozenset((("alice", "bob"), ("alice", ""))))
    assert channel.parties(first.id) == (last.id, frozenset((("alice", ""),)))


def test_a_change_by_anybody_is_noticed_and_nothing_else_is(channel: Channel, peer: Any) -> None:
    client = peer()
    assert channel.changed() and not channel.changed()
    client.send("broadcast", "x")
    assert channel.changed() and not channel.changed()
    channel.send(Event(kind="broadcast", sender="alice", content="x"))
    assert channel.changed() and not channel.changed()
    channel.receive("bob")
    channel.roster()
    assert not channel.changed()


def test_waiting_ends_soon_after_a_message(channel: Channel, peer: Any, new_peer: Any) -> None:
    peer()
    channel.changed()
    start = time.monotonic()
    assert not channel.wait(0.05) and time.monotonic() - start >= 0.05

    def later() -> None:
        client = new_peer(channel.place.database, "pi-1", "ops")
        time.sleep(0.05)
        client.send("broadcast", "x")
        client.db.close()

    thread = threading.Thread(target=later)
    thread.start()
    channel.wait(5)
    while not channel.receive("bob"):
        assert channel.wait(5)
    assert time.monotonic() - start < 2
    thread.join()


def test_only_who_joined_here_receives(channel: Channel) -> None:
    for call in (lambda: channel.receive("carl"), lambda: channel.commit("carl", "1", NOTHING)):
        with pytest.raises(Conflict) as caught:
            call()
        assert caught.value.code == "not-joined"
    with pytest.raises(SwarmError):
        channel.beat(["carl"])
