"""A registry command or an init that is killed leaves every entry old, new or absent."""

import pytest

from .command import Command, Stage
from .commands import INITS, REGISTER, REPLACE, UNREGISTER, UPDATE

BOX = {"dora", "dora/drafts", "dora/inbox", "dora/inbox/.read", "dora/sent"}
NOTE = b"back at ten\n"


@pytest.mark.parametrize("command", [REGISTER, REPLACE, UPDATE, UNREGISTER], ids=str)
def test_the_entries_are_as_before_or_as_after(stage: Stage, command: Command) -> None:
    before, after = stage.mail.entries(), stage.undisturbed(command).mail.entries()
    for scene in stage.kills(command):
        assert scene.mail.entries() in (before, after), scene


def test_whoever_has_an_entry_has_a_mailbox(stage: Stage) -> None:
    for scene in stage.kills(REGISTER):
        if "dora.txt" in scene.mail.entries():
            assert set(scene.mail.folders()) >= BOX, scene


def test_a_retry_registers_or_says_that_it_is_done(stage: Stage) -> None:
    after = stage.undisturbed(REGISTER).mail
    for scene in stage.kills(REGISTER):
        again = scene.again()
        assert again.code == (5 if "dora.txt" in scene.mail.entries() else 0), again
        assert again.mail.entries() == after.entries(), scene
        assert again.mail.folders() == after.folders(), scene


def test_a_retry_replaces_the_entry(stage: Stage) -> None:
    after = stage.undisturbed(REPLACE).mail.entries()
    for scene in stage.kills(REPLACE):
        again = scene.again()
        assert again.code == 0 and again.mail.entries() == after, again


def test_a_retry_updates_the_entry_and_may_note_twice(stage: Stage) -> None:
    for scene in stage.kills(UPDATE):
        again = scene.again()
        noted = 1 + scene.mail.entries()["alice.txt"].count(NOTE)
        entry = again.mail.entries()["alice.txt"]
        assert again.code == 0 and b"\nstatus: paused\n" in entry, again
        assert entry.endswith(b"---\n" + NOTE * noted), again


def test_a_retry_unregisters_or_says_that_it_is_done(stage: Stage) -> None:
    for scene in stage.kills(UNREGISTER):
        again = scene.again()
        assert again.code == (0 if "alice.txt" in scene.mail.entries() else 4), again
        assert again.mail.entries().keys() == {"bob.txt"}, scene
        assert again.mail.inbox("alice") == stage.mail.inbox("alice"), scene


@pytest.mark.parametrize("command", INITS, ids=str)
def test_a_retry_of_init_makes_what_is_missing(stage: Stage, command: Command) -> None:
    after = stage.undisturbed(command).mail.folders()
    for scene in stage.kills(command):
        again = scene.again()
        assert again.code == 0 and again.mail.folders() == after, again
