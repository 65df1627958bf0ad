"""What the harnesses say to their hooks: one input or more for every event that has them."""

from typing import Any

Said = dict[str, Any]
WHERE = {"session_id": "5f0c2b1e-8f6e-4a3b", "transcript_path": "/tmp/t.jsonl", "cwd": "/tmp"}
TOOL = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"}
INSIDE = {"agent_id": "a1", "agent_type": "general-purpose"}
CLAUDE = [
    *({**WHERE, "hook_event_name": "SessionStart", "source": source, "model": "m"}
      for source in ("startup", "resume", "clear", "compact", "fork")),
    {**WHERE, "hook_event_name": "UserPromptSubmit", "prompt": "hi", "permission_mode": "default"},
    {**WHERE, "hook_event_name": "PostToolUse", **TOOL, "tool_response": {"stdout": "a"}, "duration_ms": 3},
    {**WHERE, "hook_event_name": "PostToolUse", **TOOL, **INSIDE, "tool_response": "a"},
    {**WHERE, "hook_event_name": "PostToolBatch", "tool_calls": [{**TOOL, "tool_response": {"session_id": "x"}}]},
    {**WHERE, "hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "done",
     "background_tasks": [], "session_crons": []},
    {**WHERE, "hook_event_name": "Stop", "stop_hook_active": True},
    {**WHERE, "hook_event_name": "SubagentStop", "stop_hook_active": False, **INSIDE, "agent_transcript_path": "/tmp/a"},
    {**WHERE, "hook_event_name": "PreToolUse", **TOOL},
    {**WHERE, "hook_event_name": "Notification", "message": "m", "notification_type": "idle"},
    {**WHERE, "hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": None},
    *({**WHERE, "hook_event_name": "SessionEnd", "reason": reason}
      for reason in ("clear", "resume", "logout", "prompt_input_exit", "other")),
]  # fmt: skip

THREAD = {**WHERE, "model": "m", "permission_mode": "default"}
TURN = {**THREAD, "turn_id": "t1"}
CODEX = [
    *({**THREAD, "hook_event_name": "SessionStart", "source": source}
      for source in ("startup", "resume", "clear", "compact")),
    {**TURN, "hook_event_name": "UserPromptSubmit", "prompt": "hi"},
    {**TURN, "transcript_path": None, "hook_event_name": "PostToolUse", **TOOL, "tool_response": "a"},
    {**TURN, "hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": None},
    {**TURN, "hook_event_name": "Stop", "stop_hook_active": True, "last_assistant_message": "done"},
    {**TURN, "hook_event_name": "SubagentStop", "stop_hook_active": False, **INSIDE,
     "agent_transcript_path": None, "last_assistant_message": None},
    {**WHERE, "hook_event_name": "SessionEnd", "reason": "other"},
]  # fmt: skip

AT = {**WHERE, "timestamp": "2026-01-02T03:04:05Z"}
GEMINI = [
    *({**AT, "hook_event_name": "SessionStart", "source": source} for source in ("startup", "resume", "clear")),
    {**AT, "hook_event_name": "BeforeAgent", "prompt": "hi"},
    {**AT, "hook_event_name": "AfterTool", "tool_name": "ls", "tool_input": {}, "tool_response": {"llmContent": "a"}},
    {**AT, "hook_event_name": "AfterAgent", "prompt": "hi", "prompt_response": "done", "stop_hook_active": False},
    {**AT, "hook_event_name": "AfterAgent", "prompt": "hi", "prompt_response": "done", "stop_hook_active": True},
    {**AT, "hook_event_name": "BeforeTool", "tool_name": "ls", "tool_input": {}},
    {**AT, "hook_event_name": "PreCompress", "trigger": "auto"},
    {**AT, "hook_event_name": "Notification", "notification_type": "ToolPermission", "message": "m", "details": {}},
    *({**AT, "hook_event_name": "SessionEnd", "reason": reason}
      for reason in ("exit", "clear", "logout", "prompt_input_exit", "other")),
]  # fmt: skip

CHAT = {
    "conversation_id": "c1", "session_id": "c1", "generation_id": "g1", "model": "m", "cursor_version": "3.7",
    "workspace_roots": ["/tmp"], "user_email": "a@example.org", "transcript_path": None,
}  # fmt: skip
CURSOR = [
    {**CHAT, "hook_event_name": "sessionStart", "is_background_agent": False},
    {**CHAT, "hook_event_name": "beforeSubmitPrompt", "prompt": "hi", "attachments": []},
    {**CHAT, "hook_event_name": "postToolUse", "tool_name": "Shell", "tool_input": {}, "tool_output": "a",
     "duration": 3, "tool_use_id": "u1", "cwd": "/tmp"},
    {**CHAT, "hook_event_name": "stop", "status": "completed", "loop_count": 0},
    {**CHAT, "hook_event_name": "stop", "status": "completed", "loop_count": 1},
    {**CHAT, "hook_event_name": "stop", "status": "aborted", "loop_count": 0},
    {**CHAT, "hook_event_name": "sessionEnd", "reason": "completed", "duration_ms": 9, "is_background_agent": False,
     "final_status": "completed"},
]  # fmt: skip
INPUTS: dict[str, list[Said]] = {
    "claude": CLAUDE, "codex": CODEX, "gemini": GEMINI, "cursor": CURSOR,
}  # fmt: skip
