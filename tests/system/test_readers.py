"""Several readers of one mailbox share the mail and repeat none."""

import fcntl
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

BIN = os.path.join(sys.prefix, "bin", "swarm")
COUNT = 60


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    subprocess.run([BIN, "init", ".", "--agents", "alice,bob"], cwd=tmp_path, check=True)
    folder = tmp_path / "mail" / "bob" / "inbox"
    for number in range(COUNT):
        text = f"To: bob\nFrom: alice\nSubject: s\n---\nbody {number}.\n"
        (folder / f"{number + 1:02d}_s_aaaa.txt").write_text(text)
    return folder


def read(inbox: Path, *words: str) -> "subprocess.Popen[str]":
    argv = [BIN, "--as", "bob", "read", *words]
    return subprocess.Popen(argv, cwd=inbox, stdout=-1, stderr=-1, text=True)


def bodies(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("body ")]


@pytest.mark.parametrize("words", [["--all"], ["--all", "--json"]])
def test_each_message_is_shown_by_one_of_four_readers(inbox: Path, words: list[str]) -> None:
    readers = [read(inbox, *words) for _ in range(4)]
    shown = "".join(reader.communicate(timeout=30)[0] for reader in readers)
    for number in range(COUNT):
        assert shown.count(f"body {number}.") == 1
    assert len(os.listdir(inbox / ".read")) == COUNT


def test_what_another_reader_holds_is_peeked_at_and_else_refused(inbox: Path) -> None:
    name = "01_s_aaaa.txt"
    with open(inbox / name) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert bodies(read(inbox, name, "--peek").communicate()[0]) == ["body 0."]
        refused = read(inbox, name)
        out, err = refused.communicate()
        assert (refused.returncode, out) == (5, "") and err.startswith("swarm: ")
        assert bodies(read(inbox, "--next").communicate()[0]) == ["body 1."]
    assert not (inbox / ".read" / name).exists()


def test_too_many_for_one_object_are_left_unread_and_told_of(inbox: Path) -> None:
    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))

    argv = [BIN, "--as", "bob", "read", "--all", "--json"]
    done = subprocess.run(argv, cwd=inbox, preexec_fn=few_files, capture_output=True, text=True)
    assert done.returncode == 75
    assert done.stderr.count("swarm: ") == 1 and "more unread" in done.stderr
    assert done.stdout.count("body ") == len(os.listdir(inbox / ".read")) > 0
