"""SIGINT and SIGTERM as a wish to stop; a second one ends the process at once."""

import signal
from collections.abc import Callable
from types import FrameType


def heed(stop: Callable[[], object]) -> None:
    """Have either signal call ``stop``, once."""

    def once(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, once)


def stopping() -> Callable[[], bool]:
    """What tells whether a signal has come since."""
    came: list[bool] = []
    heed(lambda: came.append(True))
    return lambda: bool(came)
