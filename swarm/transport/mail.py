"""A mail tree as a store.

What came is always found by looking: a folder's time every second, its names every 30 s.  The
kernel's events, where there are any, shorten that; only while they come, and thousands are
guarded, are the looks spread over some seconds.
"""

import time
from collections.abc import Collection, Mapping

from swarm import names
from swarm.errors import Conflict
from swarm.mailbox import layout, watch
from swarm.mailbox.layout import Root, check_known
from swarm.mamoru.signals import Mate
from swarm.transport.base import Store, Voice
from swarm.transport.mail_agent import MailTransport
from swarm.transport.mail_claim import MailClaim
from swarm.transport.mail_roster import Registry
from swarm.transport.mail_voice import MailVoice
from swarm.transport.pulse import Pulse

# Seconds between two looks at all open mailboxes.
LOOK = 1.0
# Mailboxes in one look while events come (10,000 idle ones: a twentieth of a core at most).
SHARE = 1000


class MailStore(Store):
    """A mail tree, for the agents of this process.  ``watching``: whether to use events."""

    keeps = True
    marks = False

    def __init__(self, root: Root, watching: bool = True) -> None:
        self.root = root
        self._entries = Registry(root)
        self._pulse = Pulse(root.path)
        self._open: dict[str, MailTransport] = {}
        self._looked = float("-inf")
        self._next = 0
        self._ear = watch.Ear(lambda stop: watch.hints(root, stop)) if watching else None
        self._notes: list[str] = []

    def agents(self) -> list[str]:
        return layout.known(self.root)

    def open(self, agent: str) -> MailTransport:
        names.check_id(agent)
        check_known(self.root, agent)
        if agent in self._open:
            raise Conflict(f"{agent} is guarded already", "end that one first", code="claimed")
        claim = MailClaim(self.root, agent)
        try:
            transport = MailTransport(self.root, agent, self._entries, claim, self._shut)
        except BaseException:
            claim.release()
            raise
        self._open[agent] = transport
        return transport

    def voice(self, agent: str) -> Voice:
        names.check_id(agent)
        check_known(self.root, agent)
        return MailVoice(self.root, agent, self._entries)

    def _shut(self, agent: str) -> None:
        self._open.pop(agent, None)

    def roster(self) -> Mapping[str, Mate]:
        return self._entries.mates()

    def beat(self, agents: list[str]) -> None:
        self._entries.beat([agent for agent in agents if agent in self._open])

    def pulse(self, agents: Collection[str]) -> None:
        self._pulse.beat(agents)

    def wait(self, seconds: float) -> set[str] | None:
        end = time.monotonic() + seconds
        while True:
            found = self._hinted() or self._look()
            left = end - time.monotonic()
            if found or left <= 0:
                return found
            self._sleep(min(left, max(0.0, self._looked + LOOK - time.monotonic())))

    def _hinted(self) -> set[str]:
        """Whom the events name; one that names nobody makes the look come at once."""
        hinted = self._ear.take() if self._ear else set()
        if "" in hinted:
            self._looked = float("-inf")
        return hinted & self._open.keys()

    def _look(self) -> set[str]:
        """Every second, whose folders changed, or are to be listed again."""
        now = time.monotonic()
        if now < self._looked + LOOK:
            return set()
        self._looked = now
        return {agent for agent in self._turn() if self._open[agent].due()}

    def _turn(self) -> list[str]:
        """Whose mailboxes this look is at."""
        agents = list(self._open)
        if len(agents) <= SHARE or not (self._ear and self._ear.hears()):
            return agents
        start, self._next = self._next % len(agents), self._next + SHARE
        return (agents + agents)[start : start + SHARE]

    def _sleep(self, seconds: float) -> None:
        if self._ear:
            self._ear.sleep(seconds)
        else:
            time.sleep(seconds)

    def notes(self) -> list[str]:
        if self._ear:
            self._notes += self._ear.notes()
        found, self._notes = self._notes, []
        return found

    def close(self) -> None:
        self._pulse.end()
        for transport in list(self._open.values()):
            transport.close()
        if self._ear:
            self._ear.close()
