"""A mail tree of its own, and the real command in it: on a pipe, on a terminal, often, disturbed.

A *hook* is Python that runs in the command before it starts, as a ``sitecustomize`` of its own.
"""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ... import forks
from ...unit.rights import dropping

SWARM = os.path.join(sys.prefix, "bin", "swarm")
RECIPES = Path(__file__).parents[3] / "scripts" / "by-hand"
LEAKS = ("SWARM_", "PYTHON", "LC_", "LANG", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(LEAKS)}
ENV = {**CLEAN, "LC_ALL": "C.UTF-8", "SWARM_FSYNC": "0"}
AGENTS = ("alice", "bob", "carl")
ENTRY = ("--role", "r", "--archetype", "planner", "--task", "t")
Done = subprocess.CompletedProcess[bytes]
# Every command that answers in lines, of which each has something to say.
ANSWERS = [
    "unread", "sent", "thread T", "threads", "search s", "agents", "status", "doctor", "describe",
    "wait", "read --next --peek",
]  # fmt: skip


class Team:
    """alice, bob and carl have mailboxes; ``place`` is the folder around ``root``."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.root = place / "mail"
        (self.root / "dir").mkdir(parents=True)
        for agent in AGENTS:
            for folder in ("inbox/.read", "drafts", "sent"):
                (self.root / agent / folder).mkdir(parents=True)

    # Files

    def put(
        self, name: str, body: str | bytes = "body\n", *, agent: str = "bob", **headers: str
    ) -> Path:
        """A message in an inbox, by hand."""
        given = {"To": agent, "From": "alice", "Subject": "s", **headers}
        head = "".join(f"{key}: {value}\n" for key, value in given.items() if value)
        data = body.encode() if isinstance(body, str) else body
        return self.raw(name, head.encode() + b"---\n" + data, agent)

    def raw(self, name: str, data: bytes, agent: str = "bob") -> Path:
        path = self.root / agent / "inbox" / name
        path.write_bytes(data)
        return path

    def enter(self, agent: str, **values: str) -> Path:
        """An entry in the registry, by hand."""
        given = {"role": "r", "archetype": "planner", "task": "t", "status": "active", **values}
        lines = "".join(f"{key}: {value}\n" for key, value in given.items())
        path = self.root / "dir" / f"{agent}.txt"
        path.write_text(f"id: {agent}\n{lines}")
        return path

    def inbox(self, agent: str) -> dict[str, bytes]:
        return self.listed(f"{agent}/inbox")

    def sent(self, agent: str) -> dict[str, bytes]:
        return self.listed(f"{agent}/sent")

    def listed(self, folder: str) -> dict[str, bytes]:
        paths = (self.root / folder).glob("*.txt")
        return {path.name: path.read_bytes() for path in paths if path.name[0] != "."}

    def receipts(self, agent: str = "bob") -> set[str]:
        return set(os.listdir(self.root / agent / "inbox/.read"))

    def everything(self) -> dict[str, bytes | None]:
        """Every path around the tree, and the bytes of the files."""
        paths = self.place.rglob("*")
        return {str(p): p.read_bytes() if p.is_file() else None for p in paths}

    # Commands

    def env(self, hook: str = "", **more: str) -> dict[str, str]:
        env = {**ENV, "SWARM_ROOT": str(self.root), "SWARM_AGENT": "bob", **more}
        if hook:
            folder = tempfile.mkdtemp(prefix="hook-", dir=self.place.parent)
            Path(folder, "sitecustomize.py").write_text(hook)
            env["PYTHONPATH"] = folder
        return {name: value for name, value in env.items() if value}

    def start(
        self, *words: str | bytes, hook: str = "", cwd: Path | None = None, stdin: Any = -3,
        stdout: Any = -1, **env: str,
    ) -> "subprocess.Popen[bytes]":  # fmt: skip
        """As bob unless ``SWARM_AGENT`` says else; a variable that is '' is not there."""
        return subprocess.Popen(
            [SWARM, *words], cwd=cwd or self.place, env=self.env(hook, **env),
            stdin=stdin, stdout=stdout, stderr=-1,
        )  # fmt: skip

    def run(self, *words: str | bytes, body: bytes | None = None, **how: Any) -> Done:
        """To its end; ``anew``: by a process that starts, where that is what it is about."""
        if not how.pop("anew", False) and not {"stdin", "stdout"} & how.keys():
            hook, cwd = how.pop("hook", ""), how.pop("cwd", None) or self.place
            return forks.run(words, cwd, self.env(**how), body, timeout=20, hook=hook)
        if body is not None:
            how["stdin"] = subprocess.PIPE
        process = self.start(*words, **how)
        try:
            out, err = process.communicate(body, timeout=20)
        finally:
            process.kill()
        return Done(process.args, process.returncode, out, err)

    def ok(self, *words: str | bytes, **how: Any) -> bytes:
        """What a command says that has nothing to complain of."""
        done = self.run(*words, **how)
        assert (done.returncode, done.stderr) == (0, b""), done
        return done.stdout or b""

    def lines(self, *words: str | bytes, **how: Any) -> list[str]:
        return self.ok(*words, **how).decode().splitlines()

    def json(self, *words: str | bytes, **how: Any) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.ok(*words, "--json", **how))
        return found

    def bound(self, *words: str, **env: str) -> Done:
        """The same by a process that file modes bind."""
        import pytest

        drop = dropping()
        if drop is None:
            pytest.skip("root may do everything, and setpriv cannot take that away here")
        argv = [*drop, SWARM, *words]
        return subprocess.run(
            argv, cwd=self.place, env=self.env(**env), stdin=-3, capture_output=True, timeout=30
        )

    def often(self, calls: Sequence[Sequence[str]], **env: str) -> list[Done]:
        """One answer for each list of words."""
        return [self.run(*call, **env) for call in calls]

    def answers(self, *calls: str, **env: str) -> dict[str, str]:
        """What each of these says, all without complaint, by its words."""
        found = {}
        for call, done in zip(
            calls, self.often([call.split() for call in calls], **env), strict=True
        ):
            assert (done.returncode, done.stderr) == (0, b""), done
            found[call] = done.stdout.decode()
        return found

    def watched(self, *words: str, columns: int = 80, **env: str) -> tuple[int, bytes]:
        """The exit code and all that a terminal gets, errors too, with plain line ends."""
        return watched(
            [SWARM, *words], self.place, self.env(**{"TERM": "xterm-256color", **env}), columns
        )


def watched(argv: list[str], cwd: Path, env: dict[str, str], columns: int) -> tuple[int, bytes]:
    """Run on a terminal of that width, to the end."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        argv, cwd=cwd, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    out = b""
    while select.select([master], [], [], 30)[0]:
        try:
            part = os.read(master, 65536)
        except OSError:  # nobody has the other end any more
            break
        if not part:
            break
        out += part
    os.close(master)
    return process.wait(30), out.replace(b"\r\n", b"\n")
