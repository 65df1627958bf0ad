"""The MCP entry in JSON: put in once, brought up to date, and another's of its name respected."""

import json

import pytest

from swarm.errors import Refused
from swarm.install import program
from swarm.install.json_text import parse
from swarm.install.server import Server
from swarm.install.text import Text
from swarm.install.toml_server import TomlServer

OPENCODE = Server("mcp", joined=True)


def _entry(form: Server | TomlServer, command: str, args: list[str]) -> str:
    if isinstance(form, TomlServer):
        return f'[mcp_servers.swarm]\ncommand = "{command}"\nargs = {json.dumps(args)}\n'
    return json.dumps({"mcpServers": {"swarm": {"command": command, "args": args}}})


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


@pytest.mark.parametrize(
    "args",
    [["mcp", "--guard"], ["--as", "bob", "mcp"], ["--root=/w/mail", "mcp", "--channel", "ops"]],
    ids=" ".join,
)
@pytest.mark.parametrize("form", [Server(), TomlServer()], ids=["json", "toml"])
def test_options_that_a_user_gave_it_are_no_fault_and_stay(
    form: Server | TomlServer, args: list[str]
) -> None:
    """Only the program is put right, where it cannot be started."""
    words = program.words()
    doc = Text(_entry(form, "/gone/swarm", args))
    assert form.state(doc, words) == "missing command"
    form.install(doc, words)
    assert form.state(doc, words) == "set up"
    assert doc.content == _entry(form, words[0], [*words[1:], *args])
    form.install(doc, ["/another/swarm"])
    assert doc.content == _entry(form, words[0], [*words[1:], *args])
    form.remove(doc)
    assert "mcp" not in doc.content


def test_one_that_is_switched_off_is_not_switched_on() -> None:
    entry = '{"mcp": {"swarm": {"command": ["/gone/swarm", "mcp"], "enabled": false}}}'
    doc = Text(entry)
    OPENCODE.install(doc, ["swarm"])
    assert doc.content == entry.replace("/gone/swarm", "swarm")


def test_anothers_entry_of_that_name_is_left() -> None:
    text = '{"mcpServers": {"swarm": {"command": "swarm", "args": ["serve"]}}}'
    doc = Text(text)
    assert Server().state(doc, []) == "another's"
    Server().remove(doc)
    assert doc.content == text
    with pytest.raises(Refused, match=r"has another's mcpServers\.swarm"):
        Server().install(doc, ["swarm"])


def test_in_what_is_no_json_it_cannot_be_told_whose_the_entry_is() -> None:
    doc = Text('{"mcpServers": {"swarm": {"command": "swarm", "args": ["mcp"]}}')
    with pytest.raises(Refused, match="is not JSON"):
        Server().state(doc, [])
    with pytest.raises(Refused, match="is not JSON"):
        Server().remove(doc)


def test_servers_of_others_and_a_comment_outlive_it() -> None:
    doc = Text('{\n  "mcpServers": { // mine\n  }\n}')
    Server().install(doc, ["swarm"])
    Server().remove(doc)
    assert "// mine" in doc.content and parse(doc.content).plain() == {"mcpServers": {}}  # type: ignore[union-attr]
