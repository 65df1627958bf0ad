"""Many agents in one process: who has a turn, whose trouble it is, and when it ends."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from swarm.errors import Conflict, Temporary, Unknown, Unreadable
from swarm.events import Event
from swarm.mamoru.backoff import Troubles
from swarm.mamoru.forward import Jsonl, Left
from swarm.mamoru.host import Host
from swarm.mamoru.rounds import Rounds
from swarm.mamoru.signals import Mate
from swarm.mamoru.state import Settings
from swarm.stopping import heed
from swarm.transport.memory import Memory, MemoryStore

QUIET = Settings(announce=False)


class Scene:
    """amy asks; w0, w1, w2 are guarded by a host whose passes are made by hand."""

    def __init__(self, agents: list[str] | None = None, workers: int = 3, **more: Any) -> None:
        self.memory = Memory()
        self.memory.join("amy")
        self.workers = [f"w{n}" for n in range(workers)]
        for agent in self.workers:
            self.memory.join(agent)
        self.told: list[str] = []
        self.store = MemoryStore(self.memory)
        more = {"settings": QUIET} | more
        named = self.workers if agents is None else agents
        tell = self.tell
        self.host = Host(self.store, named or None, more.pop("forwarder", Left(tell)), tell, **more)

    def tell(self, agent: str, text: str) -> None:
        self.told.append(f"{agent}: {text}" if agent else text)

    def started(self) -> "Scene":
        self.host._look()
        self.host.open_named()
        self.passes()
        return self

    def ask(self, worker: str, **more: Any) -> Event:
        fields = {"sender": "amy", "to": worker, "content": "x"}
        return self.memory.post(Event(kind="task_req", **(fields | more)))

    def passes(self, count: int = 4) -> None:
        for _ in range(count):
            self.host.turn(self.store.wait(0.0))

    def refused(self, requests: dict[str, str]) -> list[str]:
        found = [e for e in self.memory.messages if e.kind == "task_reject"]
        return [e.sender for e in found if requests.get(e.sender) == e.ref]

    def acked(self) -> list[str]:
        return [e.sender for e in self.memory.messages if e.kind == "task_ack"]


@pytest.fixture
def scene() -> Scene:
    return Scene().started()


@pytest.fixture
def running() -> Iterator[Callable[[Host], threading.Thread]]:
    """Runs a host in a thread, and ends it."""
    hosts: list[tuple[Host, threading.Thread]] = []

    def run(host: Host) -> threading.Thread:
        thread = threading.Thread(target=host.run)
        hosts.append((host, thread))
        thread.start()
        return thread

    yield run
    for host, thread in hosts:
        host.stop()
        thread.join(5)
        assert not thread.is_alive()


def until(condition: Callable[[], object], seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def test_each_agent_is_answered_for(scene: Scene) -> None:
    for agent in scene.workers:
        scene.ask(agent)
    scene.passes()
    assert sorted(scene.acked()) == scene.workers


def test_a_request_is_answered_at_once_not_at_the_next_poll(running: Any) -> None:
    scene = Scene(poll=5.0)
    running(scene.host)
    until(lambda: len(scene.host.guardians) == 3)
    time.sleep(0.1)
    start = time.monotonic()
    scene.ask("w1")
    until(scene.acked)
    assert time.monotonic() - start < 1.0


def test_only_those_who_are_called_have_a_turn(scene: Scene) -> None:
    turned: list[str] = []
    for guardian in scene.host.guardians.values():
        real = guardian.transport.receive

        def receive(me: str = guardian.me, real: Any = real) -> Any:
            turned.append(me)
            return real()

        guardian.transport.receive = receive  # type: ignore[method-assign]
    scene.passes()
    assert turned == []
    scene.ask("w1")
    scene.passes(1)
    assert turned == ["w1"]


class TestTrouble:
    """Of one agent, of the store, of the loop itself."""

    def break_receive(self, scene: Scene, agent: str, error: Exception) -> Callable[[], None]:
        transport = scene.host.guardians[agent].transport
        real = transport.receive

        def receive() -> list[Event]:
            raise error

        transport.receive = receive  # type: ignore[method-assign]
        return lambda: setattr(transport, "receive", real)

    @pytest.mark.parametrize(
        "error",
        [
            OSError(5, "Input/output error"),
            RuntimeError("boom"),
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
            Temporary("locked"),
            Unreadable("no right", "chmod it"),
        ],
    )
    def test_one_agent_s_trouble_is_told_once_and_stops_no_other(
        self, scene: Scene, error: Exception
    ) -> None:
        mend = self.break_receive(scene, "w1", error)
        for _ in range(5):
            for agent in scene.workers:
                scene.ask(agent)
            scene.passes(2)
            time.sleep(0.05)
        assert set(scene.acked()) == {"w0", "w2"}
        assert len([text for text in scene.told if text.startswith("w1")]) == 1
        mend()
        until(lambda: scene.passes(1) or "w1" in scene.acked())
        assert scene.told[-1].startswith("w1: works again")

    def test_that_nobody_hears_of_it_stops_no_other_either_k12(self) -> None:
        def deaf(agent: str, text: str) -> None:
            raise BrokenPipeError

        scene = Scene()
        scene.host = Host(scene.store, scene.workers, Left(deaf), deaf, QUIET)
        self.break_receive(scene.started(), "w1", RuntimeError("boom"))
        for agent in scene.workers:
            scene.ask(agent)
        scene.passes()
        assert set(scene.acked()) == {"w0", "w2"}

    def test_one_that_another_process_took_is_let_go_and_known_anew_when_it_is_free(
        self, scene: Scene
    ) -> None:
        before = scene.host.guardians["w1"]
        self.break_receive(scene, "w1", Conflict("w1 is guarded by another process"))
        scene.memory.join("w1")
        scene.ask("w1")
        until(lambda: scene.passes(1) or "w1" in scene.acked())
        assert scene.host.guardians["w1"] is not before
        assert [text for text in scene.told if text.startswith("w1")] == [
            "w1: w1 is guarded by another process",
            "w1: works again, after it failed once",
        ]

    def test_it_is_tried_ever_less_often(self, scene: Scene) -> None:
        troubles = Troubles(scene.tell)
        waits = []
        for _ in range(12):
            troubles.note("w1", OSError("x"), 100.0)
            waits.append(troubles.next() - 100.0)
        assert waits[0] == pytest.approx(0.1) and waits[3] == pytest.approx(0.8)
        assert waits[-1] == 30.0 and troubles.due(130.1) == ["w1"] and troubles.count == 12

    def test_who_is_in_trouble_gives_no_sign_of_life(self, scene: Scene) -> None:
        self.break_receive(scene, "w1", RuntimeError("boom"))
        scene.ask("w1")
        scene.passes()
        scene.store._beaten.clear()
        beaten: list[str] = []
        scene.store.beat = beaten.extend  # type: ignore[method-assign]
        scene.host._beats = Rounds(1.0, 0.0)
        for agent in scene.workers:
            scene.host._beats.add(agent)
        scene.host._beat()
        assert sorted(beaten) == ["w0", "w2"]

    def test_a_loop_that_fails_is_told_and_looks_no_longer_good(self, scene: Scene) -> None:
        assert scene.host.last_good > 0
        scene.host.last_good = 1.0
        assert scene.memory.pulses.pop(scene.store) == scene.workers
        beats: list[Any] = []
        scene.store.beat = beats.append  # type: ignore[method-assign]
        real = scene.host._called
        scene.host._called = lambda hinted: 1 / 0  # type: ignore[assignment, return-value]
        scene.host.poll = 0.01
        scene.passes(3)
        assert scene.host.last_good == 1.0 and not beats and not scene.memory.pulses
        assert len([text for text in scene.told if "ZeroDivisionError" in text]) == 1
        scene.host._called = real  # type: ignore[method-assign]
        scene.ask("w0")
        scene.passes()
        assert scene.acked() == ["w0"] and scene.host.last_good > 1.0

    def test_a_store_that_is_busy_is_waited_for_k09(self, scene: Scene) -> None:
        scene.memory.trouble = Temporary("database is locked", "wait")
        for agent in scene.workers:
            scene.host._again[agent] = None
        scene.host._next_look = 0.0
        scene.host.turn(set())
        scene.host.turn(set())
        scene.memory.trouble = None
        scene.ask("w2")
        until(lambda: scene.passes(1) or scene.acked())
        assert scene.acked() == ["w2"]

    def test_a_store_that_cannot_be_used_ends_the_run(self) -> None:
        scene = Scene()
        real = scene.store.roster
        looks = []

        def roster() -> Any:
            looks.append(1)
            if len(looks) > 1:
                raise Unreadable("team.db is not a database", "restore it")
            return real()

        scene.store.roster = roster  # type: ignore[method-assign]
        with pytest.raises(Unreadable):
            scene.host.run()
        assert scene.memory.guarded == {}, "the agents are free again"

    def test_nobody_reading_the_output_ends_the_run(self) -> None:
        scene = Scene()
        read, write = os.pipe()
        os.close(read)
        scene.host.forwarder = Jsonl(write, scene.tell)
        scene.ask("w1")
        with pytest.raises(BrokenPipeError):
            scene.host.run()
        os.close(write)
        assert scene.acked() == [] and scene.memory.waiting["w1"] and scene.memory.guarded == {}


class TestWhoIsGuarded:
    """By name, or all that come and go."""

    def test_the_only_one_named_is_unknown(self) -> None:
        with pytest.raises(Unknown):
            Scene(["nobody"]).host.run()

    def test_the_only_one_named_is_guarded_elsewhere(self) -> None:
        scene = Scene(["w0"])
        MemoryStore(scene.memory).open("w0")
        with pytest.raises(Conflict):
            scene.host.run()
        assert scene.told == [], "the error says it"

    def test_one_of_several_that_cannot_be_opened_is_told_and_taken_later(self) -> None:
        scene = Scene()
        other = MemoryStore(scene.memory).open("w0")
        scene.started()
        assert sorted(scene.host.guardians) == ["w1", "w2"]
        assert scene.told == ["w0: w0 is guarded already; end that one first"]
        other.close()
        until(lambda: scene.passes(1) or "w0" in scene.host.guardians)

    def test_all_means_those_that_come_later_too_and_not_those_that_went(self) -> None:
        scene = Scene([]).started()
        scene.passes()
        assert sorted(scene.host.guardians) == ["amy", *scene.workers]
        scene.memory.join("new")
        del scene.memory.mates["w0"]
        scene.host._next_find = 0.0
        scene.passes()
        assert sorted(scene.host.guardians) == ["amy", "new", "w1", "w2"]
        assert "w0" not in scene.memory.guarded

    def test_of_all_one_that_has_finished_stays_so_but_one_named_comes_back(self) -> None:
        for named, status in (([], "inactive"), (["w0"], "available")):
            scene = Scene(named)
            scene.memory.change(["w0"], status="inactive")
            scene.started()
            assert scene.memory.mates["w0"].status == status

    def test_messages_that_waited_for_the_guardian_are_handled_at_the_start(self) -> None:
        scene = Scene()
        for agent in scene.workers:
            scene.ask(agent)
        scene.started()
        assert sorted(scene.acked()) == scene.workers


def test_more_than_a_page_is_handled_a_page_a_turn_so_others_need_not_wait(scene: Scene) -> None:
    for _ in range(500):
        scene.memory.post(Event(kind="ping", sender="amy", to="w0", content="ping"))
    scene.ask("w1")
    scene.passes(1)
    pongs = [e for e in scene.memory.messages if e.kind == "pong"]
    assert len(pongs) == 200 and scene.acked() == ["w1"]
    scene.passes(3)
    assert len([e for e in scene.memory.messages if e.kind == "pong"]) == 500


def test_a_timer_calls_its_agent_though_nothing_came(running: Any) -> None:
    scene = Scene(settings=Settings(announce=False, task_timeout=0.4, ping_timeout=0.4), poll=5.0)
    running(scene.host)
    until(lambda: len(scene.host.guardians) == 3)
    scene.memory.post(Event(kind="task_req", sender="w0", to="amy", content="x"))
    start = time.monotonic()
    until(lambda: "task_cancel" in [e.kind for e in scene.memory.messages])
    assert 0.3 < time.monotonic() - start < 2.0
    until(lambda: any("no answer from amy" in text for text in scene.told))


def test_signs_of_life_are_given(scene: Scene) -> None:
    before = scene.memory.mates["w0"].seen
    scene.host._beats = Rounds(0.01, 0.0)
    for agent in scene.workers:
        scene.host._beats.add(agent)
    scene.store._beaten.clear()
    time.sleep(0.02)
    scene.passes(1)
    assert scene.memory.mates["w0"].seen > before


def test_a_dead_mate_that_somebody_waits_for_is_found_out(running: Any) -> None:
    settings = Settings(stale=0.5, ping_timeout=0.3)
    scene = Scene(settings=settings, poll=0.05)
    running(scene.host)
    until(lambda: len(scene.host.guardians) == 3)
    scene.memory.post(Event(kind="task_req", sender="w0", to="amy", content="x"))
    until(lambda: scene.memory.mates["amy"].status == "inactive")


def test_outbound_goes_through_the_agent_s_guardian(scene: Scene) -> None:
    (sent,) = scene.host.outbound("w0", Event(kind="task_req", to="w1", content="x"))
    scene.passes()
    assert sent.sender == "w0" and scene.acked() == ["w1"]
    with pytest.raises(Unknown):
        scene.host.outbound("amy", Event(kind="info_only", to="w1", content="x"))


def test_goodbye_is_said_only_if_asked() -> None:
    for leave, kinds in ((False, []), (True, ["agent_leave"] * 3)):
        scene = Scene(settings=Settings())
        scene.started()
        scene.memory.messages.clear()
        scene.host.close(leave)
        assert [e.intent for e in scene.memory.messages] == kinds


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_time(number: signal.Signals) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    scene = Scene(poll=60.0)
    heed(scene.host.stop)
    try:
        threading.Timer(0.3, lambda: signal.raise_signal(number)).start()
        start = time.monotonic()
        scene.host.run()
        assert time.monotonic() - start < 2.0 and scene.memory.guarded == {}
    finally:
        for which, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(which, handler)


class TestStandstill:
    """A process that slept must not find the others dead."""

    def test_a_long_pass_of_many_short_turns_is_none_but_a_long_turn_is(self) -> None:
        now = [time.time()]
        scene = Scene(workers=10, clock=lambda: now[0]).started()
        for seconds, told in ((1.0, False), (9.0, True)):
            time.sleep(0.06)  # a crowd's pause
            for guardian in scene.host.guardians.values():
                real = guardian.transport.receive

                def receive(real: Any = real, seconds: float = seconds) -> Any:
                    now[0] += seconds
                    return real()

                guardian.transport.receive = receive  # type: ignore[method-assign]
            scene.host.turn(None)
            assert any("stood still" in text for text in scene.told) is told

    def test_nobody_is_found_dead_after_it(self) -> None:
        now = [time.time()]
        scene = Scene(settings=Settings(), clock=lambda: now[0])
        scene.memory.clock = lambda: now[0]
        scene.started()
        scene.memory.mates = {
            **scene.memory.mates,
            "eve": Mate(status="available", seen=now[0]),
        }
        scene.memory.waiting["eve"] = {}
        scene.memory.post(Event(kind="task_req", sender="w0", to="eve", content="x"))
        scene.passes()
        now[0] += 3600.0
        for _ in range(5):
            scene.host._next_look = 0.0
            scene.passes(1)
        assert scene.memory.mates["eve"].status == "available"
        assert not [e for e in scene.memory.messages if e.kind in ("task_cancel", "ping")]
        assert any("stood still" in text for text in scene.told)


class TestManyAgents:
    """What makes thousands of idle agents cheap."""

    def test_in_a_crowd_one_hinted_at_again_waits_a_moment_and_is_not_forgotten(self) -> None:
        scene = Scene(workers=20).started()
        for agent in scene.workers:
            scene.ask(agent)
        until(lambda: scene.passes(1) or len(scene.acked()) == 20)
        second = {agent: scene.ask(agent).id for agent in scene.workers}
        scene.passes(1)
        assert not scene.refused(second)
        until(lambda: scene.passes(1) or len(scene.refused(second)) == 20)

    def test_a_look_at_the_roster_concerns_only_those_who_await_something(self) -> None:
        scene = Scene(workers=50).started()
        before = {a: g.state.roster for a, g in scene.host.guardians.items()}
        scene.memory.change(["amy"], seen=time.time())
        scene.host._look_around()
        shown = [a for a, g in scene.host.guardians.items() if g.state.roster is not before[a]]
        assert shown == [], "amy is there, and has the smallest id: she asks after the others"
        scene.memory.post(Event(kind="task_req", sender="w7", to="amy", content="x"))
        until(lambda: scene.passes(1) or scene.host.guardians["w7"].awaits())
        before = {a: g.state.roster for a, g in scene.host.guardians.items()}
        scene.host._look_around()
        shown = [a for a, g in scene.host.guardians.items() if g.state.roster is not before[a]]
        assert shown == ["w7"]
