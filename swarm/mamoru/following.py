"""What became of tasks, as the agent sees it who asked or was asked; and waiting for it."""

from typing import Any

from swarm.errors import TimedOut, Unknown
from swarm.events import Event
from swarm.mamoru.state import Settings, again
from swarm.mamoru.tasks import Task, fold
from swarm.names import closest, shown
from swarm.transport.base import Store

ALL = "swarm task list --all names those you have"
Told = tuple[list[Task], list[Event]]


def tasks(store: Store, me: str) -> dict[str, Task]:
    """The tasks that the agent asked for or was asked for, by key, oldest first."""
    found = fold(store.voice(me).conversation())
    mine = {key: task for key, task in found.items() if me in (task.requester, task.worker)}
    return dict(sorted(mine.items(), key=lambda pair: pair[1].since))


def about(store: Store, me: str, key: str) -> Told:
    """The tasks of a key or of its retries, and what was said in them; Unknown if there is none."""
    voice = store.voice(me)
    found, events = _told(voice.conversation(), key)
    return found, [voice.whole(event) for event in events]


def wait(store: Store, me: str, key: str, seconds: float | None, settings: Settings) -> Told:
    """The same once nobody but the agent can bring it forward, or it has its end.

    TimedOut if that does not come in so many seconds (None: whenever it comes).
    """
    voice = store.voice(me)
    for said in voice.follow(seconds):
        found, events = _told(said, key)
        if not _others_turn(found, me, settings):
            return found, [voice.whole(event) for event in events]
    states = ", ".join(task.state for task in found)
    raise TimedOut(
        f"task {key} is still {states}", "swarm status tells whether its worker is at work"
    )


def unknown(key: str, known: list[str]) -> Unknown:
    """The error for a key that is none of those known, with the one most likely meant."""
    stem = key.rpartition("-")[0] or key
    meant = [one for one in known if one.startswith((key, f"{stem}-"))]
    likely = meant[0] if len(meant) == 1 else closest(key, known)
    hint = ALL
    if key.isdecimal():  # one number is as likely as another
        numbers = not known or any(one.isdecimal() for one in known)
        hint = ALL if numbers else "a number is a task of a channel: --channel names that"
    elif likely:
        hint = f"did you mean {likely}?"
    return Unknown(f"no task {shown(key[:80])} of yours", hint, code="unknown-task")


def task_record(task: Task, now: float, timeout: float) -> dict[str, Any]:
    """A task, for programs."""
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
        "overdue": task.overdue(now, timeout),
        "attempt": task.attempt,
    }


def record(event: Event) -> dict[str, Any]:
    """A message of a task, for programs."""
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


def _told(said: list[Event], key: str) -> Told:
    folded = fold(said).values()
    found = [task for task in folded if key in (task.key, task.retry_of)]
    if not found:
        raise unknown(key, [task.key for task in folded])
    keys = {task.key for task in found}
    about_it = [event for event in said if event.key in keys or event.task in keys]
    # A record to oneself lies in both boxes.
    return found, list({(e.id, e.sender, e.to): e for e in about_it}.values())


def _others_turn(found: list[Task], me: str, settings: Settings) -> bool:
    """Whether others are to speak next: the worker of a task one gave, the requester of a
    question one asked, the guardian that tries a rejected request again."""
    given = [task for task in found if task.requester == me]
    if any(task.state == "waiting" for task in given):
        return False
    tried = {(task.worker, task.attempt) for task in given}
    return (
        any(task.open for task in given)
        or any(again(t, settings) and (t.worker, t.attempt + 1) not in tried for t in given)
        or any(task.state == "waiting" for task in found if task.worker == me)
    )
