"""A mail tree as a store.

What came is always found by looking: a folder's time every second, its names every minute.  The
kernel's events, where there are any, shorten that; only while they come are the looks spread, a
share at a time, so that nobody who is hinted at waits for all of them: over a second, and over
some where thousands are guarded.
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping

from swarm import names, syncing
from swarm.errors import Conflict
from swarm.mailbox import layout, watch
from swarm.mailbox.guests import is_guest
from swarm.mailbox.layout import Root, check_known, check_mine
from swarm.mamoru.signals import Mate
from swarm.transport.base import Store, Voice
from swarm.transport.mail_agent import MailTransport
from swarm.transport.mail_claim import MailClaim
from swarm.transport.mail_files import Folder
from swarm.transport.mail_roster import Registry
from swarm.transport.mail_voice import MailVoice
from swarm.transport.pulse import Pulse

# Seconds between two looks at all open mailboxes.
LOOK = 1.0
# While events come: seconds between two looks at a share, and the mailboxes in it (10,000 idle
# ones: a twentieth of a core at most).
GLANCE = 0.1
SHARE = 100
# Agents at most whose steps wait for the disk at once.
TOGETHER = 16

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


class MailStore(Store):
    """A mail tree, for the agents of this process.  ``watching``: whether to use events."""

    keeps = True
    marks = False

    def __init__(self, root: Root, watching: bool = True) -> None:
        self.root = root
        self._entries = Registry(root)
        self._pulse = Pulse(root.path)
        self._top, self._dir = Folder(root.path), Folder(root.dir)
        self._agents: list[str] = []
        self._open: dict[str, MailTransport] = {}
        self._looked = float("-inf")
        self._next = 0
        self._ear = watch.Ear(lambda stop: watch.hints(root, stop)) if watching else None
        self._notes: list[str] = []
        self._threads: ThreadPoolExecutor | None = None

    def agents(self) -> list[str]:
        if self._top.due() or self._dir.due():
            with self._top.listed(), self._dir.listed():
                known = layout.known(self.root)
                mine = (agent for agent in known if not layout.is_private(self.root, agent))
                self._agents = [agent for agent in mine if not is_guest(self.root, agent)]
        return self._agents

    def knows(self, agent: str) -> bool:
        known = names.is_id(agent) and layout.is_known(self.root, agent)
        return known and not is_guest(self.root, agent)

    def open(self, agent: str) -> MailTransport:
        check_mine(self.root, agent)
        if is_guest(self.root, agent):
            raise Conflict(f"{agent} lives on a channel", "its guardian works there", code="guest")
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
            self._sleep(min(left, max(0.0, self._next_look() - time.monotonic())))

    def _hinted(self) -> set[str]:
        """Whom the events name; one that names nobody makes the look come at once."""
        hinted = self._ear.take() if self._ear else set()
        if "" in hinted:
            self._looked = float("-inf")
        return hinted & self._open.keys()

    def _look(self) -> set[str]:
        """Whose folders changed, or are to be listed again; nobody's before it is time."""
        now = time.monotonic()
        if now < self._next_look():
            return set()
        self._looked = now
        agents = list(self._open)
        if self._spreads():
            start, self._next = self._next % len(agents), self._next + SHARE
            agents = (agents[start:] + agents[:start])[:SHARE]
        return {agent for agent in agents if self._open[agent].due()}

    def _next_look(self) -> float:
        return self._looked + (GLANCE if self._spreads() else LOOK)

    def _spreads(self) -> bool:
        """Whether a look is at a share of the mailboxes only."""
        return len(self._open) > SHARE and self._ear is not None and self._ear.hears()

    def _sleep(self, seconds: float) -> None:
        if self._ear:
            self._ear.sleep(seconds)
        else:
            time.sleep(seconds)

    def each(self, agents: Iterable[str], turn: Callable[[str], object]) -> None:
        """While a turn waits for the disk another thread goes on with the next."""
        left = deque(agents)
        others: list[Future[None]] = []

        def work() -> None:
            try:
                with syncing.Turn(waits):
                    while left:
                        turn(left.popleft())
            finally:
                left.clear()

        def waits() -> None:
            if left and len(others) < TOGETHER - 1:
                others.append(self._other_thread(work))

        try:
            work()
        finally:
            failures = [other.exception() for other in others]  # once each has ended
        for failure in failures:
            if failure:
                raise failure

    def _other_thread(self, work: Callable[[], None]) -> "Future[None]":
        from concurrent.futures import ThreadPoolExecutor  # not cheap, and only here

        if self._threads is None:
            self._threads = ThreadPoolExecutor(TOGETHER - 1, "turn")
        return self._threads.submit(work)

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
        if self._threads:
            self._threads.shutdown()
