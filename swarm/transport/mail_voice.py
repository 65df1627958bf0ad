"""A mailbox as a command speaks for it, beside the guardian that may have it."""

import time
from collections.abc import Iterator

from swarm.events import Event
from swarm.mailbox.layout import Root
from swarm.mailbox.wait import LOOK, Bell
from swarm.transport.mail_agent import MailTransport
from swarm.transport.mail_files import Folder
from swarm.transport.mail_roster import Registry


class MailVoice(MailTransport):
    """One agent's mailbox, unclaimed."""

    def __init__(self, root: Root, agent: str, entries: Registry) -> None:
        super().__init__(root, agent, entries, None, lambda _: None)

    def whole(self, event: Event) -> Event:
        if event.body:
            return event
        for folder in (self._root.inbox(self.me), self._root.sent(self.me)):
            letter = self._letters.read(f"{folder}/{event.id}")
            if letter and letter.event("").sender == event.sender:
                return event.replace(body=letter.message.body)
        return event

    def follow(self, seconds: float | None) -> Iterator[list[Event]]:
        end = None if seconds is None else time.monotonic() + seconds
        here = self._root.inbox(self.me)
        folders = [Folder(here), Folder(self._root.sent(self.me))]
        with Bell(here) as bell:
            while True:
                bell.arm()
                for folder in folders:
                    folder.listing()
                yield self.conversation()
                if not _changed(bell, folders, end):
                    return


def _changed(bell: Bell, folders: list[Folder], end: float | None) -> bool:
    """Whether there may be more before the end."""
    while True:
        left = LOOK if end is None else end - time.monotonic()
        if left <= 0:
            return False
        bell.wait(min(LOOK, left))
        if any(folder.due() for folder in folders):
            return True
