"""Guardians that were killed, or that hang."""

import time

from swarm import disk
from swarm.doctor.finding import Finding, mended
from swarm.errors import from_os
from swarm.mailbox.layout import Root
from swarm.transport.pulse import FOLDER, Guarding, guardings

HOUR = 3600


def examine(root: Root, fix: bool) -> list[Finding]:
    """A finding on each that does not do its work; ``fix`` removes the trace of a long dead one."""
    return [_finding(root, one, fix) for one in guardings(root.path, time.time()) if one.problem]


def _finding(root: Root, one: Guarding, fix: bool) -> Finding:
    shown = f"{FOLDER}/{one.file}"
    what = f"the guardian of {one.whom} {one.problem}"
    if one.lives:
        way = f"look at what it says, or end it (kill {one.process}) and start it again"
        return Finding("warn", shown, what, way)
    if not fix or one.age < HOUR:
        way = "start it again; an hour after its death swarm doctor --fix removes its trace"
        return Finding("warn", shown, what, way)
    try:
        disk.remove(f"{root.path}/{shown}")
    except OSError as error:
        return Finding("warn", shown, what, from_os(error, "remove", shown).hint)
    return mended(shown, f"removed the trace of the guardian of {one.whom}")
