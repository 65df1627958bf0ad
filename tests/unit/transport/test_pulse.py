"""The trace of a guardian: seen while it lives, known as dead when it was killed, gone at its end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from swarm.mailbox.layout import Root
from swarm.team.channel import Channel
from swarm.transport import pulse
from swarm.transport.base import Store
from swarm.transport.mail import MailStore
from swarm.transport.pulse import FOLDER, OLD, Guarding, Pulse, guardings
from swarm.transport.team import TeamStore

OTHER = """
import sys, time
from swarm.transport.pulse import Pulse
Pulse(sys.argv[1]).beat(sys.argv[2:])
print(flush=True)
time.sleep(60)
"""


def seen(folder: Path) -> list[tuple[set[str], bool]]:
    return [(set(one.agents), one.lives) for one in guardings(str(folder), time.time())]


def killed(folder: Path, *agents: str) -> None:
    """A process that was killed while it guarded these."""
    argv = [sys.executable, "-c", OTHER, str(folder), *agents]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"\n"
        assert (set(agents), True) in seen(folder)
        process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("kind", ["mail", "team"])
def test_a_store_shows_whom_its_process_guards_until_it_is_closed(
    kind: str, root: Root, tmp_path: Path
) -> None:
    store: Store = (
        MailStore(root)
        if kind == "mail"
        else TeamStore(Channel.open(str(tmp_path), "ops", anew=True, sync=False))
    )
    folder = Path(root.path) if kind == "mail" else tmp_path / "ops"
    store.pulse(["amy", "bob"])
    assert seen(folder) == [({"amy", "bob"}, True)]
    store.close()
    store.close()
    assert seen(folder) == []


def test_the_time_of_the_file_is_that_of_the_last_good_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = Pulse(str(tmp_path))
    trace.beat(["amy"])
    (file,) = (tmp_path / FOLDER).iterdir()
    os.utime(file, (1, 1))
    trace.beat(["amy"])
    assert file.stat().st_mtime == 1, "not more often than every few seconds"
    trace.beat(["amy", "bob"])
    assert file.stat().st_mtime > 1, "but at once for one more"
    monkeypatch.setattr(pulse, "EVERY", 0.0)
    trace._next = 0.0
    trace.beat(["amy"])
    assert time.time() - file.stat().st_mtime < 5
    for agents in (["amy", "bob"], ["bob"]):
        trace.beat(agents)
        assert file.read_text().split() == agents
    trace.end()


def test_a_mark_costs_the_same_for_any_number_of_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "EVERY", 0.0)
    trace, agents = Pulse(str(tmp_path)), [f"a{n}" for n in range(10_000)]
    trace.beat(agents)
    monkeypatch.setattr(Pulse, "_write", None)
    begun = time.perf_counter()
    for _ in range(100):
        trace.beat(agents)
    assert time.perf_counter() - begun < 1.0
    trace.end()


def test_who_was_killed_is_known_as_dead_until_another_has_its_agents(tmp_path: Path) -> None:
    killed(tmp_path, "amy", "bob")
    assert seen(tmp_path) == [({"amy", "bob"}, False)]
    partly, wholly = Pulse(str(tmp_path)), Pulse(str(tmp_path))
    partly.beat(["amy"])
    assert ({"amy", "bob"}, False) in seen(tmp_path)
    wholly.beat(["amy", "bob", "carl"])
    assert all(lives for _, lives in seen(tmp_path))
    partly.end()
    wholly.end()


def test_a_trace_removed_by_hand_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "EVERY", 0.0)
    trace = Pulse(str(tmp_path))
    trace.beat(["amy"])
    next((tmp_path / FOLDER).iterdir()).unlink()
    trace.beat(["amy"])
    assert seen(tmp_path) == [({"amy"}, True)]
    trace.end()


def test_what_is_no_trace_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "notes").write_text("amy\n")
    (tmp_path / FOLDER / "12-ab").symlink_to("notes")
    (tmp_path / FOLDER / "13-ab").write_bytes(b"amy\n../x\n\xff\n")
    assert seen(tmp_path) == [({"amy"}, False)]
    assert seen(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    ("age", "lives", "words"),
    [
        (OLD - 1, True, ""),
        (OLD + 61, True, "has not got through for 2m"),
        (1.0, False, "was killed (last pass 1s ago)"),
    ],
)
def test_what_is_wrong_is_said_in_words(age: float, lives: bool, words: str) -> None:
    assert Guarding("7-ab", frozenset("abcde"), age, lives).problem == words
    assert Guarding("7-ab", frozenset("abcde"), age, lives).whom == "a, b, c and 2 more"
