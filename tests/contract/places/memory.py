"""How the suite makes a dictionary."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from swarm.errors import Temporary
from swarm.events import Event
from swarm.transport.base import Store
from swarm.transport.memory import Memory, MemoryStore


class Place:
    processes = False

    def __init__(self, folder: Path) -> None:
        self.memory = Memory()

    def store(self) -> Store:
        return MemoryStore(self.memory)

    def join(self, agent: str) -> None:
        self.memory.join(agent)

    def say(self, event: Event) -> Event:
        return self.memory.post(event)

    def spoil(self, agent: str) -> None:
        self.memory.post(Event(kind="", sender="eve", to=agent, content="junk", problem="no event"))

    def on_write(self, patch: Any, before: Callable[[], None]) -> None:
        patch.setattr(self.memory, "step", before)

    def away(self) -> None:
        self.memory.trouble = Temporary("away")

    def back(self) -> None:
        self.memory.trouble = None
