"""``swarm team …`` and ``swarm roster``: a channel of the team bus, and who is there."""

import os
import time

from swarm import events, names, persona
from swarm.ages import age
from swarm.cli import render, stores
from swarm.cli.call import Call, show
from swarm.errors import UsageError
from swarm.events import Event
from swarm.mailbox.layout import synced
from swarm.mamoru import roster_text, speaking

MOST = 1_000_000_000  # what SQLite takes as a limit, and more than anybody reads


def create(call: Call) -> None:
    from swarm.team.channel import Channel
    from swarm.team.place import Place, home

    wiped = Place(home(os.environ), call["channel"]).exists()
    with Channel.create(
        home(os.environ), call["channel"], force=call["force"], sync=synced(os.environ)
    ) as made:
        path = made.place.database
    if wiped:
        render.note(f"{call['channel']} was there: its messages and files are removed")
    show(call, "created", ["path"], [[path]], [{"path": path}])


def list_(call: Call) -> None:
    from swarm.team.place import Place, channels, home

    found = channels(place := home(os.environ))
    rows = [[name, Place(place, name).database] for name in found]
    items = [{"channel": name, "path": path} for name, path in rows]
    show(call, "channels", ["channel", "path"], rows, items)


def join(call: Call) -> None:
    """Enter an agent and tell the others; a guardian keeps it there."""
    from swarm.team.entering import enter
    from swarm.team.place import is_claimed

    me = names.check_id(call.who())
    own = persona.load(call["persona"]) if call["persona"] else persona.NOBODY
    with stores.channel(call, anew=True) as channel:
        there = channel.row(me)
        if there and is_claimed(channel.place, me):
            render.note(f"{me} is there already: its guardian has it, and its row stays as it is")
            name, cursor = there.name, None
        else:
            name, read = enter(
                channel,
                me,
                call["name"] or own.name,
                call["description"] or own.description,
                own.provider,
                own.model,
            )
            cursor = int(read)
    show(call, "agents", ["id"], [[me]], [{"id": me, "name": name, "cursor": cursor}])


def leave(call: Call) -> None:
    """Say goodbye for an agent; a task that it works on has failed by that (S)."""
    me = names.check_id(call.who())
    with stores.store(call) as store:
        row = stores.channel_of(store).row(me)
        content = f"{events.one_line(row.name) if row else me} has left the channel"
        goodbye = Event(kind="broadcast", intent="agent_leave", content=content)
        speaking.say(store, me, goodbye, time.time())
    if call["json"]:
        render.json({"agents": [{"id": me}]})


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
        said = channel.history(min(call["n"], MOST))
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
        found = store.roster()  # a channel's in the order in which they came
        order = sorted(found) if call["channel"] is None else found
        mates = {agent: found[agent] for agent in order if agent != me}
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
