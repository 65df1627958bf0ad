"""What a harness says on stdin: of any size, any shape, and from any kind of file."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.harness import asked

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("session_id", "conversation_id", "cwd", "agent_id", "stop_hook_active", "loop_count", "status", "reason", "source", "workspace_roots")  # fmt: skip


@given(st.dictionaries(st.sampled_from(KEYS), ANYTHING), st.booleans())
def test_any_values_are_understood(said: dict[str, object], ascii_only: bool) -> None:
    one = asked.parse(json.dumps(said, ensure_ascii=ascii_only).encode("utf-8", "replace"))
    texts = (one.session, one.folder, one.reason)
    assert all(isinstance(text, str) for text in texts)
    assert all(isinstance(flag, bool) for flag in (one.again, one.broken_off, one.subagent))


def test_only_the_outermost_keys_count() -> None:
    """What a tool was given or gave may hold the same ones."""
    inner = {"session_id": "wrong", "stop_hook_active": True, "agent_id": "wrong"}
    said = {
        "tool_input": inner,
        "session_id": "s",
        "tool_response": json.dumps(inner),
        "x": [inner],
    }
    one = asked.parse(json.dumps(said).encode())
    assert (one.session, one.again, one.subagent) == ("s", False, False)


@pytest.mark.parametrize(
    ("said", "session", "again"),
    [
        ('{"session_id":"s","stop_hook_active":true}', "s", True),
        ('\ufeff \n{"session_id":"s"} trailing', "s", False),
        ('{"conversation_id":"c","session_id":"s","loop_count":0}', "c", False),
        ('{"conversation_id":"c","loop_count":2}', "c", True),
        ('{"session_id":7,"stop_hook_active":"yes"}', "7", False),
        ('{"session_id":"a\x01b"}', "a\x01b", False),
        ('{"session_id":"s","n":' + "9" * 5000 + "}", "s", False),
    ],
)
def test_odd_forms(said: str, session: str, again: bool) -> None:
    one = asked.parse(said.encode())
    assert (one.session, one.again) == (session, again)


@pytest.mark.parametrize(
    "data", [b"", b"null", b"[]", b'"x"', b"{", b'{"session_id":"s', b'{"a":' + b"[" * 200_000]
)
def test_what_is_no_whole_object_is_an_error(data: bytes) -> None:
    with pytest.raises((ValueError, RecursionError, StopIteration)):
        asked.parse(data)


def test_another_python_s_scanner_does_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "Context", lambda: object())
    assert asked.parse(b'{"session_id":"s","n":' + b"9" * 5000 + b"}").session == "s"


@pytest.fixture
def said(tmp_path: Path) -> Callable[[bytes], int]:
    def write(data: bytes) -> int:
        (tmp_path / "said").write_bytes(data)
        return os.open(tmp_path / "said", os.O_RDONLY)

    return write


def test_too_much_is_read_and_says_nothing(
    said: Callable[[bytes], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asked, "SIZE_MAX", 10)
    monkeypatch.setattr(asked, "CHUNK", 4)
    for data, found in ((b"x" * 10, b"x" * 10), (b"x" * 11, b"")):
        fd = said(data)
        assert asked.read(fd) == found and os.read(fd, 1) == b""


def test_a_terminal_a_folder_and_nothing_open_say_nothing(tmp_path: Path) -> None:
    """And nobody is waited for."""
    ours, terminal = os.openpty()
    folder = os.open(tmp_path, os.O_RDONLY)
    assert asked.read(terminal) == asked.read(folder) == asked.read(987) == b""
    for fd in (ours, terminal, folder):
        os.close(fd)
