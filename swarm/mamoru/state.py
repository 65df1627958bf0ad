"""What a guardian knows about one agent, and how it knows it again after a restart.  Pure.

A State is never changed: ``step`` works on a copy, whose collections are replaced, not written
to.  So the loop keeps the old one until the effects of a step are stored.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from swarm.errors import UsageError
from swarm.events import CONTENT_WORDS, Event, one_line
from swarm.mamoru.signals import Mate, Roster
from swarm.mamoru.tasks import Task, fold
from swarm.names import shown

TASK_TIMEOUT = "SWARM_TASK_TIMEOUT"
STATUSES = ("available", "busy", "inactive")
# How many tasks that ended, and agents that left, are remembered: 10,000 guarded agents share
# one process.
REMEMBERED = 64
Pair = tuple[str, str]


@dataclass(slots=True, frozen=True, kw_only=True)
class Settings:
    """Seconds and counts; the first two are S's, the others our own decisions.

    ``task_timeout``: silence of a worker until its task is cancelled; also the age at which a
    request is stale.  ``ping_timeout``: for a pong and for a cancel's acknowledgement.
    ``stale``: silence until a ping.  ``grace``: between a change of status and its broadcast,
    since the known client loses a waiting retry if it hears sooner.  ``words``: the limit of a
    content.  ``retry_first``, ``retry_most``: the wait before a first retry, doubled up to the
    most.  ``retry_limit``: requests in all.  ``retry_for``: until a waiting one is given up.
    ``announce``: whether changes of status are broadcast at all, where a roster shows them.
    """

    task_timeout: float = 1200.0
    ping_timeout: float = 20.0
    stale: float = 60.0
    grace: float = 3.0
    words: float = CONTENT_WORDS
    retry_first: float = 2.0
    retry_most: float = 60.0
    retry_limit: int = 10
    retry_for: float = 86400.0
    announce: bool = True


DEFAULTS = Settings()


def from_env(env: Mapping[str, str], announce: bool, **given: float) -> Settings:
    """The settings given, with what the environment says; UsageError for what is no time.

    What a guardian and the commands beside it read alike, so that they agree on overdue.
    """
    if "task_timeout" not in given and (text := env.get(TASK_TIMEOUT)):
        given["task_timeout"] = _seconds(text)
    return Settings(announce=announce, **given)  # type: ignore[arg-type]


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.01 <= value < 1e9:
        raise UsageError(f"{TASK_TIMEOUT} takes seconds from 0.01 up, not {shown(text)}")
    return value


@dataclass(slots=True, frozen=True)
class Active:
    """The one task this agent works on (S: one at a time).  ``ref``: the request's id."""

    task: str
    requester: str
    ref: str
    since: float


@dataclass(slots=True, kw_only=True)
class Given:
    """An open task that this agent asked of another; the fields are those of a Task.

    Taken as immutable.

    ``root``: the key of the first request, in a retried one.  ``request`` is kept where it may
    have to be sent again.
    """

    task: str
    worker: str
    state: str = "asked"
    since: float = 0.0
    heard: float = 0.0
    cancelled_at: float = 0.0
    ref: str = ""
    question: str = ""
    retry: str = ""
    root: str = ""
    attempt: int = 1
    request: Event | None = None

    def but(self, **changes: object) -> "Given":
        """The same with other values."""
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(slots=True, frozen=True)
class Retry:
    """A rejected request that waits to be sent again.

    ``root``: the key of the first request; ``last``: of the one rejected last, at ``since``.
    ``attempt``: which try the next is.
    """

    root: str
    last: str
    attempt: int
    request: Event
    since: float

    def after(self, settings: Settings) -> float:
        """When it may be sent at the earliest: the wait doubles with each try."""
        wait = settings.retry_first * 2.0 ** min(self.attempt - 2, 30)
        return self.since + min(settings.retry_most, wait)


class State:
    """What one agent's guardian knows.

    ``told``: the status that others last heard of; ``changed_at``: when it changed since then,
    0 if it did not.  ``given``: open tasks by (key, worker).  ``finished``: how such ended, by
    (key, worker); ``worked``: the ids of requests to us that are over, by (key, requester); 64
    each.  ``waiting``: retries by target, in order.  ``roster`` is
    shared; ``news`` is what was heard since it was read.  ``pings``: who was asked when;
    ``heard``: who answered when.  ``left``: agents that signed off.  ``marked``: those we found
    inactive, with the sign of life they had then: a newer one takes them back.
    ``awake``: nobody's silence counts from before.  ``clock``: the time of the last step.
    """

    __slots__ = (
        "active",
        "awake",
        "changed_at",
        "clock",
        "finished",
        "given",
        "heard",
        "left",
        "marked",
        "me",
        "news",
        "pings",
        "roster",
        "settings",
        "status",
        "told",
        "waiting",
        "worked",
    )

    me: str
    status: str
    told: str
    changed_at: float
    active: Active | None
    given: dict[Pair, Given]
    finished: dict[Pair, str]
    worked: dict[Pair, str]
    waiting: dict[str, tuple[Retry, ...]]
    roster: Roster
    news: dict[str, Mate]
    pings: dict[str, float]
    heard: dict[str, float]
    left: dict[str, str]
    marked: dict[str, float]
    awake: float
    clock: float
    settings: Settings

    def __init__(
        self, me: str, status: str = "available", settings: Settings = DEFAULTS, now: float = 0.0
    ) -> None:
        self.me = me
        self.status = self.told = status
        self.changed_at = 0.0
        self.active = None
        self.given = {}
        self.finished = {}
        self.worked = {}
        self.waiting = {}
        self.roster = NOBODY
        self.news = {}
        self.pings = {}
        self.heard = {}
        self.left = {}
        self.marked = {}
        self.awake = self.clock = now
        self.settings = settings

    def copy(self) -> "State":
        """Another State with the same content; the two share what neither writes to."""
        new = State.__new__(State)
        new.me = self.me
        new.status = self.status
        new.told = self.told
        new.changed_at = self.changed_at
        new.active = self.active
        new.given = self.given
        new.finished = self.finished
        new.worked = self.worked
        new.waiting = self.waiting
        new.roster = self.roster
        new.news = self.news
        new.pings = self.pings
        new.heard = self.heard
        new.left = self.left
        new.marked = self.marked
        new.awake = self.awake
        new.clock = self.clock
        new.settings = self.settings
        return new

    def mate(self, agent: str) -> Mate | None:
        """Another agent as last heard of; None for one that is not known or has left."""
        if agent in self.left:
            return None
        mate = self.news.get(agent) or self.roster.mates.get(agent)
        if mate is not None and agent in self.marked:
            return Mate(
                status="inactive", seen=mate.seen, name=mate.name, description=mate.description
            )
        return mate

    @property
    def called(self) -> str:
        """What others call us: our name where the roster has one, else our id."""
        own = self.roster.mates.get(self.me)
        return one_line(own.name) if own and own.name else self.me

    def teammates(self) -> Iterator[tuple[str, Mate]]:
        """The live roster (S): everybody else who is not inactive and has not left."""
        for agent in {**self.roster.mates, **self.news}:
            mate = self.mate(agent)
            if agent != self.me and mate is not None and mate.status != "inactive":
                yield agent, mate


NOBODY = Roster({})


K = TypeVar("K")
V = TypeVar("V")


def kept(old: dict[K, str], key: K, end: str) -> dict[K, str]:
    """A copy with one entry more, and without the oldest where they are too many."""
    new = {name: value for name, value in old.items() if name != key}
    while len(new) >= REMEMBERED:
        del new[next(iter(new))]
    new[key] = end
    return new


def without(old: dict[K, V], key: K) -> dict[K, V]:
    """The dict itself where it lacks the key, else a copy without it."""
    return {name: value for name, value in old.items() if name != key} if key in old else old


def recall(
    me: str,
    status: str,
    events: Iterable[Event],
    mates: Mapping[str, Mate] | Roster,
    settings: Settings,
    now: float,
    bare: bool = False,
) -> State:
    """The State after a restart, from what is stored.

    ``status``: the agent's own row or entry; inactive stays so until it joins again.
    ``events``: those handled before, both ways: all of open tasks, and of the latest that
    ended.  Handled means answered or acted upon; the others are still to be received.
    ``bare``: whether a task that its worker took up is ours to speak of without its request, as
    when the sender died before its own copy was written.
    """
    state = State(me, "inactive" if status == "inactive" else "available", settings, now)
    state.roster = mates if isinstance(mates, Roster) else Roster(mates, now, settings.stale)
    tasks = sorted(fold(events).values(), key=lambda task: task.last_at)
    for task in tasks:
        if task.worker == me:
            _recall_worked(state, task)
        elif task.requester == me:
            _recall_given(state, task, now, bare)
    _recall_retries(state, tasks)
    if state.active and state.status == "available":
        state.status = state.told = "busy"
    return state


def _recall_worked(state: State, task: Task) -> None:
    """A task asked of us: only our own answers tell what we made of it."""
    if task.final:
        state.worked = kept(state.worked, (task.key, task.requester), task.ref)
    elif task.taken:
        state.active = Active(task.key, task.requester, task.ref, task.since)


def _recall_given(state: State, task: Task, now: float, bare: bool) -> None:
    pair = (task.key, task.worker)
    if task.final:
        state.finished = kept(state.finished, pair, end_of(task, state.settings))
    if task.final or not (task.request or (bare and task.taken)):
        return
    given = Given(
        task=task.key,
        worker=task.worker,
        state=task.state,
        since=task.since,
        heard=min(task.heard, now),
        cancelled_at=min(task.cancelled_at, now),
        ref=task.ref,
        question=task.question,
        retry=task.retry,
        root=task.retry_of or task.key,
        attempt=task.attempt,
        request=task.request if task.retry else None,
    )
    state.given = {**state.given, pair: given}


SWALLOWED = "swallowed"


def again(task: Task, settings: Settings) -> bool:
    """Whether a rejected request is to be sent once more."""
    return bool(
        task.state == "rejected"
        and task.retry
        and not task.cancel
        and not task.told
        and task.attempt < settings.retry_limit
    )


def end_of(task: Task, settings: Settings) -> str:
    """How it ended; ``swallowed``: rejected, and the agent is not told since it waits (block)."""
    return SWALLOWED if task.retry == "block" and again(task, settings) else task.state


def _recall_retries(state: State, tasks: list[Task]) -> None:
    """The last rejected request of each chain of retries waits, in the order of rejection."""
    mine = [task for task in tasks if task.requester == state.me and task.retry]
    tried = {(t.retry_of or t.key, t.worker, t.attempt) for t in mine}
    waiting: dict[str, tuple[Retry, ...]] = {}
    for task in mine:
        root = task.retry_of or task.key
        if task.request and again(task, state.settings):
            if (root, task.worker, task.attempt + 1) not in tried:
                retry = Retry(root, task.key, task.attempt + 1, task.request, task.last_at)
                waiting[task.worker] = (*waiting.get(task.worker, ()), retry)
    state.waiting = waiting
