"""A command to which the disk says no leaves things as they were, and says to try again."""

import pytest

from .command import Command, Scene, Stage
from .commands import ARCHIVES, BY_KEY, MARK, OTHERS, REGISTRATIONS
from .mail import NEWS
from .test_archive import wanted
from .test_send import SENDS, acknowledged, delivered_once, recipients

CASES = [(command, "ENOSPC") for command in [*OTHERS, *REGISTRATIONS]]
CASES += [(command, "EIO") for command in OTHERS]


def reported(scene: Scene) -> bool:
    """One error in plain words (and under --json as an object), and the code for: try again."""
    starts = ["swarm: ", "hint: "] + ['{"'] * ("--json" in scene.command.words)
    lines = scene.err.splitlines()
    plain = [line.startswith(start) for line, start in zip(lines, starts, strict=False)]
    return scene.code == 75 and len(lines) == len(starts) and all(plain)


def done(scene: Scene) -> bool:
    """Whether all was done that matters: what failed only removed a draft or set a time."""
    return scene.code == 0 and scene.fault.call in ("unlink", "utime") and scene.err == ""


@pytest.mark.parametrize(("command", "kind"), CASES, ids=str)
def test_it_is_told_and_leaves_nothing_half_done(stage: Stage, command: Command, kind: str) -> None:
    for scene in stage.failures(command, kind):
        assert reported(scene) or done(scene), scene
        assert done(scene) or scene.mail.temporaries() == [], scene
        assert scene.mail.torn() == [], scene


@pytest.mark.parametrize("command", SENDS, ids=str)
def test_a_send_that_fails_tells_what_it_delivered(stage: Stage, command: Command) -> None:
    last = len(stage.undisturbed(command).steps)
    for scene in stage.failures(command, "EIO"):
        if scene.fault.at < last:
            paths = [
                f"{agent}/inbox/{name}"
                for agent in recipients(command)
                for name in scene.mail.inbox(agent)
            ]
            assert acknowledged(scene) == paths, scene


@pytest.mark.parametrize("command", BY_KEY, ids=str)
def test_a_retry_by_key_leaves_one_message_and_its_copy(stage: Stage, command: Command) -> None:
    for scene in stage.failures(command, "ENOSPC"):
        again = scene.again()
        assert again.code == 0, again
        for agent in recipients(command):
            assert delivered_once(again.mail, agent), scene


@pytest.mark.parametrize("command", ARCHIVES, ids=str)
def test_a_retry_archives_the_message_once(stage: Stage, command: Command) -> None:
    name = wanted(command)
    for scene in stage.failures(command, "EIO"):
        again = scene.again()
        assert list(again.mail.sent("alice")) == [name], scene
        assert name not in again.mail.inbox("alice"), scene


def test_a_retry_marks_the_message(stage: Stage) -> None:
    for scene in stage.failures(MARK, "ENOSPC"):
        again = scene.again()
        assert again.code == 0, again
        assert b"\nStatus: done\n" in again.mail.inbox("alice")[NEWS], scene
