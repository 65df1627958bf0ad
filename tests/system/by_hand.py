"""A mail folder that is used by hand and by command."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from .. import forks

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "scripts" / "by-hand"
SHELLS = [name for name in ("dash", "sh", "bash", "busybox") if shutil.which(name)]
NAME = re.compile(r"[0-9]{2,}_[a-z0-9-]{1,40}_[0-9a-f]{4,}\.txt")


class Mail:
    """A mail folder, used by hand and by command."""

    def __init__(self, folder: Path, shell: str) -> None:
        self.root = folder / "mail box"  # a blank in the path must never matter
        self.shell = [shell, "sh"] if shell == "busybox" else [shell]
        self.path = os.environ["PATH"]
        (self.root / "dir").mkdir(parents=True)

    def env(self, agent: str) -> dict[str, str]:
        return {
            "PATH": self.path,
            "MAIL": str(self.root),
            "ME": agent,
            "SWARM_ROOT": str(self.root),
            "SWARM_AGENT": agent,
            "SWARM_FSYNC": "0",
        }

    def run(self, agent: str, *command: str, stdin: bytes = b"", code: int = 0) -> str:
        done = subprocess.run(
            command, env=self.env(agent), input=stdin, capture_output=True, timeout=30
        )
        assert done.returncode == code, (command, done.returncode, done.stderr)
        return done.stdout.decode(errors="replace")

    def hand(
        self, agent: str, recipe: str, *args: str, stdin: bytes = b"body\n", code: int = 0
    ) -> str:
        script = str(RECIPES / f"{recipe}.sh")
        return self.run(agent, *self.shell, "-eu", script, *args, stdin=stdin, code=code)

    def command(self, agent: str, *args: str, stdin: bytes = b"body\n", code: int = 0) -> str:
        done = forks.run(args, ".", self.env(agent), stdin)
        assert done.returncode == code, done
        return done.stdout.decode(errors="replace")

    def enter(self, *agents: str) -> None:
        for agent in agents:
            role = f"work of {agent}"
            assert self.hand(agent, "register", role, "specialist", "a task") == agent + "\n"

    def put(self, agent: str, name: str, text: str | bytes) -> Path:
        path = self.root / agent / "inbox" / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def file(self, printed: str) -> Path:
        return self.root / printed.removesuffix("\n")

    def tree(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*"))
