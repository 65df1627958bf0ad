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
from swarm.mamoru.signals import Mate
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
        self._residents: set[str] = set()  # only a mark makes guests of them

    def known(self) -> list[str]:
        """All mailboxes and entries."""
        if self._top.due() or self._dir.due():
            with self._top.listed(), self._dir.listed():
                self._known = layout.known(self._root)
                here = guests.guests(self._root, self._residents)
            before = {one.id: one for one in self._guests}
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

    def people(
        self, channel: str, sessions: Mapping[str, Session]
    ) -> tuple[dict[str, str], dict[str, Resident]]:
        """The session of each guest from that channel, where nothing speaks against it; and who
        lives in the tree: one without an entry has only a mailbox."""
        known = self.known()
        here = [one for one in self._guests if one.channel == channel]
        found = believed([(one.id, one.session, one.sure) for one in here], sessions)
        for agent in sorted(one.id for one in here if one.id not in found):
            text = f"{agent} is not who it says it is on {channel}: the session is another's"
            self._problems[f"session of {agent}"] = text
        ours = {row.ours for row in sessions.values() if not row.left}
        away = {
            one.id
            for one in self._guests
            if one.marked
            or one.id in found
            or (one.id not in ours and self._is_bridged(one, channel))
        }
        mates = self._registry.mates()
        residents = {agent: _resident(mates.get(agent)) for agent in known if agent not in away}
        self._residents = set(residents)
        return found, residents

    def _is_bridged(self, one: Guest, channel: str) -> bool:
        """Whether it says that it is from another channel, to which there ever was a bridge."""
        bridges = f"{self._root.path}/.bridge"
        other = one.channel != channel and names.is_id(one.channel)
        return other and os.path.isdir(f"{bridges}/{one.channel}")

    def unmarked(self) -> list[str]:
        """Guests whose mailbox was made anew, by somebody who does not know what they are."""
        return [one.id for one in self._guests if one.boxed and not one.marked]

    def roster(self) -> tuple[object, ...]:
        """What tells whether somebody came, left or changed."""
        return self.known(), self._registry.mates(), [one.place() for one in self._guests]

    def welcomed(self) -> None:
        """A guest has got its mailbox."""
        self._top.forget()

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


def _resident(mate: Mate | None) -> Resident:
    if mate is None:
        return Resident(entry=False)
    return Resident(description=mate.description, status=mate.status, seen=mate.seen, entry=True)


def _status(root: Root, agent: str) -> str:
    try:
        return registry.entry(root, agent).status
    except SwarmError:
        return ""
