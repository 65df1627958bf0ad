"""What must always hold; a history that breaks it ends with a Broken."""

from typing import TYPE_CHECKING

from bus import ANSWERS, LATEST

from swarm.events import FROM_WORKER, Event
from swarm.mamoru.state import SWALLOWED, State

if TYPE_CHECKING:
    from agent import Agent
    from world import World

VERDICTS = frozenset(("task_ack", "task_reject"))
RESULTS = frozenset(("task_done", "task_fail", "task_reject"))
ENDINGS = frozenset(("task_done", "task_fail", "task_cancel_ack"))
ASKING = frozenset(("ping", "task_req", "task_cancel"))
# How long a dead agent may look alive, where the agent that asks after all keeps failing:
# silent four times 60 s, pinged 20 s; and polls.
TRUTH = 4 * 60 + 20 + 60


class Broken(Exception):
    """An invariant does not hold."""


class Watch:
    """Sees every stored message and every state."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str, str, str], str] = {}
        self.ends: dict[tuple[str, str, str], str] = {}
        self.kinds: dict[str, str] = {}
        self.ended: dict[str, object] = {}
        self.working: dict[str, str] = {}
        self.answered: set[tuple[str, str, str]] = set()
        self.asked: dict[tuple[str, str], set[str]] = {}

    def stored(self, event: Event, guarded: bool) -> None:
        self.kinds[event.id] = event.kind
        if event.sender == event.to:
            return
        if guarded:
            self._one_at_a_time(event)
        self._answered_once(event)
        self._retried_after_the_verdict(event)
        if event.kind in VERDICTS:
            self._once("verdict", event)
        if event.kind == "task_ack":
            self._once("acceptance", event)
        if event.kind in RESULTS:
            self._once("result", event)
        if event.kind in ANSWERS and self.kinds.get(event.ref) not in ASKING:
            raise Broken(f"{event.kind} {event.id} answers {self.kinds.get(event.ref)}")

    def _one_at_a_time(self, event: Event) -> None:
        who = event.sender
        if event.kind == "task_ack":
            if who in self.working:
                raise Broken(f"{who} takes {event.task} while at work on {self.working[who]}")
            self.working[who] = event.task
        elif event.kind in ENDINGS and self.working.get(who) == event.task:
            del self.working[who]

    def _answered_once(self, event: Event) -> None:
        mark = (event.sender, event.kind, event.ref)
        if event.kind in ANSWERS:
            if mark in self.answered:
                raise Broken(f"{event.sender} answers {event.ref} twice with {event.kind}")
            self.answered.add(mark)

    def _retried_after_the_verdict(self, event: Event) -> None:
        """Nothing is sent again while the same agent has not answered a request before."""
        asked = self.asked.setdefault((event.sender, event.to), set())
        if event.kind == "task_req":
            if asked and event.retry_of:
                raise Broken(f"{event.task} is sent again before {asked} is answered")
            asked.add(event.task)
        elif event.kind == "task_cancel":
            asked.discard(event.task)
        elif event.kind in FROM_WORKER:
            self.asked.get((event.to, event.sender), set()).discard(event.task)

    def _once(self, what: str, event: Event) -> None:
        key = (what, event.sender, event.to, event.task)
        if key in self.seen:
            raise Broken(f"second {what} for task {event.task} by {event.sender}")
        self.seen[key] = event.id

    def state(self, state: State) -> None:
        if state.status != "inactive" and (state.status == "busy") != (state.active is not None):
            raise Broken(f"{state.me} is {state.status} with {state.active}")
        if state.finished is self.ended.get(state.me):
            return
        self.ended[state.me] = state.finished
        for (task, other), end in state.finished.items():
            pair = (state.me, task, other)
            before = self.ends.setdefault(pair, end)
            if before != end and not self._same(before, end):
                raise Broken(f"{state.me}: task {task} with {other} ended {before} and {end}")

    @staticmethod
    def _same(before: str, end: str) -> bool:
        """A swallowed reject is a reject; a result or rejection and the acknowledgement of a cancel
        that crossed it may have come in any order, and a restart tells them by their times."""
        return {before, end} == {SWALLOWED, "rejected"} or "cancelled" in (before, end)


def ended(world: "World") -> None:
    """What must hold when nothing is left to happen."""
    for agent in world.agents.values():
        if agent.guarded and agent.alive and not agent.left:
            _nothing_open(world, agent)
    for event in world.bus.log:
        if event.kind == "task_req":
            _reached_an_end(world, event)
    _truth(world)


def _nothing_open(world: "World", agent: "Agent") -> None:
    state = agent.state
    for given in state.given.values():
        raise Broken(f"{agent.name} waits for ever for {given.worker} on {given.task}")
    for target, retries in state.waiting.items():
        raise Broken(f"{agent.name} never sent {retries[0].root} again to {target}")
    if world.table[agent.name].status == "busy" and state.active is None:
        raise Broken(f"{agent.name} is shown busy without a task")


def _reached_an_end(world: "World", event: Event) -> None:
    agent = world.agents[event.sender]
    if not agent.alive or agent.left:
        return
    end = agent.state.finished.get((event.task, event.to))
    if end is None:
        raise Broken(f"request {event.task} of {event.sender} reached no end")
    if event.retry and end in (SWALLOWED, "rejected"):
        _was_retried(world, event)


def _was_retried(world: "World", event: Event) -> None:
    """A rejected request with a retry was sent again, often enough, or told to be given up."""
    root = event.retry_of or event.task
    tries = [e for e in world.bus.log if e.kind == "task_req" and root in (e.task, e.retry_of)]
    ends = [e for e in world.bus.log if e.task == event.task and e.sender == event.sender]
    given_up = any(e.kind == "task_cancel" or e.sender == e.to for e in ends)
    if tries[-1] is event and not given_up and len(tries) < world.settings.retry_limit:
        raise Broken(f"the retry of {event.task} is lost")


def marked(world: "World", by: str, name: str) -> None:
    """One that answers must not be marked inactive."""
    agent = world.agents[name]
    if agent.guarded and agent.awake_since < world.time - 40 and agent.responsive(world.time):
        raise Broken(f"{by} marks {name} inactive, which lives")


def patient(world: "World", event: Event) -> None:
    """No task is cancelled for its silence before its time, less what its requester slept."""
    agent = world.agents[event.sender]
    said = [e for e in world.bus.log if e.task == event.task and e.kind != "task_cancel"]
    last = max(world.stored_at[e.id] for e in said)
    if agent.host.jumped or agent.started > last - LATEST:  # it may not have seen that word yet
        return
    slept = sum(s for at, s in agent.host.slept if at > last)
    if world.time - last < world.settings.task_timeout + slept - 1:
        raise Broken(f"{event.task} is cancelled {world.time - last:.0f} s after the last word")


def _truth(world: "World") -> None:
    living = [a for a in world.agents.values() if a.responsive(world.time) and a.guarded]
    watched = [a for a in living if a.awake_since < world.time - TRUTH]
    for agent in world.agents.values():
        if agent.host.jumped and world.repeats_were:
            continue  # what is repeated from before the jump bears a time that is still to come
        status = world.table[agent.name].status
        if agent.guarded and not agent.alive and watched and agent.died < world.time - TRUTH:
            if status != "inactive":
                raise Broken(f"{agent.name} died at {agent.died:.0f} and still is {status}")
        if agent in watched and not agent.left and status == "inactive":
            raise Broken(f"{agent.name} lives and is inactive")
