"""amy, bob and carl at work by the real command, over mail or over a channel."""

import json
import os
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from swarm.errors import Unknown
from swarm.events import Event
from swarm.mailbox.layout import Root
from swarm.mamoru.following import about
from swarm.team.channel import Channel
from swarm.transport.base import Store
from swarm.transport.mail import MailStore
from swarm.transport.team import TeamStore

from .. import forks
from ..forks import Fork
from .guardian.place import prepare

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SWARM_")}
KINDS = ("mail", "channel")
Done = subprocess.CompletedProcess[str]


class Guard:
    """A guardian as a process; known to be at work once it has said whom it guards."""

    def __init__(self, words: list[str], cwd: Path, env: dict[str, str]) -> None:
        self.out, self.err = cwd / f"out{time.monotonic_ns()}", cwd / f"err{time.monotonic_ns()}"
        with open(self.out, "wb") as out, open(self.err, "wb") as err, open(os.devnull) as none:
            files = (none.fileno(), out.fileno(), err.fileno())
            self.process = Fork(words, cwd, env, files)

    def said(self) -> str:
        return self.err.read_text()

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.read_text().splitlines()]

    def end(self, number: int, seconds: float = 10) -> int:
        self.process.send_signal(number)
        return self.process.wait(seconds)


class Desk:
    """``kind``: over what they speak.  amy, bob and carl have an entry, or have joined."""

    def __init__(self, kind: str, place: Path) -> None:
        self.kind, self.place = kind, place
        self.where = () if kind == "mail" else ("--channel", "ops")
        home = {"SWARM_TEAM_HOME": str(place), "SWARM_FSYNC": "0"}
        self.env = {**CLEAN, **home, "COLUMNS": "80"}
        self.guards: list[Guard] = []
        prepare("mail" if kind == "mail" else "team", place, ("amy", "bob", "carl"))

    def text(self, event: Event) -> str:
        """The longer text, wherever it is."""
        return event.body.decode() or Path(event.detail).read_text()

    def run(self, *words: str, **env: str) -> Done:
        done = forks.run(words, self.place, {**self.env, **env})
        out, err = done.stdout.decode(), done.stderr.decode()
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def ok(self, *words: str) -> str:
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def task(self, agent: str, *words: str, **env: str) -> Done:
        """``swarm task …`` for an agent, over the transport under test."""
        return self.run("--as", agent, "task", *words, *self.where, **env)

    def say(self, agent: str, *words: str) -> str:
        return self.ok("--as", agent, "task", *words, *self.where)

    def ask(self, agent: str, to: str, *words: str) -> str:
        """A request; its key."""
        return self.say(agent, "request", to, *(words or ("-s", "please do it")))

    def events(self, agent: str, key: str) -> list[Event]:
        """What was said about a task, as its requester or worker sees it."""
        with closing(self.store()) as opened:
            try:
                return about(opened, agent, key)[1]
            except Unknown:
                return []

    def store(self) -> Store:
        if self.kind == "mail":
            return MailStore(Root(str(self.place / "mail"), sync=False), watching=False)
        return TeamStore(Channel.open(str(self.place), "ops", sync=False))

    def kinds(self, agent: str, key: str) -> list[str]:
        return [event.kind for event in self.events(agent, key)]

    def tasks(self, agent: str, *more: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.say(agent, "list", "--json", *more))["tasks"]
        return found

    def guard(self, agent: str, *words: str) -> Guard:
        """Start one; ``words``: how it passes on what needs thinking."""
        if self.kind == "channel" and not {"--jsonl", "--exec"} & {*words}:
            words = ("--jsonl", *words)
        guard = self.start("--as", agent, *words)
        self.until(lambda: "guarding" in guard.said() or guard.process.poll() is not None)
        assert guard.process.poll() is None, guard.said()
        return guard

    def start(self, *words: str) -> Guard:
        guard = Guard(["mamoru", *words, *self.where], self.place, self.env)
        self.guards.append(guard)
        return guard

    def until(self, condition: Callable[[], Any], seconds: float = 30.0) -> Any:
        end = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < end, [guard.said() for guard in self.guards]
            time.sleep(0.05)
        return found

    def until_said(self, agent: str, key: str, *kinds: str) -> list[Event]:
        """The events of the task once they are these."""
        self.until(lambda: self.kinds(agent, key) == [*kinds])
        return self.events(agent, key)

    def files(self) -> set[str]:
        """All mail, or all messages."""
        if self.kind == "channel":
            with Channel.open(str(self.place), "ops", sync=False) as channel:
                return {event.id for event in channel.history(999)}
        return {str(path) for path in (self.place / "mail").rglob("*.txt")}

    def close(self) -> None:
        for guard in self.guards:
            guard.process.kill()
            guard.process.wait()
