"""An archive or mark that is killed loses no message and tears none."""

import pytest

from .command import Command, Scene, Stage
from .commands import ARCHIVES, DELETE, MARK
from .mail import NEWS, QUESTION


def wanted(command: Command) -> str:
    return QUESTION if QUESTION in command.words else NEWS


@pytest.mark.parametrize("command", ARCHIVES, ids=str)
def test_the_message_is_in_the_inbox_or_archived(stage: Stage, command: Command) -> None:
    name = wanted(command)
    for scene in stage.kills(command):
        before = stage.mail.inbox("alice")
        inbox, sent = scene.mail.inbox("alice"), scene.mail.sent("alice")
        assert {**sent, **inbox} == before, scene
        assert sent.keys() <= {name}, scene


@pytest.mark.parametrize("command", [*ARCHIVES, DELETE], ids=str)
def test_what_left_the_inbox_has_its_receipt(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        gone = stage.mail.inbox("alice").keys() - scene.mail.inbox("alice").keys()
        assert gone <= scene.mail.receipts("alice"), scene


@pytest.mark.parametrize("command", ARCHIVES, ids=str)
def test_what_is_under_both_names_is_shown_once(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        if wanted(command) in scene.mail.inbox("alice").keys() & scene.mail.sent("alice").keys():
            listed = scene.swarm("thread", "t-1").out.splitlines()
            assert len(listed) == 3, scene
            assert wanted(command) not in scene.swarm("unread").out, scene


@pytest.mark.parametrize("command", ARCHIVES, ids=str)
def test_a_retry_archives_the_message_once(stage: Stage, command: Command) -> None:
    name = wanted(command)
    data = stage.mail.inbox("alice")[name]
    for scene in stage.kills(command):
        archived = scene.mail.inbox("alice").keys().isdisjoint({name})
        again = scene.again()
        assert again.code in ((0, 4) if archived else (0,)), again
        assert again.mail.sent("alice") == {name: data}, scene
        assert name not in again.mail.inbox("alice"), scene


def test_a_retry_deletes_the_message(stage: Stage) -> None:
    for scene in stage.kills(DELETE):
        gone = QUESTION not in scene.mail.inbox("alice")
        again = scene.again()
        assert again.code == (4 if gone else 0), again
        assert again.mail.copies("alice", stage.mail.inbox("alice")[QUESTION]) == 0, scene
        assert len(again.mail.inbox("alice")) == 2, scene


def marked(stage: Stage) -> tuple[bytes, bytes]:
    """The message before and after it is marked."""
    return stage.mail.inbox("alice")[NEWS], stage.undisturbed(MARK).mail.inbox("alice")[NEWS]


def test_a_marked_message_is_the_old_one_or_the_new_one(stage: Stage) -> None:
    versions = marked(stage)
    for scene in stage.kills(MARK):
        inbox = scene.mail.inbox("alice")
        assert inbox.pop(NEWS) in versions, scene
        assert inbox.items() <= stage.mail.inbox("alice").items(), scene


def test_a_retry_marks_the_message(stage: Stage) -> None:
    _, new = marked(stage)
    for scene in stage.kills(MARK):
        again = scene.again()
        assert again.code == 0 and again.mail.inbox("alice")[NEWS] == new, again


def written(scene: Scene) -> float:
    return (scene.mail.root / "alice/inbox" / NEWS).stat().st_mtime


def test_a_marked_message_keeps_its_time(stage: Stage) -> None:
    time = written(stage.undisturbed(MARK))
    for scene in stage.kills(MARK):
        assert written(scene.again()) == pytest.approx(time), scene
