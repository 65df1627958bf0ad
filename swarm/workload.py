"""How much an agent has open: the tasks asked of it that have no end yet."""

from collections.abc import Iterable
from typing import NamedTuple

from swarm.errors import SwarmError
from swarm.mamoru.tasks import Task, fold
from swarm.transport.base import Store


class Load(NamedTuple):
    """``tasks``: how many are open, ``overdue``: of those how many whose worker is silent for too
    long.  ``oldest``: seconds since the oldest was asked, None where there is none."""

    tasks: int
    overdue: int
    oldest: float | None


def loads(store: Store, agents: Iterable[str], now: float, timeout: float) -> dict[str, Load]:
    """By agent; those whose messages cannot be read are left out.  Reads all their messages."""
    found = {}
    for agent in agents:
        try:
            said = store.voice(agent).conversation()
        except SwarmError:  # the overview itself names what is wrong with it
            continue
        open_ones = [t for t in fold(said).values() if t.open and t.worker == agent]
        found[agent] = _load(open_ones, now, timeout)
    return found


def _load(found: list[Task], now: float, timeout: float) -> Load:
    late = sum(task.overdue(now, timeout) for task in found)
    oldest = max((max(0.0, now - task.since) for task in found), default=None)
    return Load(len(found), late, oldest)
