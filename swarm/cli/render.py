"""Bytes for stdout and stderr: one record a line, control characters shown, JSON exact."""

import os
import sys

from swarm import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from swarm.errors import SwarmError

    T = TypeVar("T")
    R = TypeVar("R")
    Frame = tuple[Sequence[str], Sequence[Sequence[str]], Sequence[str]]

shown = names.visible
NARROWEST = 20
FEW_COLUMNS = 4


def patiently(work: "Callable[[int, T], R]", fd: int, given: "T") -> "R":
    """``os.read`` or ``os.write``, again as often as the file is set not to wait and not ready."""
    while True:
        try:
            return work(fd, given)
        except BlockingIOError:
            import select

            reading, writing = ([fd], []) if work is os.read else ([], [fd])
            select.select(reading, writing, [])


class OutputFailed(Exception):
    """What was to be said could not be written: ``error`` is why."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


def write(data: bytes, fd: int = 1) -> None:
    """Write all of it, now; OutputFailed where that fails, BrokenPipeError if nobody listens."""
    try:
        while data:
            data = data[patiently(os.write, fd, data) :]
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
        if not "".join(map("".join, rows)).isprintable():
            rows = [[shown(cell) for cell in row] for row in rows]
        out = encode("\n".join(map("\t".join, rows)) + "\n")
    write(out)


def json(value: "dict[str, Any]") -> None:
    """One object with ``"v": 1``, its list first."""
    from json import dumps

    write((dumps({**value, "v": 1}) + "\n").encode())


def diagram(arrows: "Sequence[tuple[str, str, str]]") -> None:
    """A Mermaid sequence diagram of (from, to, what); no text of a message can draw in it."""
    lines = [f"  {_party(a)}->>{_party(b)}: {_label(text)}" for a, b, text in arrows]
    write(encode("\n".join(["sequenceDiagram", *map(shown, lines), ""])))


def _party(agent: str) -> str:
    """An agent as a party of a diagram: what is no id could be taken for an arrow."""
    return agent if names.is_id(agent) or agent == "all" else "unknown"


def _label(text: str) -> str:
    return "".join(c if c not in ";#\n" else " " for c in text)


def note(text: str) -> None:
    """A note for people, on stderr."""
    try:
        write(encode(f"{shown(text)}\n"), 2)
    except (OutputFailed, BrokenPipeError):
        pass  # nobody listens on stderr: the exit code still tells


def remark(text: str) -> None:
    """A note of a process that goes on for ever: a full pipe is not waited for."""
    from swarm.mamoru.forward import LONGEST, writable

    if writable(2, 0):
        note(text[:LONGEST])


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
    console = _console()
    console.print(_grid(head, rows, console.width))


def used(head: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Without the last column where no row has anything in it; else ``-`` stands for nothing."""
    if not any(row[-1] for row in rows):
        return head[:-1], [row[:-1] for row in rows]
    return head, [[*row[:-1], row[-1] or "-"] for row in rows]


def live(frame: "Callable[[], Frame]", seconds: float) -> None:
    """Show ``frame()``, a table and lines under it, in place, anew every so many seconds."""
    import signal
    import time

    from rich.console import Group
    from rich.live import Live

    signal.signal(signal.SIGTERM, _end)  # so that the terminal is left as it was

    console = _console()

    def drawn() -> Group:
        head, rows, under = frame()
        return Group(_grid(head, rows, console.width), *(_text(f"! {line}") for line in under))

    with Live(drawn(), console=console, auto_refresh=False, vertical_overflow="ellipsis") as screen:
        while True:
            time.sleep(seconds)
            screen.update(drawn(), refresh=True)


def _end(*_: object) -> None:
    raise SystemExit(143)


def _console() -> "Console":
    """The terminal, of a width that leaves room for something."""
    from rich.console import Console

    console = Console()
    if console.width < NARROWEST:
        console.width = NARROWEST
    return console


def _grid(head: "Sequence[str]", rows: "Sequence[Sequence[str]]", width: int) -> "Table":
    from rich.table import Table

    plain = bool(os.environ.get("NO_COLOR"))
    grid = Table(box=None, pad_edge=False, header_style="" if plain else "bold")
    longest = max((len(row[0]) for row in rows), default=0)
    for at, name in enumerate(head):
        # What names a record stays on one line where there is room: it is to be copied.
        roomy = at == 0 and len(head) <= FEW_COLUMNS
        least = min(longest, width * 2 // 3) if roomy else None
        grid.add_column(name, overflow="fold", min_width=least)
    for row in rows:
        grid.add_row(*map(_text, row))
    return grid


def _text(cell: str) -> "Text":
    """Text that is never markup, with what the terminal must not see written out."""
    from rich.text import Text

    encoding = (sys.stdout and sys.stdout.encoding) or "utf-8"
    return Text(shown(cell).encode(encoding, "replace").decode(encoding))
