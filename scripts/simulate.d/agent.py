"""One agent: its guardian's loop, the mind it serves, or a plain worker without a guardian."""

from typing import TYPE_CHECKING

from checks import Broken

from swarm.events import Event
from swarm.mamoru.machine import due, recall, step, timers
from swarm.mamoru.signals import (
    Action,
    Forward,
    Input,
    Interrupt,
    Joined,
    Outbound,
    Received,
    Refuse,
    Send,
    Sent,
    Tick,
    Woke,
)
from swarm.mamoru.state import State

if TYPE_CHECKING:
    from world import World

NEVER = float("inf")
LONG = 4 * 3600.0
# The roster is read at least so often; a real loop does it with each poll.
READ = 50.0
# How long after a death, a sleep or a start signs of life have to be looked at.
TROUBLE = 400.0
TICK = Tick()


class Crash(Exception):
    """The process ends here."""


class Host:
    """A machine with a clock of its own, which sleeps now and then."""

    __slots__ = ("asleep_until", "jumped", "offset", "slept")

    def __init__(self, offset: float) -> None:
        self.offset = offset
        self.jumped = False
        self.slept: list[tuple[float, float]] = []
        self.asleep_until = 0.0


class Row:
    """An agent's row in the table of agents."""

    __slots__ = ("seen", "status")

    def __init__(self) -> None:
        self.status = "inactive"
        self.seen = 0.0


class Agent:
    """A guardian process and the mind it serves; or a plain worker without a guardian."""

    def __init__(self, world: "World", name: str, host: Host, guarded: bool) -> None:
        self.world = world
        self.name = name
        self.host = host
        self.guarded = guarded
        self.alive = True
        self.left = False
        self.died = 0.0
        self.awake_since = 0.0
        self.started = 0.0
        self.owed = 0.0
        self.next = self.due = NEVER
        self.plans: dict[str, list[str]] = {}
        self.read_at = -1.0
        self.state = State(name, "inactive", world.settings, self.now)

    @property
    def now(self) -> float:
        """What the clock of its host says."""
        return 1_000_000.0 + self.world.time + self.host.offset

    def responsive(self, time: float) -> bool:
        return self.alive and not self.left and self.host.asleep_until <= time

    def beats(self, time: float) -> bool:
        """Whether it is there, and wrote its sign of life since its host woke."""
        there = self.guarded and self.alive and not self.left
        return there and (not self.host.slept or self.host.asleep_until < time - 3)

    # The guardian's loop.

    def wake(self, time: float) -> None:
        """Poll at that time, or before."""
        if time < self.next:
            self.next = time
            self.world.at(time, self.poll)

    def poll(self) -> None:
        world = self.world
        if self.next > world.time or not self.alive or self.left:
            return
        self.next = NEVER
        if self.host.asleep_until > world.time:
            self.wake(self.host.asleep_until)
            return
        try:
            self._poll()
        except Crash:
            self.die()
            return
        if self.alive and not self.left:
            wait = min(self._due() - self.now, world.bus.next(self.name) - world.time)
            if wait < LONG:
                self.wake(world.time + max(wait, 1.0) + world.rng.random() * 0.2)

    def _due(self) -> float:
        """When to poll again; in quiet times nobody falls silent, so nobody has to look."""
        if self._anxious():
            return min(self.due, self.now + READ)
        if not (self.state.given or self.state.pings or self.state.changed_at):
            return NEVER
        whens = [when for when, cause, _ in timers(self.state) if cause != "mate silent"]
        return min(whens, default=NEVER)

    def _anxious(self) -> bool:
        return self.world.time < self.world.trouble or bool(self.state.waiting)

    def _poll(self) -> None:
        world, bus = self.world, self.world.bus
        if self.owed:
            self.do(Woke(self.owed))
            self.owed = 0.0
        beside, bus.beside[self.name] = bus.beside[self.name], []
        for event in beside:
            self.do(Sent(event))
        for event in bus.receive(self.name, world.time):
            self.do(Received(event), event)
        if world.time - self.read_at >= (1.0 if self._anxious() else 50.0):
            self.read_at = world.time
            self.do(world.roster(self.now))
            if world.table[self.name].status == "inactive" != self.state.status:
                raise Broken(f"{self.name} looks at its own row, and stays inactive")
        self.due = due(self.state)
        if self.due <= self.now:  # a Tick before has nothing to do
            self.do(TICK)
            self.due = due(self.state)

    def do(self, given: Input, event: Event | None = None) -> list[Action]:
        """One step, and its effects in the store; a crash may come between any two."""
        state, actions = step(self.state, given, self.now)
        if not actions and event is None:
            self.state = state
            return actions
        stored = self._commit(actions, event)
        self.state = state
        for own in stored:
            self.state, _ = step(self.state, Sent(own), self.now)
        self.world.watch.state(self.state)
        for action in actions:
            self.mind(action)
        return actions

    def _commit(self, actions: list[Action], event: Event | None) -> list[Event]:
        world = self.world
        chance = world.crashes if actions or event else 0.0
        if chance:
            self._perhaps_crash(chance)
        stored: list[Event] = []
        for action in actions:
            if isinstance(action, Send):
                own, _ = world.store(action.event)
                if own.kind[:5] == "task_" or own.intent == "agent_leave":
                    stored.append(own)
                if chance and world.bus.mail:
                    self._perhaps_crash(chance)
            else:
                world.effect(self, action)
        if event is not None:
            world.bus.done(self.name, event)
            if world.repeats and world.rng.random() < world.repeats:
                world.bus.again(self.name, event, world.time + world.rng.random() * 100)
        if chance:
            self._perhaps_crash(chance)
        return stored

    def _perhaps_crash(self, chance: float) -> None:
        if self.world.rng.random() < chance:
            raise Crash

    def die(self) -> None:
        world = self.world
        world.say(f"{self.name} dies")
        self.alive = False
        self.died = world.time
        world.disturb(0.0)
        self.plans = {key: plan for key, plan in self.plans.items() if world.rng.random() < 0.7}
        if world.rng.random() < 0.8:
            world.at(world.time + world.rng.random() ** 2 * 300, self.start)
        world.table[self.name].seen = self.now

    def start(self) -> None:
        """Start, or start again from what is stored."""
        world = self.world
        if self.host.asleep_until > world.time:
            world.at(self.host.asleep_until, self.start)
            return
        world.say(f"{self.name} starts")
        self.alive = True
        self.awake_since = self.started = world.time
        if self.died:
            world.disturb(0.0)
        self.owed = 0.0
        world.bus.beside[self.name] = []
        self.state = self._recalled()
        world.watch.state(self.state)
        for key in self.plans:
            world.at(world.time + 1, self.work, key)
        try:
            self.do(Joined())
        except Crash:
            self.die()
            return
        self.next = NEVER
        self.wake(world.time + 0.1)

    def _recalled(self) -> State:
        world = self.world
        history = world.bus.history(self.name)
        status = world.table[self.name].status
        return recall(self.name, status, history, world.roster(self.now), world.settings, self.now)

    # The mind.

    def mind(self, action: Action) -> None:
        if isinstance(action, Interrupt):
            self.plans.pop(action.task, None)
        elif isinstance(action, Forward):
            event = action.event
            if event.kind == "task_req" and event.key not in self.plans:
                active = self.state.active
                if active and active.task == event.key:
                    self.plan(event.key)
            elif event.kind == "task_clarify" and self.world.rng.random() < 0.9:
                self.world.later(200, self.say, "task_clarify_res", event.task, event.sender)
            elif event.kind == "task_clarify_res" and event.task in self.plans:
                self.world.later(100, self.work, event.task)

    def plan(self, key: str) -> None:
        rng = self.world.rng
        words = ["task_update"] * (rng.random() < 0.4) + ["task_clarify"] * (rng.random() < 0.3)
        if rng.random() < 0.9:
            words.append("task_done" if rng.random() < 0.7 else "task_fail")
        self.plans[key] = words
        self.world.later(300, self.work, key)

    def work(self, key: str) -> None:
        """The next thing that the plan for a task says."""
        plan = self.plans.get(key)
        if not plan:
            return
        if not self.responsive(self.world.time):
            self.world.later(60, self.work, key)
            return
        said = self.say(plan[0], key)
        if said and said[0].kind == plan[0]:
            asked = plan.pop(0) == "task_clarify"
            if not asked:
                self.world.later(300, self.work, key)
        elif said is None:
            self.world.later(60, self.work, key)
        else:
            self.plans.pop(key, None)

    def say(
        self, kind: str, task: str = "", to: str = "", retry: str = "", intent: str = ""
    ) -> list[Event] | None:
        """The mind sends: through its guardian, or by a command beside it.  None: it crashed."""
        if not self.responsive(self.world.time):
            return None
        event = Event(kind=kind, content="x", task=task, to=to, retry=retry, intent=intent)
        if self.world.rng.random() < 0.2:
            return self._beside(event)
        try:
            actions = self.do(Outbound(event))
        except Crash:
            self.die()
            return None
        self.wake(self.world.time + 0.1)
        return [action.event for action in actions if isinstance(action, Send)]

    def _beside(self, event: Event) -> list[Event]:
        world = self.world
        _, actions = step(self._recalled(), Outbound(event), self.now)
        sent = []
        for action in actions:
            if isinstance(action, Send):
                own, _ = world.store(action.event)
                world.bus.beside[self.name].append(own)
                sent.append(own)
            elif not isinstance(action, Refuse):
                world.effect(self, action)
        self.wake(world.time)
        return sent

    # A worker without a guardian just answers.

    def plain(self) -> None:
        world = self.world
        for event in world.bus.receive(self.name, world.time):
            world.bus.done(self.name, event)
            if event.kind == "task_req" and world.rng.random() < 0.8:
                world.later(600, self.plain_answer, event)

    def plain_answer(self, request: Event) -> None:
        if self.world.rng.random() < 0.3:
            self.plain_send("task_update", request)
        self.plain_send("task_done", request)

    def plain_send(self, kind: str, request: Event) -> None:
        self.world.store(
            Event(
                kind=kind,
                sender=self.name,
                to=request.sender,
                content="x",
                task=request.task,
                ref=request.id,
                at=self.now,
            )
        )
