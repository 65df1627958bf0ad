"""What goes wrong again and again: told once, tried ever less often, told when it is over."""

import os
import traceback

from swarm.errors import SwarmError
from swarm.mamoru.forward import Tell

FIRST = 0.1
MOST = 30.0


class Trouble:
    """One that fails: how often, what was told of it, and when to try again (a steady clock)."""

    __slots__ = ("again_at", "count", "text")

    def __init__(self) -> None:
        self.again_at = 0.0
        self.count = 0
        self.text = ""


class Troubles:
    """The troubles of a process by what they concern: an agent's id, or a thing done for all.

    ``count``: how many there were in all.
    """

    def __init__(self, tell: Tell) -> None:
        self.tell = tell
        self.open: dict[str, Trouble] = {}
        self.count = 0

    def note(self, what: str, error: Exception, now: float) -> None:
        """One more; told if it is another than the last time.  The wait doubles up to 30 s."""
        trouble = self.open.setdefault(what, Trouble())
        trouble.again_at = now + min(MOST, FIRST * 2.0 ** min(trouble.count, 20))
        trouble.count += 1
        self.count += 1
        text = described(error)
        if text != trouble.text:
            trouble.text = text
            self.tell(what, text)

    def over(self, what: str) -> None:
        """It works; told if it did not before."""
        trouble = self.open.pop(what, None)
        if trouble:
            times = "once" if trouble.count == 1 else f"{trouble.count} times"
            self.tell(what, f"works again, after it failed {times}")

    def due(self, now: float) -> list[str]:
        """What is to be tried again."""
        return [what for what, trouble in self.open.items() if trouble.again_at <= now]

    def next(self) -> float:
        """When the first of them is to be tried again; infinity for never."""
        return min((trouble.again_at for trouble in self.open.values()), default=float("inf"))


def described(error: Exception) -> str:
    """One line: what is wrong and the way out; for an unexpected error where it came from."""
    if isinstance(error, SwarmError):
        way_out = error.hint or ("it is tried again" if error.temporary else "")
        return f"{error.message}; {way_out}" if way_out else error.message
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return f"unexpected {type(error).__name__}{where}: {error}; it is tried again, please report it"
