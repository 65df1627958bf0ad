"""Bridges: whether they run and get through, and what could not cross."""

import time

from swarm import disk
from swarm.ages import age
from swarm.bridge.health import FOLDER, UP, Health, bridges, running, was_killed
from swarm.bridge.pair import Ledger
from swarm.doctor.finding import Finding, mended
from swarm.errors import SwarmError
from swarm.mailbox.layout import Root

SHOWN = 20


def examine(root: Root, fix: bool) -> list[Finding]:
    """What is to be said of each bridge; ``fix`` forgets what could not cross."""
    return up(root) + [
        one for health in bridges(root, time.time()) for one in _findings(root, health, fix)
    ]


def _findings(root: Root, health: Health, fix: bool) -> list[Finding]:
    place = f"{FOLDER}/{health.channel}"
    if health.problem:
        way = f"look at what it says, or end it (kill {health.process}) and start it again"
        found = [Finding("warn", place, health.problem, way)]
    elif health.process:
        past = "no pass yet" if health.age is None else f"last pass {age(health.age)} ago"
        text = f"bridged by process {health.process}, {past}"
        found = [Finding("ok", place, text)]
    else:
        found = [_idle(root, place, health.channel)]
    return found + _crossings(root, place, health, fix)


def _idle(root: Root, place: str, channel: str) -> Finding:
    """That no bridge runs, which is bad only where something waits for one."""
    way = f"swarm bridge --channel {channel}, or swarm up --channel {channel}"
    try:
        count = Ledger(root, channel).waiting()
    except SwarmError as error:
        return Finding("warn", place, f"no bridge runs, and {error.message}", error.hint or way)
    if count:
        return Finding("warn", place, f"no bridge runs, and {count} rows wait for one", way)
    return Finding("ok", place, f"no bridge runs: {way}")


def _crossings(root: Root, place: str, health: Health, fix: bool) -> list[Finding]:
    """What could not cross, the first of it."""
    where = f"{place}/problems"
    if health.problems and fix:
        try:
            disk.remove(f"{root.path}/{where}")
            return [mended(where, f"forgot {len(health.problems)} things that could not cross")]
        except OSError:
            fix = False
    way = "swarm doctor --fix forgets it"
    found = [Finding("warn", where, text, way) for text in health.problems[:SHOWN]]
    more = len(health.problems) - SHOWN
    return found + ([Finding("warn", where, f"and {more} more", way)] if more > 0 else [])


def up(root: Root) -> list[Finding]:
    """Whether the process that ``swarm up`` began is there."""
    if not was_killed(root):
        number = running(root)
        return [Finding("ok", UP, f"swarm is up as process {number}")] if number else []
    return [Finding("warn", UP, "swarm up was killed", "start it again")]
