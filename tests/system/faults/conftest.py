"""A team for each test."""

from pathlib import Path

import pytest

from .team import Team


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """alice, bob and carl, without any mail."""
    return Team(tmp_path / "project")
