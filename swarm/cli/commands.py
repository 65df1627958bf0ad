"""Every command: one call into the library, one rendering.  Options come parsed."""

import os

from swarm import names
from swarm.cli import render
from swarm.cli.call import Call, body, detail, failed, show
from swarm.errors import TimedOut, Unknown, Unreadable, UsageError
from swarm.mailbox import inbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _messages(call: Call, items: list[inbox.Item]) -> int:
    rows = [[item.file, item.sender, item.subject] for item in items]
    for row, item in zip(rows, items, strict=True):
        if item.flags:
            row.append(",".join(item.flags))
    records = [item.record(call.root) for item in items] if call["json"] else []
    show(call, "messages", ["file", "from", "subject", "flags"], rows, records)
    return _unreadable(call, [item for item in items if item.unreadable])


def _check_filters(call: Call) -> None:
    """An empty filter is a script's unset variable, not a wish for everything."""
    for option, name in (("--from", "from_"), ("--thread", "thread")):
        if call[name] is not None and not call[name].strip(" \t"):
            raise UsageError(f"{option} is empty", f"give a value, or leave {option} out")


def unread(call: Call) -> int:
    _check_filters(call)
    me, limit = call.me, call["n"]
    if limit is not None and limit < 0:
        raise UsageError("-n takes a number from 0 up")
    if call["count"]:
        count = inbox.count_unread(call.root, me, call["from_"] or "", call["thread"] or "")
        if call["json"]:
            render.json({"messages": [], "count": count})
        else:
            render.lines([[str(count)]])
        return 1 if call["exit_code"] and not count else 0
    items, left = inbox.unread(call.root, me, limit, call["from_"] or "", call["thread"] or "")
    code = _messages(call, items)
    if left:
        render.note(f"{left} more unread")
    return 1 if call["exit_code"] and not items and not left else code


def wait(call: Call) -> int:
    if call["hook"]:
        from swarm.cli.hook_commands import doorbell

        return doorbell(call)
    from swarm.mailbox.wait import wait as wait_for

    _check_filters(call)
    if call["timeout"] is not None and not call["timeout"] >= 0:
        raise UsageError("--timeout takes seconds from 0 up")
    items = wait_for(call.root, call.me, call["timeout"], call["from_"] or "", call["thread"] or "")
    if all(item.unreadable for item in items):
        _unreadable(call, items)
        raise TimedOut("nothing came in time")
    return _messages(call, items)


def read(call: Call) -> int:
    from swarm.cli.reading import read as show

    return show(call)


def _thread(call: Call) -> str:
    prefix = call["new_thread"]
    if prefix is None:
        if call["thread"] is not None and not call["thread"].strip(" \t"):
            raise UsageError("the thread is empty")
        return call["thread"] or ""
    if call["thread"]:
        raise UsageError("-t names a thread, --new-thread draws one: give one of them")
    from swarm.names import thread_key

    return thread_key(prefix, os.urandom(3).hex())


def _key(call: Call) -> str:
    """An empty key is a script's unset variable: sending without one would double the mail."""
    if call["key"] is not None and not call["key"].strip():
        raise UsageError("--id is empty", "give a key, or leave --id out")
    return call["key"] or ""


def _delivered(call: Call, result: "Any", thread: str) -> int:
    if call["json"]:
        items = [{"path": d.path, "to": d.agent, "file": d.name} for d in result.delivered]
        render.json({"delivered": items, "thread": thread})
    else:
        render.lines([[d.path] for d in result.delivered], bool(call["zero"]))
        if call["new_thread"]:
            render.note(f"thread {thread}")
    for d in result.delivered:
        if d.repeated:
            render.note(f"{d.path} was sent before under this key: nothing new was sent")
    return failed(result.failed, call)


def send(call: Call) -> int:
    from swarm.mailbox.delivery import send as deliver

    me, thread, key = call.me, _thread(call), _key(call)
    try:
        result = deliver(
            call.root, me, _several(call["to"]), call["subject"] or "", body(call),
            thread=thread, status=call["status"] or "", detail=detail(call), key=key,
        )  # fmt: skip
    except (Unknown, UsageError) as error:
        if len(call["to"]) == 1 or error.code not in ("unknown-agent", "bad-id"):
            raise
        # A word of an unquoted text is taken for one more recipient.
        hint = f"{error.hint}; a text goes in quotes after -s or -m"
        raise type(error)(error.message, hint, code=error.code) from None
    return _delivered(call, result, thread)


def _several(agents: list[str]) -> list[str]:
    """Recipients as they were given; UsageError for several in one word."""
    if joined := next((word for word in agents if "," in word), None):
        hint = "name several with blanks between them: swarm send alice bob"
        raise UsageError(f"{names.shown(joined)} is not an agent id", hint, code="bad-id")
    return agents


def reply(call: Call) -> int:
    from swarm.mailbox.delivery import reply as answer

    me, thread, key = call.me, _thread(call), _key(call)
    values = {"detail": detail(call), **{name: call[name] or "" for name in ("subject", "status")}}
    result = answer(
        call.root, me, call["msg"], body(call), also=call["to"], thread=thread, key=key, **values
    )
    return _delivered(call, result, result.thread)


def sent(call: Call) -> None:
    from swarm.mailbox.threads import sent as list_sent

    found = list_sent(call.root, call.me)
    rows = [[i.file, i.recipient, "read" if seen else "unread", i.subject] for i, seen in found]
    records = [{**i.record(call.root), "read": seen} for i, seen in found]
    show(call, "messages", ["file", "to", "read", "subject"], rows, records)


def _unreadable(call: Call, items: list[inbox.Item]) -> int:
    """Name what could not be read, so may be missing from the answer; the exit code for it."""
    for item in items:
        problem = Unreadable(
            f"cannot read {call.root.relative(item.path)}", "swarm doctor says how to mend it"
        )
        render.error(problem, call["json"])
    return Unreadable.exit if items else 0


def thread(call: Call) -> int:
    from swarm.mailbox.threads import thread as find

    items, unreadable = find(call.root, "" if call["everywhere"] else call.me, call["id"])
    if call["mermaid"]:
        render.diagram([(i.sender, i.recipient, i.subject) for i in items])
    else:
        rows = [[i.file, i.sender, i.recipient, i.subject] for i in items]
        records = [i.record(call.root) for i in items] if call["json"] else []
        show(call, "messages", ["file", "from", "to", "subject"], rows, records)
    return _unreadable(call, unreadable)


def threads(call: Call) -> int:
    from swarm.mailbox.threads import summary

    found, unreadable = summary(call.root, call.me)
    rows = [[key, str(count), last] for key, count, last in found]
    items = [{"thread": key, "count": count, "last_subject": last} for key, count, last in found]
    show(call, "threads", ["thread", "count", "last subject"], rows, items)
    return _unreadable(call, unreadable)


def search(call: Call) -> int:
    from swarm.mailbox.threads import search as find

    items, unreadable = find(call.root, call.me, call["words"])
    _messages(call, items)
    return _unreadable(call, unreadable)


def archive(call: Call) -> int:
    from swarm.mailbox.archive import archive as put_away

    if bool(call["msg"]) == call["read"]:
        raise UsageError("name messages, or say --read: one of them")
    paths, errors = put_away(call.root, call.me, call["msg"], call["read"], call["delete"])
    shown = [call.root.relative(path) for path in paths]
    show(call, "archived", ["path"], [[p] for p in shown], [{"path": p} for p in shown])
    return failed(errors, call)


def mark(call: Call) -> None:
    from swarm.mailbox.archive import mark as set_status

    file = set_status(call.root, call.me, call["msg"], call["status"])
    if call["json"]:
        render.json({"marked": [{"file": file, "status": call["status"]}]})


def init(call: Call) -> None:
    from swarm.mailbox import making

    agents = [name for name in (call["agents"] or "").split(",") if name]
    root, made = making.init(call["dir"] or ".", agents, call["shared"])
    shown = [os.path.relpath(path) for path in made]
    if call["json"]:
        render.json({"created": shown, "root": root.path})
    else:
        render.lines([[path] for path in shown])


def register(call: Call) -> None:
    from swarm import keeping
    from swarm.mailbox import registry

    name = call["id"] if call["id"] is not None else call.options.get("as_")
    if name is None:
        name = os.environ.get("SWARM_AGENT", "")
    elif not name:
        raise UsageError("'' is not an agent id", code="bad-id")
    role, archetype, task = (str(call[key] or "") for key in ("role", "archetype", "task"))
    status = call["status"] or "active"
    if call["keep"]:
        keeping.place(call.root, name, os.environ)  # before anything is done
    more = {"tmux": pane} if (pane := _pane(call, name)) else {}
    agent = registry.register(call.root, name, role, archetype, task, status, call["replace"], more)
    waiting = inbox.count_unread(call.root, agent)
    kept = keeping.keep(call.root, agent, os.environ) if call["keep"] else ""
    show(call, "agents", ["id"], [[agent]], [{"id": agent}])
    if kept:
        render.note(f"{agent} is kept for {kept}")
    if waiting:
        render.note(f"{waiting} unread message{'s' * (waiting > 1)} waiting for {agent}")


def _pane(call: Call, name: str) -> str:
    """The tmux pane of who is registered: as given, else one's own if it is oneself."""
    if call["tmux"] is not None:
        return _target(call)
    if not os.environ.get("TMUX") or not (call["keep"] or name == os.environ.get("SWARM_AGENT")):
        return ""
    from swarm.harness.tmux import target_here

    return target_here(os.environ)


def _target(call: Call) -> str:
    """As given, if it can name a pane; '' is none."""
    from swarm.harness.tmux import is_target
    from swarm.message import check_value

    target = check_value("tmux", call["tmux"])
    if target and not is_target(target):
        way = "one such as main:0.1, %5, or with the path of a socket: /tmp/tmux-1000/default %5"
        raise UsageError(f"{names.shown(target)} names no pane", way, code="bad-value")
    return target


def update(call: Call) -> None:
    from swarm.mailbox import registry

    me = call.me
    if call["tmux"] is not None:
        _target(call)
    values = {key: call[key] for key in ("status", "task", "role", "note", "tmux")}
    registry.update(call.root, me, **values)
    if call["json"]:
        render.json({"agents": [{"id": me}]})


def unregister(call: Call) -> None:
    from swarm.mailbox import registry

    root = call.root
    agent = call["id"] if call["id"] is not None else call.who()
    registry.unregister(root, agent)
    if call["json"]:
        render.json({"agents": [{"id": agent}]})


def agents(call: Call) -> int:
    from swarm.mailbox import registry

    found = registry.entries(call.root)
    rows = [[e.id, e.status, e.role, e.task, e.via] for e in found]
    items = [
        {"id": e.id, "status": e.status, "role": e.role, "task": e.task,
         "archetype": e.archetype, "problems": e.problems, "via": e.via}
        for e in found
    ]  # fmt: skip
    head, rows = render.used(["id", "status", "role", "task", "via"], rows)
    show(call, "agents", head, rows, items)
    for e in found:
        if e.problems:
            render.note(f"dir/{e.id}.txt is damaged: {', '.join(e.problems)}")
    return Unreadable.exit if any(e.unreadable for e in found) else 0


def cleanup(call: Call) -> None:
    from swarm.ages import parse_age
    from swarm.mailbox import registry

    stale = None if call["stale"] is None else parse_age(call["stale"])
    gone = registry.cleanup(call.root, stale, call["dry_run"])
    items = [{"id": agent, "reason": why} for agent, why in gone]
    show(call, "removed", ["id", "reason"], [list(pair) for pair in gone], items)


def status(call: Call) -> None:
    from swarm.cli import overview

    overview.follow(call) if call["watch"] else overview.once(call)


def doctor(call: Call) -> int:
    from swarm.bridge.health import FOLDER
    from swarm.doctor import examine
    from swarm.team.place import home

    # Channels that somebody else has on this machine are not this tree's affair.
    ours = os.environ.get("SWARM_TEAM_HOME") or os.path.isdir(f"{call.root.path}/{FOLDER}")
    found = examine(call.root, call["fix"], home(os.environ) if ours else "")
    rows = [[f.level, f.path, f.text] for f in found]
    items = [{"level": f.level, "path": f.path, "text": f.text, "fix": f.fix} for f in found]
    show(call, "findings", ["level", "path", "finding"], rows, items)
    return 1 if any(f.level == "fail" for f in found) else 0


def watch(call: Call) -> None:
    from swarm.mailbox.watch import watch as follow

    for kind, path in follow(call.root):
        if call["json"]:
            render.json({"event": kind, "path": path})
        else:
            render.lines([[kind, path]])


def describe(call: Call) -> None:
    from swarm.cli.describe import description

    found = description()
    if call["json"]:
        render.json(found)
    else:
        render.lines([[c["name"], c["help"].splitlines()[0]] for c in found["commands"]])
