"""A guardian as a process: ``driver.py KIND PLACE MODE AGENT...``.

MODE: ``left``, ``jsonl`` or ``exec:COMMAND``.  GUARD_KILL=N in the environment kills the process
right before the Nth step of those that change something, each counted from its start: a call
that changes a file below PLACE, a statement of SQLite, a message handed over or followed up, a
command started.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from swarm.errors import SwarmError
from swarm.mamoru.forward import Forwarder, Jsonl, Left
from swarm.mamoru.host import Host
from swarm.mamoru.run_command import Exec
from swarm.stopping import heed
from tests.system.guardian.place import SETTINGS, store

CALLS = ("link", "rename", "replace", "unlink", "write", "utime", "mkdir", "open")


class Killer:
    """Counts the steps, and kills this process before the one that is named."""

    def __init__(self, at: int) -> None:
        self.left = at

    def step(self, *_: object) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(
        self, owner: Any, name: str, concerns: Callable[..., bool] = lambda *_: True
    ) -> None:
        """Count the calls of a function."""
        real = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            if concerns(*args):
                self.step()
            return real(*args, **kwargs)

        setattr(owner, name, counted)

    def install(self, place: str, forwarder: Forwarder) -> None:
        for name in CALLS:
            self.before(os, name, lambda what, *more: self.changes(place, what, *more))
        for name in ("forward", "committed", "interrupt"):
            self.before(forwarder, name)
        self.before(subprocess, "Popen")
        real = sqlite3.connect

        def connect(*args: Any, **kwargs: Any) -> Any:
            made = real(*args, **kwargs)
            made.set_trace_callback(self.step)
            return made

        sqlite3.connect = connect  # type: ignore[assignment]

    @staticmethod
    def changes(place: str, what: object, *more: object) -> bool:
        if isinstance(what, int):
            return what > 2
        flags = more[0] if more and isinstance(more[0], int) else os.O_CREAT
        return str(what).startswith(place) and bool(flags & os.O_CREAT)


def tell(agent: str, text: str) -> None:
    print(f"{agent}: {text}", file=sys.stderr, flush=True)


def forwarder(mode: str, place: Path) -> Forwarder:
    if mode == "left":
        return Left(tell)
    if mode == "jsonl":
        return Jsonl(1, tell)
    command = mode.removeprefix("exec:")
    return Exec(command, tell, lambda agent: str(place / "results" / agent), {}, grace=0.3)


def main(kind: str, place: str, mode: str, *agents: str) -> int:
    takes = forwarder(mode, Path(place))
    if at := int(os.environ.get("GUARD_KILL", "0")):
        Killer(at).install(place, takes)
    host = Host(store(kind, Path(place)), agents, takes, tell, SETTINGS[kind], poll=0.2)
    heed(host.stop)
    try:
        host.run(leave=bool(os.environ.get("GUARD_LEAVE")))
    except SwarmError as error:
        tell("", f"{error.message}; {error.hint}")
        return error.exit
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
