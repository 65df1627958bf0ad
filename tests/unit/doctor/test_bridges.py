"""What the doctor says of bridges: whether one runs, what waits, what could not cross."""

from pathlib import Path

import pytest

from swarm import doctor
from swarm.bridge.health import Crossings
from swarm.bridge.running import Standby, once
from swarm.events import Event
from swarm.mailbox.layout import Root
from swarm.team.channel import Channel
from swarm.team.mirror import Mirror


@pytest.fixture
def bridged(root: Root, tmp_path: Path) -> Path:
    """A tree that was bridged once; the home of its channel."""
    home = tmp_path / "team"
    with Channel.create(str(home), "ops") as channel:
        channel.join("carl")
    carry_over(root, home)
    return home


def carry_over(root: Root, home: Path) -> None:
    with Mirror.open(str(home), "ops") as mirror:
        once(root, mirror, lambda *_: None)


def said(root: Root, fix: bool = False) -> list[tuple[str, str]]:
    found = doctor.examine(root, fix)
    return [(f.level, f.text) for f in found if f.path.startswith((".bridge", ".up"))]


def test_a_bridge_that_does_not_run_is_told_as_bad_only_if_rows_wait(
    root: Root, bridged: Path
) -> None:
    way = "swarm bridge --channel ops, or swarm up"
    assert said(root) == [("ok", f"no bridge runs: {way}")]
    with Channel.open(str(bridged), "ops") as channel:
        channel.join("dora")
        channel.send(Event(kind="info_only", sender="dora", to="carl", content="hello"))
    assert said(root) == [("warn", f"no bridge runs, and 1 rows wait for one: {way}")]


def test_a_bridge_that_runs_is_told_with_its_last_pass(root: Root, bridged: Path) -> None:
    standby = Standby(root, "ops")
    assert standby.take()
    assert "no pass yet" in said(root)[0][1]
    standby.beat()
    assert "last pass 0s ago" in said(root)[0][1]
    standby.close()


def test_what_could_not_cross_is_told_until_it_is_forgotten(root: Root, bridged: Path) -> None:
    log = Crossings(root, "ops")
    assert log.add("row 7 is from nobody in the channel")
    assert not log.add("row 7 is from nobody in the channel")
    assert not Crossings(root, "ops").add("row 7 is from nobody in the channel")
    assert ("warn", "row 7 is from nobody in the channel: swarm doctor --fix forgets it") in said(
        root
    )
    assert ("ok", "mended: forgot 1 things that could not cross") in said(root, fix=True)
    assert len(said(root)) == 1


def test_a_channel_that_is_gone_is_told(root: Root, bridged: Path) -> None:
    (bridged / "ops").rename(bridged / "away")
    [(level, text)] = said(root)
    assert level == "warn" and "no channel ops" in text


def test_a_killed_up_is_told(root: Root) -> None:
    Path(root.path, ".up").write_text("1\n")
    assert said(root) == [("warn", "swarm up was killed: start it again")]
