"""Panes of tmux: what one shows, and typing into it.  No shell reads any of it."""

import os
from typing import NamedTuple

from swarm import names
from swarm.errors import SwarmError, Temporary, Unknown

SECONDS = 5.0
# Between a text and its Enter: taken at once, programs treat both as one thing pasted.
PAUSE = 0.15
# How a target may begin, beside letters and digits: others are relative to whatever is current.
# At its end a semicolon would end the command, and make one of the next word.
FIRST = frozenset("%@=_")
FIELDS = (
    "pane_id", "pane_dead", "pane_in_mode", "pane_input_off", "pane_synchronized", "cursor_flag",
    "cursor_y", "pane_current_command",
)  # fmt: skip


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Gone(Unknown):
    """There is no such pane, or no server for it."""

    code = "pane-gone"


class Pane(NamedTuple):
    """A pane as it is: ``id`` as tmux counts, ``rows`` with their escape sequences."""

    id: str
    dead: bool
    in_mode: bool
    input_off: bool
    synchronized: bool
    cursor: bool
    y: int
    command: str
    rows: list[str]


def target_here(env: "Mapping[str, str]") -> str:
    """The pane that this process runs in, as an entry names it; '' outside of tmux."""
    socket, pane = env.get("TMUX", "").rsplit(",", 2)[0], env.get("TMUX_PANE", "")
    plain = socket.startswith("/") and socket.isprintable() and pane.startswith("%")
    return f"{socket} {pane}" if plain and pane[1:].isdecimal() else ""


def split_target(text: str) -> tuple[str, str]:
    """(socket, target) of ``[SOCKET ]TARGET``; a socket is an absolute path, '' the default one."""
    if not text.startswith("/"):
        return "", text
    socket, _, target = text.rpartition(" ")
    return socket, target


def is_target(text: str) -> bool:
    """Whether it can name a pane, and the same one from wherever it is looked at.

    A ``;`` at the end would end tmux's command.
    """
    target = split_target(text)[1]
    first = target[:1]
    return (first.isalnum() or (first in FIRST and bool(first))) and target[-1:] != ";"


def look(text: str) -> Pane:
    """What the pane shows.  Gone where it is not there."""
    socket, target = split_target(text)
    if not is_target(text):
        raise Gone(f"{names.shown(text)} names no pane", "TARGET, or SOCKET TARGET")
    wanted = " ".join(f"#{{{name}}}" for name in FIELDS)
    # capture-pane first: it alone refuses a target that is not there, and ends the sequence.
    said = _tmux(
        socket, "capture-pane", "-p", "-e", "-t", target, ";", "display-message", "-p", "-t",
        target, wanted,
    )  # fmt: skip
    *rows, last = said.removesuffix("\n").split("\n")
    values = last.split(" ", len(FIELDS) - 1)
    if len(values) != len(FIELDS) or not values[0].startswith("%"):
        raise Gone(f"tmux knows no pane {names.shown(target)}")
    dead, in_mode, off, synchronized, cursor = (value not in ("0", "") for value in values[1:6])
    y = int(values[6]) if values[6].isdecimal() else -1
    return Pane(values[0], dead, in_mode, off, synchronized, cursor, y, values[7], rows)


def enter(text: str, pane: Pane, line: str) -> None:
    """Type a line into the pane, and Enter.  Gone where it has gone."""
    import time

    socket = split_target(text)[0]
    _tmux(socket, "send-keys", "-t", pane.id, "-l", "--", line)
    time.sleep(PAUSE)
    _tmux(socket, "send-keys", "-t", pane.id, "Enter")


def _tmux(socket: str, *words: str) -> str:
    import subprocess

    argv = ["tmux", "-u", *(["-S", socket] if socket else []), *words]
    env = {name: value for name, value in os.environ.items() if not name.startswith("TMUX")}
    if "TMUX_TMPDIR" in os.environ:
        env["TMUX_TMPDIR"] = os.environ["TMUX_TMPDIR"]
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, env=env, timeout=SECONDS
        )
    except FileNotFoundError:
        raise SwarmError("there is no tmux on PATH", "install tmux", code="no-tmux") from None
    except subprocess.TimeoutExpired:
        raise Temporary(f"tmux has not answered for {SECONDS:.0f} seconds", "try again") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip() or "tmux refused"
        raise Gone(said.splitlines()[0])
    return done.stdout.decode("utf-8", "replace")
