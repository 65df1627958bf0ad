"""What is said about tasks, over either transport."""

import os
import time
from contextlib import closing
from typing import cast

from swarm.errors import UsageError
from swarm.events import EVENTS, Event
from swarm.mailbox import layout
from swarm.mamoru import following, speaking
from swarm.mamoru.tasks import Task as Known
from swarm.mcp.answers import LINE_MOST, Sent, Task, Tasks, brief
from swarm.mcp.session import Session
from swarm.message import check_body
from swarm.transport.base import Store

ACTIONS = {
    "request": "task_req",
    "update": "task_update",
    "clarify": "task_clarify",
    "done": "task_done",
    "fail": "task_fail",
    "answer": "task_clarify_res",
    "cancel": "task_cancel",
}
EVENTS_MOST = 50
BODY_MOST = 4096
CUT = "the content is long: its first words were sent, all of it is in the text"
ALL = 'the tool tasks with action "list" and all true names them'


def act(
    session: Session,
    action: str,
    task: str,
    to: str,
    content: str,
    body: str,
    detail: str,
    intent: str,
    retry: str,
    every: bool,
) -> Tasks:
    """List or show tasks, or say something about one."""
    if action == "list":
        return listed(session, every)
    if action == "show":
        return shown(session, task)
    if action not in ACTIONS:
        raise UsageError("no such action", f"one of list, show, {', '.join(ACTIONS)}")
    if not content.strip() and action != "cancel":
        raise UsageError("no content", "say in a few words what it is", code="no-content")
    event, cut = composed(session, ACTIONS[action], content, body, detail)
    event = event.replace(task=task.removeprefix("#"), to=to, intent=intent, retry=retry)
    if action != "request":
        event = event.replace(to="")
    stored, notes = said(session, event)
    if cut:
        notes = [*notes, CUT]
    key = next((one.key for one in stored if one.kind == event.kind), task)
    found = shown(session, key, events=False)
    return {"tasks": found["tasks"], "notes": notes}


def send(
    session: Session,
    kind: str,
    to: str,
    content: str,
    body: str,
    detail: str,
    task: str = "",
    origin: str = "",
) -> Sent:
    """One event of S's, as its tool sends it; of one ``origin`` only the first."""
    if kind not in EVENTS:
        raise UsageError(f"{kind[:80]!a} is no event", f"one of {', '.join(EVENTS)}")
    event, cut = composed(session, kind, content, body, detail)
    event = event.replace(to=to, task=task.removeprefix("#"), origin=origin)
    stored, notes = said(session, event)
    own = [one for one in stored if one.kind == kind]
    return {
        "delivered": [{"to": one.to or "all", "file": one.id, "path": ""} for one in own],
        "task": own[0].key if own else "",
        "problems": [*notes, *([CUT] if cut else [])],
    }


def composed(
    session: Session, kind: str, content: str, body: str, detail: str
) -> tuple[Event, bool]:
    """An event of one's own, and whether its content was cut."""
    text = check_body(body.encode("utf-8", "replace"))
    if text and not text.endswith(b"\n"):
        text += b"\n"
    path = os.path.abspath(detail) if detail else ""
    return speaking.composed(kind, content, text, path, session.channel is not None)


def said(session: Session, event: Event) -> tuple[list[Event], list[str]]:
    """Send it: what was stored, and notes."""
    with closing(session.store()) as store:
        event.to = _resolved(session, store, event.to)
        return speaking.say(store, session.me, event, time.time(), session.settings())


def _resolved(session: Session, store: Store, to: str) -> str:
    if not to:
        return to
    if session.channel is None:
        layout.check_inbox(session.root, layout.check_known(session.root, to))
        return to
    from swarm.transport.team import TeamStore

    assert isinstance(store, TeamStore)
    return store.channel.resolve(to)


def listed(session: Session, every: bool) -> Tasks:
    """What one asked of others and what is asked of one."""
    now, timeout = time.time(), session.settings().task_timeout
    with closing(session.store()) as store:
        found = following.tasks(store, session.me).values()
    items = [_task(one, now, timeout) for one in found if every or one.open]
    return {"tasks": items, "notes": []}


def shown(session: Session, key: str, events: bool = True) -> Tasks:
    """The tasks of a key, and all that was said in them."""
    now, timeout = time.time(), session.settings().task_timeout
    tasks, words = _about(session, key)
    found = [_task(one, now, timeout) for one in tasks]
    for one in found if events else []:
        one["events"] = [_event(word) for word in words if word.key == one["task"]][-EVENTS_MOST:]
    return {"tasks": found, "notes": []}


def words(session: Session, key: str) -> list[Event]:
    """All that was said about a task."""
    return _about(session, key)[1]


def _about(session: Session, key: str) -> following.Told:
    if not key:
        raise UsageError("which task?", ALL)
    with closing(session.store()) as store:
        return following.about(store, session.me, key.removeprefix("#"))


def _task(task: Known, now: float, timeout: float) -> Task:
    found = following.task_record(task, now, timeout)
    return cast(Task, {key: _bounded(value) for key, value in found.items()})


def _event(event: Event) -> dict[str, object]:
    """A message of a task, a long text cut: read_message shows it by its id."""
    found = {key: _bounded(value, BODY_MOST) for key, value in following.record(event).items()}
    if len(event.body) > BODY_MOST:
        found["body"] = f"{found['body']}\n[more: read_message {event.id}]"
    return found


def _bounded(value: object, most: int = LINE_MOST) -> object:
    return brief(value, most) if isinstance(value, str) else value
