"""A guardian of ours and another client on one channel: what each finds in the common file."""

import importlib.util
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from swarm.errors import UsageError
from swarm.events import Event
from swarm.mamoru.forward import Forwarder
from swarm.mamoru.loop import Guardian
from swarm.mamoru.signals import Roster
from swarm.mamoru.state import Settings
from swarm.team.channel import Channel
from swarm.transport.team import TeamStore

SPEC = importlib.util.spec_from_file_location("peer", Path(__file__).parents[1] / "peer.py")
assert SPEC and SPEC.loader
peers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(peers)

MINUTE = 60.0
NEVER = 1e9


class Mind(Forwarder):
    """What reached the agent's mind, and what was stopped."""

    def __init__(self) -> None:
        super().__init__(lambda agent, text: self.notes.append(text))
        self.notes: list[str] = []
        self.heard: list[Event] = []
        self.stopped_tasks: list[str] = []

    def forward(self, agent: str, event: Event, reason: str) -> bool:
        self.heard.append(event)
        return False

    def interrupt(self, agent: str, task: str) -> None:
        self.stopped_tasks.append(task)

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.heard]


class Meeting:
    """bob has a guardian of ours; pi and pia are two sessions of the other client."""

    def __init__(self, folder: Path, stale: float = NEVER) -> None:
        self.stale = stale
        self.channel = Channel.open(str(folder), "ops", anew=True, sync=False)
        self.channel.join("bob", "Bob", "writes")
        self.channel.leave("bob")  # entered once: at its next start the guardian says hello
        self.store = TeamStore(self.channel)
        self.later = 0.0
        self.pi, self.pia = (
            peers.Peer(self.channel.place.database, session, "ops") for session in ("pi", "pia")
        )
        for peer in (self.pi, self.pia):
            peer.arrive()
        self.mind = Mind()
        side, now = self.store.open("bob"), time.time()
        settings = Settings(stale=stale)
        self.bob = Guardian(side, self.mind, self.mind.tell, settings, self.roster(now), now)
        self.bob.join(now)
        self.turns()

    def roster(self, now: float) -> Roster:
        return Roster(self.store.roster(), now, self.stale)

    def turns(self, later: float = 0.0) -> None:
        """The guardian looks, after so many seconds more."""
        self.later += later
        now = time.time() + self.later
        self.bob.look(self.roster(now), now)
        while self.bob.turn(now):
            pass

    def say(self, kind: str, **more: Any) -> Event:
        """bob's mind speaks."""
        event = Event(kind=kind, **({"content": kind} | more))
        (stored,) = self.bob.outbound(event, time.time() + self.later)
        self.turns()
        return stored

    def ask(self, peer: Any, to: str = "bob", words: str = "do it") -> int:
        """The other client gives a task, which the guardian sees; its number."""
        number: int = peer.send("task_req", words, to)
        self.turns()
        return number

    def status(self, session: str = "bob") -> object:
        return self.pi.value("SELECT status FROM agents WHERE session_id = ?", session)

    def rows(self, sender: str = "bob") -> list[tuple[Any, ...]]:
        """What somebody stored: event, to, task, ref, content."""
        sql = (
            "SELECT json_extract(payload, '$.event'), to_agent, task_id, ref_message_id,"
            " json_extract(payload, '$.content') FROM messages WHERE from_agent = ?"
            " ORDER BY message_id"
        )
        return list(self.pi.db.execute(sql, (sender,)))

    def close(self) -> None:
        for peer in (self.pi, self.pia):
            peer.db.close()
        self.store.close()


@pytest.fixture
def met(tmp_path: Path) -> Iterator[Meeting]:
    made = Meeting(tmp_path)
    yield made
    made.close()


def test_a_ping_gets_one_pong_and_a_sign_of_life_and_no_mind_hears_of_it(met: Meeting) -> None:
    beat = "SELECT last_heartbeat FROM agents WHERE session_id = 'bob'"
    before = met.pi.value(beat)
    ping = met.pi.send("ping", "ping", "bob")
    met.turns()
    assert met.rows()[-1] == ("pong", "pi", None, ping, "pong")
    assert int(str(met.pi.value(beat))) >= int(str(before))
    met.pi.send("pong", "pong", "bob", None, ping)
    count = len(met.rows())
    met.turns()
    assert len(met.rows()) == count and met.mind.kinds == []


def test_what_is_written_has_the_five_keys_and_no_other(met: Meeting) -> None:
    met.ask(met.pi)
    (payload,) = met.pi.db.execute(
        "SELECT payload FROM messages WHERE from_agent = 'bob' ORDER BY message_id DESC LIMIT 1"
    ).fetchone()
    told = json.loads(payload)
    five = {"event", "intent", "need_reply", "content", "detail"}
    assert five <= told.keys() and told["intent"] is None and told["need_reply"] is False


def test_a_request_is_acknowledged_taken_and_handed_over(met: Meeting) -> None:
    key = met.ask(met.pi)
    assert met.rows()[-1] == ("task_ack", "pi", key, key, "accepted")
    assert met.status() == "busy"
    (heard,) = met.mind.heard
    assert (heard.sender, heard.key, heard.content) == ("pi", str(key), "do it")


def test_a_second_requester_is_rejected_and_the_first_keeps_its_worker(met: Meeting) -> None:
    first = met.ask(met.pi)
    second = met.ask(met.pia)
    assert met.rows()[-1] == ("task_reject", "pia", second, second, "busy")
    assert met.status() == "busy" and len(met.mind.heard) == 1
    met.say("task_done")
    assert met.rows()[-1] == ("task_done", "pi", first, first, "task_done")
    assert met.status() == "available"


def test_a_request_within_a_task_is_shown_not_taken(met: Meeting) -> None:
    key = met.ask(met.pi, "pia")
    met.pi.insert({"event": "task_req", "content": "part of it"}, "bob", key)
    met.turns()
    assert met.mind.kinds == ["task_req"] and met.status() == "available"
    assert "task_ack" not in [row[0] for row in met.rows()]


def test_a_request_to_everybody_is_taken_by_whoever_is_free(met: Meeting) -> None:
    key = met.pi.send("task_req", "who can?")
    met.turns()
    met.pia.poll()
    for worker in ("bob", "pia"):
        assert met.rows(worker)[-1] == ("task_ack", "pi", key, key, "accepted")


def test_a_cancel_of_its_requester_stops_the_work_and_nobody_elses(met: Meeting) -> None:
    key = met.ask(met.pi)
    met.pia.send("task_cancel", "stop", "bob", key, key)
    met.turns()
    assert met.status() == "busy" and not met.mind.stopped_tasks
    cancel = met.pi.send("task_cancel", "stop", "bob", key, key)
    met.turns()
    assert met.rows()[-1] == ("task_cancel_ack", "pi", key, cancel, "cancelled")
    assert met.status() == "available" and met.mind.stopped_tasks == [str(key)]


def test_each_sees_the_other_come_change_and_go(met: Meeting) -> None:
    assert met.rows()[0][0::4] == ("broadcast", "Bob has joined the channel")
    mates = {agent: mate.status for agent, mate in met.bob.state.teammates()}
    assert mates == {"pi": "available", "pia": "available"}
    met.pi.poll()
    assert met.pi.roster == {"bob": "available", "pia": "available"}
    met.ask(met.pia)
    met.pi.poll()
    assert met.pi.roster["bob"] == "busy"
    met.turns(3.0)
    assert met.rows()[-1][0::4] == ("broadcast", "Bob is busy")
    met.pia.leave()
    met.turns()
    met.bob.leave(time.time())
    met.pi.poll()
    assert met.rows()[-1][0::4] == ("broadcast", "Bob has left the channel")
    assert met.status() == "inactive" and met.pi.roster == {}
    assert [agent for agent, _ in met.bob.state.teammates()] == ["pi"]


def test_a_broadcast_reaches_everybody_once_and_a_message_only_its_recipient(
    met: Meeting,
) -> None:
    met.pi.send("broadcast", "hear", None, intent="lunch")
    met.pi.send("info_only", "for you", "bob")
    met.pi.send("info_only", "for pia", "pia")
    met.turns()
    met.turns()
    assert [event.content for event in met.mind.heard] == ["hear", "for you"]
    met.say("broadcast", content="to all")
    assert met.rows()[-1] == ("broadcast", None, None, None, "to all")
    for peer in (met.pi, met.pia):
        assert [m["content"] for m in peer.poll() if m["from"] == "bob"].count("to all") == 1
        assert "to all" not in [m["content"] for m in peer.poll()]


def test_a_task_of_ours_with_a_question_is_one_conversation(met: Meeting) -> None:
    asked = met.say("task_req", to="pi", intent="code_review", detail="/tmp/spec.md")
    key = int(asked.id)
    assert met.rows()[-1] == ("task_req", "pi", key, None, "task_req")
    (request,) = met.pi.poll()[-1:]
    assert (request["intent"], request["detail"]) == ("code_review", "/tmp/spec.md")
    assert request["need_reply"] is True
    question = met.pi.send("task_clarify", "which?", "bob", key, key)
    met.turns()
    met.say("task_clarify_res", content="all")
    assert met.rows()[-1] == ("task_clarify_res", "pi", key, question, "all")
    for kind in ("task_update", "task_done"):
        met.pi.send(kind, kind, "bob", key, key)
        met.turns()
    assert met.mind.kinds == ["task_clarify", "task_update", "task_done"]
    assert met.bob.state.given == {}
    told = [event.kind for event in met.channel.task(str(key))]
    assert told == [
        "task_req", "task_ack", "task_clarify", "task_clarify_res", "task_update", "task_done",
    ]  # fmt: skip


def test_what_a_worker_passes_on_is_a_task_of_its_own(met: Meeting) -> None:
    outer = met.ask(met.pi)
    inner = int(met.say("task_req", to="pia").id)
    met.pia.poll()
    question = met.pia.send("task_clarify", "how?", "bob", inner, inner)
    met.turns()
    met.say("task_clarify_res")
    assert met.rows()[-1][:4] == ("task_clarify_res", "pia", inner, question)
    met.pia.send("task_done", "tested", "bob", inner, inner)
    met.turns()
    met.say("task_done")
    assert met.rows()[-1][:4] == ("task_done", "pi", outer, outer)
    assert met.bob.state.given == {} and met.status() == "available"


def test_what_is_not_fit_to_be_sent_leaves_no_row(met: Meeting) -> None:
    before = len(met.rows())
    for more in (
        {"kind": "task_ack", "to": "pi", "task": "1"},
        {"kind": "hello", "to": "pi"},
        {"kind": "task_done"},
        {"kind": "task_req", "to": "bob"},
        {"kind": "info_only", "to": "pi", "content": "word " * 21},
    ):
        with pytest.raises(UsageError):
            met.say(**more)  # type: ignore[arg-type]
    assert len(met.rows()) == before


def test_a_silent_worker_is_cancelled_then_given_up_and_told(met: Meeting) -> None:
    key = int(met.say("task_req", to="pi").id)
    met.pi.poll()
    met.turns()
    met.turns(19 * MINUTE)
    met.pi.send("task_update", "at it", "bob", key, key)
    met.turns()
    met.turns(2 * MINUTE)
    assert "task_cancel" not in [row[0] for row in met.rows()]
    met.turns(18.1 * MINUTE)
    words = "Task timed out after 20 minutes with no updates."
    assert met.rows()[-1] == ("task_cancel", "pi", key, key, words)
    (payload,) = [json.loads(p) for (p,) in met.pi.db.execute(
        "SELECT payload FROM messages WHERE from_agent = 'bob' AND to_agent = 'pi'"
        " ORDER BY message_id DESC LIMIT 1")]  # fmt: skip
    assert (payload["intent"], payload["need_reply"]) == ("task_timeout", True)
    met.turns(20.0)
    assert met.status("pi") == "inactive" and any("given up" in note for note in met.mind.notes)


def test_a_cancel_answered_in_time_leaves_the_worker_alone(met: Meeting) -> None:
    met.say("task_req", to="pi")
    met.pi.poll()
    met.turns()
    met.turns(20 * MINUTE)
    assert met.rows()[-1][0] == "task_cancel"
    met.pi.poll()
    met.turns(20.0)
    assert met.status("pi") == "available" and not met.bob.state.given


def test_a_request_of_ours_is_tried_again_when_the_other_is_free(met: Meeting) -> None:
    theirs = met.ask(met.pia, "pi")
    met.pi.poll()
    first = met.say("task_req", to="pi", retry="block")
    met.pi.poll()
    met.turns(5.0)
    assert met.rows("pi")[-1][:3] == ("task_reject", "bob", int(first.id))
    assert met.mind.kinds == [] and met.rows()[-1][2] == int(first.id)
    met.pi.send("task_done", "done", "pia", theirs, theirs)
    met.pi.set_status("available")
    met.turns(5.0)
    again = met.rows()[-1]
    assert again[0] == "task_req" and again[2] != int(first.id)
    met.pi.poll()
    for _ in range(3):
        met.turns(30.0)
    assert [row[0] for row in met.rows()].count("task_req") == 2


def test_the_others_waiting_request_is_tried_again_when_we_are_free(met: Meeting) -> None:
    met.pia.poll()
    met.ask(met.pi)
    met.pia.poll()
    met.pia.request("bob", "mine too")
    met.turns()
    met.pia.poll()
    met.say("task_done")
    met.turns(1.0)
    met.pia.poll()
    met.turns(4.0)
    assert [row[0] for row in met.rows("pia")] == ["broadcast", "task_req", "task_req"]
    assert met.rows()[-1][:3] == ("task_ack", "pia", met.rows("pia")[-1][2])


@pytest.mark.parametrize("alive", [True, False])
def test_a_client_that_beats_only_when_asked_is_asked_before_it_is_given_up(
    tmp_path: Path, alive: bool
) -> None:
    met = Meeting(tmp_path, 60.0)
    met.pia.leave()
    met.turns(61.0)
    assert met.rows()[-1][:2] == ("ping", "pi")
    if alive:
        met.pi.poll()
    met.turns(20.0)
    assert met.status("pi") == ("available" if alive else "inactive")
    met.close()


def test_one_given_up_too_soon_is_taken_back_at_its_next_word(tmp_path: Path) -> None:
    met = Meeting(tmp_path, 60.0)
    met.turns(61.0)
    met.turns(20.0)
    assert met.status("pi") == "inactive"
    at = int((time.time() + met.later) * 1000)
    met.pi.insert({"event": "info_only", "content": "still here"}, "bob", at=at)
    met.turns(1.0)
    assert met.status("pi") == "available"
    met.close()
