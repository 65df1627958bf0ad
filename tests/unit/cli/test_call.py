"""What commands have in common."""

from pathlib import Path

import pytest

from .conftest import Swarm


@pytest.mark.parametrize("command", ["send alice", "reply 01", "task request alice"])
def test_a_long_text_that_is_not_there_is_told_and_named_all_the_same(
    tree: Path, swarm: Swarm, command: str
) -> None:
    words = ["--as", "bob", *command.split(), "-s", "s", "--detail", "long.md"]
    words += [] if "task" in command else ["-m", "b"]
    for there in (False, True):
        done = swarm(*words)
        assert done.returncode == 0 and ("nothing is there yet" in done.stderr) != there
        (tree / "long.md").write_text("")
    named = f"Detail: {tree}/long.md"
    assert all(named in p.read_text() for p in (tree / "mail/alice/inbox").glob("*.txt"))


@pytest.mark.parametrize("command", ["whoami", "unregister", "unread", "whoami --root mail/none"])
def test_that_there_is_no_tree_is_told_before_that_nobody_asks(
    tmp_path: Path, swarm: Swarm, command: str
) -> None:
    assert swarm(*command.split(), SWARM_AGENT="").returncode == 3


@pytest.mark.parametrize("command", ["send", "task wait", "whoami"])
def test_an_option_without_its_value_is_told_with_the_help_of_its_command(
    tree: Path, swarm: Swarm, command: str
) -> None:
    flag = {"send": "--thread", "task wait": "--timeout", "whoami": "--keep"}[command]
    done = swarm(*command.split(), flag)
    assert done.returncode == 2 and f"hint: see 'swarm {command} --help'\n" in done.stderr


def test_a_body_that_cannot_be_read_is_named_with_the_way_out(tree: Path, swarm: Swarm) -> None:
    done = swarm("--as", "bob", "send", "alice", "-s", "s", "-F", str(tree))
    assert done.returncode == 6 and f"'{tree}'" in done.stderr and "hint: " in done.stderr


def test_several_recipients_in_one_word_are_told_how_to_be_named(tree: Path, swarm: Swarm) -> None:
    done = swarm("--as", "bob", "send", "alice,bob", "-s", "s", "-m", "b")
    assert done.returncode == 2 and "hint: name several with blanks" in done.stderr


@pytest.mark.parametrize("command", ["unread", "send bob -s s -m b", "task list"])
def test_who_is_not_known_here_is_told_to_register(tree: Path, swarm: Swarm, command: str) -> None:
    done = swarm("--as", "newcomer", *command.split())
    assert done.returncode == 4 and "swarm register enters you" in done.stderr


@pytest.mark.parametrize("text", ["look at this", "look at this, please"])
def test_words_of_a_text_that_was_not_quoted_are_told_for_what_they_are(
    tree: Path, swarm: Swarm, text: str
) -> None:
    done = swarm("--as", "bob", "send", "alice", "-s", "s", "-m", *text.split())
    assert done.returncode in (2, 4) and "a text goes in quotes" in done.stderr
    assert not list((tree / "mail/alice/inbox").glob("*.txt"))
