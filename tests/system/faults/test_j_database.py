"""A channel's file that cannot be used, by the real command: each says so, and what to do."""

import os
import subprocess

import pytest

from ...unit.rights import SWARM, dropping
from ..desk import Desk

COMMANDS = (
    "team roster ops",
    "team history ops",
    "--as amy team join ops",
    "--as amy task list --channel ops",
    "--as amy task request bob --channel ops -s please",
    "mamoru --as bob --channel ops --jsonl",
)


@pytest.fixture
def desk(channel: Desk) -> Desk:
    return channel


@pytest.mark.parametrize("content", [b"no database\n" * 400, bytes(8192), b"SQLite format 3\0" * 9])
def test_what_is_no_database_is_told_with_the_way_out_and_kept_j15(
    desk: Desk, content: bytes
) -> None:
    path = desk.place / "ops" / "team.db"
    path.write_bytes(content)
    for words in COMMANDS:
        done = desk.run(*words.split())
        assert (done.returncode, done.stdout) == (6, ""), (words, done)
        assert done.stderr.startswith(f"swarm: {path} is damaged") and "aside" in done.stderr
    assert path.read_bytes() == content
    assert desk.run("--root", "mail", "init", ".").returncode == 0, "mail needs no database"


def test_a_folder_that_may_not_be_looked_into_is_named_j13(desk: Desk) -> None:
    drop = dropping()
    if drop is None:
        pytest.skip("root may do everything, and setpriv cannot take that away here")
    folder = desk.place / "ops"
    os.chmod(folder, 0)
    try:
        for words in COMMANDS:
            argv = [*drop, SWARM, *words.split()]
            done = subprocess.run(
                argv, cwd=desk.place, env=desk.env, capture_output=True, text=True, timeout=20
            )
            assert (done.returncode, done.stdout) == (6, ""), (words, done)
            assert f"check the permissions of {folder}\n" in done.stderr
    finally:
        os.chmod(folder, 0o755)
