"""Ages in words, as people write them: 40s, 90m, 3h, 2d.  Pure."""

from swarm import names
from swarm.errors import UsageError

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def age(seconds: float) -> str:
    """Seconds in the largest unit that fits, as ``parse_age`` reads it."""
    for unit in ("d", "h", "m"):
        if seconds >= UNITS[unit]:
            return f"{int(seconds // UNITS[unit])}{unit}"
    return f"{int(max(seconds, 0))}s"


def parse_age(text: str) -> int:
    """Seconds of an age like ``90m``: digits and one of s, m, h, d."""
    digits, unit = text[:-1], text[-1:]
    if unit in UNITS and digits.isascii() and digits.isdigit() and len(digits) < 10:
        return int(digits) * UNITS[unit]
    raise UsageError(
        f"{names.shown(text)} is no age", "a number and s, m, h or d, as in 90m", code="bad-age"
    )
