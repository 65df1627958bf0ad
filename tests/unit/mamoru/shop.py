"""A guardian that runs a command, on a store in memory."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from swarm.events import Event
from swarm.mamoru.host import Host
from swarm.mamoru.run_command import Exec
from swarm.mamoru.state import Settings
from swarm.transport.memory import Memory, MemoryStore

QUIET = Settings(announce=False)


class Shop:
    """amy asks bob, whose guardian runs a command."""

    def __init__(self, tmp_path: Path, script: str = "", **options: Any) -> None:
        self.tmp_path = tmp_path
        self.script = tmp_path / "work.sh"
        self.script.write_text(script)
        self.results = tmp_path / "results"
        self.options = {"grace": 0.4, "updates": 0.0} | options
        self.command = self.options.pop("command", f"sh {self.script}")
        self.memory = Memory()
        for agent in ("amy", "bob"):
            self.memory.join(agent)
        self.told: list[str] = []
        self.start()

    def start(self) -> None:
        """A guardian, as after a crash if there was one before."""
        self.memory.guarded.clear()
        self.store = MemoryStore(self.memory)
        self.exec = Exec(
            self.command, self.tell, lambda _: str(self.results), {"SWARM_CHANNEL": "ops"},
            **self.options,
        )  # fmt: skip
        self.host = Host(self.store, ["bob"], self.exec, self.tell, QUIET, poll=0.02)
        self.host._look()
        self.host.open_named()

    def tell(self, agent: str, text: str) -> None:
        self.told.append(text)

    def ask(self, **more: Any) -> Event:
        fields = {"kind": "task_req", "sender": "amy", "to": "bob", "content": "run it"}
        return self.memory.post(Event(**(fields | more)))

    def until(self, condition: Callable[[], object], seconds: float = 10.0) -> Any:
        end = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < end, f"it did not happen; {self.bob()}, {self.told}"
            self.host.turn(self.store.wait(0.01))
        return found

    def bob(self) -> list[str]:
        return [e.kind for e in self.memory.messages if e.sender == "bob"]

    def result(self) -> Event:
        """The first result."""

        def found() -> list[Event]:
            ends = ("task_done", "task_fail", "task_cancel_ack")
            return [e for e in self.memory.messages if e.sender == "bob" and e.kind in ends]

        return self.until(found)[0]

    def file(self, name: str) -> str:
        """What the command wrote into a file beside it, once it is there."""
        path = self.tmp_path / name
        return self.until(lambda: path.exists() and path.read_text())


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid: int, seconds: float = 3.0) -> bool:
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(pid)
