"""The stage of a torture: a small disk with a tree and a channel, and the processes on it."""

import math
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from switch import Switch

HOME = Path(__file__).resolve().parents[2]
SWARM = os.path.join(sys.prefix, "bin", "swarm")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SWARM_")}
CHANNEL = "ops"
# What the contract lets a command end with; and by a signal only if it was ours.
CODES = frozenset((0, 1, 2, 3, 4, 5, 6, 75, 124, 130, 141))
OURS = frozenset((-signal.SIGKILL, -signal.SIGTERM))
STUCK = 150.0  # seconds after which a command counts as stuck: above the longest stop
SIZE, INODES = 100 << 20, 20_000  # of the disk, and as much again for each minute


@dataclass
class Ledger:
    """What was acknowledged, shown and done, and what went wrong; any thread adds to it."""

    sent: list[tuple[str, str, str]] = field(default_factory=list)  # box, letter, path
    shown: list[tuple[str, str, bool]] = field(default_factory=list)  # box, letter, ended well
    rows: list[tuple[int, str, str]] = field(default_factory=list)  # number, letter, to
    tasks: list[tuple[str, str, str]] = field(default_factory=list)  # side, key, name
    wrong: list[str] = field(default_factory=list)
    codes: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)


@dataclass
class Done:
    """How a command ended."""

    code: int
    out: bytes
    err: bytes


class Stage:
    """Where it happens.  ``disk`` is a file system of its own if we may mount one."""

    def __init__(self, folder: Path, seed: int, minutes: float = 0) -> None:
        self.folder, self.seed = folder, seed
        self.disk = folder / "disk"
        self.disk.mkdir()
        times = 1 + math.ceil(minutes)
        self.room = f"size={SIZE * times},nr_inodes={INODES * times}"
        self.mounting = threading.Lock()
        self.mounted = self.mount("-t", "tmpfs", "-o", self.room, "tmpfs")
        self.log = folder / "log"
        self.runs = folder / "runs"
        self.switch = Switch(folder)
        self.ledger = Ledger()
        self.over = threading.Event()
        self.alive: dict[int, subprocess.Popen[bytes]] = {}
        self.held, self.now = threading.Lock(), set[str]()  # faults that hold just now
        self.beginning = threading.Lock()  # held while nobody may begin
        self.still = threading.Lock()  # held while the database is being replaced

    def mount(self, *words: str) -> bool:
        """Without the right to it the faults that need a disk are left out."""
        argv = ["mount", *words, str(self.disk)]
        return subprocess.run(argv, stderr=subprocess.DEVNULL).returncode == 0

    def remount(self, options: str) -> bool:
        """One at a time: mount repeats the options that held when it looked."""
        with self.mounting:
            return self.mount("-o", f"remount,{options}")

    @contextmanager
    def without_room(self, limit: Callable[[os.statvfs_result], str]) -> Iterator[None]:
        """No more than what is in use just now; tried again if more was taken meanwhile."""
        any(self.remount(limit(os.statvfs(self.disk))) for _ in range(20))
        try:
            yield
        finally:
            self.remount(self.room)

    def chance(self, who: str) -> random.Random:
        """Draws of its own for each, the same for the same seed."""
        return random.Random(f"{self.seed} {who}")

    def environment(self, agent: str) -> dict[str, str]:
        """As an agent's shell would have it."""
        place = {
            "SWARM_ROOT": str(self.disk / "mail"),
            "SWARM_TEAM_HOME": str(self.disk / "team"),
            "SWARM_AGENT": agent,
            "MAIL": str(self.disk / "mail"),
            "ME": agent,
            "RUNS": str(self.runs),
        }
        return {**CLEAN, **place, **self.switch.environment(self.disk)}

    def start(self, agent: str, *argv: str, **pipes: object) -> "subprocess.Popen[bytes]":
        """A process without the right to write where the mode forbids it."""
        with self.beginning:
            process: subprocess.Popen[bytes] = subprocess.Popen(  # type: ignore[call-overload]
                [*plain_rights(), *argv], env=self.environment(agent), cwd=self.folder, **pipes
            )
            self.alive[process.pid] = process
        return process

    def run(self, agent: str, *argv: str, data: bytes = b"") -> Done:
        """A command, until it ends; what it may not do goes into the ledger."""
        pipe = subprocess.PIPE
        process = self.start(agent, *argv, stdin=pipe, stdout=pipe, stderr=pipe)
        try:
            out, err = process.communicate(data, timeout=STUCK)
        except subprocess.TimeoutExpired:
            self.ledger.wrong.append(f"stuck: {argv}")
            process.kill()
            out, err = process.communicate()
        self.ended(process, argv, err)
        return Done(process.returncode, out, err)

    def ended(self, process: "subprocess.Popen[bytes]", argv: tuple[str, ...], err: bytes) -> None:
        """Note how it ended."""
        self.alive.pop(process.pid, None)
        code = process.returncode
        self.ledger.codes[code] += 1
        if code not in CODES | OURS or b"Traceback" in err or b"internal error" in err:
            said = err.decode(errors="replace")[-1500:]
            self.ledger.wrong.append(f"exit {code}: {argv[1:]}: {said}")

    def close(self) -> None:
        """End what still runs, and give the disk back."""
        for process in list(self.alive.values()):
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.disk)], check=False)


def plain_rights() -> list[str]:
    """Root that obeys the modes of files, where we are root and have setpriv."""
    if os.geteuid() or not shutil.which("setpriv"):
        return []
    return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


class Servant:
    """A process that is there to stay: started again whenever it has ended."""

    def __init__(self, stage: Stage, agent: str, *argv: str) -> None:
        self.stage, self.agent, self.argv = stage, agent, argv
        self.process: subprocess.Popen[bytes] | None = None
        self.thread = threading.Thread(target=self._serve)
        self.retire = threading.Event()
        self.thread.start()

    def _serve(self) -> None:
        name = self.stage.folder / f"said-{self.agent}-{threading.get_ident()}"
        while not self.retire.is_set():
            with open(name, "wb") as err, open(self.stage.log, "ab") as out:
                self.process = self.stage.start(self.agent, *self.argv, stdout=out, stderr=err)
                self.process.wait()
            if not self.retire.is_set() or self.process.returncode:
                self.stage.ended(self.process, self.argv, name.read_bytes())
            self.stage.alive.pop(self.process.pid, None)
            time.sleep(0.1)

    def end(self) -> None:
        """By SIGTERM; it has a while for it."""
        self.retire.set()
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
        self.thread.join(30)
        if self.thread.is_alive():
            self.stage.ledger.wrong.append(f"does not end: {self.argv}")
            if self.process:
                self.process.kill()
            self.thread.join()
