"""What hooks are given and what they answer is what the vendors say of both, in their own types."""

import json
from pathlib import Path
from typing import Any

import pytest

from swarm.harness import asked, known
from swarm.harness.answer import answer
from swarm.harness.hook import Place, hook
from swarm.mailbox.layout import Root
from swarm.mailbox.making import init

from ...vendors import complaints, needs_types
from .forms import CODEX_INPUTS, CODEX_OUTPUTS, CURSOR_INPUTS, CURSOR_OUTPUTS, Form, misfits
from .inputs import INPUTS, Said

SUBJECT = 'a "quoted" \\ back\u2028slash \x1b[0m </system-reminder> ünïcode ' + "x" * 300
MAIL = f"To: bob\nFrom: alice\nSubject: {SUBJECT}\n---\nbody\n"
EACH = [(harness, said) for harness, all_of in INPUTS.items() for said in all_of]


@pytest.fixture
def root(tmp_path: Path) -> Root:
    root = Root(init(str(tmp_path), ["bob"])[0].path, sync=False)
    for number in range(12):
        Path(root.inbox("bob"), f"{number:02}_x_{number:04x}.txt").write_text(MAIL)
    return root


def answered(root: Root, harness: str, said: Said, earlier: bool = False) -> list[str]:
    """The lines of the answer; ``earlier``: after a notice, of the mail that came since."""
    event, lines = said["hook_event_name"], list[str]()
    moment = known.EVENTS[harness].get(event, "")
    told = asked.parse(json.dumps(said).encode())
    place = Place(root, harness, told, {"SWARM_AGENT": "bob"})
    if earlier:
        hook(place, known.TOOL, None, lambda said: None)
        Path(root.inbox("bob"), "20_x_aaaa.txt").write_text(MAIL)
        place = Place(root, harness, told, {"SWARM_AGENT": "bob"})
    hook(place, moment, None, lambda said: lines.append(answer(harness, event, moment, said)))
    return lines


def in_session(said: Said, number: int) -> Said:
    key = "conversation_id" if "conversation_id" in said else "session_id"
    return {**said, key: f"s{number}"}


def speaks(harness: str, said: Said) -> bool:
    """Whether this is a moment for a notice."""
    moment = known.EVENTS[harness].get(said["hook_event_name"], "")
    return (
        moment not in ("", known.END) and "agent_id" not in said and said.get("status") != "aborted"
    )


def name(pair: tuple[str, Said]) -> str:
    return f"{pair[0]}-{pair[1]['hook_event_name']}"


@pytest.mark.parametrize(("harness", "said"), EACH, ids=map(name, EACH))
def test_every_input_is_answered_by_one_short_line_or_by_silence(
    root: Root, harness: str, said: Said
) -> None:
    again = said.get("stop_hook_active") is True or said.get("loop_count", 0) > 0
    lines = answered(root, harness, said, earlier=again)
    assert len(lines) == speaks(harness, said)
    for line in lines:
        assert len(line.encode()) <= 900 and isinstance(json.loads(line), dict)
    assert answered(root, harness, said) == [] or said["hook_event_name"].lower() == "sessionstart"


FACTS = [("codex", CODEX_INPUTS, CODEX_OUTPUTS), ("cursor", CURSOR_INPUTS, CURSOR_OUTPUTS)]


@pytest.mark.parametrize(("harness", "inputs", "outputs"), FACTS)
def test_inputs_and_answers_have_the_form_the_vendor_gives_them(
    root: Root, harness: str, inputs: dict[str, Form], outputs: dict[str, Form]
) -> None:
    seen = set()
    for number, said in enumerate(INPUTS[harness]):
        event = said["hook_event_name"]
        form = {**inputs[event], "hook_event_name": (event,)}
        assert misfits(said, form) == []
        for line in answered(root, harness, in_session(said, number)):
            seen.add(event)
            assert misfits(json.loads(line), outputs[event]) == []
    assert seen == set(outputs)


@pytest.mark.parametrize(
    "wrong",
    [
        {"decision": "block"}, {"decision": "deny", "reason": "r"}, {"decision": "block", "reason": " "},
        {"decision": "block", "reason": "r", "notice": "n"}, [],
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_answer_would_be_seen(wrong: object) -> None:
    assert misfits(wrong, CODEX_OUTPUTS["Stop"])


# By the compiler

HEAD = """
import type * as Claude from "@anthropic-ai/claude-agent-sdk";
import type * as Gemini from "@google/gemini-cli-core/dist/src/hooks/types.js";
// A word of an enum is the word itself in JSON.
type Said<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Said<T[K]> } : T;
type Answer<T> = Claude.SyncHookJSONOutput & { hookSpecificOutput?: T };
"""
NO_OUTPUT = "Record<string, never>"
WRONG = [
    ("Claude.StopHookInput", {"hook_event_name": "Stop"}),
    ("Claude.SyncHookJSONOutput", {"decision": "deny", "reason": "r"}),
    ("Answer<Claude.PostToolUseHookSpecificOutput>",
     {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additional_context": "c"}}),
    ("Answer<Claude.PostToolUseHookSpecificOutput>",
     {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "c"}}),
    ("Said<Gemini.SessionStartInput>", {**INPUTS["gemini"][0], "source": "compact"}),
    ("Said<Gemini.AfterAgentOutput>", {"decision": "deny", "reason": "r", "notice": "n"}),
]  # fmt: skip


def types(harness: str, event: str) -> tuple[str, str]:
    """The vendor's types of an event's input and of its output."""
    if harness == "gemini":
        output = NO_OUTPUT if event == "SessionEnd" else f"Said<Gemini.{event}Output>"
        return f"Said<Gemini.{event}Input>", output
    if event in ("Stop", "SessionEnd"):
        return f"Claude.{event}HookInput", "Claude.SyncHookJSONOutput"
    own = {"PreCompact": NO_OUTPUT}.get(event, f"Answer<Claude.{event}HookSpecificOutput>")
    return f"Claude.{event}HookInput", own


@needs_types
def test_the_vendors_own_types_take_inputs_and_answers(root: Root, tmp_path: Path) -> None:
    checked: list[tuple[str, Any]] = []
    for harness in ("claude", "gemini"):
        for number, said in enumerate(INPUTS[harness]):
            taken, given = types(harness, said["hook_event_name"])
            lines = answered(root, harness, in_session(said, number))
            checked += [(taken, said), *((given, json.loads(line)) for line in lines)]
    assert len(checked) > 40 and NO_OUTPUT not in {kind for kind, _ in checked}
    every = [*checked, *WRONG]
    lines = [
        f"export const v{n}: {kind} = {json.dumps(value)};" for n, (kind, value) in enumerate(every)
    ]
    (tmp_path / "said.ts").write_text("\n".join([HEAD, *lines]) + "\n")
    before = HEAD.count("\n") + 1
    told = complaints(tmp_path, "said.ts")
    found = {line - before - 1 for _, line, _ in told}
    assert found == set(range(len(checked), len(every))), told


def test_no_event_of_ours_is_without_an_input() -> None:
    for harness, inputs in INPUTS.items():
        assert set(known.EVENTS[harness]) <= {said["hook_event_name"] for said in inputs}
