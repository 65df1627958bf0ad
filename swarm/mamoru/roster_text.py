"""The live roster in words, as S puts it into the description of a tool.  Pure."""

from collections.abc import Mapping

from swarm.events import one_line
from swarm.mamoru.signals import Mate


def teammates(mates: Mapping[str, Mate]) -> str:
    """One line for each agent that is not inactive (S, "The Live Roster")."""
    lines = [
        f'  - "{one_line(mate.name or agent)}" (session: {agent}) — {mate.status}'
        + (f" — {one_line(mate.description)}" if mate.description else "")
        for agent, mate in mates.items()
        if mate.status != "inactive"
    ]
    if not lines:
        return "No teammates are available.\n"
    return "\n".join(["Available teammates:", *lines, ""])
