"""All effects of one message are one step, and repeating it finds it done."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from swarm.errors import UsageError
from swarm.events import Event
from swarm.team import database
from swarm.team.channel import Channel
from swarm.team.writing import Effects


def ack(event: Event) -> Event:
    return Event(
        kind="task_ack", to=event.sender, content="accepted", task=event.task, ref=event.id, origin=f"ack/{event.id}"
    )  # fmt: skip


def status_of(channel: Channel, session: str) -> str:
    return next(row.status for row in channel.roster() if row.session == session)


def test_reply_status_and_cursor_move_together(channel: Channel, peer: Any) -> None:
    client = peer()
    client.send("task_req", "x", "bob")
    (event,) = channel.receive("bob")
    (sent,) = channel.commit("bob", event.id, Effects(sends=[ack(event)], status="busy"))
    assert (sent.sender, sent.task, sent.ref) == ("bob", event.id, event.id) and int(sent.id) > int(
        event.id
    )
    assert channel.receive("bob") == [] and status_of(channel, "bob") == "busy"
    assert [m["event"] for m in client.poll()] == ["task_ack"]


def test_repeating_it_writes_nothing_and_finds_the_reply(channel: Channel, peer: Any) -> None:
    peer().send("task_req", "x", "bob")
    (event,) = channel.receive("bob")
    (first,) = channel.commit("bob", event.id, Effects(sends=[ack(event)], status="busy"))
    plain = ack(event).replace(origin="")
    again = channel.commit("bob", event.id, Effects(sends=[ack(event), plain], status="available"))
    assert [one.id for one in again] == [first.id]
    assert status_of(channel, "bob") == "busy" and len(channel.history()) == 2


def test_the_cursor_only_moves_forward(channel: Channel) -> None:
    for _ in range(3):
        channel.send(Event(kind="info_only", sender="alice", to="bob", content="x"))
    first, _, third = channel.receive("bob")
    channel.commit("bob", third.id, Effects())
    assert (
        channel.commit("bob", first.id, Effects(sends=[Event(kind="broadcast", content="late")]))
        == []
    )
    assert channel.receive("bob") == [] and len(channel.history()) == 3


def test_a_step_that_fails_half_way_leaves_nothing(channel: Channel) -> None:
    channel.send(Event(kind="info_only", sender="alice", to="bob", content="x"))
    (event,) = channel.receive("bob")
    with pytest.raises(UsageError):
        channel.commit("bob", event.id, Effects(sends=[ack(event)], status="tired"))
    assert len(channel.history()) == 1 and len(channel.receive("bob")) == 1


def test_giving_up_and_taking_back_another_agent_is_conditional(
    channel: Channel, peer: Any
) -> None:
    client = peer()
    channel.apply("bob", Effects(inactive=["pi-1", "nobody"]))
    assert status_of(channel, "pi-1") == "inactive"
    client.send("info_only", "I am here", "bob")
    (event,) = channel.receive("bob")
    channel.commit("bob", event.id, Effects(available=["pi-1"]))
    assert status_of(channel, "pi-1") == "available"
    client.set_status("busy")
    channel.apply("bob", Effects(available=["pi-1"]))
    assert status_of(channel, "pi-1") == "busy"


def test_who_said_goodbye_is_not_taken_back_by_an_older_message(
    channel: Channel, peer: Any
) -> None:
    client = peer()
    client.send("info_only", "last words", "bob")
    client.insert("x" * 2_000_000)
    client.send("broadcast", "pi-1 has left the channel", intent="agent_leave")
    client.set_status("inactive")
    event = channel.receive("bob")[0]
    channel.commit("bob", event.id, Effects(available=["pi-1"]))
    assert status_of(channel, "pi-1") == "inactive"


def test_what_happens_without_a_message_is_one_step_too(channel: Channel) -> None:
    done = Event(kind="broadcast", content="free again", origin="free/1")
    (first,) = channel.apply("bob", Effects(sends=[done], status="available"))
    (again,) = channel.apply("bob", Effects(sends=[done], status="available"))
    assert first.id == again.id and len(channel.history()) == 1


WORKER = """
import sys
from swarm.events import Event
from swarm.team.channel import Channel
from swarm.team.writing import Effects
with Channel.open(sys.argv[1], "ops", sync=False) as channel:
    channel.join("bob")
    print("up", flush=True)
    while True:
        for event in channel.receive("bob", 20):
            reply = Event(kind="task_ack", to=event.sender, content="accepted", task=event.task, ref=event.id)
            channel.commit("bob", event.id, Effects(sends=[reply, reply.replace(kind="task_done")], status="busy"))
"""


@pytest.mark.slow
def test_killed_anywhere_every_effect_happens_once_j17(
    channel: Channel, home: str, peer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel.leave("bob")
    client = peer()
    draw = random.Random(7)
    sent = 0
    for _ in range(40):
        worker = subprocess.Popen([sys.executable, "-c", WORKER, home], stdout=subprocess.PIPE)
        assert worker.stdout and worker.stdout.readline() == b"up\n"
        end = time.monotonic() + draw.uniform(0, 0.02)
        while time.monotonic() < end:
            client.send("task_req", "x", "bob")
            sent += 1
        os.kill(worker.pid, signal.SIGKILL)
        worker.communicate()
    channel.join("bob")
    left = channel.receive("bob", 100_000)
    assert sent > 0
    counts = client.db.execute(
        "SELECT task_id, sum(json_extract(payload, '$.event') = 'task_ack'),"
        " sum(json_extract(payload, '$.event') = 'task_done'),"
        " sum(json_extract(payload, '$.event') = 'task_req') FROM messages GROUP BY task_id"
    ).fetchall()
    undone = {int(event.id) for event in left}
    assert len(counts) == sent and len(undone) < sent
    for task, acks, dones, requests in counts:
        expected = 0 if task in undone else 1
        assert (acks, dones, requests) == (expected, expected, 1)
    assert client.value("PRAGMA integrity_check") == "ok"


def test_a_transaction_cut_at_any_statement_stores_nothing_of_it(
    channel: Channel, opened: Callable[..., Channel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a power cut between any two statements: what was not committed is not there."""
    channel.send(Event(kind="task_req", sender="alice", to="bob", content="x"))
    (event,) = channel.receive("bob")
    effects = Effects(sends=[ack(event)], status="busy", inactive=["alice"])
    real = database.Database.write

    class Cut(Exception):
        pass

    class Counting:
        def __init__(self, db: Any, left: int) -> None:
            self.db, self.left = db, left

        def execute(self, *given: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise Cut
            return self.db.execute(*given)

    steps = 0
    while True:
        monkeypatch.setattr(
            database.Database, "write",
            lambda self, work, steps=steps: real(self, lambda db: work(Counting(db, steps))),
        )  # fmt: skip
        try:
            channel.commit("bob", event.id, effects)
            break
        except Cut:
            steps += 1
        monkeypatch.undo()
        assert len(channel.history()) == 1 and status_of(channel, "alice") == "available"
        assert len(channel.receive("bob")) == 1
    assert steps >= 6
    monkeypatch.undo()
    assert len(channel.history()) == 2 and status_of(channel, "alice") == "inactive"
