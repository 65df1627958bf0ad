"""The harnesses that swarm knows, and what their vendors say of them.  Pure facts."""

HARNESSES = ("claude", "codex", "gemini", "cursor", "opencode", "pi")
# Named by what swarm itself sets up, its value being the name of the session's file.
OWN = "SWARM_SESSION"
# The variable by which a harness tells the commands of its agent which session they are of.
#   claude  its reference of environment variables: in the shells of tools and in hooks
#   codex   set in each command's environment, and restored for a Codex within a Codex; said to
#           differ from its hooks' session_id where one session has several threads: unsure
#   cursor  seen in the agent's own program only, no page tells of it: unsure
# Gemini CLI tells its hooks alone (GEMINI_SESSION_ID); OpenCode and pi tell nobody, so our
# plugins for them set OWN.
SHELL = {
    "claude": "CLAUDE_CODE_SESSION_ID",
    "codex": "CODEX_THREAD_ID",
    "cursor": "CURSOR_CONVERSATION_ID",
}
# Set in the shells of a harness that names no session to them: which harness, not more.
MARKS = {"gemini": "GEMINI_CLI"}
# A file whose lines Claude Code runs before each command of its agent; given to SessionStart.
ENV_FILE = "CLAUDE_ENV_FILE"

START, PROMPT, TOOL, IDLE, END = "start", "prompt", "tool", "idle", "end"
_LIKE_CLAUDE = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "PostToolUse": TOOL,
    "Stop": IDLE,
    "SessionEnd": END,
}
_OURS = {
    "session-start": START,
    "prompt": PROMPT,
    "tool": TOOL,
    "idle": IDLE,
    "session-end": END,
}
# Which moment an event is.  One that is not here is none to speak at: of a sub-agent
# (SubagentStop), or without a place for a notice (Cursor's beforeSubmitPrompt shows one in its
# newest versions only, and what an older one drops would count as told).
EVENTS = {
    "claude": {**_LIKE_CLAUDE, "PostToolBatch": TOOL},
    "codex": _LIKE_CLAUDE,
    "gemini": {
        "SessionStart": START,
        "BeforeAgent": PROMPT,
        "AfterTool": TOOL,
        "AfterAgent": IDLE,
        "SessionEnd": END,
    },
    "cursor": {"sessionStart": START, "postToolUse": TOOL, "stop": IDLE, "sessionEnd": END},
    "opencode": _OURS,
    "pi": _OURS,
}
