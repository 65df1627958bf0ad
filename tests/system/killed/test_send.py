"""A send or reply that is killed leaves each message whole or not at all."""

import pytest

from .command import Command, Scene, Stage
from .commands import BY_KEY, PLAIN_SENDS
from .mail import Mail

SENDS = [*PLAIN_SENDS, *BY_KEY]


def recipients(command: Command) -> list[str]:
    return ["bob", "carl"] if "carl" in command.words else ["bob"]


def acknowledged(scene: Scene) -> list[str]:
    """The deliveries that stdout tells of, in lines that are there whole."""
    return [line[:-1] for line in scene.out.splitlines(keepends=True) if line[-1] == "\n"]


def delivered_once(mail: Mail, agent: str) -> bool:
    """Whether the agent has one message, and the sender the same under the same name."""
    return len(mail.inbox(agent)) == 1 and mail.inbox(agent).items() <= mail.sent("alice").items()


@pytest.mark.parametrize("command", SENDS, ids=str)
def test_each_recipient_has_the_whole_message_or_none(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        assert scene.mail.torn() == [], scene
        for agent in recipients(command):
            assert len(scene.mail.inbox(agent)) <= 1, scene
        assert len(scene.mail.inbox("alice")) == 3, scene


@pytest.mark.parametrize("command", SENDS, ids=str)
def test_what_was_acknowledged_is_there_once_with_its_copy(stage: Stage, command: Command) -> None:
    told = 0
    for scene in stage.kills(command):
        for path in acknowledged(scene):
            told += 1
            agent, _, name = path.split("/")
            assert list(scene.mail.inbox(agent)) == [name], scene
            assert delivered_once(scene.mail, agent), scene
    assert told >= len(recipients(command))


@pytest.mark.parametrize("command", SENDS, ids=str)
def test_nothing_is_in_sent_that_was_not_delivered(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        inboxes = [scene.mail.inbox(agent) for agent in recipients(command)]
        for name, data in scene.mail.sent("alice").items():
            assert data in [inbox.get(name) for inbox in inboxes], scene


@pytest.mark.parametrize("command", BY_KEY, ids=str)
def test_a_retry_by_key_leaves_one_message_and_its_copy(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        again = scene.again()
        assert again.code == 0, again
        assert len(acknowledged(again)) == len(recipients(command)), again
        for agent in recipients(command):
            assert delivered_once(again.mail, agent), scene


@pytest.mark.parametrize("command", BY_KEY, ids=str)
def test_a_retry_by_key_knows_what_was_read_and_deleted(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        for name in scene.mail.inbox("bob"):
            copy = scene.copy()
            (copy.mail.root / "bob/inbox/.read" / name).touch()
            (copy.mail.root / "bob/inbox" / name).unlink()
            again = copy.again()
            assert again.code == 0 and again.mail.inbox("bob") == {}, again
            assert name in again.mail.sent("alice") and again.mail.torn() == [], scene


@pytest.mark.parametrize("command", PLAIN_SENDS, ids=str)
def test_a_plain_retry_delivers_at_most_once_more(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        there = {agent: len(scene.mail.inbox(agent)) for agent in recipients(command)}
        again = scene.again()
        assert again.code == 0 and again.mail.torn() == [], again
        for agent, before in there.items():
            assert len(again.mail.inbox(agent)) == before + 1, scene
