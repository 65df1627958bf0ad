"""Something to be done for each of many agents every few seconds, a share at a time."""

from collections import deque


class Rounds:
    """Whose turn it is.  ``period``: seconds of a round; ``least``: between two shares."""

    __slots__ = ("_last", "_least", "_new", "_period", "_queue")

    def __init__(self, period: float, least: float) -> None:
        self._period = period
        self._least = least
        self._last = float("-inf")
        self._queue: deque[str] = deque()
        self._new: list[str] = []

    def add(self, agent: str) -> None:
        """The agent is among the next share, and then once a round."""
        self._new.append(agent)

    def share(self, now: float) -> list[str]:
        """Those whose turn it is, as many as the time since the last share calls for."""
        passed = now - self._last
        count = min(len(self._queue), int(len(self._queue) * min(1.0, passed / self._period)))
        if passed < self._least or not (count or self._new):
            return []
        self._last = now
        found = [self._queue.popleft() for _ in range(count)] + self._new
        self._new = []
        self._queue.extend(found)
        return found

    def drop(self, agent: str) -> None:
        """The agent has no more turns."""
        for listed in (self._queue, self._new):
            if agent in listed:
                listed.remove(agent)
