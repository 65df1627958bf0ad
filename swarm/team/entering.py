"""Entering a channel as somebody: the row, and the word to the others that S wants."""

import os

from swarm import names
from swarm.events import Event, one_line
from swarm.team.channel import Channel


def enter(
    channel: Channel,
    session: str,
    name: str = "",
    description: str = "",
    provider: str = "",
    model: str = "",
) -> tuple[str, str]:
    """Join with what is given, else with what the row had before; the name and the cursor.

    Conflict if another process speaks for the agent.
    """
    there = channel.row(names.check_id(session))
    name = name or (there.name if there else session)
    cursor = channel.join(
        session,
        name,
        description or (there.description if there else ""),
        provider=provider or (there.provider if there else ""),
        model=model or (there.model if there else ""),
        cwd=os.getcwd(),
    )
    content = f"{one_line(name)} has joined the channel"
    channel.send(Event(kind="broadcast", sender=session, intent="agent_join", content=content))
    return name, cursor
