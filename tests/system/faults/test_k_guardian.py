"""Guardians whose outputs fail, whose store is locked or shut, whose agents' entries are broken."""

import os
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from swarm.team.channel import Channel

from ...unit.rights import SWARM
from ..desk import Desk

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(desk: Desk) -> Iterator[Start]:
    """A guardian of bob, its standard streams as given."""
    made: list[subprocess.Popen[bytes]] = []

    def begin(*words: str, **streams: Any) -> "subprocess.Popen[bytes]":
        argv = [SWARM, "mamoru", "--as", "bob", *words, *desk.where]
        made.append(subprocess.Popen(argv, cwd=desk.place, env=desk.env, **streams))
        return made[-1]

    yield begin
    for process in made:
        process.kill()
        process.communicate()


def fill(pipe: int) -> None:
    """Until it takes no more."""
    os.set_blocking(pipe, False)
    try:
        while os.write(pipe, b"x" * 1024):
            pass
    except BlockingIOError:
        os.set_blocking(pipe, True)


def heeds(process: "subprocess.Popen[bytes]", number: signal.Signals) -> bool:
    """Whether a process has a handler of its own for a signal; an error once it has ended."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = re.search(r"(?m)^SigCgt:\s*([0-9a-f]+)$", status)
    assert caught
    return bool(int(caught[1], 16) >> (number - 1) & 1)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_whose_output_nobody_takes_answers_and_ends_all_the_same_k12(
    desk: Desk, start: Start, stream: str
) -> None:
    read, write = os.pipe()
    fill(write)
    null = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = start("--jsonl", **(null | {stream: write}))
    if stream == "stdout":
        desk.ask("amy", "bob")
        while not heeds(process, signal.SIGTERM):  # on a busy machine it is long in starting
            time.sleep(0.01)
        time.sleep(1)
        assert process.poll() is None
    else:
        desk.until_said("amy", desk.ask("amy", "bob"), "task_req", "task_ack")
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 0 and time.monotonic() - begun < 2.5
    os.close(read)
    os.close(write)


def test_with_its_output_closed_it_ends_and_takes_nothing(desk: Desk) -> None:
    key = desk.ask("amy", "bob")
    argv = ["sh", "-c", '"$@" >&-', "sh", SWARM, "mamoru", "--as", "bob", "--jsonl", *desk.where]
    done = subprocess.run(argv, cwd=desk.place, env=desk.env, stderr=-1, timeout=20)
    assert done.returncode == 141 and b"internal" not in done.stderr
    assert desk.kinds("amy", key) == ["task_req"]


def test_all_its_streams_closed_it_works(desk: Desk) -> None:
    argv = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", SWARM, "mamoru", "--as", "bob"]
    words = ["--exec", "cat", *desk.where]
    with subprocess.Popen([*argv, *words], cwd=desk.place, env=desk.env) as process:
        desk.until_said("amy", desk.ask("amy", "bob"), "task_req", "task_ack", "task_done")
        process.terminate()
        assert process.wait(5) == 0


def test_a_lock_on_the_database_is_told_once_and_declares_nobody_dead_k09(channel: Desk) -> None:
    guard = channel.guard("bob", "--jsonl", "--stale", "3", "--ping-timeout", "1")
    amy = channel.guard("amy", "--stale", "3", "--ping-timeout", "1")
    with closing(sqlite3.connect(channel.place / "ops" / "team.db", isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        time.sleep(6)
        db.execute("COMMIT")
    channel.until_said("amy", channel.ask("amy", "bob"), "task_req", "task_ack")
    for one in (guard, amy):
        assert one.said().count("locked by another process; ") <= 1
    with Channel.open(str(channel.place), "ops", sync=False) as opened:
        assert opened.status("amy") == "available" and opened.status("bob") == "busy"


@pytest.mark.parametrize("content", [b"", b"id: bo", bytes(range(256)), b"status: active\n" * 2])
def test_a_broken_entry_is_told_and_neither_written_to_nor_in_the_way_k14(
    tmp_path: Path, content: bytes
) -> None:
    desk = Desk("mail", tmp_path)
    entry = tmp_path / "mail" / "dir" / "bob.txt"
    entry.write_bytes(content)
    desk.guard("bob")
    desk.until_said("amy", desk.ask("amy", "bob"), "task_req", "task_ack")
    words = ("--role", "r", "--archetype", "planner", "--task", "t")
    desk.ok("--root", "mail", "register", "dora", *words)
    assert "! bob: its entry is damaged" in desk.ok("--root", "mail", "status").replace("\t", " ")
    assert entry.read_bytes() == content
    desk.close()
