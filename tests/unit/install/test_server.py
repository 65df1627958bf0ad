"""The MCP entry in JSON: put in once, brought up to date, and another's of its name respected."""

import json

import pytest

from swarm.errors import Refused
from swarm.install import program
from swarm.install.json_text import parse
from swarm.install.server import Server
from swarm.install.text import Text

OPENCODE = Server("mcp", joined=True)


def test_opencode_has_command_and_arguments_in_one_list() -> None:
    doc = Text("{}")
    OPENCODE.install(doc, ["swarm"])
    entry = {"type": "local", "command": ["swarm", "mcp"], "enabled": True}
    assert json.loads(doc.content) == {"mcp": {"swarm": entry}}


def test_only_a_command_that_is_gone_is_replaced_and_what_others_set_stays() -> None:
    words = program.words()
    text = (
        '{"mcpServers": {"swarm": {"command": "/gone/swarm", "args": ["mcp"], "env": {"A": "1"}}}}'
    )
    doc = Text(text)
    assert Server().state(doc, words) == "missing command"
    Server().install(doc, words)
    entry = json.loads(doc.content)["mcpServers"]["swarm"]
    assert entry == {"command": words[0], "args": [*words[1:], "mcp"], "env": {"A": "1"}}
    assert Server().state(doc, words) == "set up"


def test_anothers_entry_of_that_name_is_left() -> None:
    text = '{"mcpServers": {"swarm": {"command": "swarm", "args": ["serve"]}}}'
    doc = Text(text)
    assert Server().state(doc, []) == "another's"
    Server().remove(doc)
    assert doc.content == text
    with pytest.raises(Refused, match=r"has another's mcpServers\.swarm"):
        Server().install(doc, ["swarm"])


def test_servers_of_others_and_a_comment_outlive_it() -> None:
    doc = Text('{\n  "mcpServers": { // mine\n  }\n}')
    Server().install(doc, ["swarm"])
    Server().remove(doc)
    assert "// mine" in doc.content and parse(doc.content).plain() == {"mcpServers": {}}  # type: ignore[union-attr]
