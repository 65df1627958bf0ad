"""Nudging as mail comes: who has new mail is looked at again, and who could not be nudged yet."""

import os
import time

from swarm.harness import nudge as one
from swarm.harness.nudge import Nudge
from swarm.mailbox.layout import Root
from swarm.mailbox.watch import Ear, hints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOOK_S = 2.0  # a look at everybody's mail so often, whatever the hints say
ENTRIES_S = 30.0  # and at the entries, where the registry's own time tells of no change


class Panes:
    """The agents to be nudged: those named, or all whose entries name a pane."""

    def __init__(self, root: Root, ids: list[str]) -> None:
        self._root = root
        self._ids = ids
        self._found: list[str] = []
        self._seen = (-1, 0.0)

    def agents(self) -> list[str]:
        """As they are now; thousands of entries are read again only if some may have changed."""
        if self._ids:
            return self._ids
        now = time.monotonic()
        changed = os.stat(self._root.dir).st_mtime_ns
        if changed != self._seen[0] or now - self._seen[1] > ENTRIES_S:
            self._seen = (changed, now)
            self._found = one.with_target(self._root)
        return self._found


def follow(
    root: Root, ids: list[str], programs: frozenset[str], dry: bool, stop: "Callable[[], bool]"
) -> "Iterator[Nudge]":
    """Nudge until ``stop()``; what was done, and why not, each time that this is new."""
    panes, told = Panes(root, ids), dict[str, tuple[str, str]]()
    with Ear(lambda ended: hints(root, ended)) as ear:
        heard: set[str] = {""}
        due = 0.0
        while not stop():
            everybody = "" in heard or time.monotonic() >= due
            for agent in panes.agents():
                if everybody or agent in heard:
                    found = one.nudge(root, agent, programs, dry)
                    if _is_news(found, told):
                        yield found
            due = time.monotonic() + LOOK_S if everybody else due
            heard = ear.wait(min(0.5, max(0.0, due - time.monotonic())))


def _is_news(found: Nudge, told: dict[str, tuple[str, str]]) -> bool:
    """A line typed always, a reason not again until it is another; no mail is no news."""
    before = told.get(found.agent)
    told[found.agent] = (found.done, found.reason)
    return found.done == "typed" or (found.done != "nothing" and before != told[found.agent])
