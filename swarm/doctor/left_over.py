"""Temporary files ``.swarm-<process>-<n>.tmp``: whose they are, and when they may go."""

import os
import time
from stat import S_ISREG

from swarm import disk
from swarm.doctor import rights
from swarm.doctor.finding import Finding, mended
from swarm.doctor.folders import HARMLESS, Folder

HOUR, DAY = 3600, 86400


def sweep(folder: Folder, fix: bool) -> tuple[list[Finding], list[os.DirEntry[str]]]:
    """Findings on the temporary files of ours in a folder, and what else is in it.

    With ``fix`` those are removed that nobody can want: an hour after they were last written,
    or a day while a process of their number lives; by then the number is another's.
    """
    found, others = [], []
    for entry in folder.entries:
        if entry.name.startswith(disk.TEMP_PREFIX):
            found += _examine(folder, entry.name, fix)
        elif entry.name not in HARMLESS:
            others.append(entry)
    return found, others


def _examine(folder: Folder, name: str, fix: bool) -> list[Finding]:
    shown = folder.inside(name)
    try:
        seen = os.lstat(f"{folder.path}/{name}")
    except OSError:  # gone
        return []
    if not S_ISREG(seen.st_mode):
        return [Finding("warn", shown, "named like a temporary file, but none", "move it away")]
    in_use = _in_use(shown, time.time() - seen.st_mtime, _process(name))
    if in_use:
        return [in_use]
    return _remove(folder, name, shown) if fix else [_old(shown, "swarm doctor --fix removes it")]


def _in_use(shown: str, age: float, process: int) -> Finding | None:
    """The finding on one that somebody may still want."""
    if age < DAY and _lives(process):
        way = "wait for it to end, then swarm doctor --fix"
        return Finding("warn", shown, f"half-written by process {process}, which runs", way)
    if age < HOUR:
        way = "wait; swarm doctor --fix removes it when it is an hour old"
        return Finding("warn", shown, "half-written, perhaps by a killed process", way)
    return None


def _old(shown: str, way: str, reason: str = "") -> Finding:
    return Finding("warn", shown, f"left by a killed process{reason}", way)


def _remove(folder: Folder, name: str, shown: str) -> list[Finding]:
    try:
        gone = disk.remove(f"{folder.path}/{name}")
    except OSError as error:
        way = rights.after(error, "remove", folder.path, folder.shown)
        return [_old(shown, way, f" and cannot be removed ({error.strerror})")]
    return [mended(shown, "left by a killed process, now removed")] if gone else []


def _process(name: str) -> int:
    """The number of the process that wrote it, 0 if the name does not tell."""
    number, dash, _ = name.removeprefix(disk.TEMP_PREFIX).partition("-")
    told = dash and number.isascii() and number.isdigit() and len(number) < 10
    return int(number) if told else 0


def _lives(process: int) -> bool:
    """Whether a process of that number runs on this host, whoever's it is."""
    if not process:
        return False
    try:
        os.kill(process, 0)  # signal 0 only asks
    except PermissionError:
        return True
    except OSError:
        return False
    return True
