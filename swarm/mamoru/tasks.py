"""What became of each task, folded from its events.  Pure.

A task's key alone does not name it: plain mail may ask two workers in one thread, and a worker
may pass a request on in the thread it came in.  So a task is a key, a requester and a worker.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from swarm.events import FROM_REQUESTER, FROM_WORKER, Event

FINAL = frozenset(("done", "failed", "rejected", "cancelled"))
ENDS = {
    "task_done": "done",
    "task_fail": "failed",
    "task_reject": "rejected",
    "task_cancel_ack": "cancelled",
}
# An update without an acknowledgement comes from a worker that has no guardian: it is at work.
STARTS = frozenset(("task_ack", "task_update"))
# What a guardian says by itself to a request or a cancel, whose id is then its ref.
ANSWERS = frozenset(("task_ack", "task_reject", "task_fail", "task_cancel_ack"))
TASK_EVENTS = FROM_REQUESTER | FROM_WORKER
TIMEOUT = "task_timeout"
# The record that a rejected request is not sent again: it stays rejected.
NOT_RETRIED = "not_retried"


def after(state: str, kind: str) -> str:
    """The state of a task after an event of the right party; a final state never changes.

    States: asked, accepted, waiting (for a clarification), cancelling; done, failed, rejected,
    cancelled.
    """
    if state in FINAL:
        return state
    if kind in ENDS:
        return ENDS[kind]
    if kind == "task_cancel" or state == "cancelling":
        return "cancelling"
    if kind == "task_clarify":
        return "waiting"
    if kind == "task_clarify_res" and state == "waiting":
        return "accepted"
    return "accepted" if kind in STARTS and state == "asked" else state


@dataclass(slots=True, kw_only=True)
class Task:
    """One request and what became of it.

    ``since``: when it was asked.  ``heard``: when the worker last said something, or had its
    clarification from the requester; S's timer runs from there.  ``cancelled_at``: when it was
    cancelled for its silence, 0 if it was not.  All epoch seconds.  ``question``: the id of
    the last clarification asked for.  ``attempt``: 1 for a first request, 2 for its first
    retry.  ``taken``: whether the worker took it up.  ``cancel``: whether the requester
    cancelled it.  ``told``: whether the requester was told that it was given up.  ``late``: how
    many messages came after the final state, or from no party of it.  ``request`` is None where
    only follow-ups are known.
    """

    key: str
    requester: str
    worker: str
    content: str = ""
    state: str = "asked"
    since: float = 0.0
    last_at: float = 0.0
    last_word: str = ""
    detail: str = ""
    retry: str = ""
    retry_of: str = ""
    attempt: int = 1
    ref: str = ""
    heard: float = 0.0
    cancelled_at: float = 0.0
    question: str = ""
    taken: bool = False
    cancel: bool = False
    told: bool = False
    late: int = 0
    request: Event | None = field(default=None, repr=False)

    @property
    def final(self) -> bool:
        """Whether nothing can change it any more."""
        return self.state in FINAL

    @property
    def open(self) -> bool:
        """Whether somebody still waits for somebody."""
        return self.state not in FINAL

    def overdue(self, now: float, timeout: float) -> bool:
        """Whether its worker is silent for longer than the timeout."""
        return self.open and now - self.heard > timeout


def fold(events: Iterable[Event]) -> dict[str, Task]:
    """The tasks that the events speak of, by key; a second worker of one key: ``key/worker``.

    Tolerant: events of a channel count by their number, others by their time, then in the order
    given; repeated ones change nothing; a follow-up whose request is unknown still makes a task;
    what is no task event, or makes no sense, is passed over.  Never raises.
    """
    tasks: dict[str, list[Task]] = {}
    ordered = _ordered(events)
    for event in ordered:
        if event.kind == "task_req":
            _open(tasks, event)
    for event in ordered:
        if event.kind != "task_req":
            _follow(tasks, event)
    return {slot: task for found in tasks.values() for slot, task in _slots(found)}


def attempt_of(event: Event) -> int:
    """Which try a request is: 1, or what the origin of a retry tells."""
    last = event.origin.rpartition(":")[2] if event.retry_of else ""
    return int(last) if last.isdecimal() and len(last) < 6 else 1


def _slots(found: list[Task]) -> list[tuple[str, Task]]:
    return [(t.key if n == 0 else f"{t.key}/{t.worker}", t) for n, t in enumerate(found)]


def _ordered(events: Iterable[Event]) -> list[Event]:
    """Task events once each, in their order.

    The clocks of two hosts differ, so a channel's numbers are the better order; mail has none.
    An event without a time stays behind the one before it.
    """
    seen: set[tuple[str, str, str]] = set()
    found: list[Event] = []
    for event in events:
        mark = (event.id, event.sender, event.to)
        if event.problem or event.kind not in TASK_EVENTS or (event.id and mark in seen):
            continue
        seen.add(mark)
        found.append(event)
    if all(event.id.isascii() and event.id.isdigit() and len(event.id) < 20 for event in found):
        return sorted(found, key=lambda event: int(event.id))
    times: list[float] = []
    for event in found:
        times.append(event.at if event.at > 0 else (times[-1] if times else 0.0))
    return [found[n] for n in sorted(range(len(found)), key=times.__getitem__)]


def _open(tasks: dict[str, list[Task]], event: Event) -> None:
    if not event.key or event.sender == event.to:
        return
    found = tasks.setdefault(event.key, [])
    if not any(t.requester == event.sender and t.worker == event.to for t in found):
        found.append(_asked(event, event.to))


def _asked(event: Event, worker: str) -> Task:
    return Task(
        key=event.key,
        requester=event.sender,
        worker=worker,
        content=event.content,
        since=event.at,
        last_at=event.at,
        heard=event.at,
        detail=event.detail,
        retry=event.retry,
        retry_of=event.retry_of,
        attempt=attempt_of(event),
        ref=event.id,
        request=event,
    )


def _follow(tasks: dict[str, list[Task]], event: Event) -> None:
    if not event.task:
        return
    found = tasks.setdefault(event.task, [])
    task = _party(found, event) or _joined(found, event)
    if task is None and not found and event.sender != event.to:
        task = _unasked(event)
        found.append(task)
    if task is not None:
        _apply(task, event)
    elif found:
        found[0].late += 1


def _party(found: list[Task], event: Event) -> Task | None:
    """The task whose requester or worker, whichever may say this, is the sender."""
    for task in found:
        if event.kind in FROM_WORKER:
            if event.sender == task.worker and event.to in ("", task.requester):
                return task
            if is_record(event) and event.sender == task.requester and event.ref == task.ref:
                return task
        elif event.sender == task.requester and event.to in ("", task.worker):
            return task
    return None


def is_record(event: Event) -> bool:
    """Whether it is a requester's own record that it gave a task up (our decision).

    It goes to oneself, so that a restart knows what was told already.
    """
    return event.kind == "task_fail" and event.sender == event.to and bool(event.origin)


def _joined(found: list[Task], event: Event) -> Task | None:
    """A new worker's task, where the request went to everybody."""
    if event.kind not in FROM_WORKER:
        return None
    for task in found:
        request = task.request
        if request and not request.to and event.sender != task.requester:
            if not task.worker:
                task.worker = event.sender
                return task
            found.append(_asked(request, event.sender))
            return found[-1]
    return None


def _unasked(event: Event) -> Task:
    """A task known from a follow-up only."""
    pair = (event.to, event.sender)
    requester, worker = pair if event.kind in FROM_WORKER else (event.sender, event.to)
    task = Task(key=event.task, requester=requester, worker=worker, since=event.at)
    task.heard = task.last_at = event.at
    task.ref = event.ref if event.kind == "task_ack" else ""
    return task


def _apply(task: Task, event: Event) -> None:
    if is_record(event):
        # It was written because nothing final had come, whatever the clocks of others say.
        task.told = True
        if event.intent == NOT_RETRIED:
            task.state = "rejected"
        elif task.final and task.state != "rejected":
            task.state = "failed"
    if task.final:
        task.late += 1
        return
    task.state = after(task.state, event.kind)
    task.last_at = max(task.last_at, event.at)
    task.last_word = event.content or task.last_word
    if event.sender == task.worker:
        task.taken = task.taken or event.kind not in ENDS
    if event.sender == task.worker or event.kind == "task_clarify_res":
        task.heard = max(task.heard, event.at)
    if event.kind == "task_clarify":
        task.question = event.id
    if event.kind == "task_cancel":
        task.cancel = True
        if event.intent == TIMEOUT:
            task.cancelled_at = task.cancelled_at or event.at
