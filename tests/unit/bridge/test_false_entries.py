"""Entries and marks that claim what is another's: nobody's mail goes astray by them."""

import shutil
from pathlib import Path

import pytest

from swarm.mailbox.layout import make_box
from tests.unit.bridge.world import CHANNEL, PEER, PEER_ID, World


def claim(world: World, agent: str, session: str, channel: str = CHANNEL) -> None:
    """An entry by hand."""
    known = f"id: {agent}\nrole: r\narchetype: planner\ntask: t\nstatus: active\n"
    Path(world.root.entry(agent)).write_text(f"{known}via: {channel}\nsession: {session}\n")


def goes_on(world: World) -> None:
    """Mail in both directions, by those who were there before."""
    world.peer.send("info_only", "to bob", "bob")
    world.mail("alice", PEER_ID, "to the peer")
    world.settle()
    name = world.unread("bob")[-1]
    said = Path(world.root.inbox("bob"), name).read_text()
    assert "Subject: to bob\n" in said
    assert f"From: {PEER_ID}\n" in said
    row = [row for row in world.rows() if row.content == "to the peer"][-1]
    assert (row.sender, row.to) == ("alice", PEER)
    assert world.bridge.missing() == []


@pytest.mark.parametrize("session", [PEER, "bob", "carl"])
def test_entries_that_name_anothers_session_take_nothing_from_it(
    world: World, session: str
) -> None:
    for agent in ("aaron", "zed"):  # before and after whoever it is in the order of names
        claim(world, agent, session)
    world.settle()
    goes_on(world)
    world.again()
    world.settle()
    goes_on(world)
    assert [told.partition(":")[0] for told in world.told] == [
        f"{agent} is not who it says it is on {CHANNEL}" for agent in ("aaron", "zed")
    ]


def test_nobody_waits_under_a_false_name_for_a_session_that_is_still_to_come(
    world: World,
) -> None:
    claim(world, "zed", "dora")
    world.settle()
    world.channel().join("dora", description="late")
    world.settle()
    key = world.mail("alice", "dora", "welcome")
    world.settle()
    assert [row.to for row in world.rows() if row.origin.endswith(key)] == ["dora"]
    goes_on(world)


@pytest.mark.parametrize("channel", [CHANNEL, "nowhere"])
@pytest.mark.parametrize("session", [PEER, "bob", "carl", "nobody"])
@pytest.mark.parametrize("away", [False, True])
def test_an_agent_of_the_tree_stays_one_whatever_its_entry_says(
    world: World, session: str, channel: str, away: bool
) -> None:
    claim(world, "bob", session, channel)
    if away:
        shutil.rmtree(world.root.box("bob"))
    world.again()
    world.settle()
    goes_on(world)


@pytest.mark.parametrize("agent", ["aaron", "zed"])
def test_a_mark_that_names_a_residents_session_takes_nothing_from_it(
    world: World, agent: str
) -> None:
    make_box(world.root, agent)
    Path(world.root.box(agent), ".guest").write_text(f"channel: {CHANNEL}\nsession: bob\n")
    world.settle()
    goes_on(world)


@pytest.mark.parametrize("again", [False, True])
def test_a_guest_whose_mailbox_was_removed_for_good_still_gets_its_mail(
    world: World, again: bool
) -> None:
    shutil.rmtree(world.root.box(PEER_ID))
    if again:
        world.again()
    world.settle()
    goes_on(world)
    assert Path(world.root.box(PEER_ID), ".guest").exists()
    world.again()
    world.settle()
    goes_on(world)
    assert world.mirror.row(PEER_ID) is None  # no agent of the tree
