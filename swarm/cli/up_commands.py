"""``swarm up`` and ``swarm down``: one process for a host."""

import os
import subprocess
import sys
import time

from swarm import disk
from swarm import up as whole
from swarm.bridge.health import LOG, bridges, running
from swarm.cli import render, stores
from swarm.cli.call import Call, show
from swarm.errors import SwarmError
from swarm.mailbox.layout import Root
from swarm.stopping import heed
from swarm.team.place import home

STARTING = 20.0


def up(call: Call) -> None:
    channels = list(dict.fromkeys(call["channels"] or []))
    stores.check_channels(call.root, channels)
    if call["detach"]:
        number = _detached(call.root, channels)
        show(call, "up", ["process"], [[str(number)]], [{"process": number}])
        return
    settings = stores.settings(call)
    whole.Up(call.root, home(os.environ), channels, _tell, settings).run(heed)


def down(call: Call) -> None:
    number = whole.down(call.root)
    if not number:
        render.note("swarm is not up here")
    rows = [[str(number)]] if number else []
    show(call, "down", ["process"], rows, [{"process": number}] if number else [])


def _tell(agent: str, text: str) -> None:
    render.note(f"{agent}: {text}" if agent else text)


def _detached(root: Root, channels: list[str]) -> int:
    """Start it as a process of its own; its number once it is up."""
    if number := running(root):
        raise whole.already(number)
    asked = [word for name in channels for word in ("--channel", name)]
    fd = os.open(f"{root.path}/{LOG}", disk.OWN_FLAGS | os.O_WRONLY | os.O_APPEND, 0o666)
    with os.fdopen(fd, "ab") as log:
        begun = log.tell()
        process = subprocess.Popen(
            [sys.executable, "-m", "swarm", "--root", root.path, "up", *asked],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    end = time.monotonic() + STARTING
    while not _is_up(root, process.pid, channels):
        if process.poll() is not None:
            raise _failed(root, begun, process.returncode)
        if time.monotonic() > end:
            render.note(f"not everything is at work yet: {LOG} may say why")
            break
        time.sleep(0.05)
    return process.pid


def _failed(root: Root, begun: int, code: int) -> SwarmError:
    """What it said before it ended, under the exit code that it had."""
    fd = disk.open_regular(f"{root.path}/{LOG}")
    with os.fdopen(fd, encoding="utf-8", errors="replace") as log:
        log.seek(begun)
        said = [line for line in log.read().splitlines() if line.startswith("swarm: ")]
    why = f": {said[-1].removeprefix('swarm: ')}" if said else ""
    error = SwarmError(f"it has not come up{why}", f"{LOG} has all that it said")
    error.exit = max(code, 1)
    return error


def _is_up(root: Root, process: int, channels: list[str]) -> bool:
    """Whether it is there, and each bridge has been through once."""
    found = {one.channel: one for one in bridges(root, time.time())}
    through = (name in found and found[name].age is not None for name in channels)
    return running(root) == process and all(through)
