"""How the suite makes a mail tree."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from swarm import disk
from swarm.events import Event, headers
from swarm.mailbox import delivery, layout, making, receipts, registry
from swarm.transport.base import Store
from swarm.transport.mail import MailStore

NOT_OURS = ("To", "From", "Subject", "Thread", "Status", "Ref", "Detail")


class Place:
    processes = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = layout.Root(str(folder / "mail"), sync=False)
        if not (folder / "mail").exists():
            making.init(str(folder), [])

    def store(self) -> Store:
        return MailStore(self.root)

    def join(self, agent: str) -> None:
        registry.register(self.root, agent, "helper", "specialist", "waits", "paused")

    def say(self, event: Event) -> Event:
        lines = dict(headers(event))
        more = {name: line for name, line in lines.items() if name not in NOT_OURS}
        sent = delivery.send(
            self.root, event.sender, [event.to or "all"], lines["Subject"], event.body,
            thread=lines["Thread"], status=lines["Status"], ref=lines["Ref"], key=event.origin, more=more,
        )  # fmt: skip
        return event.replace(id=sent.delivered[0].name)

    def spoil(self, agent: str) -> None:
        path = self.folder / f"mail/{agent}/inbox/00_junk.txt"
        path.write_text("no header at all\n")
        os.utime(path, (1_000_000_000, 1_000_000_000))

    def on_write(self, patch: Any, before: Callable[[], None]) -> None:
        for module, name in (
            (disk, "write_temp"),
            (disk, "publish"),
            (receipts, "_create"),
            (os, "replace"),
        ):
            patch.setattr(module, name, counted(getattr(module, name), before))

    def away(self) -> None:
        (self.folder / "mail").rename(self.folder / "elsewhere")

    def back(self) -> None:
        (self.folder / "elsewhere").rename(self.folder / "mail")


def counted(real: Callable[..., Any], before: Callable[[], None]) -> Callable[..., Any]:
    def call(*values: Any, **named: Any) -> Any:
        before()
        return real(*values, **named)

    return call
