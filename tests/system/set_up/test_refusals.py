"""What cannot be edited without harm is left as it is and told; the rest is done."""

import json
import os

import pytest

from .site import Site

BAD = {
    ".claude/settings.json": [b'{"hooks": ', b"[]", b'{"hooks": []}', b'{"hooks": {"Stop": {}}}', b"\xff\xfe{}", b'{"a": "\\x"}', b'{"a": 1} x', b'{"a"', b"[" * 100_000],
    ".mcp.json": [b'{"mcpServers": {"swarm": {"command": "other-swarm"}}}', b'{"mcpServers": null}'],
    "CLAUDE.md": [b"# a\n<!-- swarm -->\nopen\n", "# a\n".encode("utf-16-le")],
    ".codex/config.toml": [b"a = ", b"mcp_servers = 1\n", b'mcp_servers = { a = { command = "b" } }\n', b'mcp_servers.swarm = { command = "b" }\n'],
    ".opencode/plugins/swarm.ts": [b"export const Mine = 1\n"],
    ".agents/skills/swarm/SKILL.md": [b"---\nname: bees\n---\n"],
}  # fmt: skip
HARNESS = {".codex": "codex", ".opencode": "opencode", ".agents": "pi"}


@pytest.mark.parametrize(
    ("path", "text"), [(path, text) for path, texts in BAD.items() for text in texts], ids=lambda v: str(v)[:40]
)  # fmt: skip
def test_it_is_left_as_it_is_and_the_rest_is_done(site: Site, path: str, text: bytes) -> None:
    target = site.project / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text)
    harness = HARNESS.get(path.split("/")[0], "claude")
    done = site.run("install", harness)
    assert done.returncode == 1 and target.read_bytes() == text
    assert f"\n{done.stderr}".count("\nswarm: ") == 1 and str(target) in done.stderr and "hint: it is left" in done.stderr  # fmt: skip
    actions = [line.split("\t")[1] for line in done.stdout.splitlines()]
    assert actions.count("failed") == 1 and "created" in actions
    assert site.run("install", harness, "--uninstall").returncode in (0, 1)
    assert target.read_bytes() == text


def test_a_folder_or_a_pipe_in_the_way_is_told(site: Site) -> None:
    (site.project / ".mcp.json").mkdir()
    done = site.run("install", "claude")
    assert done.returncode == 6 and "not a regular file" in done.stderr
    (site.project / ".gemini").mkdir()
    os.mkfifo(site.project / ".gemini/settings.json")
    done = site.run("install", "gemini")
    assert done.returncode == 6 and "not a regular file" in done.stderr


def test_a_file_of_ours_that_others_changed_is_kept(site: Site) -> None:
    site.install("pi")
    plugin = site.project / ".pi/extensions/swarm.ts"
    plugin.write_text(plugin.read_text() + "// mine\n")
    done = site.run("install", "pi", "--uninstall")
    assert done.returncode == 1 and plugin.read_text().endswith("// mine\n")
    assert not (site.project / ".agents").exists()


def test_what_is_asked_for_wrongly_is_told(site: Site) -> None:
    for words in (["vim"], ["claude", "--user", "--project"], ["--uninstall"], ["--dry-run"]):
        done = site.run("install", *words)
        assert done.returncode == 2 and done.stderr.startswith("swarm: "), done.stderr


def test_what_is_left_to_do_is_told_to_people_and_to_programs(site: Site) -> None:
    done = site.run("install", "claude", "codex", "--json", "--dry-run")
    notes = json.loads(done.stdout)["notes"]
    assert [note.partition(" ")[0] for note in notes] == ["claude", "codex"] and not done.stderr
    user = site.run("install", "claude", "--user", "--dry-run").stderr
    assert "a project's MCP servers" not in user, "that is asked of a project's alone"


@pytest.mark.parametrize("home", ["", "here"])
def test_a_home_that_is_no_place_is_refused(site: Site, home: str) -> None:
    """An empty one would be the top of the disk."""
    done = site.run("install", "pi", "--dry-run", "--user", HOME=home)
    assert done.returncode == 2 and done.stderr.startswith("swarm: HOME is not an absolute path")


def test_without_a_project_it_says_so(site: Site) -> None:
    (site.project / "mail" / "dir").rmdir()
    assert site.run("install", "claude").returncode == 3


def test_dry_run_writes_nothing_and_shows_the_difference(site: Site) -> None:
    site.put("mcp.json", ".mcp.json")
    before = site.seen()
    shown = site.install("claude", "--dry-run")
    assert site.seen() == before and site.records() == []
    assert '+    "swarm": {' in shown and " hook claude Stop" in shown
    site.install("claude")
    assert "-<!-- swarm -->" in site.install("claude", "--uninstall", "--dry-run")


@pytest.mark.parametrize("minified", [False, True])
def test_nothing_of_a_private_file_is_shown_but_what_is_put_in(site: Site, minified: bool) -> None:
    state = site.put("claude-json-state.json", ".claude.json", "user")
    if minified:
        state.write_text(json.dumps(json.loads(state.read_text())))
    for words in ([], ["--uninstall"]):
        done = site.run("install", "claude", "--user", *words)
        assert '"swarm": {' in done.stderr
        assert "sk-secret" not in done.stderr + done.stdout and "mail.example" not in done.stderr
    record = site.run("install", "claude", "--user", "--json")
    assert "sk-secret" not in record.stdout
    assert not [one for one in site.records() if "sk-secret" in one.read_text()]


def test_json_gives_files_and_actions(site: Site) -> None:
    found = json.loads(site.install("claude", "--json"))["files"]
    assert {one["action"] for one in found} == {"created"}
    assert found[1]["parts"] == ["mcp"] and found[1]["diff"][2].startswith("@@")
