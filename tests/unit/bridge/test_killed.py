"""A bridge that dies anywhere: the next one ends where an undisturbed one would have ended."""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from errno import EACCES, ENOSPC
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest

from swarm.bridge.bridge import Bridge
from swarm.errors import SwarmError, Unreadable
from swarm.mailbox import registry
from swarm.mailbox.layout import Root, make_box
from swarm.mailbox.making import init
from swarm.team.mirror import Mirror
from tests.peer import Peer
from tests.unit.bridge.dying import Dying
from tests.unit.bridge.world import CHANNEL, PEER, PEER_ID, World

HIDDEN = ("open", "writ", "unli")
MESSAGES = "SELECT message_id, from_agent, to_agent, task_id, ref_message_id, payload FROM messages"
AGENTS = "SELECT session_id, agent_name, description, provider, status FROM agents ORDER BY 1"
CURSORS = "SELECT * FROM agent_cursors ORDER BY 1"


def talk(world: World, guest: str) -> None:
    """Something of each kind, on both sides, that has not crossed."""
    world.mail("alice", guest, "see below", "the whole text\n")
    world.mail("alice", "bob", "between us")
    world.say("alice", "task_req", "carl", "make it")
    world.say("bob", "broadcast", "", "to everybody")
    world.say("carl", "info_only", PEER, "a b c")
    detail = Path(world.path).with_name("notes.md")
    detail.write_text("a longer text\n")
    world.peer.insert({"event": "info_only", "content": "see file", "detail": str(detail)}, "alice")
    world.peer.send("broadcast", "lunch")
    world.peer.send("task_req", "draw it", "alice")
    registry.register(world.root, "dora", "tester", "specialist", "tests")
    registry.unregister(world.root, "erin")
    Peer(world.path, "7777-8888", CHANNEL).arrive("Quinn")
    world.peer.leave()


def bridged(world: World) -> None:
    """A pair that works, with more said since."""
    registry.register(world.root, "erin", "tester", "specialist", "tests")
    world.settle()
    world.mail("bob", PEER_ID, "to be read there")
    first = world.peer.send("task_req", "count", "bob")
    world.peer.send("task_req", "count", "alice")
    world.settle()
    world.peer.poll()
    world.peer.set_status("available")
    [name] = world.inbox("bob")
    world.read("bob", name)
    path = Path(world.root.inbox("bob"), name)
    path.write_text(path.read_text().replace("Event:", "Status: done\nEvent:", 1))
    world.read("alice", world.inbox("alice")[0])
    assert first
    talk(world, PEER_ID)


def strangers(world: World) -> None:
    """Two sides that were never bridged."""
    make_box(world.root, "carl")
    registry.register(world.root, "erin", "tester", "specialist", "tests")
    talk(world, "carl")


def lost_channel(world: World) -> None:
    """The channel was deleted, and carl made it anew."""
    bridged(world)
    world.settle()
    world.close()
    shutil.rmtree(Path(world.path).parent)
    world.channel().join("carl")


def lost_tree(world: World) -> None:
    """The tree was deleted, and made anew."""
    bridged(world)
    world.settle()
    shutil.rmtree(world.root.path)
    init(str(Path(world.root.path).parent), ["alice", "bob"])


@dataclass
class Scene:
    """What there is before; ``place`` can be made like that again and again."""

    folder: Path
    rebuild: bool

    @property
    def place(self) -> Path:
        return self.folder / "place"

    def reset(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.folder / "before", self.place, symlinks=True)

    def bridge(self, well: Callable[[], None] = lambda: None) -> None:
        """A bridge as a process of its own would be, until nothing is missing.

        ``well``: called where something is refused that may pass, before all is tried again.
        """
        with Mirror.open(str(self.place / "team"), CHANNEL, sync=False) as mirror:
            root = Root(str(self.place / "mail"), sync=False)
            with patch("os.urandom", Random(1).randbytes), patch("swarm.bridge.workers.AGAIN", 0):
                bridge = None
                try:
                    bridge = Bridge(root, mirror, lambda *_: None, self.rebuild)
                    bridge.settle()
                except SwarmError as error:
                    assert error.temporary or isinstance(error, Unreadable)
                well()
                bridge = bridge or Bridge(root, mirror, lambda *_: None, self.rebuild)
                bridge.settle()

    def state(self) -> dict[str, object]:
        """Everything, but for times, hidden leftovers and the pair's name."""
        token = re.search("token: (.*)", (self.place / f"mail/.bridge/{CHANNEL}/pair").read_text())
        assert token
        db = sqlite3.connect(self.place / "team" / CHANNEL / "team.db")
        found: dict[str, object] = {
            f"row {row[0]}": _said(row, token[1]) for row in db.execute(MESSAGES)
        }
        found |= {f"agent {row[0]}": row for row in db.execute(AGENTS)}
        found |= {f"cursor {row[0]}": row for row in db.execute(CURSORS)}
        found["bridge"] = db.execute("SELECT mirrored, restored FROM swarm_bridge").fetchall()
        db.close()
        for path in self.place.rglob("*"):
            name = str(path.relative_to(self.place))
            if path.is_file() and not re.search(r"/\.swarm-|/lock$|team\.db|/rows$", name):
                text = re.sub("(?m)^Date: .*\n", "", path.read_text())
                found[name.replace(token[1], "TOKEN")] = text.replace(token[1], "TOKEN")
        ledger = (self.place / f"mail/.bridge/{CHANNEL}/rows").read_text()
        found["ledger"] = sorted(set(ledger.split("\n")))
        return {key: str(value).replace(token[1], "TOKEN") for key, value in found.items()}


def _said(row: tuple[object, ...], token: str) -> tuple[object, ...]:
    return (*row[:5], json.loads(str(row[5])))


def scene(folder: Path, prepare: Callable[[World], None], rebuild: bool) -> Scene:
    found = Scene(folder, rebuild)
    world = World(found.place, bridged=prepare is not strangers)
    prepare(world)
    world.close()
    found.place.rename(folder / "before")
    return found


@pytest.fixture
def folder() -> Iterator[Path]:
    """In memory where there is such a place: hundreds of databases are made and closed."""
    memory = "/dev/shm"
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as found:
        yield Path(found)


@pytest.mark.parametrize(
    ("prepare", "rebuild"),
    [(bridged, False), (strangers, False), (lost_channel, True), (lost_tree, True)],
)
def test_a_bridge_that_died_anywhere_is_followed_by_one_that_ends_as_if_it_had_not(
    folder: Path, prepare: Callable[[World], None], rebuild: bool
) -> None:
    here = scene(folder, prepare, rebuild)
    here.reset()
    with Dying()() as alive:
        here.bridge()
    expected = here.state()
    for number, within in moments(alive.steps):
        here.reset()
        with Dying(number, within)():
            here.bridge()
        here.bridge()
        assert here.state() == expected, (alive.steps[number], number, within)


def test_a_disk_that_was_full_or_locked_for_a_while_makes_no_difference(folder: Path) -> None:
    here = scene(folder, bridged, False)
    here.reset()
    with Dying()() as alive:
        here.bridge()
    expected = here.state()
    for place, (number, _) in enumerate(moments(alive.steps)):
        here.reset()
        with Dying(number, error=(ENOSPC, EACCES)[place % 2])() as refused:
            here.bridge(refused.well)
        assert here.state() == expected, (alive.steps[number], number)


def moments(steps: list[str]) -> list[tuple[int, bool]]:
    """Between any two kinds of steps that last, and half through the transactions and the ledger.

    A file that has only a hidden name yet is none; one of each kind where many are alike.
    """
    lasting = [(number, step) for number, step in enumerate(steps) if step[:4] not in HIDDEN]
    last = {}
    for (_, done), (number, next_) in pairwise([(0, ""), *lasting]):
        last[f"after {done}"] = last[f"before {next_}"] = number
    within = {step: n for n, step in enumerate(steps) if "work" in step or step.endswith("rows")}
    return [(n, False) for n in sorted(set(last.values()))] + [(n, True) for n in within.values()]
