"""``swarm task list``, ``show`` and ``wait``: what became of tasks, over either transport."""

import time

from swarm.ages import age
from swarm.cli import call as calls
from swarm.cli import render, stores
from swarm.cli.call import Call
from swarm.errors import UsageError
from swarm.events import Event
from swarm.mamoru import following
from swarm.mamoru.tasks import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def list_(call: Call) -> None:
    now, me = time.time(), stores.me(call)
    with stores.store(call) as store:
        found = [*following.tasks(store, me).values()]
    if not call["all"]:
        found = [task for task in found if task.open]
    timeout = stores.settings(call).task_timeout
    rows = [
        [task.key, _state(task, now, timeout), _with(task, me), age(now - task.since),
         task.content, task.last_word]
        for task in found
    ]  # fmt: skip
    items = [following.task_record(task, now, timeout) for task in found]
    calls.show(call, "tasks", ["task", "state", "with", "since", "what", "last word"], rows, items)


def show(call: Call) -> None:
    with stores.store(call) as store:
        tasks, said = following.about(store, stores.me(call), stores.task_key(call))
    if call["mermaid"]:
        render.diagram([(e.sender, e.to or "all", f"{e.kind} {e.content}") for e in said])
    else:
        _show(call, tasks, said)


def wait(call: Call) -> int:
    """0 for any end, and for a question; under ``--exit-code`` 1 for all but done."""
    seconds = call["timeout"]
    if seconds is not None and not seconds >= 0:
        raise UsageError("--timeout takes seconds from 0 up")
    with stores.store(call) as store:
        key, settings = stores.task_key(call), stores.settings(call)
        tasks, said = following.wait(store, stores.me(call), key, seconds, settings)
    _show(call, tasks, said)
    return int(call["exit_code"] and tasks[-1].state != "done")


def _show(call: Call, tasks: list[Task], said: list[Event]) -> None:
    now, timeout = time.time(), stores.settings(call).task_timeout
    items = [
        {**following.task_record(task, now, timeout), "events": _records(task, said)}
        for task in tasks
    ]
    rows = [[_moment(e.at), e.kind, e.sender, e.to or "all", e.content, _more(e)] for e in said]
    if not call["json"]:
        for task in tasks:
            render.note(f"{task.key}: {_state(task, now, timeout)}, asked of {task.worker}")
    calls.show(call, "tasks", ["when", "event", "from", "to", "what", "detail"], rows, items)


def _more(event: Event) -> str:
    """Where the longer text is: a file, or the message itself, for ``swarm read``."""
    return event.detail or (event.id if event.body else "")


def _state(task: Task, now: float, timeout: float) -> str:
    return f"{task.state}, overdue" if task.overdue(now, timeout) else task.state


def _with(task: Task, me: str) -> str:
    return f"to {task.worker or 'all'}" if task.requester == me else f"from {task.requester}"


def _records(task: Task, said: list[Event]) -> "list[dict[str, Any]]":
    return [following.record(event) for event in said if event.key == task.key]


def _moment(at: float) -> str:
    """Local time; the day only where it is not today."""
    when = time.localtime(at)
    form = "%H:%M:%S" if when[:3] == time.localtime()[:3] else "%Y-%m-%d %H:%M:%S"
    return time.strftime(form, when)
