"""A mail tree or a channel with amy and bob in it, for guardians that are processes."""

import os
from pathlib import Path

from swarm.events import Event
from swarm.mailbox.layout import Root
from swarm.mamoru.state import Settings
from swarm.team.channel import Channel
from swarm.transport.base import Outcome, Store, Transport
from swarm.transport.mail import MailStore
from swarm.transport.team import TeamStore

KINDS = ("mail", "team")
SETTINGS = {"mail": Settings(announce=False), "team": Settings()}


def store(kind: str, place: Path) -> Store:
    """The store of that kind in the folder."""
    if kind == "mail":
        return MailStore(Root(str(place / "mail"), sync=False))
    return TeamStore(Channel.open(str(place), "ops", anew=True, sync=False))


def prepare(kind: str, place: Path, agents: tuple[str, ...] = ("amy", "bob")) -> None:
    """Make it, and enter the agents."""
    if kind == "mail":
        (place / "mail" / "dir").mkdir(parents=True)
        for agent in agents:
            entry = {
                "id": agent,
                "role": "r",
                "archetype": "planner",
                "task": "t",
                "status": "paused",
            }
            text = "".join(f"{key}: {value}\n" for key, value in entry.items())
            (place / "mail" / "dir" / f"{agent}.txt").write_text(text)
            for folder in ("inbox/.read", "drafts", "sent"):
                (place / "mail" / agent / folder).mkdir(parents=True)
        return
    with Channel.open(str(place), "ops", anew=True, sync=False) as channel:
        for agent in agents:
            channel.join(agent)


class Person:
    """An agent without a guardian: it says what it wants, and sees what came."""

    def __init__(self, side: Transport, kind: str) -> None:
        self.side = side
        self.kind = kind
        self.seen: list[Event] = []
        self.count = 0

    def say(self, kind: str, to: str, **more: str) -> Event:
        self.count += 1
        event = Event(kind=kind, to=to, **({"content": f"number {self.count}"} | more))
        if kind == "task_req" and self.kind == "mail":
            event.task = f"t-{self.count}"
        (sent,) = self.side.apply(Outcome(sends=[event]))
        assert not sent.problem, sent
        return sent

    def look(self) -> list[Event]:
        """All that came so far."""
        while found := self.side.receive():
            for event in found:
                self.side.commit(event, Outcome())
            self.seen += found
        return self.seen


def environment() -> dict[str, str]:
    """That of a process which takes nothing from the caller's."""
    leaks = ("SWARM_", "GUARD_", "PYTHON")
    return {name: value for name, value in os.environ.items() if not name.startswith(leaks)}
