"""How the suite makes a channel of the team bus."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from swarm.events import Event
from swarm.team.channel import Channel
from swarm.transport.base import Store
from swarm.transport.team import TeamStore


class Place:
    processes = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def channel(self) -> Channel:
        return Channel.open(str(self.folder), "ops", anew=True, sync=False)

    def store(self) -> Store:
        return TeamStore(self.channel())

    def join(self, agent: str) -> None:
        with self.channel() as channel:
            channel.join(agent)

    def say(self, event: Event) -> Event:
        with self.channel() as channel:
            return channel.send(event)

    def spoil(self, agent: str) -> None:
        db = sqlite3.connect(self.folder / "ops/team.db")
        with db:
            db.execute(
                "INSERT INTO messages (from_agent, to_agent, channel, payload, created_at)"
                " VALUES ('eve', ?, 'ops', '{\"event\": 1}', 0)",
                (agent,),
            )
        db.close()

    def on_write(self, patch: Any, before: Callable[[], None]) -> None:
        class Watched(sqlite3.Connection):
            def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
                if sql.split()[0] in ("BEGIN", "INSERT", "UPDATE", "COMMIT"):
                    before()
                return super().execute(sql, *values)

        real = sqlite3.connect
        patch.setattr(sqlite3, "connect", lambda *v, **n: real(*v, **n, factory=Watched))

    def away(self) -> None:
        (self.folder / "ops").rename(self.folder / "elsewhere")

    def back(self) -> None:
        (self.folder / "elsewhere").rename(self.folder / "ops")
