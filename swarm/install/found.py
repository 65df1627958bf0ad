"""What there is of each harness here, and what of ours is set up in it."""

import os
import shutil

from swarm.install.apply import states
from swarm.install.harnesses import NAMES, PROGRAMS, files
from swarm.install.places import Places

MISSING = "missing"


class Row:
    """``part``: program, folder, hooks, mcp, skill, lines; ``state``: what is said of it."""

    __slots__ = ("harness", "part", "path", "scope", "state")

    def __init__(self, harness: str, scope: str, part: str, state: str, path: str) -> None:
        self.harness = harness
        self.scope = scope
        self.part = part
        self.state = state
        self.path = path


def look(scopes: list[Places], words: list[str]) -> list[Row]:
    """Rows for each harness: whether it is here; what is set up, for those that are."""
    return [row for name in NAMES for row in _harness(name, scopes, words)]


def _harness(name: str, scopes: list[Places], words: list[str]) -> list[Row]:
    program = next((path for one in PROGRAMS[name] if (path := shutil.which(one))), "")
    rows = [Row(name, "", "program", "found" if program else MISSING, program)]
    folders = []
    for at in scopes:
        folder = getattr(at, name)
        if os.path.isdir(folder):
            folders.append(Row(name, at.scope, "folder", "found", folder))
    parts = [row for at in scopes for row in _parts(name, at, words)]
    here = program or folders
    told = [row for row in parts if row.state != MISSING or (here and row.scope == "project")]
    return rows + folders + told


def _parts(name: str, at: Places, words: list[str]) -> list[Row]:
    return [
        Row(name, at.scope, part, state or MISSING, file.path)
        for file in files(name, at)
        for part, state in states(file, words).items()
    ]
