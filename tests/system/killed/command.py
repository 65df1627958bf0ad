"""The real command in a mail tree, with one of its steps on the disk going wrong."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from shutil import copy2, copytree

from ... import forks
from .mail import TEXT, Mail, prepare

HOOK = Path(__file__).parent / "hook.py"
LEAKS = ("SWARM_", "FAULT_", "PYTHON")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(LEAKS)}
KILLS = ("before", "after", "within")


@dataclass(frozen=True)
class Command:
    """What alice calls, and what the file system says to a link (see the hook)."""

    words: tuple[str, ...]
    links: str = ""
    root: str = "mail"

    def __str__(self) -> str:
        shown = " ".join(word for word in self.words if word != TEXT)
        return f"{shown} {self.links}".strip()


@dataclass(frozen=True)
class Fault:
    """What happens at which step; nothing at step 0."""

    at: int = 0
    kind: str = ""
    call: str = ""

    def environment(self, place: Path, links: str) -> dict[str, str]:
        return {
            "FAULT_TREE": str(place),
            "FAULT_LOG": f"{place}.steps",
            "FAULT_AT": str(self.at),
            "FAULT_KIND": self.kind,
            "FAULT_LINKS": links,
        }


@dataclass(frozen=True)
class Scene:
    """A tree of its own, and what a command said and left there."""

    place: Path
    command: Command
    fault: Fault
    code: int
    out: str
    err: str

    @property
    def mail(self) -> Mail:
        return Mail(self.place / self.command.root)

    @property
    def steps(self) -> list[str]:
        return Path(f"{self.place}.steps").read_text().splitlines()

    def copy(self) -> "Scene":
        """The same in a tree of its own, to be changed."""
        return replace(self, place=copied(self.place, f"{self.place}-{os.urandom(4).hex()}"))

    def again(self) -> "Scene":
        """The same command once more, undisturbed, in a copy of the tree."""
        return run(self.copy().place, self.command)

    def swarm(self, *words: str) -> "Scene":
        """Another command in a copy of the tree."""
        return run(self.copy().place, Command(words, root=self.command.root))

    def __str__(self) -> str:
        fault = f"{self.fault.kind} {self.fault.call}, step {self.fault.at}"
        return f"swarm {self.command}: {fault}: exit {self.code}\n{self.out}{self.err}"


def run(place: Path, command: Command, fault: Fault | None = None) -> Scene:
    """Run a command as alice, with the hook where something is to go wrong or be counted."""
    env = {**CLEAN, "SWARM_AGENT": "alice", "LC_ALL": "C.UTF-8"}
    if command.words[0] != "init":
        env["SWARM_ROOT"] = str(place / command.root)
    hook = HOOK.read_text() if fault or command.links else ""
    if hook:
        env |= (fault or Fault()).environment(place, command.links)
    else:
        env["SWARM_FSYNC"] = "0"
    done = forks.run(command.words, place, env, hook=hook)
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode()
    return Scene(place, command, fault or Fault(), done.returncode, out, err)


def copied(source: Path, target: Path | str) -> Path:
    """A copy of a tree in which two names of one file are two names of one file."""
    files: dict[int, str] = {}

    def copy(old: str, new: str) -> None:
        first = files.setdefault(os.stat(old).st_ino, new)
        copy2(old, new) if first == new else os.link(first, new)

    return Path(copytree(source, target, copy_function=copy))


class Stage:
    """Gives each run a fresh copy of the same prepared tree; keeps what killed runs left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.numbers = count(1)
        self.kept: dict[tuple[Command, tuple[str, ...]], list[Scene]] = {}
        prepare(folder / "prepared")

    @property
    def mail(self) -> Mail:
        """The tree before any command."""
        return Mail(self.folder / "prepared" / "mail")

    def place(self) -> Path:
        """A fresh copy."""
        return copied(self.folder / "prepared", self.folder / str(next(self.numbers)))

    def run(self, command: Command, fault: Fault) -> Scene:
        """The command in a fresh tree, with that fault."""
        return run(self.place(), command, fault)

    def undisturbed(self, command: Command) -> Scene:
        """The command as it should be; every step it takes is known."""
        scene = self.run(command, Fault())
        assert scene.code == 0, scene
        assert scene.steps and not [step for step in scene.steps if "missed" in step], scene.steps
        return scene

    def kills(self, command: Command) -> list[Scene]:
        """A scene for every step and every way to be killed there."""
        scenes = self.failures(command, *KILLS)
        assert {scene.code for scene in scenes} == {-signal.SIGKILL}
        return scenes

    def states(self, command: Command) -> list[Scene]:
        """The same without those that were left as the step before had left them."""
        kills = self.kills(command)
        return [scene for scene in kills if scene.fault.kind != "before" or scene.fault.at == 1]

    def failures(self, command: Command, *kinds: str) -> list[Scene]:
        """A scene for every step to which each of these things happens, once."""
        if (command, kinds) not in self.kept:
            steps = self.undisturbed(command).steps
            faults = [
                Fault(at, kind, call)
                for at, call in enumerate(steps, 1)
                for kind in kinds
                if kind != "within" or call == "write"
            ]
            with ThreadPoolExecutor(2) as pool:
                found = pool.map(lambda fault: self.run(command, fault), faults)
                self.kept[command, kinds] = list(found)
        return self.kept[command, kinds]
