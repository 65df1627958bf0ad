"""What an idle agent costs, in calls to the system."""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from swarm.events import Event
from swarm.mailbox import delivery, registry
from swarm.mailbox.layout import Root
from swarm.transport import mail, mail_files
from swarm.transport.base import Outcome
from swarm.transport.mail import MailStore


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each call was made; clear it where counting begins."""
    made: Counter[str] = Counter()

    def counted(name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*values: Any, **named: Any) -> Any:
            made[name] += 1
            return real(*values, **named)

        return call

    for name in ("stat", "lstat", "open", "listdir", "scandir"):
        monkeypatch.setattr(os, name, counted(name))
    return made


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are believed at once."""
    for module, name in (
        (mail_files, "SETTLED"),
        (mail_files, "TICKS"),
        (mail, "LOOK"),
        (mail, "GLANCE"),
    ):
        monkeypatch.setattr(module, name, 0.0)


def test_a_look_at_idle_agents_is_two_stats_each(
    root: Root, store: MailStore, quick: None, calls: Counter[str]
) -> None:
    agents = [f"a{number}" for number in range(50)]
    for agent in agents:
        registry.register(root, agent, "helper", "specialist", "waits", "paused")
    sides = [store.open(agent) for agent in agents]
    for side in sides:
        side.history(), side.receive(), side.sent()
    calls.clear()
    assert store.wait(0) == set()
    assert calls == {"stat": 2 * len(agents)}
    calls.clear()
    for side in sides:
        assert side.receive() == [] == side.sent()
    assert calls == {"stat": 2 * len(agents)}


def test_a_look_with_nothing_new_opens_no_message(
    root: Root, store: MailStore, monkeypatch: pytest.MonkeyPatch, calls: Counter[str]
) -> None:
    monkeypatch.setattr(mail_files, "TICKS", 60.0)
    bob = store.open("bob")
    for number in range(20):
        delivery.send(root, "amy", ["bob"], f"n{number}", b"", thread="t")
    bob.history()
    for event in bob.receive():
        bob.commit(event, Outcome(keep=event.content != "n3"))
    bob.sent()
    calls.clear()
    for _ in range(3):
        assert bob.receive() == [] == bob.sent()
    assert calls["listdir"] == 9  # the time is not yet believed: inbox, receipts, sent
    opened = calls["open"]
    delivery.send(root, "amy", ["bob"], "new", b"")
    calls.clear()
    assert [event.content for event in bob.receive()] == ["new"]
    assert opened == 0 and calls["open"] == 1


def test_the_roster_is_one_stat_where_nothing_changed(
    root: Root, store: MailStore, quick: None, calls: Counter[str]
) -> None:
    first = store.roster()
    calls.clear()
    assert store.roster() is first
    assert calls == {"stat": 1}


def test_thousands_take_turns_while_events_come(
    root: Root, quick: None, monkeypatch: pytest.MonkeyPatch, calls: Counter[str]
) -> None:
    monkeypatch.setattr(mail, "SHARE", 2)
    store = MailStore(root)
    sides = [store.open(agent) for agent in ("amy", "bob", "orchestrator")]
    for side in sides:
        side.receive(), side.sent()
    end = time.monotonic() + 5
    while not (store._ear and store._ear.hears()) and time.monotonic() < end:
        store.wait(0.1)
    calls.clear()
    assert store.wait(0) == set() and calls["stat"] == 4
    delivery.send(root, "amy", ["bob"], "hello", b"")
    found: set[str] = set()
    while "bob" not in found and time.monotonic() < end:
        found |= store.wait(0.1) or set()
    assert "bob" in found
    store.close()


def test_the_answers_of_two_wait_for_the_disk_together(
    root: Root, store: MailStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = {agent: store.open(agent) for agent in ("amy", "bob")}
    root.sync = True
    together = threading.Barrier(2, timeout=10)

    def fsync(fd: int) -> None:
        if "/sent/" in os.readlink(f"/proc/self/fd/{fd}"):  # the sender's copy, one of each answer
            together.wait()

    monkeypatch.setattr(os, "fsync", fsync)

    def turn(agent: str) -> None:
        other = "bob" if agent == "amy" else "amy"
        sides[agent].apply(Outcome(sends=[Event(kind="info_only", to=other, content="hello")]))

    store.each(sides, turn)
    assert [len(side.receive()) for side in sides.values()] == [1, 1]
