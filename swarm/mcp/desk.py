"""What a place of messages has to do so that the tools work on it."""

from dataclasses import dataclass
from typing import Protocol

from swarm.mcp.answers import Entered, Found, Held, Inbox, Read, Sent, Shown, Threads
from swarm.mcp.session import Session


@dataclass(frozen=True)
class Draft:
    """A message about no task, as it was asked for; ``key``: of one, only the first is sent."""

    subject: str
    body: str
    thread: str
    status: str
    detail: str
    key: str


class Desk(Protocol):
    """One agent's side of a mail tree or a channel; all calls block, from any thread."""

    session: Session

    def inbox(self, limit: int, sender: str, thread: str) -> Inbox:
        """What is unread; changes nothing."""
        ...

    def read(self, wanted: str, every: bool, peek: bool, held: Held) -> Read:
        """The message meant, the next or all unread ones; ``held`` marks them read."""
        ...

    def send(self, to: list[str], draft: Draft) -> Sent:
        """A message that is about no task."""
        ...

    def reply(self, wanted: str, draft: Draft) -> Sent:
        """To the sender of a message."""
        ...

    def thread(self, key: str) -> Threads:
        """One's conversations, or one of them."""
        ...

    def search(self, words: list[str]) -> Found:
        """One's messages that hold all the words."""
        ...

    def register(self, agent: str, role: str, archetype: str, task: str, again: bool) -> Entered:
        """Be that agent from now on."""
        ...

    def roster(self) -> list[tuple[str, str, str]]:
        """(id, status, what it is for) of the others that are there."""
        ...

    def message(self, wanted: str) -> Shown:
        """A message as it stands, not marked."""
        ...
