"""Leaving the registry: who goes, why, and that the mail stays; ages as they are written."""

import os
import time
from pathlib import Path

import pytest

from swarm.errors import Unknown
from swarm.mailbox import registry
from swarm.mailbox.layout import Root

from ..rights import bound_here, mode
from .mail import put

GIVEN = ("r", "planner", "t")


def test_who_is_finished_or_silent_leaves_and_the_mail_stays(root: Root) -> None:
    for agent in ("alice", "bob", "carl", "dave", "eve"):
        registry.register(root, agent, *GIVEN)
        os.utime(root.entry(agent), (time.time() - 7200,) * 2)
    registry.update(root, "carl", status="error")
    Path(root.receipts("dave"), "01_x_aaaa.txt").touch()
    Path(root.sent("eve"), "01_x_aaaa.txt").touch()
    gone = [
        ("alice", "no sign of life for 2h"),
        ("bob", "no sign of life for 2h"),
        ("carl", "error"),
    ]
    assert registry.cleanup(root, 3600, dry_run=True) == gone
    assert registry.cleanup(root, None, dry_run=True) == gone[2:]
    assert registry.cleanup(root, 3600, dry_run=False) == gone
    assert sorted(os.listdir(root.dir)) == ["dave.txt", "eve.txt"]
    assert os.path.isdir(root.inbox("bob"))


def test_unregistering_keeps_the_mail(root: Root) -> None:
    registry.register(root, "bob", *GIVEN)
    path = put(root, "01.txt")
    registry.unregister(root, "bob")
    assert os.listdir(root.dir) == [] and os.path.exists(path)
    with pytest.raises(Unknown):
        registry.unregister(root, "bob")


@pytest.mark.parametrize("part", ["", "sent", "inbox/.read"])
def test_who_may_have_given_a_sign_that_cannot_be_seen_is_not_silent(root: Root, part: str) -> None:
    registry.register(root, "bob", *GIVEN)
    os.utime(root.entry("bob"), (1, 1))
    with bound_here(), mode(f"{root.box('bob')}/{part}", 0o000):
        assert registry.cleanup(root, 3600, dry_run=False) == []
    assert len(registry.cleanup(root, 3600, dry_run=False)) == 1
