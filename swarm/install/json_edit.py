"""Put members into a JSON text and take them out, in the style of their surroundings."""

import json
import re
from typing import Any

from swarm.errors import Refused
from swarm.install.json_text import Node, Part, parse
from swarm.install.text import Text

SPACES = " \t\r\n"
TIGHT = re.compile(r'":[^\s]')


def root(doc: Text, make: bool = True) -> Node | None:
    """The object that the text is; a blank one becomes an empty object first, if asked."""
    node = parse(doc.content)
    if node is None and make:
        doc.splice(len(doc.content), len(doc.content), "{}" + doc.newline)
        node = parse(doc.content)
    if node is not None and node.kind != "object":
        raise Refused("is no JSON object")
    return node


def find(doc: Text, path: tuple[str, ...], kind: str = "object") -> Node | None:
    """The value at the end of a path of objects, None where one is missing."""
    node = root(doc, make=False)
    for depth, key in enumerate(path):
        part = node.child(key) if node else None
        if part is None:
            return None
        node = part.node
        if node.kind != (kind if depth == len(path) - 1 else "object"):
            raise Refused(f"has a {'.'.join(path[: depth + 1])} of an unknown form")
    return node


def put(doc: Text, path: tuple[str, ...], value: Any) -> None:
    """Add a member that is not there, with the objects on the way to it."""
    root(doc)
    for depth in range(len(path)):
        if depth and find(doc, path[:depth]) is None:
            for key in reversed(path[depth:]):
                value = {key: value}
            path = path[:depth]
            break
    holder = find(doc, path[:-1])
    assert holder is not None
    insert(doc, holder, path[-1], value)


def insert(doc: Text, holder: Node, key: str, value: Any) -> None:
    """Add a last member to an object, or a last item to an array."""
    last = holder.parts[-1] if holder.parts else None
    wide = _wide(doc, holder)
    inner = _inner(doc, holder) if wide else ""
    new = _written(doc, key, value, inner, wide, holder.kind == "object")
    if last and last.comma >= 0:  # they end their lists with a comma: so do we
        new += ","
    close = holder.end - 1
    tail = len(doc.content[:close].rstrip(SPACES))
    if not wide:
        at = (last.comma + 1 if last.comma >= 0 else last.node.end) if last else tail
        comma = ", " if _spaced(doc) else ","
        before = "" if not last else comma if last.comma < 0 else comma[1:]
        doc.splice(at, at, before + new)
        return
    new = doc.newline + inner + new
    if "\n" in doc.content[tail:close]:
        doc.splice(tail, tail, new)
    else:
        doc.splice(tail, close, new + doc.newline + doc.indent(holder.start))
    if last and last.comma < 0:
        doc.splice(last.node.end, last.node.end, ",")


def replace(doc: Text, part: Part, value: Any) -> None:
    """Give a member or item another value."""
    wide = "\n" in doc.content.strip()
    new = _formatted(doc, value, doc.indent(part.start), wide)
    doc.splice(part.node.start, part.node.end, new)


def fills(doc: Text, outer: Part, part: Part) -> bool:
    """Whether nothing else, not even a comment, is in the container ``outer`` or before it."""
    start, end = outer.node.start + 1, outer.node.end - 1
    around = doc.content[start : part.start] + doc.content[part.node.end : end]
    return outer.bare and not around.strip(SPACES + ",")


def drop(doc: Text, holder: Node, part: Part) -> None:
    """Take a member or item out, with its comma, and with its line if nothing else is on it."""
    at = holder.parts.index(part)
    end = part.node.end
    if part.comma >= 0:
        if doc.content[end : part.comma].strip(SPACES):  # a comment, which stays
            doc.splice(part.comma, part.comma + 1, "")
        else:
            end = part.comma + 1
    start, end = _lines(doc, part.start, end, first=not at)
    doc.splice(start, end, "")
    if at and part.comma < 0:
        comma = holder.parts[at - 1].comma
        doc.splice(comma, comma + 1, "")


def _lines(doc: Text, start: int, end: int, first: bool) -> tuple[int, int]:
    """What to cut around a part: its line, or the blanks that set it off from its neighbour."""
    before = len(doc.content[:start].rstrip(SPACES))
    line = doc.content.rfind("\n", before, start)
    after = doc.content[end:].split("\n", 1)[0]
    if line < 0 and not first:
        return before, end
    if line >= 0 and (not after.strip(SPACES) or after.strip(SPACES).startswith("//")):
        return line - (doc.content[before:line][-1:] == "\r"), end
    return start, end + len(after) - len(after.lstrip(" \t"))


def _wide(doc: Text, holder: Node) -> bool:
    """Whether the parts of this container stand on lines of their own."""
    end = holder.parts[0].start if holder.parts else holder.end
    if "\n" in doc.content[holder.start : end]:
        return True
    whole = doc.content.strip()
    return not holder.parts and ("\n" in whole or holder.end - holder.start >= len(whole) - 1)


def _inner(doc: Text, holder: Node) -> str:
    """The indentation of this container's parts."""
    for part in reversed(holder.parts):
        line = doc.content.rfind("\n", 0, part.start) + 1
        if not doc.content[line : part.start].strip(" \t") and line > holder.start:
            return doc.content[line : part.start]
    return doc.indent(holder.start) + doc.unit


def _spaced(doc: Text) -> bool:
    return not TIGHT.search(doc.content)


def _written(doc: Text, key: str, value: Any, indent: str, wide: bool, named: bool) -> str:
    new = _formatted(doc, value, indent, wide)
    colon = ": " if wide or _spaced(doc) else ":"
    return f"{json.dumps(key, ensure_ascii=False)}{colon}{new}" if named else new


def _formatted(doc: Text, value: Any, indent: str, wide: bool) -> str:
    if not wide:
        marks = (", ", ": ") if _spaced(doc) else (",", ":")
        return json.dumps(value, separators=marks, ensure_ascii=False)
    lines = json.dumps(value, indent=doc.unit, ensure_ascii=False).split("\n")
    return f"{doc.newline}{indent}".join(lines)
