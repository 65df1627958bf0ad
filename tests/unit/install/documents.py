"""Random JSON texts as people write them: comments, trailing commas, odd blanks, repeated names."""

import json
from typing import Any

from hypothesis import strategies as st

BLANKS = st.sampled_from(["", " ", "  ", "\n", "\r\n", "\t", "\n\n    ", " // note, \"x\": {\n", "/* a, ] } */", "\n  /* b\n */\n"])  # fmt: skip
KEYS = st.sampled_from(["hooks", "Stop", "SessionStart", "mcpServers", "swarm", "a", "b", "ü", 'q"', "command"])  # fmt: skip
HOOK = st.sampled_from(
    [
        {"hooks": [{"type": "command", "command": "say done"}]},
        {"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}, {"command": "x"}]},
        {"hooks": []},
    ]
)
SERVER = st.sampled_from([{"command": "npx", "args": ["x"]}, {"url": "https://mcp.example"}])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9**9), st.text(max_size=4),
    st.sampled_from([1.5, -2e30, "}", "//", "/*", ",]"]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
HOOKS = st.dictionaries(st.sampled_from(["Stop", "PostToolUse", "Other"]), st.lists(HOOK, max_size=2), max_size=3)  # fmt: skip
SERVERS = st.dictionaries(st.sampled_from(["a", "github"]), SERVER, max_size=2)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """An object with hooks and servers among other members, in any order and style."""
    members = draw(st.lists(st.tuples(KEYS.filter(lambda k: k not in ("hooks", "mcpServers")), VALUES), max_size=3))  # fmt: skip
    if draw(st.booleans()):
        members.append(("hooks", draw(HOOKS)))
    if draw(st.booleans()):
        members.append(("mcpServers", draw(SERVERS)))
    members = draw(st.permutations(members))
    loose = draw(st.booleans())
    if not loose and draw(st.booleans()):
        indent = draw(st.sampled_from([None, 2, "\t", 4]))
        text = json.dumps(dict(members), indent=indent, ensure_ascii=draw(st.booleans()))
        if draw(st.booleans()):
            text = text.replace("\n", "\r\n")
        return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n"]))
    return draw(BLANKS) + _object(draw, members) + draw(BLANKS)


def _object(draw: st.DrawFn, members: "list[tuple[str, Any]]") -> str:
    parts = [f"{json.dumps(key)}{draw(BLANKS)}:{draw(BLANKS)}{_value(draw, value)}" for key, value in members]  # fmt: skip
    return _joined(draw, "{", parts, "}")


def _value(draw: st.DrawFn, value: Any) -> str:
    if isinstance(value, dict):
        return _object(draw, list(value.items()))
    if isinstance(value, list):
        return _joined(draw, "[", [_value(draw, one) for one in value], "]")
    return json.dumps(value)


def _joined(draw: st.DrawFn, begin: str, parts: list[str], end: str) -> str:
    text = begin + draw(BLANKS)
    for at, part in enumerate(parts):
        comma = at < len(parts) - 1 or draw(st.booleans())
        text += part + draw(BLANKS) + ("," + draw(BLANKS) if comma else "")
    return text + end
