"""Notices that this process stood still: a laptop's sleep, SIGSTOP, a clock set forward."""

import time
from collections.abc import Callable

# Less than this is an ordinary delay of a busy machine.
SLACK = 5.0


def steady() -> float:
    """A clock that nobody sets; where the system has one, it goes on during sleep."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class Standstill:
    """Compares both clocks with what was expected to pass between two calls."""

    __slots__ = ("_clock", "_steady", "_steady_at", "_wall_at")

    def __init__(
        self, clock: Callable[[], float] = time.time, steady: Callable[[], float] = steady
    ) -> None:
        self._clock = clock
        self._steady = steady
        self._wall_at, self._steady_at = clock(), steady()

    def noticed(self, expected: float) -> float:
        """Seconds lost since the last call, beyond those expected; 0 if there were none."""
        wall, now = self._clock(), self._steady()
        passed = max(wall - self._wall_at, now - self._steady_at)
        self._wall_at, self._steady_at = wall, now
        lost = passed - expected
        return lost if lost > SLACK else 0.0
