"""Who one is here, by which environment."""

from swarm import identity
from swarm.mailbox.layout import Root

CLAUDE = {"CLAUDE_CODE_SESSION_ID": "s1"}
CODEX = {"CODEX_THREAD_ID": "t1"}


def found(root: Root, env: dict[str, str], given: str | None = None) -> tuple[str, str]:
    one = identity.who(root, given, env)
    return one.agent, one.source
