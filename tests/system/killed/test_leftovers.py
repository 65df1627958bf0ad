"""What any killed command leaves is hidden, and doctor clears it away."""

import pytest

from .command import Command, Scene, Stage
from .commands import ALL, BY_KEY, INITS


def doctored(scene: Scene) -> tuple[Scene, list[str]]:
    """The tree after doctor, and what doctor had to say about left-overs."""
    done = scene.swarm("doctor", "--fix")
    assert (done.code, done.err) == (0, ""), done
    return done, [line for line in done.out.splitlines() if "/.swarm-" in line]


@pytest.mark.parametrize("command", ALL, ids=str)
def test_the_command_leaves_nothing_and_no_step_is_unseen(stage: Stage, command: Command) -> None:
    scene = stage.undisturbed(command)
    assert scene.mail.temporaries() == []
    assert {"open", "unlink", "mkdir"} & set(scene.steps), scene.steps


@pytest.mark.parametrize("command", ALL, ids=str)
def test_doctor_removes_later_what_a_killed_command_left(stage: Stage, command: Command) -> None:
    for killed in stage.kills(command):
        scene = killed.again() if command in INITS else killed.copy()
        left = scene.mail.let_time_pass()
        mended, told = doctored(scene)
        assert len(told) == left <= 3, scene
        assert all("removed" in line for line in told), told
        assert mended.mail.temporaries() == [] and mended.mail.torn() == [], scene


@pytest.mark.parametrize("command", BY_KEY[:1], ids=str)
def test_doctor_leaves_alone_what_may_be_in_use(stage: Stage, command: Command) -> None:
    for scene in stage.kills(command):
        looked, told = doctored(scene)
        assert len(told) == len(looked.mail.temporaries()) == len(scene.mail.temporaries())
