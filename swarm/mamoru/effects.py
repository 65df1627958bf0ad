"""The phrases of the table's ``then``: each changes the state's copy or adds actions.  Pure.

Every automatic message has an origin drawn from what caused it, so sending it again after a
crash finds it done.  It names us as well: a channel has one index of origins for all agents.
"""

from collections.abc import Callable

from swarm.events import one_line
from swarm.mamoru.conditions import unfit_because
from swarm.mamoru.signals import (
    Forward,
    Interrupt,
    MarkAvailable,
    MarkInactive,
    Mate,
    Refuse,
    Send,
    SetStatus,
)
from swarm.mamoru.state import STATUSES, SWALLOWED, Active, Given, Retry, kept, without
from swarm.mamoru.tasks import NOT_RETRIED, TIMEOUT, after, attempt_of
from swarm.mamoru.work import Work

Effect = Callable[[Work, str], None]

CONTENTS = {
    "task_ack": "accepted",
    "task_cancel_ack": "cancelled",
    "pong": "pong",
    "stale": "asked too long ago: not started",
    "busy": "busy",
    "inactive": "not available",
}


def answer(work: Work, what: str) -> None:
    """send that event, in answer"""
    kind, _, why = what.partition(" ")
    event = work.event
    origin = f"{kind}:{event.id}" if event.id else ""
    content = CONTENTS[why or kind]
    work.send(kind, event.sender, content, origin, task=event.key, ref=event.id)


def forward(work: Work, why: str) -> None:
    """hand it to the agent, with that remark"""
    work.actions.append(Forward(work.event, work.event.problem or why))


def note(work: Work, what: str) -> None:
    """tell the agent, or the log"""
    event = work.event
    about = f" about task {one_line(work.key)[:60]}" if work.key else ""
    name = f"{one_line(event.kind)[:30] or 'message'} {event.id}".rstrip()
    way = "to" if event.sender == work.state.me else "from"
    other = one_line(work.other)[:64] or "?"
    work.notify(f"{name} {way} {other}{about}: {event.problem or what}", work.key)


def start(work: Work, _: str) -> None:
    """it is the task we work on"""
    event = work.event
    work.state.active = Active(event.key, event.sender, event.id, event.at or work.now)


def end(work: Work, _: str) -> None:
    """we work on it no longer; it has ended"""
    active = work.state.active
    if active:
        work.state.worked = kept(work.state.worked, (active.task, active.requester), active.ref)
    work.state.active = None


def interrupt(work: Work, _: str) -> None:
    """stop the agent's work on it"""
    work.actions.append(Interrupt(work.key))


def remember(work: Work, end: str) -> None:
    """note that a task of this key, given to that agent, ended so: its request may come to light"""
    if (work.key, work.other) not in work.state.finished:
        work.state.finished = kept(work.state.finished, (work.key, work.other), end)


def refuse_later(work: Work, _: str) -> None:
    """note that this task, asked by that agent, is none of ours: it is never started"""
    request = work.event.id if work.event.kind == "task_req" else ""
    if (work.key, work.other) not in work.state.worked:
        work.state.worked = kept(work.state.worked, (work.key, work.other), request)


def settle(work: Work, _: str) -> None:
    """it is alive: no ping to it is open"""
    state, mate = work.state, work.event.sender
    if mate in state.pings or mate in state.heard:
        state.pings = without(state.pings, mate)
        state.heard = {**state.heard, mate: work.now}


def take_back(work: Work, _: str) -> None:
    """it counts as available again, in the store too"""
    state, mate = work.state, work.event.sender
    work.actions.append(MarkAvailable(mate))
    state.heard = {**state.heard, mate: work.now}
    state.marked = without(state.marked, mate)
    _news(work, mate, "available")


def welcome(work: Work, _: str) -> None:
    """add it to the roster"""
    work.state.left = without(work.state.left, work.event.sender)
    work.state.marked = without(work.state.marked, work.event.sender)
    _news(work, work.event.sender, "available")


def part(work: Work, _: str) -> None:
    """remove it from the roster"""
    state, mate = work.state, work.event.sender
    state.left = kept(state.left, mate, "left")
    state.pings = without(state.pings, mate)
    state.heard = without(state.heard, mate)
    state.news = without(state.news, mate)


def update(work: Work, _: str) -> None:
    """note the status that its text ends with"""
    status = work.event.content.rpartition(" ")[2]
    if status in STATUSES:
        _news(work, work.event.sender, status)


def _news(work: Work, agent: str, status: str) -> None:
    known = work.state.news.get(agent) or work.state.roster.mates.get(agent) or Mate(status=status)
    mate = Mate(status=status, seen=known.seen, name=known.name, description=known.description)
    work.state.news = {**work.state.news, agent: mate}


def give(work: Work, _: str) -> None:
    """it is a task we gave; its timer starts"""
    event = work.event
    since = min(event.at or work.now, work.now)
    work.put(
        Given(
            task=work.key,
            worker=event.to,
            since=since,
            heard=since,
            ref=event.id,
            retry=event.retry,
            root=event.retry_of or work.key,
            attempt=attempt_of(event),
            request=event if event.retry else None,
        )
    )


def advance(work: Work, _: str) -> None:
    """its state follows the event; what the worker says, or is told, restarts the timer"""
    task, event = work.given, work.event
    if task is None:
        return
    heard = task.heard if event.kind == "task_cancel" else work.now
    asked = event.id if event.kind == "task_clarify" else task.question
    cancelled = task.cancelled_at
    if event.kind == "task_cancel" and event.intent == TIMEOUT:
        cancelled = cancelled or work.now
    state = after(task.state, event.kind)
    work.put(task.but(state=state, heard=heard, question=asked, cancelled_at=cancelled))


def close(work: Work, _: str) -> None:
    """it has ended as the event says"""
    if work.given:
        swallowed = work.event.kind == "task_reject" and work.given.retry == "block" and work.retry
        work.close(SWALLOWED if swallowed else after(work.given.state, work.event.kind))


def wait(work: Work, _: str) -> None:
    """send it again when its worker is available"""
    task = work.given
    if task and task.request:
        retry = Retry(task.root, task.task, task.attempt + 1, task.request, work.now)
        work.retry = retry
        waiting = work.state.waiting
        work.state.waiting = {**waiting, task.worker: (*waiting.get(task.worker, ()), retry)}


def free(work: Work, _: str) -> None:
    """its entry in the roster becomes available"""
    if work.state.mate(work.other):
        _news(work, work.other, "available")


def send(work: Work, _: str) -> None:
    """store it"""
    work.actions.append(Send(work.event))


def refuse(work: Work, code: str) -> None:
    """nothing is stored; the agent is told why"""
    work.actions.append(_refusal(work, code) if code else unfit_because(work) or Refuse("", ""))


def _refusal(work: Work, code: str) -> Refuse:
    active = work.state.active
    key = work.key[:80]
    at_work = f"the active task is {active.task}" if active else "no task is active"
    return {
        "unknown-agent": Refuse(code, f"no agent {work.event.to[:80]!a} here", "see the roster"),
        "cancelling": Refuse(code, f"task {key} is cancelled already, its worker has not answered"),
        "ended": Refuse(code, f"task {key} has ended", "what ended is not opened again"),
        "not-active": Refuse(code, f"task {key} is not what you work on", at_work),
        "not-given": Refuse(code, f"task {key} is no open task that you gave to one agent"),
    }[code]


def fail(work: Work, _: str) -> None:
    """send task_fail for the task we work on"""
    active = work.state.active
    if active:
        work.send(
            "task_fail",
            active.requester,
            "the worker has left",
            f"leave:{active.task}",
            task=active.task,
            ref=active.ref,
        )
        end(work, "")


def cancel(work: Work, _: str) -> None:
    """send task_cancel, intent task_timeout"""
    task = work.given
    if task is None:
        return
    silence = work.state.settings.task_timeout
    time = f"{silence / 60:g} minutes" if silence % 60 == 0 else f"{silence:g} seconds"
    work.send(
        "task_cancel",
        task.worker,
        f"Task timed out after {time} with no updates.",
        f"timeout:{task.task}:{task.worker}",
        task=task.task,
        ref=task.ref,
        intent=TIMEOUT,
        need_reply=True,
    )
    work.put(task.but(state="cancelling", cancelled_at=work.now))


def give_up(work: Work, _: str) -> None:
    """record and tell that its worker does not answer"""
    task = work.given
    if task:
        text = f"no answer from {task.worker}: given up, choose another agent"
        _record(work, text, f"told:{task.task}:{task.worker}", task.task, task.ref, TIMEOUT)
        work.close("failed")


def drop(work: Work, why: str) -> None:
    """record and tell that it is not sent again"""
    retry = work.retry
    if retry:
        text = f"not sent again to {retry.request.to}: {why}"
        origin = f"dropped:{retry.last}:{retry.request.to}"
        _record(work, text, origin, retry.last, retry.request.id, NOT_RETRIED)
        work.forget(retry, retry.request.to)


def _record(work: Work, text: str, origin: str, task: str, ref: str, intent: str) -> None:
    """A note to oneself, in the store: so a restart neither forgets nor repeats it."""
    work.send("task_fail", work.state.me, text, origin, task=task, ref=ref, intent=intent)
    work.notify(f"task {task}: {text}", task)


def forget(work: Work, _: str) -> None:
    """it no longer waits"""
    if work.retry:
        work.forget(work.retry, work.retry.request.to)


def send_again(work: Work, what: str) -> None:
    """the request goes out as a new task"""
    retry = work.retry
    if retry is None:
        return
    to = retry.request.to
    fresh = {"id": "", "task": "", "ref": "", "thread": "", "via": "", "at": work.now}
    origin = f"retry:{retry.root}:{work.state.me}:{to}:{retry.attempt}"
    work.actions.append(
        Send(retry.request.replace(retry_of=retry.root, origin=origin, need_reply=True, **fresh))
    )
    work.forget(retry, to)


def mark(work: Work, _: str) -> None:
    """it is inactive, in the store too"""
    state, agent = work.state, work.other
    state.pings = without(state.pings, agent)
    state.heard = without(state.heard, agent)
    work.actions.append(MarkInactive(agent))
    mate = state.roster.mates.get(agent)
    state.news = without(state.news, agent)
    state.marked = {**state.marked, agent: mate.seen if mate else 0.0}


def mark_mate(work: Work, what: str) -> None:
    """it is inactive, in the store too; told where we deal with it"""
    mark(work, what)
    open_with = [key for key, worker in work.state.given if worker == work.other]
    if open_with:
        work.notify(f"{work.other} gives no sign of life", open_with[0])


def ping(work: Work, _: str) -> None:
    """send ping"""
    work.send("ping", work.other, "ping", need_reply=True)
    work.state.pings = {**work.state.pings, work.other: work.now}


def announce(work: Work, _: str) -> None:
    """broadcast agent_status_change"""
    state = work.state
    work.send("broadcast", "", f"{state.called} is {state.status}", intent="agent_status_change")
    state.told = state.status
    state.changed_at = 0.0


def greet(work: Work, _: str) -> None:
    """broadcast agent_join"""
    state = work.state
    work.send("broadcast", "", f"{state.called} has joined the channel", intent="agent_join")
    state.told = "busy" if state.active else "available"


def come_back(work: Work, _: str) -> None:
    """set our status in the store again; others hear of it after the grace"""
    work.state.told = "inactive"
    work.state.changed_at = work.now
    work.actions.append(SetStatus(work.state.status))


def forgive(work: Work, _: str) -> None:
    """every timer gets the time back, and nobody's silence counts from before"""


EFFECTS: dict[str, Effect] = {
    "answer": answer,
    "forward": forward,
    "note": note,
    "start the task": start,
    "end the task": end,
    "interrupt": interrupt,
    "remember": remember,
    "never start it": refuse_later,
    "settle the ping": settle,
    "take it back": take_back,
    "welcome": welcome,
    "part": part,
    "update the roster": update,
    "give the task": give,
    "advance": advance,
    "close the task we gave": close,
    "wait to retry": wait,
    "set the worker available": free,
    "send again": send_again,
    "send": send,
    "refuse": refuse,
    "fail the task since we leave": fail,
    "cancel what we gave": cancel,
    "give up the task": give_up,
    "drop the retry": drop,
    "forget the retry": forget,
    "mark the worker inactive": mark,
    "mark the mate inactive": mark_mate,
    "ping": ping,
    "announce": announce,
    "greet": greet,
    "come back": come_back,
    "forgive the silence": forgive,
}


def find(phrase: str) -> tuple[Effect, str]:
    """The effect that a phrase begins with, the longest that fits, and the rest of the phrase."""
    for name in sorted(EFFECTS, key=len, reverse=True):
        if phrase == name or phrase.startswith(name + " "):
            return EFFECTS[name], phrase[len(name) :].strip()
    raise KeyError(phrase)
