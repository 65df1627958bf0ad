"""Where each harness keeps its files, by scope, environment and what is there."""

from pathlib import Path

import pytest

from swarm.errors import Refused
from swarm.install.places import Places, project


@pytest.mark.parametrize(
    ("variable", "name", "where"),
    [
        ("CLAUDE_CONFIG_DIR", "claude", "/x"),
        ("CLAUDE_CONFIG_DIR", "claude_servers", "/x/.claude.json"),
        ("CODEX_HOME", "codex", "/x"),
        ("GEMINI_CLI_HOME", "gemini", "/x/.gemini"),
        ("XDG_CONFIG_HOME", "opencode", "/x/opencode"),
        ("PI_CODING_AGENT_DIR", "pi", "/x"),
    ],
)
def test_a_variable_moves_the_users_files_and_not_a_projects(
    variable: str, name: str, where: str
) -> None:
    env = {variable: "/x"}
    assert getattr(Places("user", "/h", env), name) == where
    assert getattr(Places("user", "/h", {}), name).startswith("/h/.")
    assert getattr(Places("project", "/p", env), name).startswith("/p/.")


def test_lines_go_where_the_harness_reads_them(tmp_path: Path) -> None:
    at, own, both = Places("project", str(tmp_path), {}), tmp_path / "CLAUDE.md", tmp_path / "AGENTS.md"  # fmt: skip
    assert at.lines("CLAUDE.md", "") == [str(both)]
    assert at.lines("CLAUDE.md", "", alone=True) == [str(own)]
    own.write_text("# Mine\n")
    assert at.lines("CLAUDE.md", "") == [str(own)]
    own.write_text("# Mine\n@AGENTS.md\n")
    assert at.lines("CLAUDE.md", "") == [str(both)]
    everywhere = Places("project", str(tmp_path), {}, everywhere=True)
    assert everywhere.lines("CLAUDE.md", "") == [str(own), str(both)]


def test_opencode_keeps_the_configuration_that_is_there(tmp_path: Path) -> None:
    at = Places("project", str(tmp_path), {})
    assert at.opencode_configs == [str(tmp_path / "opencode.json")]
    (tmp_path / ".opencode").mkdir()
    (tmp_path / ".opencode/opencode.jsonc").touch()
    assert at.opencode_configs == [str(tmp_path / ".opencode/opencode.jsonc")]


def test_a_project_holds_a_tree_or_is_the_top_of_one_of_git(tmp_path: Path) -> None:
    inner = tmp_path / "git/tree/deep"
    inner.mkdir(parents=True)
    (tmp_path / "git/.git").touch()
    assert project(str(inner)) == str(tmp_path / "git")
    (tmp_path / "git/tree/mail/dir").mkdir(parents=True)
    assert project(str(inner)) == str(tmp_path / "git/tree")
    with pytest.raises(Refused):
        project("/")
