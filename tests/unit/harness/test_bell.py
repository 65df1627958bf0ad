"""The doorbell: news wakes it, once; it ends with its session, its harness and its successor."""

import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from swarm.harness import asked, bell, sessions
from swarm.harness.bell import Own, ring
from swarm.harness.hook import Place
from swarm.mailbox.layout import Root

from .conftest import Hook, everything, state

Mail = Callable[..., None]
BOB = {"SWARM_AGENT": "bob"}


class Doorbell(threading.Thread):
    """One that waits beside the test; ``heard`` is what it said."""

    def __init__(self, root: Root, env: dict[str, str] = BOB, session: str = "s") -> None:
        super().__init__(daemon=True)
        self.heard: list[str] = []
        self.rang: bool | None = None
        told = asked.parse(f'{{"session_id":"{session}"}}'.encode())
        self._place = Place(root, "claude", told, env)

    def run(self) -> None:
        self.rang = ring(self._place, None, 20, self.heard.append)

    def wait_until_it_stands(self) -> "Doorbell":
        self.start()
        end = time.monotonic() + 5
        while not sessions.has_doorbell(self._place.path) and time.monotonic() < end:
            time.sleep(0.002)
        return self

    def ended(self) -> bool:
        self.join(5)
        return not self.is_alive()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bell, "LOOK", 0.05)


def test_what_is_there_is_said_at_once(root: Root, mail: Mail) -> None:
    mail("01_x_aaaa")
    one = Doorbell(root)
    one.run()
    assert one.rang and "1 new message for bob" in one.heard[0]


def test_what_comes_is_said_and_nothing_is_touched(root: Root, mail: Mail, call: Hook) -> None:
    one = Doorbell(root).wait_until_it_stands()
    mail("01_x_aaaa")
    before = everything(root)
    assert one.ended() and one.rang and len(one.heard) == 1
    assert everything(root) == before and not sessions.has_doorbell(one._place.path)
    assert call("Stop") == []


def test_what_is_in_the_way_for_a_while_does_not_end_it(root: Root, mail: Mail) -> None:
    one = Doorbell(root).wait_until_it_stands()
    Path(one._place.path).mkdir()
    mail("01_x_aaaa")
    time.sleep(0.2)
    assert one.is_alive() and not one.heard
    Path(one._place.path).rmdir()
    assert one.ended() and one.rang and len(one.heard) == 1


def test_a_change_that_the_clock_does_not_show_is_heard(
    root: Root, mail: Mail, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two changes at one moment of a coarse clock leave the same time."""
    monkeypatch.setattr(bell, "_changed", lambda folder: (1, 1))
    one = Doorbell(root).wait_until_it_stands()
    time.sleep(0.1)
    mail("01_x_aaaa")
    one.join(3)
    assert one.rang


def test_a_message_that_is_being_written_by_hand_is_told_whole(root: Root) -> None:
    one = Doorbell(root).wait_until_it_stands()
    with open(f"{root.inbox('bob')}/01_by-hand.txt", "w") as file:
        time.sleep(0.02)
        file.write("To: bob\nFrom: alice\nSubject: written slowly\n---\n")
    assert one.ended() and '- by-hand alice "written slowly"' in one.heard[0]


def test_what_the_session_was_told_is_no_news(root: Root, mail: Mail, call: Hook) -> None:
    mail("01_x_aaaa")
    call("Stop")
    one = Doorbell(root).wait_until_it_stands()
    time.sleep(0.15)
    assert one.is_alive() and not one.heard
    mail("02_x_bbbb")
    assert one.ended() and "bbbb" in one.heard[0] and "aaaa" not in one.heard[0]


def test_it_keeps_the_limit_and_a_read_message_ends_that(
    root: Root, mail: Mail, call: Hook, read: Callable[[str], None]
) -> None:
    for name in ("01_x_aaaa", "02_x_bbbb"):
        mail(name)
        call("Stop")
    one = Doorbell(root).wait_until_it_stands()
    mail("03_x_cccc")
    time.sleep(0.15)
    assert one.is_alive()
    read("01_x_aaaa")
    assert one.ended() and "cccc" in one.heard[0]


def test_a_newer_one_takes_over(root: Root, mail: Mail) -> None:
    old = Doorbell(root).wait_until_it_stands()
    new = Doorbell(root).wait_until_it_stands()
    assert old.ended() and old.rang is False
    other = Doorbell(root, session="other").wait_until_it_stands()
    assert new.is_alive()
    mail("01_x_aaaa")
    assert new.ended() and other.ended() and new.rang and other.rang


def test_it_ends_with_its_session(root: Root, call: Hook) -> None:
    call("SessionStart")
    one = Doorbell(root).wait_until_it_stands()
    call("SessionEnd")
    assert one.ended() and one.rang is False and not state(root)


def test_it_ends_with_its_parent(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    one = Doorbell(root).wait_until_it_stands()
    monkeypatch.setattr(os, "getppid", lambda: 1)
    assert one.ended() and one.rang is False


def test_it_ends_when_nobody_hears_it_any_more(root: Root) -> None:
    """A shell between the harness and us lives on when the harness dies: our parent stays."""
    kept, (ours, its) = os.dup(2), os.pipe()
    os.dup2(its, 2)
    try:
        one = Doorbell(root).wait_until_it_stands()
        assert one.is_alive()
        os.close(ours)
        assert one.ended() and one.rang is False
    finally:
        os.dup2(kept, 2)
        os.close(its)
        os.close(kept)


def test_it_ends_when_its_time_is_over(root: Root) -> None:
    place = Doorbell(root)._place
    assert ring(place, None, 0.01, lambda said: None) is False


def test_nobody_has_none(root: Root) -> None:
    one = Doorbell(root, {})
    one.run()
    assert one.rang is False and not Path(root.path, ".sessions").exists()


def test_of_two_that_begin_at_once_one_is_left(root: Root) -> None:
    os.mkdir(f"{root.path}/.sessions")
    path = sessions.doorbell(f"{root.path}/.sessions/claude-s")
    with Own(path) as first, Own(path) as second:
        assert (first.still(), second.still()) == (False, True)
    assert not os.path.exists(path)


def test_who_answers_one_prompt_and_ends_is_not_held_up(root: Root) -> None:
    """``claude -p`` waits for this hook, as for any: it would do so for an hour."""
    headless = {**BOB, "CLAUDE_CODE_ENTRYPOINT": "sdk-cli", "CLAUDE_PID": str(os.getpid())}
    for env in (headless, {**headless, "CLAUDE_PID": ""}, {**headless, "CLAUDE_PID": "x"}):
        one = Doorbell(root, env)
        one.run()
        assert one.rang is False


@pytest.mark.parametrize("words", ["--input-format stream-json", "--input-format=stream-json"])
def test_who_takes_prompts_from_a_stream_is_woken(words: str) -> None:
    shell = ["sh", "-c", "echo; read line", "claude", "-p", *words.split()]
    with subprocess.Popen(shell, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as claude:
        assert claude.stdin and claude.stdout and claude.stdout.readline()
        env = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli", "CLAUDE_PID": str(claude.pid)}
        assert bell.wakes(env)
        assert bell.wakes({"CLAUDE_CODE_ENTRYPOINT": "cli"}) and bell.wakes({})
        claude.stdin.close()
