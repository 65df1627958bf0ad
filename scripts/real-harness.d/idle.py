"""The doorbell: an idle session that nobody prompts is woken by mail."""

import json
import subprocess
import time
from collections.abc import Callable

from programs import Program
from scenario import Check, Stage, noticed, stage
from wire import Text

WAKES_S = 25  # plugins look every 15 s


def doorbell(program: Program, bins: tuple[str, ...]) -> list[Check]:
    """Mail for a session that is idle makes a turn of its own, and no second one."""
    if program.name not in STARTS:
        return [("an idle session is woken", None, "its hooks cannot")]
    with stage(program, bins, [Text("idle now"), Text("woken"), Text("again")], "bob") as at:
        process = STARTS[program.name](at)
        try:
            begun = at.model.wait(1, 60)
            time.sleep(3)
            at.mail("m-idle")
            woken = at.model.wait(2, WAKES_S)
            again = at.model.wait(3, 3)
            found = noticed(at.model.turns, "m-idle")
        finally:
            _end(process)
    why = "" if begun else "no first turn"
    return [("an idle session is woken, once", woken and found == [1] and not again, why)]


def _end(process: "subprocess.Popen[str]") -> None:
    assert process.stdin
    process.stdin.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()


def _start(at: Stage, words: str, first: object = None) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        words.split(), cwd=at.world.project, env=at.env, stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    if first:
        assert process.stdin
        process.stdin.write(json.dumps(first) + "\n")
        process.stdin.flush()
    return process


def _claude(at: Stage) -> "subprocess.Popen[str]":
    words = at.program.once.replace("PROMPT", "--input-format stream-json")
    first = {"type": "user", "message": {"role": "user", "content": "Please work."}}
    return _start(at, f"{words} --output-format stream-json --verbose", first)


def _opencode(at: Stage) -> "subprocess.Popen[str]":
    port = _free_port()
    process = _start(at, f"opencode serve --port {port} --hostname 127.0.0.1")
    time.sleep(4)
    at.run(at.program.once.replace("run", f"run --attach http://127.0.0.1:{port}"))
    return process


def _free_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


def _pi(at: Stage) -> "subprocess.Popen[str]":
    words = at.program.once.replace(" -p ", " --mode rpc ").replace(" PROMPT", "")
    return _start(at, words, {"type": "prompt", "message": "Please work."})


STARTS: dict[str, Callable[[Stage], "subprocess.Popen[str]"]] = {
    "claude": _claude, "opencode": _opencode, "pi": _pi,
}  # fmt: skip
