"""The programs: how each is set up for a scripted model, and started without a person."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

Setup = Callable[["World", str], None]


@dataclass(frozen=True)
class World:
    """One run's folders: the project that holds the mail tree, and a home of its own."""

    top: Path
    bins: tuple[str, ...]

    @property
    def project(self) -> Path:
        return self.top / "project"

    @property
    def home(self) -> Path:
        return self.top / "home"

    def env(self, program: "Program", url: str) -> dict[str, str]:
        """The environment of everything in it.  Whoever asks for another host gets no answer."""
        path = os.pathsep.join((*self.bins, "/usr/local/bin", "/usr/bin", "/bin"))
        nowhere = "http://127.0.0.1:9"
        return {
            "PATH": path, "HOME": str(self.home), "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "XDG_CONFIG_HOME": str(self.home / ".config"), "TMPDIR": str(self.top),
            "HTTPS_PROXY": nowhere, "HTTP_PROXY": nowhere, "NO_PROXY": "127.0.0.1,localhost",
            "https_proxy": nowhere, "http_proxy": nowhere, "no_proxy": "127.0.0.1,localhost",
            "DO_NOT_TRACK": "1",
            **{key: value.replace("URL", url) for key, value in program.env.items()},
        }  # fmt: skip

    def begin(self) -> None:
        """Make the folders.  A login shell, as Codex uses, sets PATH anew: the profile mends it."""
        self.project.mkdir(parents=True)
        self.write(".profile", f'PATH="{os.pathsep.join(self.bins)}:$PATH"\n')

    def write(self, path: str, said: object) -> None:
        """A file of the home."""
        to = self.home / path
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(said if isinstance(said, str) else json.dumps(said, indent=2))


@dataclass(frozen=True)
class Program:
    """``once``: the words of one run, PROMPT among them; ``more``: of the next in its session.

    ``hooks``: the file in which its hooks stand.  ``searches``:
    whether MCP tools have to be looked for.  ``no_stop``, ``no_end``, ``no_thread``: why a run
    cannot be kept going at its end, does not tell its end, or its MCP server not of its session.
    """

    name: str
    package: str
    once: str
    setup: Setup
    more: str = ""
    env: dict[str, str] = field(default_factory=dict)
    hooks: str = ""
    searches: bool = False
    no_stop: str = ""
    no_end: str = ""
    no_thread: str = ""

    @property
    def twice(self) -> str:
        """One run, of two prompts where it takes two."""
        return self.once if self.more else f"{self.once} again"


def _claude(world: World, url: str) -> None:
    world.write(
        ".claude/settings.json",
        {
            "enableAllProjectMcpServers": True,
            "skipDangerousModePermissionPrompt": True,
            "includeCoAuthoredBy": False,
        },
    )
    world.write(
        ".claude.json",
        {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": ["dummy"]},
            "projects": {str(world.project): {"hasTrustDialogAccepted": True}},
        },
    )


def _codex(world: World, url: str) -> None:
    world.write(
        ".codex/config.toml",
        f'model = "gpt-5"\nmodel_provider = "local"\ncheck_for_update_on_startup = false\n'
        f'[analytics]\nenabled = false\n[model_providers.local]\nname = "local"\n'
        f'base_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "DUMMY_KEY"\n'
        f'[projects."{world.project}"]\ntrust_level = "trusted"\n',
    )


def _gemini(world: World, url: str) -> None:
    world.write(
        ".gemini/settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "tools": {"sandbox": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
        },
    )

    world.write(".gemini/trustedFolders.json", {str(world.project): "TRUST_FOLDER"})


def _opencode(world: World, url: str) -> None:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "local",
        "options": {"baseURL": f"{url}/v1", "apiKey": "dummy"},
        "models": {"scripted": {"name": "scripted", "tool_call": True}},
    }
    world.write(
        ".config/opencode/opencode.json",
        {
            "model": "local/scripted", "autoupdate": False, "share": "disabled",
            "provider": {"local": provider}, "enabled_providers": ["local"],
            "permission": {"bash": "allow"},
        },
    )  # fmt: skip


def _pi(world: World, url: str) -> None:
    world.write(
        ".pi/agent/models.json",
        {
            "providers": {
                "local": {
                    "baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "dummy",
                    "models": [{"id": "scripted"}],
                }
            }
        },
    )  # fmt: skip


PROGRAMS = (
    Program(
        "claude",
        "@anthropic-ai/claude-code@2.1.332",
        "claude -p PROMPT --dangerously-skip-permissions --model claude-sonnet-4-5",
        _claude,
        env={
            "ANTHROPIC_BASE_URL": "URL", "ANTHROPIC_API_KEY": "dummy", "IS_SANDBOX": "1",
            "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
        hooks=".claude/settings.json",
        searches=True,
    ),
    Program(
        "codex",
        "@openai/codex@0.171.0",
        "codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox "
        "--dangerously-bypass-hook-trust PROMPT",
        _codex,
        env={"DUMMY_KEY": "dummy"},
        hooks=".codex/hooks.json",
    ),
    Program(
        "opencode",
        "opencode-ai@1.18.33",
        "opencode run --auto -m local/scripted PROMPT",
        _opencode,
        more="opencode run --auto -m local/scripted --continue PROMPT",
        no_stop="opencode run ends at once: what came is told with the next prompt",
        no_end="no session ends with a run",
        no_thread="it tells no server of the session: SWARM_AGENT, or the tool register",
        env={
            "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            "npm_config_fetch_retries": "0",
        },
    ),
    Program(
        "pi",
        "@earendil-works/pi-coding-agent@1.6.0",
        "pi -p --approve --provider local --model scripted PROMPT",
        _pi,
        env={"PI_OFFLINE": "1", "PI_TELEMETRY": "0"},
    ),
    Program(
        "gemini",
        "@google/gemini-cli@0.61.0",
        "gemini -p PROMPT --yolo --skip-trust -m gemini-2.5-flash",
        _gemini,
        env={
            "GOOGLE_GEMINI_BASE_URL": "URL", "GEMINI_API_KEY": "dummy",
            "GEMINI_TELEMETRY_ENABLED": "false",
        },
        hooks=".gemini/settings.json",
    ),
)  # fmt: skip
