"""What is set up for each harness: which files, and what of ours in them."""

import os
from typing import Any

from swarm import disk
from swarm.install.block import Block
from swarm.install.hooks import Hooks
from swarm.install.places import Places
from swarm.install.server import Server
from swarm.install.text import Text
from swarm.install.toml_server import TomlServer
from swarm.install.whole import Whole

Editor = Hooks | Server | TomlServer | Block | Whole
NAMES = ("claude", "codex", "gemini", "cursor", "opencode", "pi")
PROGRAMS = {
    "claude": ("claude",),
    "codex": ("codex",),
    "gemini": ("gemini",),
    "cursor": ("cursor-agent", "cursor"),
    "opencode": ("opencode",),
    "pi": ("pi",),
}
# What the user has to do besides.
PROJECT_NOTES = {"claude": "claude asks once whether it may start a project's MCP servers"}
NOTES = {
    "codex": "codex runs hooks only once you trust them: look at them with /hooks; and mail/ must "
    "be writable in its sandbox (within the workspace, or in writable_roots)",
    "gemini": "gemini runs a project's hooks and MCP servers only in a folder that you trust",
    "pi": "pi takes a project's extension and MCP servers only once you trust the project",
}
SECONDS, HOUR = 10, 3600
CODEX_END = 3  # more it does not allow
PLUGIN = 'const SWARM = ["swarm"]'
MARK = "swarm install"


class File:
    """A file and what of ours stands in it.  ``shared``: other harnesses read it too."""

    __slots__ = ("editors", "path", "shared")

    def __init__(self, path: str, *editors: Editor, shared: bool = False) -> None:
        self.path = path
        self.editors = editors
        self.shared = shared


def files(harness: str, at: Places) -> list[File]:
    """The files of a harness, its own before those that it shares."""
    return FILES[harness](at)


def _hook(harness: str, event: str, **more: Any) -> dict[str, Any]:
    return {"rest": ["hook", harness, event], **more}


def _hooks(harness: str, events: str, **more: Any) -> dict[str, list[dict[str, Any]]]:
    return {event: [_hook(harness, event, **more)] for event in events.split()}


def _claude(at: Places) -> list[File]:
    events = "SessionStart UserPromptSubmit PostToolUse Stop SessionEnd"
    wanted = _hooks("claude", events, timeout=SECONDS)
    bell = {"rest": ["wait", "--hook"], "asyncRewake": True, "timeout": HOUR}
    wanted["Stop"].append(bell)
    return [
        File(os.path.join(at.claude, "settings.json"), Hooks("claude", wanted)),
        File(at.claude_servers, Server()),
        File(os.path.join(at.claude, "skills", "swarm", "SKILL.md"), _skill()),
        *_lines(at, "CLAUDE.md", at.claude),
    ]


def _codex(at: Places) -> list[File]:
    wanted = _hooks("codex", "SessionStart UserPromptSubmit PostToolUse Stop", timeout=SECONDS)
    wanted |= _hooks("codex", "SessionEnd", timeout=CODEX_END)
    return [
        File(os.path.join(at.codex, "hooks.json"), Hooks("codex", wanted)),
        File(os.path.join(at.codex, "config.toml"), TomlServer()),
        File(at.skill, _skill(), shared=True),
        *_lines(at, "AGENTS.md", at.codex),
    ]


def _gemini(at: Places) -> list[File]:
    events = "SessionStart BeforeAgent AfterTool AfterAgent SessionEnd"
    wanted = _hooks("gemini", events, name="swarm", timeout=SECONDS * 1000)
    settings = os.path.join(at.gemini, "settings.json")
    name = "AGENTS.md" if "AGENTS.md" in _context_files(settings) else "GEMINI.md"
    return [
        File(settings, Hooks("gemini", wanted), Server()),
        File(at.skill, _skill(), shared=True),
        *_lines(at, name, at.gemini, alone=name == "GEMINI.md"),
    ]


def _context_files(settings: str) -> list[str]:
    """Which files of instructions these settings name."""
    from swarm.install.json_edit import find

    try:
        context = find(Text(disk.read(os.path.realpath(settings)).decode()), ("context",))
    except Exception:  # whoever edits the file will say what is wrong with it
        return []
    named = context.plain().get("fileName", []) if context else []
    return [named] if isinstance(named, str) else list(named) if isinstance(named, list) else []


def _cursor(at: Places) -> list[File]:
    wanted = _hooks("cursor", "sessionStart postToolUse stop sessionEnd", timeout=SECONDS)
    wanted["stop"][0]["loop_limit"] = 5
    skill = at.within(".cursor", "skills", "swarm", "SKILL.md") if at.user else at.skill
    found = [
        File(os.path.join(at.cursor, "hooks.json"), Hooks("cursor", wanted, flat=True, version=1)),
        File(os.path.join(at.cursor, "mcp.json"), Server()),
        File(skill, _skill(), shared=not at.user),
    ]
    # Of its user's instructions Cursor has no file.
    return found if at.user else [*found, *_lines(at, "AGENTS.md", at.cursor)]


def _opencode(at: Places) -> list[File]:
    plugin = os.path.join(at.opencode, "plugins", "swarm.ts")
    return [
        File(plugin, Whole("hooks", "opencode/swarm.ts", MARK, PLUGIN)),
        *(File(path, Server("mcp", joined=True)) for path in at.opencode_configs),
        File(at.skill, _skill(), shared=True),
        *_lines(at, "AGENTS.md", at.opencode),
    ]


def _pi(at: Places) -> list[File]:
    extension = os.path.join(at.pi, "extensions", "swarm.ts")
    return [
        File(extension, Whole("hooks", "pi/swarm.ts", MARK, PLUGIN)),
        File(os.path.join(at.pi, "mcp.json"), Server(exposure="direct")),  # as tools of their own
        File(at.skill, _skill(), shared=True),
        *_lines(at, "AGENTS.md", at.pi),
    ]


def _skill() -> Whole:
    return Whole("skill", "skill/SKILL.md", "name: swarm")


def _lines(at: Places, own: str, folder: str, alone: bool = False) -> list[File]:
    return [File(path, Block(), shared=not at.user) for path in at.lines(own, folder, alone)]


FILES = {
    "claude": _claude, "codex": _codex, "gemini": _gemini, "cursor": _cursor, "opencode": _opencode,
    "pi": _pi,
}  # fmt: skip
