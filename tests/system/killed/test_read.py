"""A read that is killed leaves no receipt for what it did not show."""

import json

import pytest

from .command import Command, Scene, Stage
from .commands import READS
from .mail import MORE, NEWS, QUESTION, TEXT


def shown(scene: Scene) -> set[str]:
    """The messages whose whole body stands on stdout."""
    out = scene.out
    if "--json" in scene.command.words:
        try:
            out = "\n".join(message["body"] for message in json.loads(out)["messages"])
        except ValueError:
            return set()
    return {name for name in (QUESTION, MORE) if f"{name}\n{TEXT}" in out}


@pytest.mark.parametrize("command", READS, ids=str)
def test_a_receipt_says_that_the_message_was_shown(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        assert scene.mail.receipts("alice") - {NEWS} <= shown(scene), scene


@pytest.mark.parametrize("command", READS, ids=str)
def test_no_message_is_lost_or_changed(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        assert scene.mail.inbox("alice").keys() == {QUESTION, NEWS, MORE}, scene
        assert scene.mail.torn() == [], scene


@pytest.mark.parametrize("command", READS, ids=str)
def test_the_next_reader_is_shown_what_has_no_receipt(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        unread = {QUESTION, MORE} - scene.mail.receipts("alice")
        again = scene.swarm("read", "--all")
        assert again.code == 0 and shown(again) == unread, scene
        assert again.mail.receipts("alice") == {QUESTION, NEWS, MORE}, scene
