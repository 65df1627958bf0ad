"""A project and a home with the configuration files that people have, and the real command."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copyfile

from ... import forks

CONFIGS = Path(__file__).parent / "configs"
LEAKS = ("SWARM_", "XDG_", "CLAUDE", "CODEX", "GEMINI", "PI_")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(LEAKS)}
HARNESSES = ("claude", "codex", "gemini", "cursor", "opencode", "pi")
# By harness: where a file goes in a project, in a home, and which of the files may be there.
FILES = {
    "claude": [
        (
            ".claude/settings.json",
            ".claude/settings.json",
            "claude-settings.json claude-settings-comments.json claude-settings-crlf.json "
            "claude-settings-minified.json empty-object.json empty.json blank.json",
        ),
        (".mcp.json", ".claude.json", "mcp.json claude-json-state.json empty-object.json"),
        ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.md AGENTS.md empty.json"),
    ],
    "codex": [
        (".codex/hooks.json", ".codex/hooks.json", "codex-hooks.json empty-object.json"),
        (
            ".codex/config.toml",
            ".codex/config.toml",
            "codex-config.toml codex-config-crlf.toml empty.json",
        ),
        ("AGENTS.md", ".codex/AGENTS.md", "AGENTS.md CLAUDE.md"),
    ],
    "gemini": [
        (
            ".gemini/settings.json",
            ".gemini/settings.json",
            "gemini-settings.json claude-settings-crlf.json empty.json",
        ),
        ("GEMINI.md", ".gemini/GEMINI.md", "CLAUDE.md"),
    ],
    "cursor": [
        (".cursor/hooks.json", ".cursor/hooks.json", "cursor-hooks.json empty-object.json"),
        (".cursor/mcp.json", ".cursor/mcp.json", "mcp.json blank.json"),
    ],
    "opencode": [
        ("opencode.jsonc", ".config/opencode/opencode.jsonc", "opencode.jsonc empty-object.json"),
        ("AGENTS.md", ".config/opencode/AGENTS.md", "AGENTS.md"),
    ],
    "pi": [("AGENTS.md", ".pi/agent/AGENTS.md", "AGENTS.md CLAUDE.md")],
}


class Site:
    def __init__(self, place: Path) -> None:
        self.project, self.home, self.state = place / "project", place / "home", place / "state"
        for folder in (self.project / "mail" / "dir", self.home, self.state):
            folder.mkdir(parents=True, exist_ok=True)
        path = f"{sys.prefix}/bin:{CLEAN['PATH']}"
        self.env = {
            **CLEAN,
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.state),
            "PATH": path,
        }

    def folder(self, scope: str) -> Path:
        return self.project if scope == "project" else self.home

    def put(self, config: str, path: str, scope: str = "project") -> Path:
        target = self.folder(scope) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        copyfile(CONFIGS / config, target)
        return target

    def run(self, *words: str, hook: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        done = forks.run(words, self.project, {**self.env, **env}, hook=hook)
        out, err = done.stdout.decode(), done.stderr.decode()
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def install(self, *words: str, **env: str) -> str:
        done = self.run("install", *words, **env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def actions(self, *words: str) -> dict[str, str]:
        """By path, what was done to it."""
        rows = [line.split("\t") for line in self.install(*words).splitlines()]
        return {row[2].removeprefix(f"{self.project}/"): row[1] for row in rows}

    def seen(self) -> dict[str, bytes | str]:
        """Every file of project and home with its bytes, each link, each folder."""
        found: dict[str, bytes | str] = {}
        for top in (self.project, self.home):
            for path in sorted(top.rglob("*")):
                name = str(path.relative_to(top.parent))
                if path.is_symlink():
                    found[name] = f"-> {os.readlink(path)}"
                else:
                    found[name] = path.read_bytes() if path.is_file() else "folder"
        return found

    def records(self) -> list[Path]:
        return list(self.state.rglob("*.json"))
