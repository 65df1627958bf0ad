"""Many processes, and another client, on one file: nothing lost, nothing twice, nobody locked out."""

import os
import subprocess
import sys
from typing import Any

import pytest

from swarm.events import Event
from swarm.team.channel import Channel
from swarm.team.writing import Effects

pytestmark = pytest.mark.slow

SENDER = """
import sys
from swarm.events import Event
from swarm.team.channel import Channel
with Channel.open(sys.argv[1], "ops", anew=True) as channel:
    channel.join(sys.argv[2])
    for number in range(500):
        channel.send(Event(kind="broadcast", sender=sys.argv[2], content=f"{sys.argv[2]} {number}"))
"""

CLAIMER = """
import sys
from swarm.events import Event
from swarm.team.channel import Channel
me = sys.argv[2]
with Channel.open(sys.argv[1], "ops") as channel:
    channel.join(me)
    for task in channel.history(100, before="101"):
        claim = Event(kind="task_ack", sender=me, to="alice", content="mine", task=task.id, origin=f"claim/{task.id}")
        print(task.id, channel.send(claim).sender)
"""

OPENER = """
import sys
from swarm.team.channel import Channel
for _ in range(20):
    with Channel.open(sys.argv[1], "ops", anew=True) as channel:
        channel.join(sys.argv[2])
"""


def run(code: str, home: str, *agents: str) -> list[str]:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, home, agent],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for agent in agents
    ]
    outputs = []
    for child in started:
        out, err = child.communicate()
        assert child.returncode == 0, err.decode()
        outputs.append(out.decode())
    return outputs


def test_four_processes_of_500_sends_are_2000_messages_j01(home: str) -> None:
    agents = [f"agent-{number}" for number in range(4)]
    run(SENDER, home, *agents)
    with Channel.open(home, "ops") as channel:
        said = [event.content for event in channel.history(5000)]
        assert sorted(said) == sorted(f"{agent} {n}" for agent in agents for n in range(500))
        for agent in agents:
            own = [line for line in said if line.startswith(f"{agent} ")]
            assert own == [f"{agent} {n}" for n in range(500)]


def test_many_that_make_one_channel_at_once_all_get_in(home: str) -> None:
    agents = [f"agent-{number}" for number in range(6)]
    run(OPENER, home, *agents)
    with Channel.open(home, "ops") as channel:
        assert sorted(row.session for row in channel.roster()) == agents and channel.check() == []


def test_of_many_that_claim_one_task_one_has_it_k18(channel: Channel, home: str) -> None:
    for number in range(100):
        channel.send(Event(kind="task_req", sender="alice", content=str(number)))
    agents = [f"agent-{number}" for number in range(8)]
    answers = [line.split() for out in run(CLAIMER, home, *agents) for line in out.splitlines()]
    assert len(answers) == 800
    owners: dict[str, set[str]] = {}
    for task, owner in answers:
        owners.setdefault(task, set()).add(owner)
    assert len(owners) == 100 and all(len(found) == 1 for found in owners.values())


PEER = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("peer", sys.argv[2])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
peer = module.Peer(sys.argv[1] + "/ops/team.db", "pi-1", "ops")
peer.join()
print("up", flush=True)
for number in range(200):
    peer.send("task_req", str(number), "bob")
"""


def test_a_request_written_in_two_steps_is_answered_under_its_number(
    channel: Channel, home: str
) -> None:
    path = os.path.join(os.path.dirname(__file__), "..", "..", "peer.py")
    child = subprocess.Popen([sys.executable, "-c", PEER, home, path], stdout=subprocess.PIPE)
    assert child.stdout and child.stdout.readline() == b"up\n"
    handled: list[Event] = []
    while len(handled) < 200:
        for event in channel.receive("bob"):
            assert event.task == event.id
            ack = Event(
                kind="task_ack", to=event.sender, content="accepted", task=event.task, ref=event.id
            )
            assert channel.commit("bob", event.id, Effects(sends=[ack]))[0].problem == ""
            handled.append(event)
    assert child.wait() == 0 and [event.content for event in handled] == [
        str(n) for n in range(200)
    ]
    child.stdout.close()


def test_a_whole_conversation_with_the_other_client(channel: Channel, peer: Any) -> None:
    client = peer("pi-1")
    request = channel.send(
        Event(kind="task_req", sender="bob", to="pi-1", content="review", need_reply=True)
    )
    assert [m["event"] for m in client.poll()] == ["task_req"]
    (ack,) = channel.receive("bob")
    channel.commit("bob", ack.id, Effects())
    client.send("task_clarify", "which part?", "bob", int(request.id), int(request.id))
    (question,) = channel.receive("bob")
    answer = Event(
        kind="task_clarify_res", to="pi-1", content="all", task=question.task, ref=question.id
    )
    channel.commit("bob", question.id, Effects(sends=[answer]))
    (seen,) = client.poll()
    assert (seen["event"], seen["task"], seen["ref"]) == (
        "task_clarify_res",
        int(request.id),
        int(question.id),
    )
    client.send("task_done", "good", "bob", int(request.id), int(request.id))
    (done,) = channel.receive("bob")
    channel.commit("bob", done.id, Effects())
    kinds = [event.kind for event in channel.task(request.id)]
    assert kinds == ["task_req", "task_ack", "task_clarify", "task_clarify_res", "task_done"]
    channel.send(Event(kind="ping", sender="bob", to="pi-1", content="ping"))
    client.poll()
    (pong,) = channel.receive("bob")
    assert (pong.kind, pong.ref) == ("pong", channel.history(2)[0].id)
