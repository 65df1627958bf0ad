"""A mail tree as a store.

What came is always found by looking: a folder's time every second, its names every 30 s.  The
kernel's events, where there are any, shorten that; only while they come, and thousands are
guarded, are the looks spread over some seconds.
"""

import threading
import time
from collections.abc import Mapping

from swarm import names
from swarm.errors import Conflict
from swarm.mailbox import layout, watch
from swarm.mailbox.layout import Root, check_known
from swarm.mamoru.signals import Mate
from swarm.transport.base import Store, Voice
from swarm.transport.mail_agent import MailTransport
from swarm.transport.mail_claim import MailClaim
from swarm.transport.mail_roster import Registry

# Seconds: between two looks at all open mailboxes; until watching is tried again.
LOOK = 1.0
AGAIN = 30.0
# Mailboxes in one look while events come (10,000 idle ones: a twentieth of a core at most), and
# seconds without a word from the watcher until they count as not coming.
SHARE = 1000
DEAF = 10.0


class MailStore(Store):
    """A mail tree, for the agents of this process.  ``watching``: whether to use events."""

    keeps = True
    marks = False

    def __init__(self, root: Root, watching: bool = True) -> None:
        self.root = root
        self._entries = Registry(root)
        self._open: dict[str, MailTransport] = {}
        self._looked = float("-inf")
        self._next = 0
        self._bell = _Bell(root) if watching else None
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
        return MailTransport(self.root, agent, self._entries, None, self._shut)

    def _shut(self, agent: str) -> None:
        self._open.pop(agent, None)

    def roster(self) -> Mapping[str, Mate]:
        return self._entries.mates()

    def beat(self, agents: list[str]) -> None:
        self._entries.beat([agent for agent in agents if agent in self._open])

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
        hinted = self._bell.take() if self._bell else set()
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
        if len(agents) <= SHARE or not (self._bell and self._bell.hears()):
            return agents
        start, self._next = self._next % len(agents), self._next + SHARE
        return (agents + agents)[start : start + SHARE]

    def _sleep(self, seconds: float) -> None:
        if self._bell:
            self._bell.sleep(seconds)
        else:
            time.sleep(seconds)

    def notes(self) -> list[str]:
        if self._bell:
            self._notes += self._bell.notes()
        found, self._notes = self._notes, []
        return found

    def close(self) -> None:
        for transport in list(self._open.values()):
            transport.close()
        if self._bell:
            self._bell.close()


class _Bell:
    """A thread that follows the tree and says whose mail changed; begun at the first wait."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._rung = threading.Condition()
        self._hinted: set[str] = set()
        self._notes: list[str] = []
        self._heard = float("-inf")
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self) -> set[str]:
        """Agents named since the last call; "" among them for what names nobody."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._follow, name="mail-hints", daemon=True)
            self._thread.start()
        with self._rung:
            found, self._hinted = self._hinted, set()
            return found

    def hears(self) -> bool:
        """Whether the tree is watched right now."""
        return time.monotonic() - self._heard < DEAF

    def notes(self) -> list[str]:
        """Why the tree is not watched, if it is not."""
        with self._rung:
            found, self._notes = self._notes, []
            return found

    def sleep(self, seconds: float) -> None:
        """Return at a hint, or after that time."""
        with self._rung:
            if not self._hinted:
                self._rung.wait(seconds)

    def _follow(self) -> None:
        told = ""
        while not self._stop.is_set():
            try:
                for hinted in watch.hints(self._root, self._stop):
                    self._ring(hinted)
            except Exception as error:  # whatever the engine of the events raises: looks go on
                if str(error) != told:
                    told = str(error)
                    self._note(f"the mail tree is not watched, only looked at: {told}")
            self._heard = float("-inf")
            self._stop.wait(AGAIN)

    def _ring(self, hinted: set[str]) -> None:
        self._heard = time.monotonic()
        if hinted:
            with self._rung:
                self._hinted |= hinted
                self._rung.notify_all()

    def _note(self, text: str) -> None:
        with self._rung:
            self._notes.append(text)

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2.0)
