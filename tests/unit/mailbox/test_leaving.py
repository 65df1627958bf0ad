"""Leaving the registry: who goes, why, and that the mail stays; ages as they are written."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.errors import Unknown, UsageError
from swarm.mailbox import registry
from swarm.mailbox.layout import Root

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


@pytest.mark.parametrize(
    ("text", "seconds"), [("90m", 5400), ("1h", 3600), ("0s", 0), ("2d", 172800)]
)
def test_an_age_is_a_number_and_a_unit(text: str, seconds: int) -> None:
    assert registry.parse_age(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "soon", "m", "-1h", "1.5h", "90", "²m", "1h ", "9" * 10 + "s"]
)
def test_anything_else_is_no_age(text: str) -> None:
    with pytest.raises(UsageError):
        registry.parse_age(text)


@given(st.floats(-1e6, 1e9))
def test_an_age_is_shown_in_whole_units_never_negative_and_read_back(seconds: float) -> None:
    read = registry.parse_age(registry.age(seconds))
    assert 0 <= read <= max(seconds, 0) < 2 * max(read, 1)
