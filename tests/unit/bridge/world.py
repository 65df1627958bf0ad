"""A mail tree and a channel with a bridge between them, and somebody to talk on each side."""

import shutil
import time
from pathlib import Path

from swarm.bridge.bridge import Bridge
from swarm.events import Event
from swarm.mailbox import archive, delivery, inbox, receipts, registry
from swarm.mailbox.layout import Root
from swarm.mailbox.making import init
from swarm.mamoru import speaking
from swarm.mamoru.tasks import Task, fold
from swarm.team.channel import Channel
from swarm.team.mirror import Mirror
from swarm.transport.base import Store
from swarm.transport.mail import MailStore
from swarm.transport.team import TeamStore
from tests.peer import Peer

CHANNEL = "ops"
RESIDENTS = ("alice", "bob")
SWARM = "carl"
PEER = "0b5c6a7e-1111-4222-8333-944445555666"
PEER_ID = "pia"


class World:
    """``told``: what the bridge had to say."""

    def __init__(self, folder: Path, bridged: bool = True) -> None:
        folder.mkdir(exist_ok=True)
        self.told: list[str] = []
        self.bridge: Bridge
        self.home = str(folder / "team")
        self.root = init(str(folder), [])[0]
        self.root = Root(self.root.path, sync=False)
        for agent in RESIDENTS:
            registry.register(self.root, agent, "tester", "specialist", "tests", "paused")
        self.carl = self.channel()
        self.carl.join(SWARM, description="counts")
        self.path = f"{self.home}/{CHANNEL}/team.db"
        self.peer = Peer(self.path, PEER, CHANNEL)
        self.peer.join("Pia")
        self.mirror = Mirror.open(self.home, CHANNEL, sync=False)
        if bridged:
            self.again()

    def close(self) -> None:
        """Nobody has anything open any more."""
        self.mirror.close()
        self.carl.close()
        self.peer.db.close()

    def lose_channel(self) -> None:
        """The channel's folder is gone, and there is an empty one in its place."""
        self.close()
        shutil.rmtree(Path(self.path).parent)
        self.carl = self.channel()
        self.peer = Peer(self.path, PEER, CHANNEL)
        self.mirror = Mirror.open(self.home, CHANNEL, sync=False)

    def channel(self) -> Channel:
        return Channel.open(self.home, CHANNEL, anew=True, sync=False)

    def again(self, rebuild: bool = False) -> Bridge:
        """A bridge as a new process would make it."""
        self.bridge = Bridge(
            self.root, self.mirror, lambda _, text: self.told.append(text), rebuild
        )
        return self.bridge

    def settle(self) -> None:
        self.bridge.settle()

    # --- talking -----------------------------------------------------------------------------

    def mail(self, sender: str, to: str, subject: str, body: str = "", **more: str) -> str:
        """Send by mail; the key of the file."""
        found = delivery.send(self.root, sender, [to], subject, body.encode(), **more)  # type: ignore[arg-type]
        return found.delivered[0].path.replace("/inbox/", "/")

    def say(self, sender: str, kind: str, to: str, content: str, task: str = "") -> Event:
        """What an agent says by a command, on the side where it lives."""
        event = Event(kind=kind, sender=sender, to=to, content=content, task=task)
        store: Store = TeamStore(self.channel()) if sender == SWARM else self.mail_store()
        stored = speaking.say(store, sender, event, time.time())[0]
        return stored[-1]

    def mail_store(self) -> MailStore:
        return MailStore(self.root, watching=False)

    def read(self, agent: str, name: str) -> None:
        receipts.write(self.root, agent, name)

    def put_away(self, agent: str, name: str, delete: bool) -> None:
        archive.archive(self.root, agent, [name], False, delete)

    # --- seeing ------------------------------------------------------------------------------

    def inbox(self, agent: str) -> list[str]:
        return inbox.in_order(inbox.message_names(self.root, self.root.inbox(agent)))

    def unread(self, agent: str) -> list[str]:
        return inbox.unread_names(self.root, agent)

    def rows(self) -> list[Event]:
        """All messages of the channel that are more than presence."""
        found = self.mirror.every(0, 10_000)
        return [event for event in found if not event.intent.startswith("agent_")]

    def tasks(self, agent: str) -> tuple[dict[str, Task], dict[str, Task]]:
        """The tasks of a party as each side tells them, by the thread's key."""
        by_mail = fold(self.mail_store().voice(agent).conversation())
        session = PEER if agent == PEER_ID else agent
        by_row = fold(TeamStore(self.channel()).voice(session).conversation())
        return by_mail, by_row
