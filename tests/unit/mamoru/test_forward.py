"""What a forwarder does with a message that needs thinking."""

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Iterator

import pytest

from swarm.errors import Temporary
from swarm.events import Event
from swarm.mamoru.forward import Jsonl, Left, told

EVENT = Event(
    kind="info_only", sender="amy", to="bob", content="a\nb \u2028 é", id="7", body=b"\xff text"
)


def test_left_keeps_it_unread_and_tells_notices() -> None:
    said: list[tuple[str, str]] = []
    left = Left(lambda agent, text: said.append((agent, text)))
    assert left.forward("bob", EVENT, "") is True
    left.notify("bob", "amy gives no sign of life", "3")
    assert said == [("bob", "amy gives no sign of life")]


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """One to write into, and what comes out of it."""
    ends = os.pipe()
    yield ends
    for fd in ends:
        with contextlib.suppress(OSError):
            os.close(fd)


def test_a_message_is_one_line_of_json_whatever_it_holds(pipe: tuple[int, int]) -> None:
    jsonl = Jsonl(pipe[1], lambda *_: None)
    assert jsonl.forward("bob", EVENT, "late") is False
    jsonl.notify("bob", "a notice", "3")
    first, second, rest = os.read(pipe[0], 65536).split(b"\n")
    record = json.loads(first)
    assert (record["v"], record["agent"], record["reason"], record["id"]) == (1, "bob", "late", "7")
    assert record["event"] == "info_only" and record["content"] == "a\nb \u2028 é"
    assert record["body"] == "\ufffd text" and rest == b""
    assert json.loads(second) == {"v": 1, "agent": "bob", "notice": "a notice", "task": "3"}


def test_who_reads_slowly_is_not_waited_for_and_gets_each_line_once(pipe: tuple[int, int]) -> None:
    jsonl = Jsonl(pipe[1], lambda *_: None)
    long = EVENT.replace(body=b"x" * 100_000)
    begun = time.monotonic()
    for agent in ("bob", "bob", "carl"):
        with pytest.raises(Temporary):
            jsonl.forward(agent, long, "")
    assert time.monotonic() - begun < 2
    os.set_blocking(pipe[0], False)
    lines = b""
    for agent in ("carl", "bob", "bob"):
        taken = False
        while not taken:
            with contextlib.suppress(BlockingIOError):
                lines += os.read(pipe[0], 1 << 20)
            with contextlib.suppress(Temporary):
                jsonl.forward(agent, long, "")
                taken = True
    lines += os.read(pipe[0], 1 << 20)
    told = [json.loads(line)["agent"] for line in lines.splitlines()]
    assert told == ["bob", "carl", "bob"], "the same once more is another message"


def test_what_a_full_disk_did_not_take_is_written_later_k12() -> None:
    """Standard streams of a full device forget what they could not write."""
    with open("/dev/full", "wb") as full, tempfile.TemporaryFile() as file:
        jsonl = Jsonl(full.fileno(), lambda *_: None)
        for _ in range(3):
            with pytest.raises(Temporary):
                jsonl.forward("bob", EVENT, "")
        os.dup2(file.fileno(), full.fileno())
        jsonl.forward("bob", EVENT, "")
        file.seek(0)
        assert file.read().count(b"\n") == 1


@pytest.mark.parametrize("closed", [0, 1], ids=["its reader", "itself"])
def test_an_output_that_is_closed_is_no_fault_to_try_again(
    pipe: tuple[int, int], closed: int
) -> None:
    os.close(pipe[closed])
    with pytest.raises(BrokenPipeError):
        Jsonl(pipe[1], lambda *_: None).forward("bob", EVENT, "")


def test_what_is_told_has_an_end_and_if_nobody_hears_it_nothing_stops() -> None:
    def deaf(_: str, text: str) -> None:
        said.append(text)
        raise BrokenPipeError

    said: list[str] = []
    Left(deaf).notify("bob", "x" * 1_000_000, "")
    assert len(said[0]) < 1100


def test_a_line_for_the_log_has_no_control_characters_and_an_end() -> None:
    line = told(EVENT.replace(content="\x1b[31m" + "x" * 1000, task="t\n1"))
    assert line.isprintable() and len(line) < 400
