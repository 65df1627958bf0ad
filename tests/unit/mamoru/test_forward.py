"""What a forwarder does with a message that needs thinking."""

import io
import json
import os

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


def test_a_message_is_one_line_of_json_whatever_it_holds() -> None:
    stream = io.BytesIO()
    jsonl = Jsonl(stream, lambda *_: None)
    assert jsonl.forward("bob", EVENT, "late") is False
    jsonl.notify("bob", "a notice", "3")
    first, second = stream.getvalue().splitlines()
    assert stream.getvalue().count(b"\n") == 2
    record = json.loads(first)
    assert (record["v"], record["agent"], record["reason"], record["id"]) == (1, "bob", "late", "7")
    assert record["event"] == "info_only" and record["content"] == "a\nb \u2028 é"
    assert record["body"] == "\ufffd text"
    assert json.loads(second) == {"v": 1, "agent": "bob", "notice": "a notice", "task": "3"}


def test_it_is_flushed_before_it_counts_as_handed_over() -> None:
    read, write = os.pipe()
    with os.fdopen(write, "wb") as stream:
        Jsonl(stream, lambda *_: None).forward("bob", EVENT, "")
        assert json.loads(os.read(read, 65536))["id"] == "7"
    os.close(read)


def test_a_line_that_could_not_be_flushed_is_not_written_twice() -> None:
    class Raw(io.RawIOBase):
        def __init__(self) -> None:
            self.data = b""
            self.full = True

        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:  # type: ignore[override]
            if self.full:
                raise OSError(28, "No space left on device")
            self.data += bytes(data)  # type: ignore[call-overload]
            return len(bytes(data))  # type: ignore[call-overload]

    raw = Raw()
    jsonl = Jsonl(io.BufferedWriter(raw), lambda *_: None)
    for _ in range(2):
        with pytest.raises(Temporary):
            jsonl.forward("bob", EVENT, "")
    raw.full = False
    jsonl.forward("bob", EVENT, "")
    assert raw.data.count(b"\n") == 1
    jsonl.forward("bob", EVENT, "")
    assert raw.data.count(b"\n") == 2, "the same once more is another message"


def test_a_reader_that_went_away_is_no_fault_to_try_again() -> None:
    read, write = os.pipe()
    os.close(read)
    stream = os.fdopen(write, "wb")
    with pytest.raises(BrokenPipeError):
        Jsonl(stream, lambda *_: None).forward("bob", EVENT, "")
    with pytest.raises(BrokenPipeError):
        stream.close()


def test_a_line_for_the_log_has_no_control_characters_and_an_end() -> None:
    line = told(EVENT.replace(content="\x1b[31m" + "x" * 1000, task="t\n1"))
    assert line.isprintable() and len(line) < 400
