"""What an agent's own program calls, and who the agent is in it."""

import os

from swarm import identity, names
from swarm.cli import render
from swarm.cli.call import Call, show
from swarm.errors import UsageError
from swarm.harness import session
from swarm.mailbox import layout


def whoami(call: Call) -> None:
    if call["keep"] is not None and call["forget"]:
        raise UsageError("--keep sets a name, --forget takes it away: give one of them")
    if call["forget"]:
        _forget(call)
        return
    if call["keep"] is not None:
        agent = layout.check_known(call.root, call["keep"])
        kept = identity.keep(call.root, agent, os.environ)
        render.note(f"{agent} is kept for {kept}")
    agent = names.check_id(call.who())
    found = identity.who(call.root, call.options.get("as_"), os.environ)
    own = [name for _, name in session.here(os.environ)]
    others = [o for o in session.others(call.root, agent) if o.name not in own]
    item = {
        "id": agent, "source": found.source, "why": found.detail,
        "sessions": [{"session": o.name, "seconds": o.ago} for o in others],
    }  # fmt: skip
    show(call, "agents", ["id", "source", "why"], [[agent, found.source, found.detail]], [item])
    if not layout.is_known(call.root, agent):
        render.note(f"{agent} is not known here: swarm register {agent} makes it so")
    for other in others:
        render.note(f"another session uses {agent} too: {other.name}, {other.ago} s ago")


def _forget(call: Call) -> None:
    found = identity.forget(call.root, os.environ)
    if found.source not in ("session", "tree"):
        render.note("no name is kept here")
    show(call, "agents", ["id"], *_forgotten(found.agent))


def _forgotten(agent: str) -> "tuple[list[list[str]], list[dict[str, str]]]":
    return ([[agent]], [{"id": agent}]) if agent else ([], [])
