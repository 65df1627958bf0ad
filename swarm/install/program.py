"""How the files of others name this program, and whether what they name is there."""

import os
import shlex
import shutil
import sys
from importlib.util import find_spec

MODULE = ["-m", "swarm"]
EXTRA = "pip install 'monkey-swarm[mcp]'"


def words() -> list[str]:
    """The words that start this very program: ``swarm`` where that is found on PATH.

    The short word is the same on every machine, and stays the same when this one moves.
    """
    own = _launcher()
    found = shutil.which("swarm")
    if found and own and os.path.realpath(found) == os.path.realpath(own):
        return ["swarm"]
    return [own] if own else [sys.executable, *MODULE]


def _launcher() -> str:
    """The path of the launcher that was started, or that stands beside this interpreter."""
    beside = os.path.join(os.path.dirname(sys.executable), "swarm")
    for path in (os.path.abspath(sys.argv[0]), beside):
        if os.path.basename(path) == "swarm" and os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return ""


def parted(command: list[str]) -> tuple[list[str], list[str]]:
    """The words that start swarm and those for it; nothing where they start another program.

    What is set before it, as in ``env NAME=value swarm``, goes with the program.
    """
    at = _first(command)
    rest = command[at:]
    if rest and os.path.basename(rest[0]) == "swarm":
        return command[: at + 1], command[at + 1 :]
    if rest[1:3] == MODULE and os.path.basename(rest[0]).startswith("python"):
        return command[: at + 3], command[at + 3 :]
    return [], []


def _first(command: list[str]) -> int:
    """Where the program stands in a command, after what is set for it."""
    at = 1 if command and os.path.basename(command[0]) == "env" else 0
    while at < len(command) and "=" in command[at] and not command[at].startswith(("/", "-")):
        at += 1
    return at


def split(command: str) -> list[str]:
    """The words of a command as a shell sees them; none where only a shell could tell."""
    try:
        return shlex.split(command)
    except ValueError:  # of a shell's other grammar: not ours
        return []


def starts(words: list[str]) -> bool:
    """Whether the program that these words name can be started here."""
    at = _first(words)
    return at < len(words) and shutil.which(words[at]) is not None


def serves() -> bool:
    """Whether this installation has the packages of ``swarm mcp``, which are an extra."""
    return find_spec("mcp") is not None
