"""Bytes for stdout and stderr: one record a line, control characters shown, JSON exact."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rich.table import Table
    from rich.text import Text

    from swarm.errors import SwarmError

    Frame = tuple[Sequence[str], Sequence[Sequence[str]], Sequence[str]]

# Characters that turn text around or end lines for some viewers, though no controls.
UNSEEN = frozenset("\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def shown(text: str, keep: str = "") -> str:
    """Text with control characters written out (``\\x1b``), those in ``keep`` excepted."""
    if text.isprintable():
        return text
    return "".join(_visible(c) if c not in keep else c for c in text)


def _visible(char: str) -> str:
    code = ord(char)
    if code < 32 or 127 <= code <= 159:
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, f"\\x{code:02x}")
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if char in UNSEEN or 0xD800 <= code <= 0xDFFF else char


class OutputFailed(Exception):
    """What was to be said could not be written: ``error`` is why."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


def write(data: bytes, fd: int = 1) -> None:
    """Write all of it, now; OutputFailed where that fails, BrokenPipeError if nobody listens."""
    try:
        while data:
            data = data[os.write(fd, data) :]
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(error) from None


def encode(text: str) -> bytes:
    """Text in the terminal's encoding, what it lacks replaced."""
    encoding = (sys.stdout and sys.stdout.encoding) or "utf-8"
    return text.encode(encoding, "replace")


def lines(rows: "Sequence[Sequence[str]]", zero: bool = False) -> None:
    """One record a line, tab-separated, never cut; with ``zero`` ended by NUL, names exact."""
    if not rows:
        return
    if zero:
        out = b"".join(
            b"\t".join([os.fsencode(row[0]), *(encode(shown(c)) for c in row[1:])]) + b"\0"
            for row in rows
        )
    else:
        out = encode("".join("\t".join([shown(c) for c in row]) + "\n" for row in rows))
    write(out)


def json(value: "dict[str, Any]") -> None:
    """One object with ``"v": 1``, its list first."""
    from json import dumps

    write((dumps({**value, "v": 1}) + "\n").encode())


def note(text: str) -> None:
    """A note for people, on stderr."""
    try:
        write(encode(f"{shown(text)}\n"), 2)
    except (OutputFailed, BrokenPipeError):
        pass  # nobody listens on stderr: the exit code still tells


def error(problem: "SwarmError", as_json: bool) -> None:
    """``swarm: what is wrong``, ``hint: the way out``, and the object under ``--json``."""
    note(f"swarm: {problem.message}")
    if problem.hint:
        note(f"hint: {problem.hint}")
    if as_json:
        from json import dumps

        body = {
            "code": problem.code,
            "exit": problem.exit,
            "message": problem.message,
            "hint": problem.hint,
        }
        note(dumps({"v": 1, "error": body}))


def terminal() -> bool:
    """Whether people read stdout."""
    return os.isatty(1)


def drawable() -> bool:
    """Whether stdout is a terminal that can place text."""
    return terminal() and os.environ.get("TERM", "dumb") != "dumb"


def table(head: "Sequence[str]", rows: "Sequence[Sequence[str]]") -> None:
    """A table for a terminal; plain lines where it is a dumb one."""
    if not drawable():
        lines(rows)
        return
    from rich.console import Console

    Console().print(_grid(head, rows))


def live(frame: "Callable[[], Frame]", seconds: float) -> None:
    """Show ``frame()``, a table and lines under it, in place, anew every so many seconds."""
    import time

    from rich.console import Group
    from rich.live import Live

    def drawn() -> Group:
        head, rows, under = frame()
        return Group(_grid(head, rows), *(_text(f"! {line}") for line in under))

    with Live(drawn(), auto_refresh=False, vertical_overflow="ellipsis") as screen:
        while True:
            time.sleep(seconds)
            screen.update(drawn(), refresh=True)


def _grid(head: "Sequence[str]", rows: "Sequence[Sequence[str]]") -> "Table":
    from rich.table import Table

    grid = Table(box=None, pad_edge=False, header_style="bold")
    for name in head:
        grid.add_column(name, overflow="fold")
    for row in rows:
        grid.add_row(*map(_text, row))
    return grid


def _text(cell: str) -> "Text":
    """Text that is never markup, with what the terminal must not see written out."""
    from rich.text import Text

    return Text(shown(cell).encode("utf-8", "replace").decode())
