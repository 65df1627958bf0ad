"""Install, again, and out: what others wrote is as it was, to the byte."""

import json
import os

import pytest

from .site import CONFIGS, FILES, HARNESSES, Site

CASES = [
    (scope, harness, number)
    for harness, files in FILES.items()
    for scope in ("project", "user")
    for number in range(max(len(configs.split()) for _, _, configs in files))
]


@pytest.mark.parametrize(("scope", "harness", "number"), CASES)
def test_uninstall_gives_back_the_bytes_that_were_there(
    site: Site, scope: str, harness: str, number: int
) -> None:
    placed = {}
    for in_project, in_home, configs in FILES[harness]:
        config = configs.split()[number % len(configs.split())]
        path = site.put(config, in_project if scope == "project" else in_home, scope)
        path.chmod(0o640)
        placed[path] = path.read_bytes()
    before = site.seen()
    site.install(harness, f"--{scope}")
    after = site.seen()
    assert set(before) < set(after)
    for path, text in placed.items():
        assert path.stat().st_mode & 0o777 == 0o640, path
        # Gemini reads AGENTS.md where its settings say so, and then no GEMINI.md of ours.
        assert path.read_bytes() != text or path.name == "GEMINI.md", path

    assert set(site.actions(harness, f"--{scope}").values()) == {"unchanged"}
    assert site.seen() == after

    site.install(harness, f"--{scope}", "--uninstall")
    assert site.seen() == before and site.records() == []


def test_all_harnesses_at_once_and_one_after_the_other(site: Site) -> None:
    before = site.seen()
    site.install(*HARNESSES)
    site.install(*HARNESSES, "--user")
    whole = site.seen()
    for harness in HARNESSES:
        site.install(harness, "--uninstall")
        left = {name: text for name, text in whole.items() if name.startswith("home")}
        assert {n: t for n, t in site.seen().items() if n.startswith("home")} == left
    site.install(*reversed(HARNESSES), "--user", "--uninstall")
    assert site.seen() == before


def test_what_several_harnesses_read_stays_until_the_last_goes(site: Site) -> None:
    before = site.seen()
    site.install("codex")
    assert site.actions("gemini")[".agents/skills/swarm/SKILL.md"] == "unchanged"
    kept = site.actions("codex", "--uninstall")
    assert kept[".agents/skills/swarm/SKILL.md"] == "kept"
    assert (site.project / ".agents/skills/swarm/SKILL.md").exists()
    site.install("gemini", "--uninstall")
    assert site.seen() == before


def test_what_others_write_meanwhile_is_kept(site: Site) -> None:
    settings = site.put("claude-settings.json", ".claude/settings.json")
    lines = site.put("CLAUDE.md", "CLAUDE.md")
    site.install("claude")
    data = json.loads(settings.read_text())
    data["theirs"] = True
    data["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "late.sh"}]})
    settings.write_text(json.dumps(data, indent=1))
    lines.write_bytes(b"# New top\r\n" + lines.read_bytes() + b"\r\nNew end\r\n")

    site.install("claude", "--uninstall")
    expected = json.loads((CONFIGS / "claude-settings.json").read_text())
    expected["theirs"] = True
    expected["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "late.sh"}]})
    assert json.loads(settings.read_text()) == expected
    text = lines.read_bytes()
    assert text == b"# New top\r\n" + (CONFIGS / "CLAUDE.md").read_bytes() + b"\r\n\r\nNew end\r\n"


def test_a_file_that_several_read_is_told_under_the_names_of_all_of_them(site: Site) -> None:
    site.put("CLAUDE.md", "CLAUDE.md")

    def labels(*words: str) -> dict[str, str]:
        rows = [line.split("\t") for line in site.install(*HARNESSES, *words).splitlines()]
        return {row[2].removeprefix(f"{site.project}/"): row[0] for row in rows}

    there = labels()
    assert there["CLAUDE.md"] == "claude" and there["AGENTS.md"] == "codex,cursor,opencode,pi"
    gone = labels("--uninstall")
    assert {path: gone[path] for path in there} == there


def test_on_another_machine_ours_is_known_by_its_commands(site: Site) -> None:
    before = site.seen()
    site.put("claude-settings-comments.json", ".claude/settings.json")
    site.put("mcp.json", ".mcp.json")
    site.put("codex-config.toml", ".codex/config.toml")
    with_theirs = site.seen()
    site.install("claude", "codex", "cursor", "pi")
    for record in site.records():
        record.unlink()
    site.install("claude", "codex", "cursor", "pi", "--uninstall")
    left = site.seen()
    assert {name for name, text in left.items() if text != "folder"} == {
        name for name, text in with_theirs.items() if text != "folder"
    }
    for name in (
        "project/.claude/settings.json",
        "project/.mcp.json",
        "project/.codex/config.toml",
    ):
        assert left[name] == with_theirs[name]
    assert before.items() <= left.items()


def test_a_linked_file_stays_a_link(site: Site) -> None:
    dotfiles = site.put("claude-settings.json", "dotfiles/claude.json", "user")
    (site.home / ".claude").mkdir()
    link = site.home / ".claude" / "settings.json"
    link.symlink_to("../dotfiles/claude.json")
    before = site.seen()
    site.install("claude", "--user")
    assert os.readlink(link) == "../dotfiles/claude.json"
    assert "swarm hook claude Stop" in dotfiles.read_text()
    site.install("claude", "--user", "--uninstall")
    assert site.seen() == before


def test_one_file_under_two_names_gets_one_block(site: Site) -> None:
    site.put("AGENTS.md", "AGENTS.md")
    (site.project / "CLAUDE.md").symlink_to("AGENTS.md")
    site.install("claude", "codex")
    assert (site.project / "AGENTS.md").read_text().count("<!-- swarm -->") == 1
