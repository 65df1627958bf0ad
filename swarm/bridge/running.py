"""A bridge as a process: one at a time for a pair, another standing by; woken by hints.

Hints only shorten the wait: once a second, seldom with many thousands of mailboxes, everything is
looked at that a time says has changed.
"""

import os
import time
from collections.abc import Callable

from swarm import disk, lock
from swarm.bridge.actions import Action
from swarm.bridge.apply import Tell
from swarm.bridge.bridge import Bridge
from swarm.bridge.health import FOLDER
from swarm.errors import Conflict, SwarmError, Unreadable, from_os
from swarm.mailbox import watch
from swarm.mailbox.layout import Root
from swarm.team.mirror import Mirror

# Seconds between two looks at everything, of standing by.
LOOK = 1.0
# A look takes such a part of the time until the next, which comes after so many seconds anyway.
SHARE, SELDOM = 200, 10.0
# Seconds between two glances at the channel: in talk, which is for so long after each message, and
# when nobody talks.  A wakening costs more than the glance.
GLANCE, DOZE = 0.01, 0.033
TALK = 5.0
# Of hints: longer than a guardian's, since who writes by mail does not wait for milliseconds.
PACE = (6, 18)
STAND_BY = 0.5
# Seconds between two marks of a good pass; the longest a failed pass waits for the next.
BEAT = 2.0
PATIENCE = 5.0


class Standby:
    """The right to be the bridge of a pair: a lock in the tree, given back however it ends.

    Its time is that of the last good pass.
    """

    def __init__(self, root: Root, channel: str) -> None:
        folder = f"{root.path}/{FOLDER}/{channel}"
        self._path = f"{folder}/lock"
        self._fd = -1
        self._next = 0.0
        if root.shared:  # it acts for all of them, and would have to read everybody's mail
            raise Conflict(
                f"{root.path} is shared by several users: a bridge needs a tree of one",
                "make one for it: swarm init",
                code="shared",
            )
        try:
            disk.make_folders(root.path, folder)
        except OSError as error:
            raise from_os(error, "lock", self._path) from None

    def take(self) -> bool:
        """Whether it is ours now."""
        try:
            self._fd = lock.take(self._path)
            if self._fd >= 0:
                os.utime(self._fd, (0, 0))  # no pass yet
        except OSError as error:
            raise from_os(error, "lock", self._path) from None
        return self._fd >= 0

    def beat(self) -> None:
        """A pass went through just now."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + BEAT
            try:
                os.utime(self._fd)
            except OSError as error:
                raise from_os(error, "touch", self._path) from None

    def close(self) -> None:
        """Give it back."""
        if self._fd >= 0:
            os.close(self._fd)


def once(root: Root, mirror: Mirror, tell: Tell, rebuild: bool = False) -> None:
    """Carry over what is missing, and end; Conflict while another bridge is at work."""
    standby = Standby(root, mirror.place.channel)
    try:
        if not standby.take():
            raise _taken(mirror, rebuild)
        Bridge(root, mirror, tell, rebuild).settle()
    finally:
        standby.close()


def dry_run(root: Root, mirror: Mirror, tell: Tell, rebuild: bool = False) -> list[Action]:
    """What a first step would do; only the two sides' memory of each other is written."""
    return Bridge(root, mirror, tell, rebuild).missing()


def run(
    root: Root,
    mirror: Mirror,
    tell: Tell,
    stopping: Callable[[], bool],
    rebuild: bool = False,
) -> None:
    """Bridge until told to stop; stand by while another process does.

    What may pass (a full or locked disk, rights) is told once, and tried again; Conflict where
    a side was replaced, or is to be rebuilt while another bridge is at work.
    """
    standby = Standby(root, mirror.place.channel)
    try:
        if not standby.take():
            if rebuild:
                raise _taken(mirror, rebuild)
            tell("", f"another process bridges {mirror.place.channel}: standing by")
            while not standby.take():
                if stopping():
                    return
                time.sleep(STAND_BY)
        bridge = Bridge(root, mirror, tell, rebuild)
        tell("", f"bridging {root.path} and {mirror.place.channel}; Ctrl-C ends it")
        with watch.Ear(lambda stop: watch.hints(root, stop, PACE)) as ear:
            _loop(bridge, ear, standby, tell, stopping)
    finally:
        standby.close()


def _taken(mirror: Mirror, rebuild: bool) -> Conflict:
    way = "end that one first (swarm down)" if rebuild else "it carries everything over by itself"
    return Conflict(f"another process bridges {mirror.place.channel}", way, code="bridged")


def _loop(
    bridge: Bridge, ear: watch.Ear, standby: Standby, tell: Tell, stopping: Callable[[], bool]
) -> None:
    due, pause, said, talked = 0.0, 0.0, "", float("-inf")
    hinted: set[str] | None = None
    while not stopping():
        try:
            began = time.monotonic()
            busy = bridge.step(hinted)
            if hinted is None:
                took = 0.0 if busy else time.monotonic() - began
                due = began + min(SELDOM, max(LOOK, SHARE * took))
            standby.beat()
            pause, said = 0.0, ""
        except SwarmError as error:
            if not (error.temporary or isinstance(error, Unreadable)):
                raise
            if error.message != said:
                said = error.message
                tell("", f"{said}; trying again")
            pause = min(PATIENCE, pause * 2 or 0.1)
            time.sleep(pause)
            hinted = None
            continue
        if busy:
            hinted, talked = set(), time.monotonic()
        else:
            glance = GLANCE if time.monotonic() < talked + TALK else DOZE
            hinted = _wait(bridge, ear, due, glance, stopping)


def _wait(
    bridge: Bridge, ear: watch.Ear, due: float, glance: float, stopping: Callable[[], bool]
) -> set[str] | None:
    """Until something may have changed: in whose mailboxes, None for everywhere."""
    while not stopping():
        if time.monotonic() >= due:
            return None
        heard = ear.take()
        if heard:
            return None if "" in heard else heard
        if bridge.mirror.changed():
            return set()
        ear.sleep(glance)
    return None
