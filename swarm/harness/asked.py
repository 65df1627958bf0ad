"""What a harness says to its hook: one JSON object on stdin, of any size and any shape."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SIZE_MAX = 32 << 20
CHUNK = 1 << 20


class Asked:
    """What matters of it; '' or False where it does not say.

    ``session`` and ``folder``: the session's id, and where it works.  ``subagent``: an agent
    within the session asks.  ``again``: this idle moment comes from what a hook said at the
    last one.  ``broken_off``: somebody stopped the agent.  ``reason``: why a session ended or
    began.
    """

    __slots__ = ("again", "broken_off", "folder", "reason", "session", "subagent")

    def __init__(self, said: "dict[str, Any]") -> None:
        self.session = _text(said, "conversation_id") or _text(said, "session_id")
        self.folder = _text(said, "cwd") or _first(said.get("workspace_roots"))
        self.subagent = bool(_text(said, "agent_id"))
        self.again = said.get("stop_hook_active") is True or _text(said, "loop_count") not in "0"
        self.broken_off = _text(said, "status") in ("aborted", "error")
        self.reason = _text(said, "reason") or _text(said, "source")


def _text(said: "dict[str, Any]", key: str) -> str:
    value = said.get(key)
    return value if isinstance(value, str) else ""


def _first(value: "Any") -> str:
    return value[0] if isinstance(value, list) and value and isinstance(value[0], str) else ""


def read(fd: int) -> bytes:
    """All that is said, b'' by a terminal; of more than ``SIZE_MAX`` nothing, but read it is."""
    parts: list[bytes] = []
    size = 0
    try:
        if os.isatty(fd):
            return b""
        while part := os.read(fd, CHUNK):
            size += len(part)
            parts = [*parts, part] if size <= SIZE_MAX else []
    except OSError:  # closed, or a folder: nothing is said
        return b""
    return b"".join(parts)


def parse(data: bytes) -> Asked:
    """What is said; ValueError, RecursionError or the like for what is no JSON object."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not text.startswith("{"):
        raise ValueError("no JSON object on stdin")
    return Asked(_scanner()(text, 0)[0])


def _scanner() -> "Callable[[str, int], tuple[dict[str, Any], int]]":
    """json's own scanner: the module around it imports ``re``, which is half of a start."""
    try:
        from _json import make_scanner

        context: Any = Context()
        found: Callable[[str, int], tuple[dict[str, Any], int]] = make_scanner(context)
        return found
    except (ImportError, AttributeError):  # another Python has another
        from json import JSONDecoder

        return JSONDecoder(parse_int=str, parse_float=str).raw_decode


class Context:
    """How the scanner is to work: numbers stay text, for a long one is an error."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = str
    parse_int = str
    parse_constant = str
