"""``swarm team …`` and ``swarm roster``: a channel of the team bus, and who is there."""

import os
import time

from swarm import names, persona
from swarm.cli import render, stores
from swarm.cli.call import Call, show
from swarm.errors import UsageError
from swarm.events import Event
from swarm.mailbox.registry import age
from swarm.mamoru import roster_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from swarm.team.channel import Channel


def create(call: Call) -> None:
    from swarm.team.channel import Channel
    from swarm.team.place import home

    with Channel.create(
        home(os.environ), call["channel"], force=call["force"], sync=stores.synced()
    ) as made:
        path = made.place.database
    show(call, "created", ["path"], [[path]], [{"path": path}])


def join(call: Call) -> None:
    """Enter an agent and tell the others; a guardian keeps it there."""
    me = names.check_id(call.who())
    own = persona.load(call["persona"]) if call["persona"] else persona.NOBODY
    name = call["name"] or own.name or me
    description = call["description"] or own.description
    with stores.channel(call, anew=True) as channel:
        cursor = channel.join(
            me, name, description, provider=own.provider, model=own.model, cwd=os.getcwd()
        )
        _tell(channel, me, "agent_join", f"{name} has joined the channel")
    show(call, "agents", ["id"], [[me]], [{"id": me, "name": name, "cursor": int(cursor)}])


def leave(call: Call) -> None:
    me = names.check_id(call.who())
    with stores.channel(call) as channel:
        name = next((row.name for row in channel.roster() if row.session == me), me)
        channel.set_status(me, "inactive")
        _tell(channel, me, "agent_leave", f"{name} has left the channel")
    if call["json"]:
        render.json({"agents": [{"id": me}]})


def _tell(channel: "Channel", me: str, intent: str, text: str) -> None:
    channel.send(Event(kind="broadcast", sender=me, intent=intent, content=text))


def roster(call: Call) -> None:
    now = time.time()
    with stores.channel(call) as channel:
        found = [row for row in channel.roster() if call["all"] or row.status != "inactive"]
    rows = [
        [r.session, r.name, r.status, age(max(0.0, now - r.seen)) if r.seen else "-", r.description]
        for r in found
    ]
    items = [
        {"id": r.session, "name": r.name, "status": r.status, "seen": int(r.seen),
         "description": r.description}
        for r in found
    ]  # fmt: skip
    show(call, "agents", ["id", "name", "status", "seen", "description"], rows, items)


def history(call: Call) -> None:
    if call["n"] < 1:
        raise UsageError("-n takes a number from 1 up")
    with stores.channel(call) as channel:
        said = channel.history(call["n"])
        agents = {row.session: row.name for row in channel.roster()}
    rows = [
        [f"#{e.id}", time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(e.at)),
         agents.get(e.sender, e.sender), agents.get(e.to, e.to) or "all",
         f"#{e.task}" if e.task else "-", e.kind or "?", e.content or e.problem]
        for e in said
    ]  # fmt: skip
    items = [
        {"id": e.id, "at": int(e.at), "from": e.sender, "to": e.to, "task": e.task, "ref": e.ref,
         "event": e.kind, "intent": e.intent, "content": e.content, "detail": e.detail,
         "problem": e.problem}
        for e in said
    ]  # fmt: skip
    show(call, "messages", ["id", "at", "from", "to", "task", "event", "what"], rows, items)


def prune(call: Call) -> None:
    keep = call.options.get("as_") or os.environ.get("SWARM_AGENT", "")
    with stores.channel(call) as channel:
        gone = channel.prune(call["name"] or "", keep)
    show(call, "removed", ["id"], [[agent] for agent in gone], [{"id": agent} for agent in gone])


def teammates(call: Call) -> None:
    """S's live roster, as a tool's description shows it."""
    with stores.store(call) as store:
        me = call.options.get("as_") or os.environ.get("SWARM_AGENT", "")
        mates = {agent: mate for agent, mate in store.roster().items() if agent != me}
    items = [
        {"id": agent, "name": mate.name or agent, "status": mate.status,
         "description": mate.description}
        for agent, mate in mates.items()
        if mate.status != "inactive"
    ]  # fmt: skip
    if call["json"]:
        render.json({"agents": items})
    else:
        render.write(render.encode(render.shown(roster_text.teammates(mates), "\n")))
