"""``swarm task …``: what is asked of others and of oneself, over either transport."""

import os
import time

from swarm import events, names
from swarm.cli import call as calls
from swarm.cli import render, stores
from swarm.cli.call import Call
from swarm.errors import UsageError
from swarm.events import Event
from swarm.mailbox import layout
from swarm.mailbox.registry import age
from swarm.mamoru import speaking
from swarm.mamoru.tasks import Task
from swarm.message import check_body, check_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What parts words in a summary, where a line break is as good as a blank.
SPACES = str.maketrans("\t\n\r", "   ")


def request(call: Call) -> None:
    if call["queue"] and call["block"]:
        raise UsageError("--queue or --block: one of them")
    retry = "queue" if call["queue"] else "block" if call["block"] else ""
    event = _event(call, "task_req", to=call["to"], intent=call["intent"] or "", retry=retry)
    stored = _say(call, event)
    key = next(one.key for one in stored if one.kind == "task_req")
    calls.show(call, "tasks", ["task"], [[key]], [{"task": key, "to": event.to}])
    if retry:
        _tell_of_retries(call, event.to)


def _tell_of_retries(call: Call, to: str) -> None:
    """Who tries again, and what it needs for that."""
    render.note(f"a rejection is tried again by your guardian: swarm mamoru --as {call.who()}")
    if call["channel"] is None and not layout.has_entry(call.root, to):
        render.note(f"{to} has no entry, so nobody sees when it is free again: swarm register")


def answer(call: Call) -> None:
    _follow_up(call, "task_clarify_res")


def cancel(call: Call) -> None:
    _follow_up(call, "task_cancel")


def task_update(call: Call) -> None:
    _follow_up(call, "task_update")


def clarify(call: Call) -> None:
    _follow_up(call, "task_clarify")


def done(call: Call) -> None:
    _follow_up(call, "task_done")


def fail(call: Call) -> None:
    _follow_up(call, "task_fail")


def _follow_up(call: Call, kind: str) -> None:
    stored = _say(call, _event(call, kind, task=_key(call)))
    if call["json"]:
        render.json({"sent": [_record(event) for event in stored]})


def _event(call: Call, kind: str, **more: "Any") -> Event:
    """The event that the options tell; a long summary goes into the body (contract 2, S)."""
    summary = call["subject"] or ""
    if not summary.strip() and kind != "task_cancel":
        raise UsageError("no summary", "say in a few words with -s what it is", code="no-content")
    check_value("the summary", summary.translate(SPACES))
    longer = any(call.options.get(name) is not None for name in ("message", "file"))
    body = calls.body(call) if longer else b""
    content, cut = events.shorten(summary)
    if cut and content != " ".join(summary.split()):
        body = check_body(_spilled(summary, body))
        render.note("the summary is long: its first words were sent, all of it is in the text")
    detail = os.path.abspath(path) if (path := call.options.get("detail")) else ""
    if body and detail and call["channel"] is not None:
        raise UsageError(
            "a message of a channel has one longer text, and --detail names it already",
            "leave out -m or -F, and keep the summary short",
        )
    return Event(kind=kind, content=content, body=body, detail=detail, **more)


def _spilled(summary: str, body: bytes) -> bytes:
    return summary.encode("utf-8", "surrogateescape") + b"\n" + (b"\n" + body if body else b"")


def _say(call: Call, event: Event) -> list[Event]:
    with stores.store(call) as store:
        event.to = _resolved(call, event.to)
        stored, notes = speaking.say(store, _me(call), event, time.time(), stores.settings(call))
    for note in notes:
        render.note(note)
    return stored


def _resolved(call: Call, to: str) -> str:
    """The recipient: in a channel an agent's name will do."""
    if not to:
        return to
    if call["channel"] is None:
        layout.check_inbox(call.root, layout.check_known(call.root, to))
        return to
    with stores.channel(call) as channel:
        return channel.resolve(to)


def _me(call: Call) -> str:
    return call.me if call["channel"] is None else names.check_id(call.who())


def _key(call: Call) -> str:
    """The task named, "" for none; a channel's history shows it as #7."""
    key = call["task"]
    if key == "":
        raise UsageError("the task's key is empty", speaking.ALL)
    return (key or "") if call["channel"] is None else (key or "").removeprefix("#")


def list_(call: Call) -> None:
    now, me = time.time(), _me(call)
    with stores.store(call) as store:
        found = [*speaking.tasks(store, me).items()]
    if not call["all"]:
        found = [(slot, task) for slot, task in found if task.open]
    timeout = stores.settings(call).task_timeout
    rows = [
        [task.key, _state(task, now, timeout), _with(task, me), age(now - task.since),
         task.content, task.last_word]
        for _, task in found
    ]  # fmt: skip
    items = [_task(task, now, timeout) for _, task in found]
    calls.show(call, "tasks", ["task", "state", "with", "since", "what", "last word"], rows, items)


def _state(task: Task, now: float, timeout: float) -> str:
    return f"{task.state}, overdue" if _overdue(task, now, timeout) else task.state


def _overdue(task: Task, now: float, timeout: float) -> bool:
    return task.open and now - task.heard > timeout


def _with(task: Task, me: str) -> str:
    return f"to {task.worker or 'all'}" if task.requester == me else f"from {task.requester}"


def _task(task: Task, now: float, timeout: float) -> "dict[str, Any]":
    return {
        "task": task.key,
        "state": task.state,
        "requester": task.requester,
        "worker": task.worker,
        "content": task.content,
        "since": int(task.since),
        "last_at": int(task.last_at),
        "last_word": task.last_word,
        "detail": task.detail,
        "overdue": _overdue(task, now, timeout),
        "attempt": task.attempt,
    }


def show(call: Call) -> None:
    now, timeout = time.time(), stores.settings(call).task_timeout
    with stores.store(call) as store:
        tasks, said = speaking.about(store, _me(call), _key(call))
    if call["mermaid"]:
        render.diagram([(e.sender, e.to or "all", f"{e.kind} {e.content}") for e in said])
        return
    items = [{**_task(task, now, timeout), "events": _records(task, said)} for task in tasks]
    rows = [[_moment(e.at), e.kind, e.sender, e.to or "all", e.content, e.detail] for e in said]
    if not call["json"]:
        for task in tasks:
            render.note(f"{task.key}: {_state(task, now, timeout)}, asked of {task.worker}")
    calls.show(call, "tasks", ["when", "event", "from", "to", "what", "detail"], rows, items)


def _records(task: Task, said: "list[Event]") -> "list[dict[str, Any]]":
    return [_record(event) for event in said if event.key == task.key]


def _record(event: Event) -> "dict[str, Any]":
    return {
        "event": event.kind,
        "from": event.sender,
        "to": event.to,
        "content": event.content,
        "task": event.key,
        "ref": event.ref,
        "id": event.id,
        "at": int(event.at),
        "detail": event.detail,
        "body": event.body.decode("utf-8", "replace"),
    }


def _moment(at: float) -> str:
    """Local time; the day only where it is not today."""
    when = time.localtime(at)
    form = "%H:%M:%S" if when[:3] == time.localtime()[:3] else "%Y-%m-%d %H:%M:%S"
    return time.strftime(form, when)
