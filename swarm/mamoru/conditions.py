"""The phrases of the table's ``when``: each a question about one step.  Pure."""

from collections.abc import Callable

from swarm.errors import UsageError
from swarm.events import check_out
from swarm.mamoru.signals import Refuse
from swarm.mamoru.state import SWALLOWED
from swarm.mamoru.tasks import is_record
from swarm.mamoru.work import Work

Condition = Callable[[Work], bool]


def from_oneself(work: Work) -> bool:
    """the sender is the guarded agent"""
    return work.event.sender == work.state.me


def from_marked(work: Work) -> bool:
    """the sender counts as inactive, and sent this since its last sign of life; it has not left"""
    event, mate = work.event, work.state.mate(work.event.sender)
    if mate is None or mate.status != "inactive" or event.intent == "agent_leave":
        return False
    # Both times are the sender's own; what a dead agent said before is no sign of life.
    return not event.at or event.at > mate.seen


def no_event(work: Work) -> bool:
    """the message cannot be read as an event, or has no sender"""
    return bool(work.event.problem) or not work.event.sender


def some_text(work: Work) -> bool:
    """there is something to read in it"""
    return bool(work.event.content)


def own_record(work: Work) -> bool:
    """our own note to ourselves that a task was given up"""
    return is_record(work.event) and work.event.sender == work.state.me


def record_waiting(work: Work) -> bool:
    """such a note about a rejected request that waits to be sent again"""
    return own_record(work) and work.retry is not None


def to_another(work: Work) -> bool:
    """it is neither for us nor for everybody"""
    return work.event.to not in ("", work.state.me)


def no_key(work: Work) -> bool:
    """it names no task, and has no id to be one"""
    return not work.key


def in_another(work: Work) -> bool:
    """on a channel, where a request's task is its own id, it names another's"""
    event = work.event
    return event.id.isdecimal() and event.task not in ("", event.id)


def for_active(work: Work) -> bool:
    """it is about the task we work on, and the other party is its requester"""
    active = work.state.active
    return active is not None and active.task == work.key and active.requester == work.other


def for_active_of_another(work: Work) -> bool:
    """it is about the task we work on, but the sender is not its requester"""
    active = work.state.active
    return active is not None and active.task == work.key and active.requester != work.other


def ended(work: Work) -> bool:
    """asked of us by that agent, it has ended, or was refused or cancelled, as far as we know"""
    return (work.key, work.other) in work.state.worked


def seen_before(work: Work) -> bool:
    """it is the very request that was answered"""
    return work.state.worked.get((work.key, work.other)) == work.event.id


def ended_any(work: Work) -> bool:
    """a task of this key has ended, as far as we remember"""
    state = work.state
    return any(key == work.key for ended in (state.worked, state.finished) for key, _ in ended)


def waits(work: Work) -> bool:
    """it was rejected, and waits to be sent again or was"""
    return work.state.finished.get((work.key, work.other)) == SWALLOWED


def stale(work: Work) -> bool:
    """it was sent longer ago than a task may be silent"""
    sent = work.event.at
    return sent > 0 and work.now - sent > work.state.settings.task_timeout


def available(work: Work) -> bool:
    """our status is available"""
    return work.state.status == "available"


def busy(work: Work) -> bool:
    """our status is busy"""
    return work.state.status == "busy"


def inactive(work: Work) -> bool:
    """our status is inactive: we left, or the agent said so itself"""
    return work.state.status == "inactive"


def a_task_is_active(work: Work) -> bool:
    """we work on a task"""
    return work.state.active is not None


def intent(word: str) -> Condition:
    """The condition that a broadcast has this intent."""

    def same(work: Work) -> bool:
        return work.event.intent == word

    same.__doc__ = f"its intent is {word}"
    return same


def given(work: Work) -> bool:
    """it is about an open task that we gave, and the other party is its worker"""
    return work.given is not None


def cancelling(work: Work) -> bool:
    """that task was cancelled, and its worker has not answered yet"""
    return work.given is not None and work.given.state == "cancelling"


def blocked_upon(work: Work) -> bool:
    """the request asked to be tried again silently, and may be"""
    return _again(work) == "block"


def queued(work: Work) -> bool:
    """the request asked to be tried again, its requester knowing, and may be"""
    return _again(work) == "queue"


def tried_too_often(work: Work) -> bool:
    """the request asked to be tried again, but was sent as often as it may"""
    task = work.given
    return bool(task and task.retry and task.attempt >= work.state.settings.retry_limit)


def _again(work: Work) -> str:
    """How the request is to be tried again: queue, block, or "" where it is not."""
    if work.retry and not work.given:
        return work.retry.request.retry
    task = work.given
    if task is None or not task.request or task.state == "cancelling" or tried_too_often(work):
        return ""
    return task.retry


def waiting(work: Work) -> bool:
    """it is a rejected request of ours that waits to be sent again"""
    return work.retry is not None


def unfit(work: Work) -> bool:
    """an unknown or reserved event, a content too long, no recipient, no task, …"""
    return unfit_because(work) is not None


def unfit_because(work: Work) -> Refuse | None:
    """Why it cannot be sent."""
    try:
        check_out(work.event, work.state.settings.words)
    except UsageError as error:
        return Refuse(error.code, error.message, error.hint)
    return None


def to_unknown(work: Work) -> bool:
    """the roster was read, and does not hold the recipient"""
    return bool(work.state.roster.mates) and work.state.mate(work.event.to) is None


def to_inactive(work: Work) -> bool:
    """the recipient is inactive"""
    mate = work.state.mate(work.event.to)
    return mate is not None and mate.status == "inactive"


def new_request(work: Work) -> bool:
    """to one other agent, and not yet known"""
    gone = (work.key, work.other) in work.state.finished
    return work.other not in ("", work.state.me) and not work.given and not gone


def heard_otherwise(work: Work) -> bool:
    """what the others last heard is not our status"""
    return work.state.told != work.state.status


CONDITIONS: dict[str, Condition] = {
    "from oneself": from_oneself,
    "from an agent marked inactive": from_marked,
    "no proper event": no_event,
    "some text": some_text,
    "a record of our own": own_record,
    "a record about a task that waits": record_waiting,
    "to somebody else": to_another,
    "without a key": no_key,
    "in another request's task": in_another,
    "for the active task": for_active,
    "about the active task": for_active,
    "for the active task of another requester": for_active_of_another,
    "for a task that ended": ended,
    "seen before": seen_before,
    "about a task that ended": ended_any,
    "for a task that waits": waits,
    "stale": stale,
    "we are available": available,
    "we are busy": busy,
    "we are inactive": inactive,
    "a task is active": a_task_is_active,
    "intent agent_join": intent("agent_join"),
    "intent agent_leave": intent("agent_leave"),
    "intent agent_status_change": intent("agent_status_change"),
    "of a task we gave": given,
    "about a task we gave": given,
    "about a task being cancelled": cancelling,
    "to be blocked upon": blocked_upon,
    "to be queued": queued,
    "tried too often": tried_too_often,
    "about a task that waits": waiting,
    "not fit to be sent": unfit,
    "to an unknown agent": to_unknown,
    "to an inactive agent": to_inactive,
    "a new request": new_request,
    "others heard otherwise": heard_otherwise,
}
