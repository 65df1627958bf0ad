"""When each of many agents has to be called next: a heap, so that the idle ones cost nothing."""

from heapq import heapify, heappop, heappush

NEVER = float("inf")


class Alarms:
    """One time per agent.  What was set before stays in the heap, and is skipped."""

    __slots__ = ("_at", "_heap")

    def __init__(self) -> None:
        self._heap: list[tuple[float, str]] = []
        self._at: dict[str, float] = {}

    def set(self, agent: str, when: float) -> None:
        """Call the agent at ``when`` instead of what was set before; infinity for never."""
        if when == self._at.get(agent, NEVER):
            return
        if when == NEVER:
            del self._at[agent]
            return
        self._at[agent] = when
        heappush(self._heap, (when, agent))
        if len(self._heap) > 64 + 2 * len(self._at):
            self._heap = [(at, name) for name, at in self._at.items()]
            heapify(self._heap)

    def sooner(self, agent: str, when: float) -> None:
        """Call the agent at ``when``, if nothing earlier is set."""
        if when < self._at.get(agent, NEVER):
            self.set(agent, when)

    def next(self) -> float:
        """The first time that is set; infinity for none."""
        while self._heap and self._at.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else NEVER

    def due(self, now: float) -> list[str]:
        """Agents whose time has come; each counts as called."""
        found = []
        while self.next() <= now:
            _, agent = heappop(self._heap)
            del self._at[agent]
            found.append(agent)
        return found
