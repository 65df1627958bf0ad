"""The machine: one input in, the next state and the actions out.  Pure.

``step`` finds the rows of ``rules`` that an input calls for and does what they say.
"""

from collections.abc import Callable, Iterator
from typing import Any

from swarm.events import AUTOMATIC, FROM_REQUESTER, FROM_WORKER, NEEDS_REPLY, Event
from swarm.mamoru import effects, rules
from swarm.mamoru.conditions import CONDITIONS, Condition
from swarm.mamoru.rules import RULES, Rule
from swarm.mamoru.signals import (
    Action,
    Input,
    Joined,
    Outbound,
    Presence,
    Received,
    Roster,
    Sent,
    Tick,
    Woke,
)
from swarm.mamoru.state import Given, Retry, State, recall, without
from swarm.mamoru.work import Work

__all__ = ["due", "recall", "step"]

WORKERS = FROM_WORKER - AUTOMATIC
REQUESTERS = FROM_REQUESTER - {"task_req"}
NEVER = float("inf")
# How many times as long more an agent waits that is not the lead.
PATIENCE = 3


def step(state: State, given: Input, now: float) -> tuple[State, list[Action]]:
    """The state after one input at ``now`` (epoch seconds), and what is to be done.

    The old state stays as it is: keep it until the actions are carried out.  A clock that went
    back takes all timers with it.
    """
    work = Work(state.copy(), now)
    if now < state.clock:
        _shift(work.state, now - state.clock, now)
    work.state.clock = now
    HANDLERS[type(given)](work, given)
    return work.state, work.actions


class _Row:
    """A rule with its phrases looked up."""

    __slots__ = ("conditions", "effects", "rule")

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.conditions: tuple[Condition, ...] = tuple(CONDITIONS[c] for c in rule.conditions)
        self.effects = tuple(effects.find(phrase) for phrase in rule.effects)


def _compiled() -> dict[str, dict[str, list[_Row]]]:
    rows = [_Row(rule) for rule in RULES]
    found: dict[str, dict[str, list[_Row]]] = {side: {"*": []} for side in rules.SIDES}
    for row in rows:
        found[row.rule.side].setdefault(row.rule.event, [])
    for row in rows:
        for event, listed in found[row.rule.side].items():
            if row.rule.event in ("*", event):
                listed.append(row)
    return found


ROWS = _compiled()


def _apply(work: Work, side: str, event: str) -> None:
    """Do what the first row says that fits."""
    rows = ROWS[side]
    for row in rows.get(event) or rows["*"]:
        for condition in row.conditions:
            if not condition(work):
                break
        else:
            for effect, rest in row.effects:
                effect(work, rest)
            _become(work, row.rule)
            return


def _become(work: Work, rule: Rule) -> None:
    """Our status as the row says; only joining ends an agent's own inactivity."""
    if rule.status == "available" and work.state.status == "inactive" and rule.side != rules.SELF:
        return
    if rule.status:
        work.set_status(rule.status, forced=rule.event == "joined")


def _received(work: Work, given: Received) -> None:
    work.about(given.event, given.event.sender)
    _apply(work, rules.HEARD, given.event.kind)
    _apply(work, rules.RECEIVED, given.event.kind)


def _outbound(work: Work, given: Outbound) -> None:
    event = _filled(work.state, given.event.replace(sender=work.state.me, at=work.now))
    work.about(event, event.to)
    _apply(work, rules.OUTBOUND, event.kind)


def _sent(work: Work, given: Sent) -> None:
    work.about(given.event, given.event.to)
    _apply(work, rules.SENT, given.event.kind)


def _filled(state: State, event: Event) -> Event:
    """The event with its blanks filled in: by the active task, or by the tasks we gave.

    Never by the active one for what only a requester says: it would reach the wrong agent.
    """
    event.need_reply = event.need_reply or event.kind in NEEDS_REPLY
    if event.kind in WORKERS:
        active = state.active
        if active and event.task in ("", active.task):
            event.task = active.task
            event.to = event.to or active.requester
            event.ref = event.ref or active.ref
    elif event.kind in REQUESTERS:
        _fill_given(state, event)
    return event


def _fill_given(state: State, event: Event) -> None:
    if event.kind == "task_cancel":
        event.content = event.content or "Cancelled by the requester"
    task = _meant(state, event)
    if task:
        event.task, event.to = task.task, task.worker
        asked = task.question if event.kind == "task_clarify_res" else task.ref
        event.ref = event.ref or asked or task.ref
    elif not event.task and event.kind == "task_cancel" and len(state.waiting) == 1:
        (retries,) = state.waiting.values()
        event.task = retries[0].last if len(retries) == 1 and not state.given else ""


def _meant(state: State, event: Event) -> Given | None:
    """The one task we gave that is meant: by its key or its first request's, else the only one.

    Of several, the only one that waits for a clarification.
    """
    found = [
        task
        for task in state.given.values()
        if event.task in ("", task.task, task.root) and event.to in ("", task.worker)
    ]
    if len(found) > 1 and event.kind == "task_clarify_res":
        found = [task for task in found if task.state == "waiting"]
    if len(found) > 1 and event.task:
        found = [task for task in found if task.task == event.task]
    return found[0] if len(found) == 1 else None


def _roster(work: Work, given: Roster) -> None:
    state = work.state
    _forget_news(state, given, work.now)
    state.roster = given
    own = given.mates.get(state.me)
    if own is not None and own.status == "inactive":
        _apply(work, rules.SELF, "marked inactive by others")


def _forget_news(state: State, given: Roster, now: float) -> None:
    """What the roster, now read anew, tells itself."""
    mates = given.mates
    state.news = {}
    for agent in [a for a in state.left if a in mates and mates[a].status != "inactive"]:
        state.left = without(state.left, agent)
    for agent, seen in state.marked.items():
        mate = mates.get(agent)
        # A mark that the store holds is not ours alone: whoever takes it back there may be right.
        if mate is None or mate.status == "inactive" or mate.seen != seen:
            state.marked = without(state.marked, agent)
    for agent in [a for a, asked in state.pings.items() if given.signs.get(a, 0.0) > asked]:
        state.pings = without(state.pings, agent)
    for agent in [a for a, at in state.heard.items() if now - at > state.settings.stale]:
        state.heard = without(state.heard, agent)


def _joined(work: Work, _: Joined) -> None:
    _apply(work, rules.SELF, "joined")


def _presence(work: Work, given: Presence) -> None:
    _apply(work, rules.SELF, f"set {given.status}")


def _woke(work: Work, given: Woke) -> None:
    _shift(work.state, max(0.0, given.seconds), work.now)
    _apply(work, rules.SELF, "stood still")


def _shift(state: State, by: float, now: float) -> None:
    """Move every timer by so many seconds; nobody's silence counts from before ``now``."""
    state.awake = now
    state.changed_at += by if state.changed_at else 0.0
    state.pings = {mate: at + by for mate, at in state.pings.items()}
    state.heard = {mate: at + by for mate, at in state.heard.items()}
    state.given = {
        pair: task.but(
            heard=task.heard + by,
            cancelled_at=task.cancelled_at + by if task.cancelled_at else 0.0,
        )
        for pair, task in state.given.items()
    }
    state.waiting = {
        target: tuple(
            Retry(r.root, r.last, r.attempt, r.request, min(r.since + by, now)) for r in retries
        )
        for target, retries in state.waiting.items()
    }


Timer = tuple[float, str, Any]


def due(state: State) -> float:
    """When the next Tick has something to do, epoch seconds; infinity if nothing is awaited."""
    return min([when for when, _, _ in timers(state)], default=NEVER)


def timers(state: State) -> Iterator[Timer]:
    """Everything that time will bring: when, the row's cause, and what it is about."""
    settings = state.settings
    if state.changed_at:
        yield state.changed_at + settings.grace, "status changed", ""
    for task in state.given.values():
        if task.cancelled_at:
            yield task.cancelled_at + settings.ping_timeout, "cancel unanswered", task
        else:
            yield task.heard + settings.task_timeout, "task silent", task
    for mate, at in state.pings.items():
        yield at + settings.ping_timeout, "ping unanswered", mate
    for mate, since in _silent(state):
        yield since + settings.stale, "mate silent", mate
    for target, retries in state.waiting.items():
        for retry in retries:
            yield retry.since + settings.retry_for, "retry too old", retry
        if _ready(state, target):
            yield retries[0].after(settings), "retry due", retries[0]


def _ready(state: State, target: str) -> bool:
    """Whether the target is available as far as can be known, and answered all we asked.

    In a mail tree, where nothing is announced, an agent may be there without an entry: nothing
    will ever say that it is available, and its rejection shows that it answers.
    """
    mate = state.mate(target)
    if mate is None and (state.settings.announce or target in state.left):
        return False
    if mate is not None and mate.status != "available":
        return False
    return not any(task.worker == target and task.state == "asked" for task in state.given.values())


def _silent(state: State) -> Iterator[tuple[str, float]]:
    """Who may be dead, and since when silent: those we deal with; then the longest silent.

    After those the lead asks; others wait longer, in case it fails itself.  An agent that never
    gave a sign of life is not judged by its silence.
    """
    if not state.given and not state.roster.silent:
        return
    dealt: set[str] = set()
    if state.given or state.waiting:
        dealt = {task.worker for task in state.given.values()} | state.waiting.keys()
    for agent in sorted(dealt):
        sign, mate = state.roster.signs.get(agent), state.mate(agent)
        if sign and mate and mate.status != "inactive" and agent not in state.pings:
            yield agent, _since(state, agent, sign)
    leads = not state.roster.lead or state.me <= state.roster.lead
    for agent, since in _silent_strangers(state, dealt):
        yield agent, since + (0.0 if leads else state.settings.stale * PATIENCE)


def _silent_strangers(state: State, dealt: set[str]) -> Iterator[tuple[str, float]]:
    for sign, agent in state.roster.silent:
        if agent == state.me or agent in dealt or agent in state.pings:
            continue
        mate = state.mate(agent)
        if mate is None or mate.status == "inactive":
            continue
        yield agent, _since(state, agent, sign)
        if sign > state.clock - state.settings.stale:
            return


def _since(state: State, agent: str, sign: float) -> float:
    return max(sign, state.awake, state.heard.get(agent, 0.0))


def _tick(work: Work, _: Tick) -> None:
    for when, cause, subject in list(timers(work.state)):
        if when <= work.now and _turn(work, subject):
            _apply(work, rules.TIME, cause)


def _turn(work: Work, subject: object) -> bool:
    """Turn to what a timer is about; False if an earlier one of this tick has dealt with it."""
    state = work.state
    work.given = work.retry = None
    if isinstance(subject, Given):
        work.given, work.other, work.key = subject, subject.worker, subject.task
        return state.given.get((subject.task, subject.worker)) is subject
    if isinstance(subject, Retry):
        work.event = subject.request
        work.retry, work.other, work.key = subject, subject.request.to, subject.last
        return any(subject is retry for retry in state.waiting.get(work.other, ()))
    work.other = str(subject)
    return True


HANDLERS: dict[type, Callable[[Work, Any], None]] = {
    Received: _received,
    Outbound: _outbound,
    Sent: _sent,
    Tick: _tick,
    Roster: _roster,
    Joined: _joined,
    Presence: _presence,
    Woke: _woke,
}
