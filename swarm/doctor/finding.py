"""One thing the doctor has to say."""

LEVELS = ("fail", "warn", "ok")


class Finding:
    """A line of ``swarm doctor`` (contract 4).

    ``level``: ok, warn or fail.  ``path``: relative to the root, ``.`` for the root itself.
    ``text``: what is wrong and, after a colon, the way out.  ``fix``: the way out alone; ''
    exactly where the level is ok.  Commands in it are written for a shell in the root.
    """

    __slots__ = ("fix", "level", "path", "text")

    def __init__(self, level: str, path: str, what: str, fix: str = "") -> None:
        self.level = level
        self.path = path
        self.text = f"{what}: {fix}" if fix else what
        self.fix = fix


def mended(path: str, what: str) -> Finding:
    """Something that was wrong until now."""
    return Finding("ok", path, f"mended: {what}")
