"""The entry in a TOML file: all else stays, and what cannot be edited is refused."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.errors import Refused
from swarm.install import program
from swarm.install.text import Text, taken_back
from swarm.install.toml_server import ENV, TomlServer

OURS = {"command": "swarm", "args": ["mcp"], "env_vars": ENV}
LINES = st.sampled_from(
    [
        "# note", "", 'model = "x"', "[tui]", 'theme = "a" # b', "[mcp_servers.docs]", 'command = "d"',
        "[[rules]]", 'text = """', "[mcp_servers.swarm]", '"""', "args = [", '  "x",', "]",
        "[mcp_servers]", "a.b = 1", "[mcp_servers.docs.env]", "é = 'ü'",
    ]
)  # fmt: skip


def read(text: str) -> dict[str, object]:
    return tomllib.loads(text.replace("\r\n", "\n"))


@settings(max_examples=200)
@given(st.lists(LINES, max_size=9), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_all_of_before_is_there_after(lines: list[str], newline: str, ended: bool) -> None:
    text = newline.join(lines) + newline * ended
    doc = Text(text)
    try:
        TomlServer().install(doc, ["swarm"])
    except Refused:
        return
    before, after = read(text), read(doc.content)
    assert after.pop("mcp_servers") == {**before.pop("mcp_servers", {}), "swarm": OURS}  # type: ignore[dict-item]
    assert after == before and taken_back(doc.content, doc.undo) == text

    TomlServer().remove(doc)
    left = read(doc.content)
    assert (
        left == read(text)
        or left == {**read(text), "mcp_servers": {}}
        or not read(text)["mcp_servers"]
    )


def test_it_is_a_table_of_its_own_at_the_end() -> None:
    doc = Text('a = 1 # one\n[b]\nc = "d"')
    TomlServer().install(doc, ["/x y/swarm"])
    assert doc.content == 'a = 1 # one\n[b]\nc = "d"\n\n[mcp_servers.swarm]\ncommand = "/x y/swarm"\nargs = ["mcp"]\nenv_vars = ["SWARM_AGENT", "SWARM_ROOT", "SWARM_SESSION", "SWARM_TEAM_HOME", "SWARM_FSYNC"]\n'  # fmt: skip


def test_what_others_set_in_our_table_stays() -> None:
    words = program.words()
    doc = Text('[mcp_servers.swarm]\ncommand = "/gone/swarm"\nargs = ["mcp"]\nenv = { A = "1" }\n\n[mcp_servers.swarm.tools.x]\nmode = "ok"\n')  # fmt: skip
    assert TomlServer().state(doc, words) == "missing command"
    TomlServer().install(doc, words)
    assert TomlServer().state(doc, words) == "set up"
    entry = read(doc.content)["mcp_servers"]["swarm"]  # type: ignore[index]
    assert entry["env"] == {"A": "1"} and entry["tools"] == {"x": {"mode": "ok"}}
    TomlServer().remove(doc)
    assert doc.content.strip() == ""


@pytest.mark.parametrize(
    "text",
    [
        "a = ", "mcp_servers = 1", 'mcp_servers = { a = { command = "b" } }', "mcp_servers.swarm = 1",
        '[mcp_servers.swarm]\ncommand = "other"', "[[mcp_servers]]\na = 1",
    ],
)  # fmt: skip
def test_what_cannot_be_edited_is_refused_and_as_it_was(text: str) -> None:
    with pytest.raises(Refused):
        TomlServer().install(Text(text), ["swarm"])


def test_what_is_not_equal_to_itself_is_in_nobodys_way() -> None:
    doc = Text("low = nan\n")
    TomlServer().install(doc, ["/del\x7f/swarm"])
    assert tomllib.loads(doc.content)["mcp_servers"]["swarm"]["command"] == "/del\x7f/swarm"
    TomlServer().remove(doc)
    assert doc.content == "low = nan\n"
