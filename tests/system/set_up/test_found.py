"""``swarm install`` alone says what is here and what is set up, and how ours names itself."""

import json
import os
import sys
from pathlib import Path

from .site import CLEAN, Site


def rows(site: Site, *words: str) -> dict[tuple[str, str, str], str]:
    """State by harness, scope and part."""
    lines = [line.split("\t") for line in site.install(*words).splitlines()]
    return {(harness, scope, part): state for harness, scope, part, state, _ in lines}


def test_it_tells_of_what_is_here_and_what_is_set_up(site: Site) -> None:
    assert set(rows(site).values()) == {"missing"}
    (site.home / ".codex").mkdir()
    assert rows(site)["codex", "user", "folder"] == "found"
    assert rows(site)["codex", "project", "hooks"] == "missing"
    site.install("codex")
    found = rows(site)
    for part in ("hooks", "mcp", "skill", "lines"):
        assert found["codex", "project", part] == "set up"
    # What Codex reads, others read too.
    assert found["pi", "project", "skill"] == "set up"
    assert ("pi", "project", "hooks") not in found or found["pi", "project", "hooks"] == "missing"


def test_a_program_on_the_path_is_found_and_json_says_the_same(site: Site, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "gemini"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    done = site.run("install", "--json", PATH=f"{program.parent}:{site.env['PATH']}")
    found = json.loads(done.stdout)["found"]
    assert {"harness": "gemini", "scope": "-", "part": "program", "state": "found", "path": str(program)} in found  # fmt: skip


def test_where_path_has_no_swarm_its_whole_path_is_named(site: Site) -> None:
    path = ":".join(p for p in CLEAN["PATH"].split(":") if not os.path.exists(f"{p}/swarm"))
    done = site.run("install", "claude", "codex", PATH=path)
    swarm = f"{sys.prefix}/bin/swarm"
    assert f"entries name {swarm}" in done.stderr
    assert f'"{swarm} hook claude Stop"' in (site.project / ".claude/settings.json").read_text()
    assert json.loads((site.project / ".mcp.json").read_text())["mcpServers"]["swarm"] == {"command": swarm, "args": ["mcp"]}  # fmt: skip
    # It can be started: a later install with the short word leaves it.
    assert set(site.actions("claude", "codex").values()) == {"unchanged"}


def test_a_newer_swarm_brings_its_own_up_to_date_and_can_still_be_undone(site: Site) -> None:
    before = site.seen()
    site.install("claude")
    whole = site.seen()
    for path in ("AGENTS.md", ".claude/settings.json"):
        file = site.project / path
        file.write_text(file.read_text().replace("Register once", "Register").replace("3600", "60"))
    assert rows(site)["claude", "project", "lines"] == "older"
    assert rows(site)["claude", "project", "hooks"] == "older"
    assert sorted(site.actions("claude").values()) == ["changed", "changed", "unchanged", "unchanged"]  # fmt: skip
    assert site.seen() == whole
    site.install("claude", "--uninstall")
    assert site.seen() == before
