"""The command as a fork of one process that has loaded it: some milliseconds for a start, not
a hundred.  Arguments, environment, files, signals and exit codes are as with the script.

What is about starting itself (imports, a terminal, signals that early) runs the script.
"""

import atexit
import contextlib
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

SCRIPT = os.path.join(sys.prefix, "bin", "swarm")
PIPE_HOLDS = 65536
# What is read once, at the start or by an import: for each there is a process of its own.
AT_START = ("LC_", "LANG", "PYTHON", "FORCE_COLOR", "PY_COLORS", "GITHUB_", "TERMINAL_", "_TYPER")
SERVERS = 4
Words = Sequence[str | bytes]
Place = str | Path


class Fork:
    """One started command; the part of Popen that tests use."""

    def __init__(
        self,
        words: Words,
        cwd: Place,
        env: Mapping[str, str],
        files: Sequence[int],
        hook: str = "",
    ) -> None:
        self.args = words
        self.returncode: int | None = None
        request = {
            "words": [os.fsdecode(w) for w in words],
            "cwd": str(cwd),
            "env": dict(env),
            "hook": hook,
        }
        mine, its = socket.socketpair()
        with os.fdopen(os.memfd_create("request"), "wb") as told, its:
            told.write(json.dumps(request).encode())
            told.flush()
            socket.send_fds(_server(env), [b"x"], [told.fileno(), its.fileno(), *files])
        self._link = mine
        self.pid = int.from_bytes(mine.recv(4), "big")

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        return self._ended(0.0)

    def wait(self, timeout: float = 30.0) -> int:
        """The exit code; TimeoutExpired if it still runs."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired([os.fsdecode(w) for w in self.args], timeout)
        return code

    def _ended(self, seconds: float) -> int | None:
        if self.returncode is None:
            self._link.settimeout(seconds)
            try:
                told = self._link.recv(4)
            except (BlockingIOError, TimeoutError):
                return None
            self.returncode = int.from_bytes(told, "big", signed=True)
            self._link.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Nothing if it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """It ends at once."""
        self.send_signal(signal.SIGKILL)


def run(
    words: Words,
    cwd: Place,
    env: Mapping[str, str],
    body: bytes | None = None,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
    timeout: float = 30.0,
    hook: str = "",
) -> "subprocess.CompletedProcess[bytes]":
    """To its end; ``body`` comes by a pipe.  ``hook``: Python that it runs before."""
    if len(body or b"") > PIPE_HOLDS:
        given = {"stdin": stdin} if body is None else {"input": body}
        return subprocess.run(
            [SCRIPT, *words], cwd=cwd, env=env, stdout=stdout, stderr=subprocess.PIPE,
            timeout=timeout, **given,
        )  # type: ignore[call-overload,no-any-return]  # fmt: skip
    out, out_end = os.pipe()
    err, err_end = os.pipe()
    source = _source(body) if body is not None else stdin
    null = os.open(os.devnull, os.O_RDWR)
    files = [
        null if source == subprocess.DEVNULL else source,
        {subprocess.PIPE: out_end, subprocess.DEVNULL: null}.get(stdout, stdout),
        err_end,
    ]
    try:
        process = Fork(words, cwd, env, files, hook)
    finally:
        for fd in (out_end, err_end, null, *([source] if body is not None else [])):
            os.close(fd)
    try:
        told = _drained([out, err], timeout)
        code = process.wait(timeout)
    finally:
        process.kill()
    captured = told[0] if stdout == subprocess.PIPE else None
    return subprocess.CompletedProcess([SCRIPT, *words], code, captured, told[1])


def _source(body: bytes) -> int:
    """The reading end of a pipe with these bytes in it."""
    source, end = os.pipe()
    os.write(end, body)
    os.close(end)
    return source


def _drained(ends: Sequence[int], seconds: float) -> list[bytes]:
    """All that comes out of the pipes."""
    parts: dict[int, list[bytes]] = {fd: [] for fd in ends}
    until = time.monotonic() + seconds
    with selectors.DefaultSelector() as waiting:
        for fd in ends:
            waiting.register(fd, selectors.EVENT_READ)
        while waiting.get_map() and (left := until - time.monotonic()) > 0:
            for key, _ in waiting.select(left):
                if part := os.read(key.fd, PIPE_HOLDS):
                    parts[key.fd].append(part)
                else:
                    waiting.unregister(key.fd)
    for fd in ends:
        os.close(fd)
    return [b"".join(parts[fd]) for fd in ends]


Server = tuple[socket.socket, "subprocess.Popen[bytes]"]
_servers: dict[tuple[tuple[str, str], ...], Server] = {}


def _server(env: Mapping[str, str]) -> socket.socket:
    """The link to a process started with the same of what counts at the start."""
    key = tuple(sorted((n, v) for n, v in env.items() if n.startswith(AT_START)))
    server = _servers.pop(key, None) or _started(dict(key))
    while len(_servers) >= SERVERS:
        _end(_servers.pop(next(iter(_servers))))
    _servers[key] = server
    return server[0]


def _started(given: Mapping[str, str]) -> Server:
    mine, its = socket.socketpair()
    clean = {n: v for n, v in os.environ.items() if not n.startswith((*AT_START, "SWARM_"))}
    with its:
        process = subprocess.Popen(
            [sys.executable, __file__, str(its.fileno())], env={**clean, **given},
            pass_fds=[its.fileno()], stdin=subprocess.DEVNULL,
        )  # fmt: skip
    return mine, process


def _end(server: Server) -> None:
    """It ends when nobody can ask any more; the commands it started go on."""
    link, process = server
    link.close()
    process.wait(10)


@atexit.register
def _end_all() -> None:
    while _servers:
        _end(_servers.popitem()[1])


def serve(link: socket.socket) -> None:
    """Fork a command for each request, until nobody is there to ask."""
    _load()
    woken, waker = socket.socketpair()
    waker.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker.fileno())
    running: dict[int, int] = {}
    waiting = selectors.DefaultSelector()
    for end in (link, woken):
        waiting.register(end, selectors.EVENT_READ)
    gc.freeze()
    while True:
        for key, _ in waiting.select():
            if key.fileobj is woken:
                woken.recv(PIPE_HOLDS)
                _tell_ends(running)
                continue
            asked, files, _, _ = socket.recv_fds(link, 1, 8)
            if not asked:
                return
            if not (pid := os.fork()):
                _become(*files)
            running[pid] = files[1]
            os.write(files[1], pid.to_bytes(4, "big"))
            for fd in (files[0], *files[2:]):
                os.close(fd)


def _load() -> None:
    """Import what commands import."""
    import swarm.cli.commands
    import swarm.cli.mail
    import swarm.cli.main
    import swarm.cli.reading
    import swarm.cli.task_commands
    import swarm.cli.team_commands
    import swarm.mamoru.host
    import swarm.transport.mail
    import swarm.transport.team  # noqa: F401

    warm()


def warm() -> None:
    """One call loads what is loaded late."""
    from swarm.cli.run import run as run_typer

    told, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    run_typer(["unread", "-n", "1", "--root", os.devnull])
    os.dup2(told, 2)
    os.close(told)
    os.close(null)


def _tell_ends(running: dict[int, int]) -> None:
    """The exit codes of those that have ended, to whoever started them."""
    while running and (found := os.waitpid(-1, os.WNOHANG))[0]:
        reply = running.pop(found[0])
        code = os.waitstatus_to_exitcode(found[1])
        with contextlib.suppress(BrokenPipeError):  # nobody wants to know
            os.write(reply, code.to_bytes(4, "big", signed=True))
        os.close(reply)


def _become(request: int, reply: int, *files: int) -> None:
    from swarm.__main__ import main

    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with os.fdopen(request, "rb") as told:
        told.seek(0)
        asked = json.load(told)
    for target, fd in enumerate(files):
        os.dup2(fd, target)
    os.closerange(3, 64)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv = ["swarm", *asked["words"]]
    if asked["hook"]:
        exec(compile(asked["hook"], "hook", "exec"), {"__name__": "hook"})
    main()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
