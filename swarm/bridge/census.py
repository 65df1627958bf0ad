"""Who is in the mail tree, as a bridge sees it."""

import os
from collections.abc import Iterable, Mapping

from swarm import names
from swarm.bridge.actions import Lodger, Resident, Session
from swarm.bridge.who import believed
from swarm.errors import SwarmError
from swarm.mailbox import guests, layout, registry
from swarm.mailbox.guests import Guest
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
        self._guests: list[Guest] = []
        self._residents: set[str] = set()
        self._not_believed: set[str] = set()

    def known(self) -> list[str]:
        """All mailboxes and entries."""
        if self._top.due() or self._dir.due():
            with self._top.listed(), self._dir.listed():
                self._known = layout.known(self._root)
                before = {one.id: one for one in self._guests}
                here = guests.guests(self._root, self._residents)
                found = [self._remembered(one, before) for one in here]
                self._guests = [one for one in found if one]
        return self._known

    def _remembered(self, one: Guest, before: Mapping[str, Guest]) -> Guest | None:
        """The same, as it was known where nothing says now whose mailbox it is."""
        if one.channel and one.session:
            return one
        if one.marked:
            mark = f"{one.id}/{guests.MARK}"
            self._problems[mark] = f"{mark} does not say whose mailbox it is"
        return before.get(one.id, one if one.marked else None)

    def guests(self, channel: str, sessions: Mapping[str, Session]) -> dict[str, str]:
        """Mailbox and session of each guest from that channel, where nothing speaks against it."""
        self.known()
        here = [one for one in self._guests if one.channel == channel]
        claims = [(one.id, one.session, one.sure) for one in here]
        found = believed(claims, sessions)
        self._not_believed = {one.id for one in here if one.id not in found}
        for agent in sorted(self._not_believed):
            text = f"{agent} is not who it says it is on {channel}: the session is another's"
            self._problems[f"session of {agent}"] = text
        ours = {row.ours for row in sessions.values() if not row.left}
        for one in self._guests:
            if one.channel != channel and not one.sure and (one.id in ours or not self._knows(one)):
                self._not_believed.add(one.id)
        return found

    def _knows(self, one: Guest) -> bool:
        """Whether there ever was a bridge to where it says it is."""
        return names.is_id(one.channel) and os.path.isdir(
            f"{self._root.path}/.bridge/{one.channel}"
        )

    def unmarked(self) -> list[str]:
        """Guests whose mailbox was made anew, by somebody who does not know what they are."""
        return [one.id for one in self._guests if one.boxed and not one.marked]

    def roster(self) -> tuple[object, ...]:
        """What tells whether somebody came, left or changed."""
        return self.known(), self._registry.mates(), [one.place() for one in self._guests]

    def welcomed(self) -> None:
        """A guest has got its mailbox."""
        self._top.forget()

    def residents(self) -> dict[str, Resident]:
        """Agents that live in the tree; one without an entry has only a mailbox."""
        known = self.known()
        mates = self._registry.mates()
        elsewhere = {
            one.id for one in self._guests if one.marked or one.id not in self._not_believed
        }
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
        self._residents = set(found)
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
