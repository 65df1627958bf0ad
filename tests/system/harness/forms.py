"""What Codex and Cursor say of hooks where no package has types for them.

Codex: codex-rs/hooks/schema/generated/ of github.com/openai/codex, 2026; an object there takes no
other key (additionalProperties: false); what SessionStart and SessionEnd are given is as other
projects have pinned it, not read there.  Cursor: the checks in dist/cjs/429.index.js of
@cursor/sdk 1.0.18, whose types do not tell of hooks; another key is ignored there.
"""

from typing import Any

STRING, TEXT, BOOL, ANY = "string", "string or null", "boolean", "anything"
MODES = ("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions")
BASE = {"session_id": STRING, "transcript_path": TEXT, "cwd": STRING}
THREAD = {**BASE, "model": STRING, "permission_mode": MODES}
TURN = {**THREAD, "turn_id": STRING}
STOP = {"stop_hook_active": BOOL, "last_assistant_message": TEXT}
Form = dict[str, Any]  # by key: a kind, the words that it may be, or a form; "key?" may be missing
CODEX_INPUTS: dict[str, Form] = {
    "SessionStart": {**THREAD, "source": ("startup", "resume", "clear", "compact")},
    "UserPromptSubmit": {**TURN, "prompt": STRING},
    "PostToolUse": {
        **TURN, "tool_name": STRING, "tool_input": ANY, "tool_response": ANY, "tool_use_id": STRING,
    },
    "Stop": {**TURN, **STOP},
    "SubagentStop": {**TURN, **STOP, "agent_id": STRING, "agent_type": STRING, "agent_transcript_path": TEXT},
    "SessionEnd": {**BASE, "reason": ("other",)},
}  # fmt: skip
ALL = {"continue?": BOOL, "stopReason?": STRING, "suppressOutput?": BOOL, "systemMessage?": STRING}
BLOCK = {"decision": ("block",), "reason": "string that is not blank"}


def _context(event: str) -> Form:
    inner = {"hookEventName": (event,), "additionalContext?": STRING}
    return {**ALL, "hookSpecificOutput?": inner}


CODEX_OUTPUTS: dict[str, Form] = {
    **{event: _context(event) for event in ("SessionStart", "UserPromptSubmit", "PostToolUse")},
    "Stop": {**ALL, **BLOCK},
}
CHAT = {
    "conversation_id": STRING, "session_id?": STRING, "generation_id": STRING, "model": STRING,
    "cursor_version": STRING, "workspace_roots": ANY, "user_email": TEXT, "transcript_path?": TEXT,
}  # fmt: skip
CURSOR_INPUTS: dict[str, Form] = {
    "sessionStart": {**CHAT, "is_background_agent": BOOL},
    "beforeSubmitPrompt": {**CHAT, "prompt": STRING, "attachments": ANY},
    "postToolUse": {
        **CHAT, "tool_name": STRING, "tool_input": ANY, "tool_output": ANY, "duration": "number",
        "tool_use_id": STRING, "cwd": STRING,
    },
    "stop": {**CHAT, "status": ("completed", "aborted", "error"), "loop_count": "number"},
    "sessionEnd": {
        **CHAT, "reason": STRING, "duration_ms": "number", "is_background_agent": BOOL, "final_status": STRING,
    },
}  # fmt: skip
CURSOR_OUTPUTS: dict[str, Form] = {
    "sessionStart": {
        "additional_context?": STRING,
        "continue?": BOOL,
        "user_message?": STRING,
        "env?": ANY,
    },
    "postToolUse": {"additional_context?": STRING},
    "stop": {"followup_message?": STRING},
}


def misfits(said: object, form: Any, at: str = "it") -> list[str]:
    """What of a value is not as the form has it."""
    if isinstance(form, tuple):
        return [] if said in form else [f"{at} is {said!r}, none of {form}"]
    if not isinstance(form, dict):
        return [] if _is(said, form) else [f"{at} is no {form}: {said!r}"]
    if not isinstance(said, dict):
        return [f"{at} is no object"]
    keys = {key.rstrip("?"): inner for key, inner in form.items()}
    found = [f"{at} has {key}" for key in said if key not in keys]
    found += [f"{at} lacks {key}" for key in form if key[-1] != "?" and key not in said]
    for key, inner in keys.items():
        if key in said:
            found += misfits(said[key], inner, f"{at}.{key}")
    return found


def _is(said: object, kind: str) -> bool:
    if kind == TEXT:
        return said is None or isinstance(said, str)
    if kind == "string that is not blank":
        return isinstance(said, str) and bool(said.strip())
    kinds = {STRING: str, BOOL: bool, "number": int, ANY: object}
    return isinstance(said, kinds[kind])
