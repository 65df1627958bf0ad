"""The harnesses that swarm knows, and what their vendors say of them.  Pure facts."""

HARNESSES = ("claude", "codex", "gemini", "cursor", "opencode", "pi")
# Named by what swarm itself sets up, its value being the name of the session's file.
OWN = "SWARM_SESSION"
# The variable by which a harness tells the commands of its agent which session they are of.
#   claude  its reference of environment variables: in the shells of tools and in hooks
#   codex   set in each command's environment, and restored for a Codex within a Codex
#   cursor  seen in the agent's own program only, no page tells of it: unsure
# Gemini CLI tells its hooks alone (GEMINI_SESSION_ID); OpenCode and pi tell nobody, so our
# plugins for them set OWN.
SHELL = {
    "claude": "CLAUDE_CODE_SESSION_ID",
    "codex": "CODEX_THREAD_ID",
    "cursor": "CURSOR_CONVERSATION_ID",
}
