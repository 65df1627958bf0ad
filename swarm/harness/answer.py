"""A notice in each harness's own format.  Pure."""

from swarm.harness.known import IDLE


def answer(harness: str, event: str, moment: str, said: str) -> str:
    """One JSON object in a line, in which a hook says something to the agent."""
    quoted = string(said)
    if harness in ("opencode", "pi"):  # our own plugins read it
        return f'{{"notice":{quoted}}}'
    if harness == "cursor":
        return f'{{"{"followup_message" if moment == IDLE else "additional_context"}":{quoted}}}'
    if moment == IDLE:
        word = "deny" if harness == "gemini" else "block"
        return f'{{"decision":"{word}","reason":{quoted}}}'
    inner = f'{{"hookEventName":"{event}","additionalContext":{quoted}}}'
    return f'{{"hookSpecificOutput":{inner}}}'


def string(said: str) -> str:
    """A JSON string, written here: importing json costs half of a start."""
    short = said.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if not short.isprintable():
        short = "".join(
            c if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF else f"\\u{ord(c):04x}" for c in short
        )
    return f'"{short}"'
