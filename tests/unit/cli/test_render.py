"""Output: one record a line, nothing that a terminal would obey, an error in two lines."""

import json
import os
import threading
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.cli import render
from swarm.disk import read_fd
from swarm.errors import Conflict, SwarmError
from swarm.names import UNSEEN

Capture = pytest.CaptureFixture[bytes]


@given(st.text())
def test_no_control_character_is_shown_as_it_is(text: str) -> None:
    shown = render.shown(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in shown)
    assert not UNSEEN & set(shown)


@given(st.text(st.characters(exclude_categories=["C", "Z"])))
def test_all_other_text_is_shown_as_it_is(text: str) -> None:
    assert render.shown(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\tb\r\n", "a\\tb\\r\\n"), ("\x1b[2J", "\\x1b[2J"), ("\x85\x7f", "\\x85\\x7f"),
     ("\udcff", "\\xff"), ("\u202egnp", "\\u202egnp"), ("a\u00a0b", "a\u00a0b"), ("\ud800", "\\ud800"), ("\u200b", "\\u200b"), ("\U000e0041", "\\U000e0041")],
)  # fmt: skip
def test_what_is_not_shown_is_written_out(text: str, shown: str) -> None:
    assert render.shown(text) == shown


def test_a_body_on_a_terminal_keeps_its_lines() -> None:
    assert render.shown("a\tb\nc\x1b\r", "\n\t") == "a\tb\nc\\x1b\\r"


def test_records_are_lines_of_fields(capfdbinary: Capture) -> None:
    render.lines([["a", "b\tc"], ["long" * 99, "\n"]])
    render.lines([])
    assert capfdbinary.readouterr().out == f"a\tb\\tc\n{'long' * 99}\t\\n\n".encode()


def test_with_zero_a_name_is_exact_and_ends_with_nul(capfdbinary: Capture) -> None:
    render.lines([["a\nb\udcff.txt", "c\n"]], zero=True)
    assert capfdbinary.readouterr().out == b"a\nb\xff.txt\tc\\n\0"


def test_json_is_one_object_on_one_line(capfdbinary: Capture) -> None:
    render.json({"messages": ["a\nb\udcff"]})
    out = capfdbinary.readouterr().out
    assert out.endswith(b"\n") and out.count(b"\n") == 1 and out.isascii()
    assert json.loads(out) == {"messages": ["a\nb\udcff"], "v": 1}


@pytest.mark.parametrize("hint", ["", "wait"])
def test_an_error_is_one_line_and_its_hint_another(capfdbinary: Capture, hint: str) -> None:
    render.error(SwarmError("bad\nthing\x1b", hint), False)
    out, err = capfdbinary.readouterr()
    assert out == b"" and err.decode() == "swarm: bad\\nthing\\x1b\n" + f"hint: {hint}\n" * bool(
        hint
    )


def test_for_programs_an_error_is_an_object_too(capfdbinary: Capture) -> None:
    render.error(Conflict("taken", "wait", code="registered"), True)
    body = json.loads(capfdbinary.readouterr().err.splitlines()[-1])
    error = {"code": "registered", "exit": 5, "message": "taken", "hint": "wait"}
    assert body == {"v": 1, "error": error}


def test_what_cannot_be_written_is_told_apart_from_a_reader_that_went_away() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    end, start = os.pipe()
    os.close(end)
    with pytest.raises(render.OutputFailed) as caught:
        render.write(b"x", full)
    assert caught.value.error.strerror == "No space left on device"
    with pytest.raises(BrokenPipeError):
        render.write(b"x", start)
    for fd in (full, start):
        os.close(fd)


def test_text_the_terminal_cannot_write_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    with open(os.devnull, "w", encoding="ascii") as narrow:
        monkeypatch.setattr(sys, "stdout", narrow)
        assert render.encode("é\udcff") == b"??"


def test_a_table_where_nobody_looks_is_plain_lines(capfdbinary: Capture) -> None:
    render.table(["id"], [["[bold]x[/bold]"]])
    assert capfdbinary.readouterr().out == b"[bold]x[/bold]\n"


def test_a_pipe_that_is_set_not_to_wait_is_waited_for() -> None:
    end, start = os.pipe()
    os.set_blocking(start, False)
    data = os.urandom(1 << 20)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(read_fd(end)))
    reader.start()
    render.write(data, start)
    os.close(start)
    reader.join()
    os.close(end)
    assert got == [data]
