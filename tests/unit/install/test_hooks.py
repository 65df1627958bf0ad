"""Hooks and a server go into any JSON and come out again, and all else stays."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings

from swarm.install import program
from swarm.install.harnesses import files
from swarm.install.hooks import Hooks
from swarm.install.json_text import parse
from swarm.install.places import Places
from swarm.install.server import Server
from swarm.install.text import Text, taken_back

from .documents import texts

COMMENTS = re.compile(r'note, "x"|a, \] \}|b \*/')


def hooks_of(harness: str) -> Hooks:
    found = files(harness, Places("project", "/p", {}))[0].editors[0]
    assert isinstance(found, Hooks)
    return found


CLAUDE = hooks_of("claude")


def plain(text: str) -> dict[str, Any]:
    found = parse(text)
    return found.plain() if found else {}


def without_empty(data: dict[str, Any]) -> dict[str, Any]:
    """The same but for lists and objects that hold nothing."""
    hooks = {
        event: [group for group in groups if group.get("hooks")]
        for event, groups in data.get("hooks", {}).items()
    }
    data = {**data, "hooks": {event: groups for event, groups in hooks.items() if groups}}
    return {k: v for k, v in data.items() if v != {} or k not in ("hooks", "mcpServers")}


@settings(max_examples=250)
@given(texts())
def test_all_of_before_is_there_after_and_comes_back_to_the_byte(text: str) -> None:
    before, doc = plain(text), Text(text)
    for editor in (CLAUDE, Server()):
        editor.install(doc, ["swarm"])
    after = plain(doc.content)

    for key in before.keys() - {"hooks", "mcpServers"}:
        assert after[key] == before[key]
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    assert before.get("mcpServers", {}).items() <= after["mcpServers"].items()
    assert after["mcpServers"]["swarm"] == {"command": "swarm", "args": ["mcp"]}
    for event, ones in CLAUDE.wanted.items():
        said = json.dumps(after["hooks"][event])
        assert all(f'"swarm {" ".join(one["rest"])}"' in said for one in ones)
    assert COMMENTS.findall(doc.content) == COMMENTS.findall(text)

    again = Text(doc.content)
    for editor in (CLAUDE, Server()):
        editor.install(again, ["swarm"])
    assert again.content == doc.content

    assert taken_back(doc.content, doc.undo) == text
    for editor in (Server(), CLAUDE):
        editor.remove(again)
    assert without_empty(plain(again.content)) == without_empty(before)
    assert COMMENTS.findall(again.content) == COMMENTS.findall(text)

    theirs = Text(json.dumps({**after, "theirs": 1}, indent=1))  # another tool wrote it anew
    for editor in (Server(), CLAUDE):
        editor.remove(theirs)
    assert without_empty(plain(theirs.content)) == without_empty({**before, "theirs": 1})


def installed(text: str, harness: str = "claude", words: list[str] | None = None) -> str:
    doc = Text(text)
    hooks_of(harness).install(doc, words or program.words())
    return doc.content


def test_the_doorbell_wakes_an_idle_session() -> None:
    stop = plain(installed(""))["hooks"]["Stop"]
    bell = stop[1]["hooks"][0]
    assert bell["command"].endswith(" --hook") and bell["asyncRewake"] and bell["timeout"] == 3600


def test_times_are_in_each_harness_own_unit() -> None:
    gemini = plain(installed("", "gemini"))["hooks"]["AfterAgent"][0]["hooks"][0]
    codex = plain(installed("", "codex"))["hooks"]
    assert gemini["timeout"] == 10_000 and codex["Stop"][0]["hooks"][0]["timeout"] == 10
    assert codex["SessionEnd"][0]["hooks"][0]["timeout"] == 3


def test_cursor_lists_its_commands_without_groups() -> None:
    found = plain(installed("", "cursor", ["swarm"]))
    assert found["version"] == 1
    assert found["hooks"]["stop"] == [
        {"command": "swarm hook cursor stop", "timeout": 10, "loop_limit": 5}
    ]


def test_a_command_that_works_is_not_rewritten_but_one_that_is_gone() -> None:
    (here,) = program.words()[:1]
    text = installed("", words=[here])
    assert installed(text, words=["/other/swarm"]) == text
    gone = text.replace(f'"{here} ', '"/gone/swarm ')
    assert CLAUDE.state(Text(gone), [here]) == "missing command"
    assert installed(gone, words=[here]) == text


def test_ours_is_brought_up_to_date_where_it_stands() -> None:
    text = installed("")
    older = text.replace('"timeout": 3600', '"timeout": 60, "mine": 1').replace(
        "hook claude SessionEnd", "hook claude Gone"
    )
    assert CLAUDE.state(Text(older), program.words()) == "older"
    found = plain(installed(older))["hooks"]
    assert found["Stop"][1]["hooks"][0]["timeout"] == 3600
    assert found["Stop"][1]["hooks"][0]["mine"] == 1
    assert "Gone" not in json.dumps(found)
    assert CLAUDE.state(Text(text), program.words()) == "set up"


@pytest.mark.parametrize(
    "command", ["npx swarm hook claude Stop", "swarmer hook claude Stop", "swarm hook codex Stop", "echo 'a"]
)  # fmt: skip
def test_a_hook_of_another_program_is_not_ours(command: str) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
    doc = Text(text)
    CLAUDE.remove(doc)
    assert doc.content == text and CLAUDE.state(doc, ["swarm"]) == ""
