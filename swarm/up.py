"""One process for a host: the guardian of everybody in a mail tree, and bridges to channels.

Each bridge is a thread with connections of its own.  What goes wrong with one of them is told,
and the others go on.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence

from swarm import disk, lock
from swarm.bridge import running as bridging
from swarm.bridge.health import UP, running
from swarm.errors import Conflict, SwarmError, Temporary, from_os
from swarm.mailbox.layout import Root
from swarm.mamoru.forward import Left, Tell
from swarm.mamoru.host import Host
from swarm.mamoru.state import Settings
from swarm.team.mirror import Mirror
from swarm.transport.mail import MailStore

# Seconds between two tries of a bridge that cannot work, and for an end to come.
AGAIN = 30.0
ENDING = 10.0
STEP = 0.05


class Claim:
    """The right to be the process of a tree: a locked file that holds its number."""

    def __init__(self, root: Root) -> None:
        self._path = f"{root.path}/{UP}"
        try:
            self._fd = lock.take(self._path)
        except OSError as error:
            raise from_os(error, "write to", self._path) from None
        if self._fd < 0:
            raise already(running(root))

    def close(self) -> None:
        """Give it back."""
        disk.remove(self._path)
        os.close(self._fd)


def already(number: int) -> Conflict:
    """The error where a process is up for the tree."""
    return Conflict(f"swarm is up here already (number {number})", "swarm down ends it", code="up")


def down(root: Root, seconds: float = ENDING) -> int:
    """End the process that is up for a tree; its number, 0 if none was.

    Temporary if it has not ended by then.
    """
    number = running(root)
    if not number:
        return 0
    os.kill(number, signal.SIGTERM)
    end = time.monotonic() + seconds
    while running(root) == number:
        if time.monotonic() > end:
            raise Temporary(f"process {number} has not ended yet", "try again, or kill it")
        time.sleep(STEP)
    return number


class Up:
    """The parts of one process, and how they end together."""

    def __init__(
        self, root: Root, team_home: str, channels: Sequence[str], tell: Tell, settings: Settings
    ) -> None:
        self._root = root
        self._home = team_home
        self._channels = channels
        self._tell = tell
        self._settings = settings
        self._over = threading.Event()

    def run(self, heed: Callable[[Callable[[], object]], None]) -> None:
        """Guard and bridge until told to stop; Conflict if another process is up here."""
        claim = Claim(self._root)
        threads = [
            threading.Thread(target=self._bridge, args=(name,), name=f"bridge {name}", daemon=True)
            for name in self._channels
        ]
        try:
            for thread in threads:
                thread.start()
            store = MailStore(self._root)
            host = Host(store, None, Left(self._tell), self._tell, self._settings)
            heed(host.stop)
            host.run()
        finally:
            self._over.set()
            for thread in threads:
                thread.join(ENDING)
            claim.close()

    def _bridge(self, name: str) -> None:
        """One bridge, begun again for as long as the process lives."""
        said = ""
        while not self._over.is_set():
            try:
                with Mirror.open(self._home, name, sync=self._root.sync) as mirror:
                    bridging.run(self._root, mirror, self._say, self._over.is_set)
            except SwarmError as error:
                if error.message != said:
                    said = error.message
                    self._tell("", f"bridge {name}: {said}" + f" ({error.hint})" * bool(error.hint))
            except Exception as error:  # told: the guardian and the other bridges go on
                self._tell("", f"bridge {name} failed: {error!r}")
            self._over.wait(AGAIN)

    def _say(self, about: str, text: str) -> None:
        self._tell("", text)
