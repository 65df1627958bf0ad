"""What is set up is what the vendors' own types allow, at events that a hook answers."""

import json
from pathlib import Path

from swarm.harness import known
from swarm.install.json_text import parse

from ...vendors import complaints, needs_types
from .site import HARNESSES, Site

TYPED = {
    "claude": """
import type { McpStdioServerConfig, Settings } from "@anthropic-ai/claude-agent-sdk"
export const settings: Settings = SETTINGS
export const servers: Record<string, McpStdioServerConfig> = SERVERS
""",
    "gemini": """
import type { CommandHookConfig, HookDefinition } from "@google/gemini-cli-core/dist/src/hooks/types.js"
type Written = Omit<HookDefinition, "hooks"> & { hooks: (Omit<CommandHookConfig, "type"> & { type: "command" })[] }
export const hooks: Record<string, Written[]> = HOOKS
""",
    "opencode": """
import type { Config } from "@opencode-ai/plugin"
export const config: Config = CONFIG
""",
}  # fmt: skip


def read(site: Site, path: str) -> dict[str, object]:
    found = parse((site.project / path).read_text())
    assert found
    data: dict[str, object] = found.plain()
    return data


@needs_types
def test_the_files_are_of_the_vendors_types(site: Site, tmp_path: Path) -> None:
    site.install(*HARNESSES)
    values = {
        "SETTINGS": read(site, ".claude/settings.json"),
        "SERVERS": read(site, ".mcp.json")["mcpServers"],
        "HOOKS": read(site, ".gemini/settings.json")["hooks"],
        "CONFIG": read(site, "opencode.json"),
    }
    for name, text in TYPED.items():
        for word, value in values.items():
            text = text.replace(word, json.dumps(value))
        (tmp_path / f"{name}.ts").write_text(text)
    assert complaints(tmp_path, *(f"{name}.ts" for name in TYPED)) == []
    wrong = (tmp_path / "claude.ts").read_text().replace('"asyncRewake": true', '"asyncRewake": 1')
    (tmp_path / "claude.ts").write_text(wrong)
    assert len(complaints(tmp_path, "claude.ts")) == 1


def test_every_event_is_one_that_its_hook_answers(site: Site) -> None:
    site.install("claude", "codex", "gemini", "cursor")
    for harness, path in (
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("cursor", ".cursor/hooks.json"),
    ):
        hooks = read(site, path)["hooks"]
        assert isinstance(hooks, dict)
        assert hooks.keys() <= known.EVENTS[harness].keys()
        # Every moment at which a notice can be given.
        moments = {known.EVENTS[harness][event] for event in hooks}
        assert moments == set(known.EVENTS[harness].values())
    # Codex refuses a file with anything else at its top.
    assert list(read(site, ".codex/hooks.json")) == ["hooks"]
