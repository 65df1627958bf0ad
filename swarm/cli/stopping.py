"""SIGINT and SIGTERM as a question: whether to stop; a second one ends the process at once."""

import signal
from types import FrameType


class Stopping:
    """Called, it says whether a signal has come since it was made."""

    def __init__(self) -> None:
        self._stop = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._heed)

    def _heed(self, number: int, _: FrameType | None) -> None:
        self._stop = True
        signal.signal(number, signal.SIG_DFL)

    def __call__(self) -> bool:
        return self._stop
