"""``swarm task …``: asking and answering, over either transport."""

import os
import time

from swarm.cli import call as calls
from swarm.cli import render, stores
from swarm.cli.call import Call
from swarm.errors import UsageError
from swarm.events import Event
from swarm.mailbox import layout
from swarm.mamoru import following, speaking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    stored = _say(call, _event(call, kind, task=stores.task_key(call)))
    if call["json"]:
        render.json({"sent": [following.record(event) for event in stored]})


def _event(call: Call, kind: str, **more: "Any") -> Event:
    """The event that the options tell."""
    summary = call["subject"] or ""
    if not summary.strip() and kind != "task_cancel":
        raise UsageError("no summary", "say in a few words with -s what it is", code="no-content")
    longer = any(call.options.get(name) is not None for name in ("message", "file"))
    body = calls.body(call) if longer else b""
    detail = os.path.abspath(path) if (path := calls.detail(call)) else ""
    event, cut = speaking.composed(kind, summary, body, detail, call["channel"] is not None)
    if cut:
        render.note("the summary is long: its first words were sent, all of it is in the text")
    return event.replace(**more)


def _say(call: Call, event: Event) -> list[Event]:
    with stores.store(call) as store:
        event.to = _resolved(call, event.to)
        stored, notes = speaking.say(
            store, stores.me(call), event, time.time(), stores.settings(call)
        )
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
