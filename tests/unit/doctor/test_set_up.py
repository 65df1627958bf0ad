"""What is set up for harnesses: that it cannot work, never did, or that nobody is woken."""

import os
import sys
import time
from pathlib import Path

import pytest

from swarm.harness import sessions
from swarm.harness.session import FOLDER
from swarm.install import program
from swarm.install.apply import Job
from swarm.install.places import Places
from swarm.mailbox.layout import Root

from .tree import one, put, wrong

OLD = 3600


@pytest.fixture
def project(root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Claude and Codex are set up in the project around the tree; the home is empty."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    at = Places("project", str(tmp_path), {})
    job = Job(at, program.words(), str(tmp_path / "state"), False, lambda _: None)
    assert not [change for change in job.install(["claude", "codex"]) if change.error]
    return tmp_path


def aged(path: Path) -> None:
    os.utime(path, (time.time() - OLD,) * 2)


def test_a_fresh_set_up_is_nothing_to_be_told(root: Root, project: Path) -> None:
    assert wrong(root) == {}


def test_hooks_that_never_ran_are_told_until_they_do(root: Root, project: Path) -> None:
    aged(project / ".claude/settings.json")
    aged(project / ".codex/hooks.json")
    assert "have never run" in one(root, "../.claude/settings.json").text
    assert "/hooks" in one(root, "../.codex/hooks.json").fix
    sessions.keep(root, "claude-1", "bob")
    assert set(wrong(root)) == {"../.codex/hooks.json"}


def test_a_command_that_is_not_there_is_told(root: Root, project: Path) -> None:
    for name in (".claude/settings.json", ".mcp.json", ".codex/config.toml"):
        path = project / name
        words = program.words()[0]
        path.write_text(path.read_text().replace(f'"{words}', '"/gone/bin/swarm'))
    assert set(wrong(root)) == {
        "../.claude/settings.json",
        "../.mcp.json",
        "../.codex/config.toml",
    }
    found = one(root, "../.mcp.json")
    assert found.text.startswith("mcp of claude names a swarm that cannot be started: ")
    assert found.fix == "swarm install claude"


def test_a_file_that_broke_is_told_where_it_names_swarm(root: Root, project: Path) -> None:
    for name in (".claude/settings.json", ".mcp.json"):
        (project / name).write_text((project / name).read_text() + "{")
    (project / ".cursor").mkdir()
    (project / ".cursor/hooks.json").write_text("{")  # another's matter
    os.mkfifo(project / ".cursor/mcp.json")
    assert set(wrong(root)) == {"../.claude/settings.json", "../.mcp.json"}
    assert one(root, "../.mcp.json").text.startswith("it cannot be told whether mcp of claude")


def test_packages_that_a_server_lacks_are_told(
    root: Root, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)  # what Python itself takes for absent
    assert set(wrong(root)) == {"../.mcp.json", "../.codex/config.toml"}
    assert one(root, "../.mcp.json").fix == "pip install 'monkey-swarm[mcp]'"


def test_an_older_skill_and_lines_are_told(root: Root, project: Path) -> None:
    skill = project / ".claude/skills/swarm/SKILL.md"
    skill.write_text(skill.read_text() + "more\n")
    lines = project / "AGENTS.md"
    lines.write_text(lines.read_text().replace("Register once", "Register"))
    assert one(root, "../.claude/skills/swarm/SKILL.md").fix == "swarm install claude"
    assert set(wrong(root)) == {"../.claude/skills/swarm/SKILL.md", "../AGENTS.md"}


def test_the_users_own_files_are_looked_at_too(root: Root, project: Path) -> None:
    path = project / "home/.cursor/mcp.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"mcpServers": {"swarm": {"command": "/gone/swarm", "args": ["mcp"]}}}')
    assert one(root, str(path)).fix == "swarm install cursor --user"


def test_old_mail_of_an_agent_whom_nothing_wakes_is_told(root: Root, project: Path) -> None:
    put(f"{root.inbox('bob')}/01_s_a3f7.txt", age=OLD)
    found = one(root, "bob/inbox")
    assert found.text.startswith("1 unread, the oldest for 1h, and nobody is woken: ")
    sessions.keep(root, "claude-1", "bob")
    assert wrong(root) == {}
    aged(Path(root.path, FOLDER, "claude-1"))
    assert set(wrong(root)) == {"bob/inbox"}


def test_where_no_harness_is_set_up_nobody_is_expected_to_be_woken(root: Root) -> None:
    put(f"{root.inbox('bob')}/01_s_a3f7.txt", age=OLD)
    assert wrong(root) == {}
