"""Which words name swarm in others' files, and whether they start something."""

import sys

import pytest

from swarm.install import program


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("swarm mcp", ["mcp"]),
        ("/opt/my\\ tools/swarm hook claude Stop", ["hook", "claude", "Stop"]),
        ("env SWARM_AGENT=bob swarm mcp", ["mcp"]),
        ("SWARM_AGENT=bob 'swarm' mcp", ["mcp"]),
        ("/usr/bin/python3.12 -m swarm mcp", ["mcp"]),
        ("python3 -m other swarm", []),
        ("npx swarm mcp", []),
        ("swarmer mcp", []),
        ("echo 'open", []),
        ("", []),
    ],
)
def test_a_command_of_ours_is_known_by_its_program(command: str, rest: list[str]) -> None:
    assert program.parted(program.split(command))[1] == rest


def test_a_program_starts_if_it_is_there() -> None:
    assert program.starts([sys.executable]) and program.starts(["env", "A=/b", "sh"])
    assert not program.starts(["/gone/swarm"]) and not program.starts([])


def test_this_program_is_named_by_words_that_start_it() -> None:
    assert program.starts(program.words())
