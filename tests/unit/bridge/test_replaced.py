"""A side that is replaced, emptied or gone while a bridge runs: never taken for "all deleted"."""

import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from swarm.bridge import apply
from swarm.errors import Conflict
from swarm.mailbox import registry
from swarm.mailbox.layout import make_box
from swarm.mailbox.making import init
from swarm.team.channel import Channel
from tests.peer import Peer
from tests.unit.bridge.world import CHANNEL, PEER, PEER_ID, World
from tests.unit.rights import bound_program


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Something crossed, something is to cross in both directions."""
    found = World(tmp_path)
    for word in ("before", "after"):
        found.settle()
        found.peer.send("info_only", word, "bob")
        found.mail("alice", "carl" if word == "after" else "bob", word)
    return found


def no_database(world: World) -> None:
    for path in Path(world.path).parent.glob("team.db*"):
        path.unlink()


def another_clients_database(world: World) -> None:
    no_database(world)
    peer = Peer(world.path, PEER, CHANNEL)
    peer.arrive("Pia")
    peer.send("info_only", "anew", "bob")


def another_of_swarm(world: World) -> None:
    no_database(world)
    Channel.open(world.home, CHANNEL, anew=True, sync=False).close()


def no_channel(world: World) -> None:
    Path(world.path).parent.rename(Path(world.home, "elsewhere"))


def no_rows(world: World) -> None:
    world.peer.db.execute("PRAGMA foreign_keys = OFF")
    world.peer.db.execute("DELETE FROM messages")
    world.peer.db.execute("DELETE FROM sqlite_sequence")


def other_content(world: World) -> None:
    """The same file with what another one held."""
    other = sqlite3.connect(":memory:")
    with sqlite3.connect(world.path) as db:
        other.backup(db)


def no_tree(world: World) -> None:
    Path(world.root.path).rename(Path(world.root.path).with_name("elsewhere"))


def another_tree(world: World) -> None:
    no_tree(world)
    init(str(Path(world.root.path).parent), ["alice", "bob"])


def no_memory_in_the_tree(world: World) -> None:
    shutil.rmtree(Path(world.root.path, ".bridge"))


CHANNELS = [no_database, another_clients_database, another_of_swarm, no_channel, no_rows, other_content]  # fmt: skip
TREES = [no_tree, another_tree, no_memory_in_the_tree]


@pytest.mark.parametrize("replace", CHANNELS)
@pytest.mark.parametrize("hinted", [None, set[str]()])
def test_a_channel_that_was_replaced_ends_the_bridge_and_changes_nothing_in_the_tree(
    world: World, replace: Callable[[World], None], hinted: set[str] | None
) -> None:
    before = tree(world)
    replace(world)
    if hinted is None or replace not in (no_rows, other_content):
        with pytest.raises(Conflict) as raised:
            world.bridge.step(hinted)
        assert raised.value.code == "replaced"
    assert tree(world) == before


@pytest.mark.parametrize("replace", TREES)
@pytest.mark.parametrize("hinted", [None, set[str]()])
def test_a_tree_that_was_replaced_ends_the_bridge_and_changes_nothing_in_the_channel(
    world: World, replace: Callable[[World], None], hinted: set[str] | None
) -> None:
    before = list(world.peer.db.iterdump())
    replace(world)
    with pytest.raises(Conflict) as raised:
        world.bridge.step(hinted)
    assert raised.value.code == "replaced"
    assert list(world.peer.db.iterdump()) == before


@pytest.mark.parametrize("side", ["mail", f"team/{CHANNEL}"])
def test_a_side_that_comes_back_is_gone_on_with(world: World, side: str, tmp_path: Path) -> None:
    path = tmp_path / side
    path.rename(tmp_path / "elsewhere")
    with pytest.raises(Conflict):
        world.bridge.step()
    (tmp_path / "elsewhere").rename(path)
    world.mirror.close()
    world.mirror = type(world.mirror).open(world.home, CHANNEL, sync=False)
    world.again()
    world.settle()
    assert [len(world.inbox(agent)) for agent in ("bob", "carl")] == [3, 1]
    assert len(world.rows()) == 4


def test_a_mailbox_that_was_removed_is_not_read_through(world: World) -> None:
    world.settle()
    before = world.mirror.cursors()["bob"]
    shutil.rmtree(world.root.box("bob"))
    registry.unregister(world.root, "bob")
    world.mail("alice", PEER_ID, "and on")
    world.settle()
    assert world.mirror.cursors()["bob"] == before
    assert "and on" in [event.content for event in world.rows()]


def tree(world: World) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in Path(world.root.path).rglob("*") if p.is_file()}


AWAY = """
import os, sys, time
from pathlib import Path
from tests.unit.bridge.world import World
world = World(Path(sys.argv[1]))
world.settle()
time.sleep(0.1)  # the registry is settled: it is not listed again
world.bridge.step()
world.peer.send("info_only", "hello", "bob")
box, away = world.root.box("bob"), sys.argv[1] + "/away"
os.rename(box, away)
os.chmod(world.root.dir, 0)
world.bridge.step(set())
os.chmod(world.root.dir, 0o755)
os.rename(away, box)
world.settle()
print(*world.told, len(world.inbox("bob")))
"""


def test_a_mailbox_that_is_away_is_not_one_that_left_where_the_registry_cannot_tell(
    tmp_path: Path,
) -> None:
    done = bound_program(sys.executable, "-c", AWAY, str(tmp_path), cwd=Path(__file__).parents[3])
    told, _, count = done.stdout.strip().rpartition(" ")
    assert count == "1", done.stderr
    assert told.startswith("bob gets no mail: cannot list") and "Permission denied" in told


@pytest.fixture
def away(world: World, tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """The mailbox of one of whom there is nothing else, while it is somewhere else; a row came."""
    make_box(world.root, "dave")
    world.settle()
    box, elsewhere = Path(world.root.box("dave")), tmp_path / "away"
    box.rename(elsewhere)
    world.peer.send("info_only", "hello", "dave")
    world.told.clear()
    yield box, elsewhere


def test_mail_for_a_mailbox_that_is_away_waits_until_it_is_back(
    world: World, away: tuple[Path, Path]
) -> None:
    world.settle()
    assert world.told == ["dave gets no mail: no agent 'dave' here"]
    world.again()
    world.settle()
    away[1].rename(away[0])
    world.settle()
    assert [name.split("_")[1] for name in world.inbox("dave")] == ["hello"]


def test_mail_for_a_mailbox_that_stays_away_is_left_out_after_an_hour(
    world: World, away: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    world.settle()
    monkeypatch.setattr(apply, "AWAY", 0.0)
    world.settle()
    assert world.told[1].startswith("dave has no mailbox any more: ")
    away[1].rename(away[0])
    world.settle()
    assert world.inbox("dave") == []
