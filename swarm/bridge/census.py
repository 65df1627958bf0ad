"""Who is in the mail tree, as a bridge sees it."""

import os
from collections.abc import Iterable

from swarm.bridge.actions import Lodger, Resident
from swarm.errors import SwarmError
from swarm.mailbox import guests, layout, registry
from swarm.mailbox.layout import Root
from swarm.transport.mail_files import Folder
from swarm.transport.mail_roster import Registry


class Census:
    """Looked for only where a folder's time says so; what is wrong is noted in ``problems``."""

    def __init__(self, root: Root, problems: dict[str, str]) -> None:
        self._root = root
        self._problems = problems
        self._registry = Registry(root)
        self._top, self._dir = Folder(root.path), Folder(root.dir)
        self._known: list[str] = []
        self._guests: list[guests.Guest] = []

    def known(self) -> list[str]:
        """All mailboxes and entries."""
        if self._top.due() or self._dir.due():
            self._top.listing()
            self._dir.listing()
            self._known = layout.known(self._root)
            before = {one.id: one for one in self._guests}
            self._guests = guests.guests(self._root)
            for at, one in enumerate(self._guests):
                if not (one.channel and one.session):
                    self._guests[at] = before.get(one.id, one)
                    mark = f"{one.id}/{guests.MARK}"
                    self._problems[mark] = f"{mark} does not say whose mailbox it is"
        return self._known

    def guests(self, channel: str) -> list[tuple[str, str]]:
        """Mailbox and session of each guest from that channel."""
        self.known()
        return [(one.id, one.session) for one in self._guests if one.channel == channel]

    def roster(self) -> tuple[object, ...]:
        """What tells whether somebody came, left or changed."""
        return self.known(), self._registry.mates()

    def welcomed(self) -> None:
        """A guest has got its mailbox."""
        self._top.forget()

    def residents(self) -> dict[str, Resident]:
        """Agents that live in the tree; one without an entry has only a mailbox."""
        known = self.known()
        mates = self._registry.mates()
        elsewhere = {one.id for one in self._guests}
        found = {}
        for agent in known:
            if agent not in elsewhere:
                mate = mates.get(agent)
                found[agent] = Resident(
                    description=mate.description if mate else "",
                    status=mate.status if mate else "inactive",
                    seen=mate.seen if mate else 0.0,
                    entry=mate is not None,
                )
        return found

    def lodgers(self, guests: Iterable[str]) -> dict[str, Lodger]:
        """The entries of guests; their status as mail's word."""
        found = {}
        for agent in guests:
            try:
                seen = os.stat(self._root.entry(agent)).st_mtime
            except OSError:
                continue
            found[agent] = Lodger(status=_status(self._root, agent), seen=seen)
        return found

    def at_work(self) -> tuple[str, ...]:
        """Who a broadcast goes to (contract 4): everybody registered who has not finished."""
        mates = self._registry.mates().items()
        return tuple(sorted(agent for agent, mate in mates if mate.status != "inactive"))


def _status(root: Root, agent: str) -> str:
    try:
        return registry.entry(root, agent).status
    except SwarmError:
        return ""
