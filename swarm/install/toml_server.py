"""The same entry in a TOML file: a table of its own at the end, which moves nothing of others.

What comes out is read again and compared: a file in which that is not possible stays as it is.
"""

import json
import re
import tomllib
from typing import Any

from swarm.errors import Refused
from swarm.install import program
from swarm.install.server import REST, serves
from swarm.install.text import Text

NAMED = r"^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*(?:swarm|\"swarm\"|'swarm')[ \t]*"
HEADER = re.compile(NAMED + r"\][^\n]*", re.M)
WITHIN = re.compile(NAMED + r"(?:\.[^\]\n]+)?\][^\n]*", re.M)
NEXT = re.compile(r"^[ \t]*\[", re.M)
# Of the environment Codex passes on only what is named.
ENV = ["SWARM_AGENT", "SWARM_ROOT", "SWARM_SESSION", "SWARM_TEAM_HOME", "SWARM_FSYNC"]
OWN = re.compile(r"^[ \t]*(?:command|args)[ \t]*=[^\n]*(?:\n|\Z)", re.M)


class TomlServer:
    """The entry as a table: put in, brought up to date, taken out."""

    name = "mcp"

    def install(self, doc: Text, words: list[str]) -> None:
        before = _read(doc)
        entry, rest = _entry(before), REST
        if entry is not None:
            command, rest = _parted(entry)
            if not serves(rest):
                raise Refused("has another's mcp_servers.swarm")
            if program.starts(command):
                return
            self._update(doc, [*words, *rest])
        else:
            named = f"env_vars = {json.dumps(ENV)}"
            lines = ["[mcp_servers.swarm]", *_lines([*words, *rest]), named, ""]
            end = len(doc.content)
            gap = doc.newline * (0 if not end else 1 if doc.content.endswith("\n") else 2)
            doc.splice(end, end, gap + doc.newline.join(lines))
        servers = dict(before.get("mcp_servers", {}))
        kept = {"env_vars": ENV} if entry is None else entry
        servers["swarm"] = {**kept, "command": words[0], "args": [*words[1:], *rest]}
        _check(doc, {**before, "mcp_servers": servers})

    def remove(self, doc: Text) -> None:
        before = _read(doc)
        entry = _entry(before)
        if entry is None or not serves(_parted(entry)[1]):
            return
        while _entry(_read(doc)) is not None:
            self._drop(doc)
        servers = {k: v for k, v in before["mcp_servers"].items() if k != "swarm"}
        after = {k: v for k, v in before.items() if k != "mcp_servers"}
        if _read(doc) not in ({**after, "mcp_servers": servers}, after if not servers else None):
            raise _odd()

    def _drop(self, doc: Text) -> None:
        """Take out one table of ours; what only looks like one, within a text, changes another."""
        now = _read(doc)
        for start, end in reversed(_tables(doc, WITHIN)):
            if end == len(doc.content):  # with the empty line that sets it off
                kept = doc.content[:start].rstrip("\r\n")
                start = min(start, len(kept) + len(doc.newline)) if kept else 0
            trial = Text(doc.content[:start] + doc.content[end:])
            if _others(_tried(trial)) == _others(now):
                doc.splice(start, end, "")
                return
        raise _odd()

    def state(self, doc: Text, words: list[str]) -> str:
        entry = _entry(_read(doc))
        if entry is None:
            return ""
        command, rest = _parted(entry)
        if not serves(rest):
            return "another's"
        return "set up" if program.starts(command) else "missing command"

    def _update(self, doc: Text, words: list[str]) -> None:
        """Put the two lines of ours anew; what others set in the table stays."""
        now = _read(doc)
        for start, end in reversed(_tables(doc, HEADER)):
            head = doc.content.find("\n", start, end) + 1 or end
            body = OWN.sub("", doc.content[head:end])
            new = doc.newline.join([*_lines(words), ""]) + body
            trial = Text(doc.content[:head] + new + doc.content[end:])
            if _others(_tried(trial)) == _others(now):
                doc.splice(head, end, new)
                return
        raise _odd()


def _tables(doc: Text, headers: re.Pattern[str]) -> list[tuple[int, int]]:
    """From where to where each table stands that has such a header, or what looks like it."""
    found = []
    for header in headers.finditer(doc.content):
        following = NEXT.search(doc.content, header.end())
        found.append((header.start(), following.start() if following else len(doc.content)))
    return found


def _tried(doc: Text) -> dict[str, Any] | None:
    try:
        return _read(doc)
    except Refused:
        return None


def _others(data: dict[str, Any] | None) -> Any:
    """What is not ours."""
    if data is None:
        return None
    servers = {k: v for k, v in data.get("mcp_servers", {}).items() if k != "swarm"}
    return {k: v for k, v in data.items() if k != "mcp_servers"}, servers


def _odd() -> Refused:
    return Refused("has mcp_servers in a form that cannot be edited")


def _lines(words: list[str]) -> list[str]:
    args = ", ".join(_quoted(word) for word in words[1:])
    return [f"command = {_quoted(words[0])}", f"args = [{args}]"]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _read(doc: Text) -> dict[str, Any]:
    try:
        text = doc.content.removeprefix("\ufeff").replace("\r\n", "\n")
        return tomllib.loads(text, parse_float=str)  # as text even nan is what it was
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Refused(f"is not TOML: {error}") from None


def _entry(data: dict[str, Any]) -> dict[str, Any] | None:
    servers = data.get("mcp_servers", {})
    if not isinstance(servers, dict) or not isinstance(servers.get("swarm", {}), dict):
        raise Refused("has mcp_servers of an unknown form")
    found: dict[str, Any] | None = servers.get("swarm")
    return found


def _parted(entry: dict[str, Any]) -> tuple[list[str], list[str]]:
    args = entry.get("args", [])
    words = [entry.get("command"), *(args if isinstance(args, list) else [])]
    return program.parted(words if all(isinstance(word, str) for word in words) else [])


def _check(doc: Text, wanted: dict[str, Any]) -> None:
    if _tried(doc) != wanted:
        raise _odd()
