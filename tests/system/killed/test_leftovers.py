"""What any killed command leaves is hidden, and doctor clears it away."""

import time
from pathlib import Path

import pytest

from .command import Command, Fault, Scene, Stage, run
from .commands import ALL, ARCHIVES, INITS, MARK, PLAIN_SENDS
from .mail import NEWS

A_WHILE = 1.5  # seconds: what is written closer together is of one time for doctor
DOCTOR = Command(("doctor", "--fix"))


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
    for killed in stage.states(command):
        scene = killed.again() if command in INITS else killed.copy()
        left = scene.mail.let_time_pass()
        mended, told = doctored(scene)
        assert len(told) == left <= 3, scene
        assert all("removed" in line for line in told), told
        assert mended.mail.temporaries() == [] and mended.mail.torn() == [], scene


def test_doctor_leaves_alone_what_may_be_in_use(stage: Stage) -> None:
    for scene in stage.states(PLAIN_SENDS[0]):
        looked, told = doctored(scene)
        assert len(told) == len(looked.mail.temporaries()) == len(scene.mail.temporaries())


def hidden(place: Path) -> list[str]:
    """The messages that doctor takes for hidden by the receipt of another."""
    return [line for line in run(place, DOCTOR).out.splitlines() if "hidden by" in line]


@pytest.mark.parametrize("command", [MARK, ARCHIVES[1]], ids=str)
def test_what_was_read_before_is_not_taken_for_hidden_once_the_job_is_done(
    stage: Stage, command: Command
) -> None:
    faults = [scene.fault for scene in stage.states(command)]
    places = [stage.place() for _ in faults]
    for place in places:
        receipt = place / "mail/alice/inbox/.read" / NEWS
        receipt.unlink()
        receipt.touch()
    time.sleep(A_WHILE)
    for place, fault in zip(places, faults, strict=True):
        run(place, command, fault)
        run(place, command)
        assert hidden(place) == [], fault


def test_what_is_read_before_its_draft_is_removed_is_not_either(stage: Stage) -> None:
    linked = stage.undisturbed(PLAIN_SENDS[0]).steps.index("link") + 1
    scene = stage.run(PLAIN_SENDS[0], Fault(linked, "after", "link"))
    assert run(scene.place, Command(("--as", "bob", "read", "--next"))).code == 0
    time.sleep(A_WHILE)
    assert hidden(scene.place) == []
