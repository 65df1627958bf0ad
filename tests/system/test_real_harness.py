"""The scripted model of scripts/real-harness speaks the four formats, and says each step once."""

import importlib
import json
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "scripts/real-harness.d"
BASH = {"name": "bash", "parameters": {"properties": {"command": {}}}}
ASKED: dict[str, dict[str, Any]] = {
    "/v1/messages": {"tools": [{"name": "Bash", "input_schema": {"properties": {"command": {}}}}]},
    "/v1/responses": {
        "tools": [
            {"type": "function", "name": "exec_command", "parameters": {"properties": {"cmd": {}}}}
        ]
    },
    "/v1/chat/completions": {"tools": [{"type": "function", "function": BASH}]},
    "/v1beta/models/m:streamGenerateContent": {
        "tools": [{"functionDeclarations": [{**BASH, "name": "run_shell_command"}]}]
    },
}


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    yield importlib.import_module("model"), importlib.import_module("wire")
    for name in ("model", "wire"):
        del sys.modules[name]


def ask(url: str, body: object) -> tuple[str, str]:
    asked = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(asked, timeout=10) as came:
        return came.headers["Content-Type"], came.read().decode()


@pytest.mark.parametrize("path", ASKED)
def test_a_step_is_a_call_of_the_shell_tool_that_is_offered_then_text(
    parts: Any, path: str
) -> None:
    model, wire = parts
    with model.Model([wire.Shell("swarm unread"), wire.Text("said")]) as served:
        title = ask(served.url + path, {"messages": [], "stream": True})
        tool = ask(served.url + path, {**ASKED[path], "stream": True})
        text = ask(served.url + path, {**ASKED[path], "stream": True})
        last = ask(served.url + path, {**ASKED[path], "stream": True})
        assert len(served.turns) == 3 and served.others == [path]
    assert "swarm unread" not in title[1]
    assert tool[0] == "text/event-stream" and "swarm unread" in tool[1]
    assert "said" in text[1] and "swarm unread" not in text[1] and "done" in last[1]
    for line in tool[1].splitlines():
        if line.startswith("data: {"):
            json.loads(line.removeprefix("data: "))


def test_what_a_turn_adds_is_told_from_what_is_said_again(parts: Any) -> None:
    sys.modules.pop("scenario", None)
    scenario = importlib.import_module("scenario")
    turns = [
        parts[1].Request("/v1/messages", {"messages": texts})
        for texts in (
            ['- 1 alice "a"'],
            ['- 1 alice "a"', "x"],
            ['- 1 alice "a"', "x", '- 1 alice "a"'],
        )
    ]
    assert scenario.noticed(turns, "a") == [0, 2] and scenario.noticed(turns, "b") == []
    for name in ("scenario", "programs"):
        del sys.modules[name]
