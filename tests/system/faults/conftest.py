"""A team for each test."""

from pathlib import Path

import pytest

from .team import Team


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """alice, bob and carl, without any mail."""
    return Team(tmp_path / "project")


@pytest.fixture
def busy(team: Team) -> Team:
    """Something for each command to tell, with letters that not every encoding has."""
    for agent in ("alice", "bob", "carl"):
        team.enter(agent, role="naïve ✓", task="日本語 [/x]")
    team.put("01_one_aaaa.txt", "naïve ✓\n", Subject="naïve ✓ 日本語", Thread="T")
    team.put("02_two_bbbb.txt", "two", Subject="s", Thread="T", From="carl")
    (team.root / "bob/sent/03_three_cccc.txt").write_text(
        "To: alice\nFrom: bob\nSubject: ✓\nThread: T\n---\n", encoding="utf-8"
    )
    return team
