"""Where each harness keeps what it reads, as its vendor documents it."""

import os
import re
from collections.abc import Mapping

from swarm.errors import Refused

IMPORTS = re.compile(r"(?:^|\s)@(?:\./)?AGENTS\.md\b", re.MULTILINE)


class Places:
    """The folders of one scope: ``folder`` is the project's, or the home.

    ``everywhere``: wherever something may stand, not only where it is put now.
    """

    def __init__(
        self, scope: str, folder: str, env: Mapping[str, str], everywhere: bool = False
    ) -> None:
        self.scope = scope
        self.everywhere = everywhere
        self.folder = folder
        self.env = env

    @property
    def user(self) -> bool:
        return self.scope == "user"

    def _own(self, variable: str, *default: str) -> str:
        """A folder of the home that a variable can name."""
        return self.env.get(variable, "") or os.path.join(self.folder, *default)

    def within(self, *parts: str) -> str:
        return os.path.join(self.folder, *parts)

    @property
    def claude(self) -> str:
        return self._own("CLAUDE_CONFIG_DIR", ".claude") if self.user else self.within(".claude")

    @property
    def claude_servers(self) -> str:
        if not self.user:
            return self.within(".mcp.json")
        return os.path.join(self.env.get("CLAUDE_CONFIG_DIR", "") or self.folder, ".claude.json")

    @property
    def codex(self) -> str:
        return self._own("CODEX_HOME", ".codex") if self.user else self.within(".codex")

    @property
    def gemini(self) -> str:
        home = self._own("GEMINI_CLI_HOME") if self.user else self.folder
        return os.path.join(home.rstrip("/"), ".gemini")

    @property
    def cursor(self) -> str:
        return self.within(".cursor")

    @property
    def opencode(self) -> str:
        if not self.user:
            return self.within(".opencode")
        return os.path.join(self._own("XDG_CONFIG_HOME", ".config"), "opencode")

    @property
    def opencode_configs(self) -> list[str]:
        """Where its configuration is, the likeliest first."""
        folders = [self.folder, self.opencode] if not self.user else [self.opencode]
        paths = [os.path.join(at, f"opencode.{end}") for at in folders for end in ("jsonc", "json")]
        found = [path for path in paths if os.path.lexists(path)]
        return found if self.everywhere else (found or paths[1:])[:1]

    @property
    def pi(self) -> str:
        return self._own("PI_CODING_AGENT_DIR", ".pi", "agent") if self.user else self.within(".pi")

    @property
    def skill(self) -> str:
        """The skill where all but Claude Code look."""
        return self.within(".agents", "skills", "swarm", "SKILL.md")

    def lines(self, own: str, folder: str, alone: bool = False) -> list[str]:
        """The files of instructions: the harness's own where that is the one it reads.

        ``alone``: it reads no other.
        """
        if self.user:
            return [os.path.join(folder, own)]
        mine, both = self.within(own), self.within("AGENTS.md")
        if self.everywhere:
            return list(dict.fromkeys((mine, both)))
        there = os.path.isfile(mine)
        return [mine if (alone and not there) or (there and not _imports(mine)) else both]


def _imports(path: str) -> bool:
    """Whether a file of instructions takes in AGENTS.md, so that its lines are read from there."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return bool(IMPORTS.search(file.read()))
    except OSError:  # told of where it is edited
        return False


def project(start: str) -> str:
    """The folder, from ``start`` upwards, that holds a mail tree or is the top of a git tree."""
    folder = os.path.abspath(start)
    while True:
        if os.path.isdir(f"{folder}/mail/dir") or os.path.lexists(f"{folder}/.git"):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            raise Refused("no project here")
        folder = above
