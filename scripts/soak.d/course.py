"""What is going on in a soak: the tree, its processes, and a ledger of what they said."""

import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import NamedTuple

HOME = Path(__file__).resolve().parents[2]
SWARM = os.path.join(sys.prefix, "bin", "swarm")
LEAKS = ("SWARM_ROOT", "SWARM_AGENT", "SWARM_DEBUG")
CLEAN = {name: value for name, value in os.environ.items() if name not in LEAKS}
LONG = 60.0


class Letter(NamedTuple):
    """A message to one mailbox, named by its writer."""

    box: str
    name: str


class Done(NamedTuple):
    """How a process ended."""

    code: int
    out: bytes
    err: bytes


@dataclass
class Ledger:
    """What was acknowledged and shown, and what went wrong; any thread adds to it."""

    sent: list[tuple[Letter, str]] = field(default_factory=list)
    shown: list[tuple[Letter, bool]] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    killed_writers: list[int] = field(default_factory=list)
    killed_readers: list[int] = field(default_factory=list)


class Course:
    """One soak: where, how long, and its ledger."""

    def __init__(self, folder: str, boxes: list[str], seed: int) -> None:
        self.root = f"{folder}/mail"
        self.folder = folder
        self.boxes = boxes
        self.seed = seed
        self.stop = Event()
        self.ledger = Ledger()
        self.usual = 0.02  # seconds that a command takes, roughly

    def chance(self, who: str) -> random.Random:
        """Draws of its own for each writer and reader, the same for the same seed."""
        return random.Random(f"{self.seed} {who}")

    def environment(self, agent: str) -> dict[str, str]:
        """For a command, and for the recipes by hand."""
        return {**CLEAN, "SWARM_ROOT": self.root, "SWARM_AGENT": agent,
                "MAIL": self.root, "ME": agent}  # fmt: skip

    def run(self, agent: str, *argv: str, data: bytes = b"") -> Done:
        """A process that is left to end; what it fails at goes into the ledger."""
        start = time.monotonic()
        env = self.environment(agent)
        done = subprocess.run(argv, env=env, input=data, capture_output=True, timeout=LONG)
        self.usual += (time.monotonic() - start - self.usual) / 20
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            self.ledger.failed.append(f"{agent}: {argv[1:4]}: exit {done.returncode}: {said}")
        return Done(done.returncode, done.stdout, done.stderr)

    def killed(self, agent: str, *argv: str, data: bytes, delay: float, pids: list[int]) -> Done:
        """The same, but killed if it takes longer than that; ``pids`` then gets its number."""
        pipe = subprocess.PIPE
        env = self.environment(agent)
        process = subprocess.Popen(argv, env=env, stdin=pipe, stdout=pipe, stderr=pipe)
        try:
            out, err = process.communicate(data, timeout=delay)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        if process.returncode == -9:
            pids.append(process.pid)
        return Done(process.returncode, out, err)
