"""Where things stand in a JSON text, with comments and trailing commas as some write them.

Only what is needed to put something in or take it out by position: nothing is written anew,
so whatever else is in the text stays as it is, to the byte.
"""

import json
import re
from typing import Any

from swarm.errors import Refused

BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
BOM = "\ufeff"
QUICK = json.JSONDecoder()
# Members in which something is put in or taken out, or looked for.
EDITED = frozenset(("hooks", "mcpServers", "mcp", "context"))


class Node:
    """A value from ``start`` to ``end``; ``parts`` of an object or array, else ``value``."""

    __slots__ = ("end", "kind", "parts", "start", "value")

    def __init__(self, kind: str, start: int) -> None:
        self.kind = kind
        self.start = self.end = start
        self.value: Any = None
        self.parts: list[Part] = []

    def child(self, key: str) -> "Part | None":
        """The last member of that name: it is the one that counts where a name is repeated."""
        return next((part for part in reversed(self.parts) if part.key == key), None)

    def plain(self) -> Any:
        """The value without positions."""
        if self.kind == "object":
            return {part.key: part.node.plain() for part in self.parts}
        return [part.node.plain() for part in self.parts] if self.kind == "array" else self.value


class Part:
    """A member or item: its name ('' in arrays), where it begins, where its comma stands or -1.

    ``bare``: no comment stands between its name and its value.
    """

    __slots__ = ("bare", "comma", "key", "node", "start")

    def __init__(self, key: str, start: int, node: Node, bare: bool = True) -> None:
        self.key = key
        self.start = start
        self.node = node
        self.bare = bare
        self.comma = -1


def parse(text: str) -> Node | None:
    """The value that the text is, None if it is blank; Refused where it is none."""
    at = _blank(text, 1 if text.startswith(BOM) else 0)
    if at == len(text):
        return None
    try:
        node = _value(text, at, edited=False)
    except RecursionError:
        raise Refused("is nested too deeply") from None
    rest = _blank(text, node.end)
    if rest != len(text):
        raise _broken(text, rest)
    return node


def _value(text: str, at: int, edited: bool = True) -> Node:
    """``edited``: whether it is, or is in, one of those members."""
    first = text[at : at + 1]
    if first == "{" or first == "[":
        return _container(text, at, "object" if first == "{" else "array", edited)
    found = (STRING if first == '"' else SCALAR).match(text, at)
    if not found:
        raise _broken(text, at)
    node = Node("scalar", at)
    node.end = found.end()
    node.value = _loaded(text, at, node.end)
    return node


def _container(text: str, at: int, kind: str, edited: bool) -> Node:
    node = Node(kind, at)
    close = "}" if kind == "object" else "]"
    at = _blank(text, at + 1)
    while text[at : at + 1] != close:
        if node.parts and node.parts[-1].comma < 0:
            raise _broken(text, at)
        part = _part(text, at, kind, edited)
        node.parts.append(part)
        at = _blank(text, part.node.end)
        if text[at : at + 1] == ",":
            part.comma = at
            at = _blank(text, at + 1)
    node.end = at + 1
    return node


def _part(text: str, at: int, kind: str, edited: bool) -> Part:
    if kind == "array":
        return Part("", at, _value(text, at))
    found = STRING.match(text, at)
    colon = _blank(text, found.end()) if found else at
    if not found or text[colon : colon + 1] != ":":
        raise _broken(text, colon)
    key = str(_loaded(text, at, found.end()))
    begin = _blank(text, colon + 1)
    node = (None if edited or key in EDITED else _opaque(text, begin)) or _value(text, begin)
    return Part(key, at, node, text[found.end() : begin].strip() == ":")


def _opaque(text: str, at: int) -> Node | None:
    """A value nobody edits, read by the quick parser; None where it is not strictly JSON."""
    try:
        value, end = QUICK.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    node = Node("scalar", at)
    node.value, node.end = value, end
    return node


def _blank(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at


def _loaded(text: str, start: int, end: int) -> Any:
    try:
        return json.loads(text[start:end])
    except ValueError:
        raise _broken(text, start) from None


def _broken(text: str, at: int) -> Refused:
    return Refused(f"is not JSON: line {text.count(chr(10), 0, at) + 1} cannot be read")
