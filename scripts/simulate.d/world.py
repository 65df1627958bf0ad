"""One history: agents on hosts, a store, minds that work, and everything that goes wrong."""

import heapq
import random
from collections.abc import Callable

from agent import LONG, READ, TROUBLE, Agent, Host, Row
from bus import Bus
from checks import Broken, Watch, ended, marked, patient

from swarm.events import Event
from swarm.mamoru.signals import (
    Action,
    MarkAvailable,
    MarkInactive,
    Mate,
    Roster,
    SetStatus,
)
from swarm.mamoru.state import Settings
from swarm.mamoru.tasks import TIMEOUT


class World:
    """The scheduler: what happens next, by one seed."""

    def __init__(self, seed: int, show: bool = False) -> None:
        self.rng = rng = random.Random(seed)
        self.time = 0.0
        self.steps = 0
        self.heap: list[tuple[float, int, Callable[..., object], tuple[object, ...]]] = []
        self.lines: list[str] = []
        self.show = show
        self.watch = Watch()
        self.stored_at: dict[str, float] = {}
        self.settings = Settings(retry_for=1800.0, retry_limit=4, announce=rng.random() < 0.3)
        self.crashes = rng.choice((0.0, 0.0, 0.0, 0.01, 0.05))
        self.repeats = rng.choice((0.0, 0.0, 0.05, 0.3))
        self.repeats_were = self.repeats
        self.bus = Bus(rng.random() < 0.5, rng, self.delivered)
        self.trouble = self.settled = 0.0
        self.changes = 0
        self.before: dict[float, Roster] = {}
        self.read = (Roster({}), -1.0, 0.0, -1)
        self.table: dict[str, Row] = {}
        self.agents: dict[str, Agent] = {}
        self._people()
        self._plan()

    def _people(self) -> None:
        rng = self.rng
        skews = (0.0, -30.0, 30.0) if rng.random() < 0.06 else (0.0,)
        hosts = [Host(rng.choice(skews)) for _ in range(rng.randint(1, 3))]
        count = 20 if rng.random() < 0.02 else rng.choice((2, 2, 2, 3, 3, 3, 4, 4, 5, 7))
        for number in range(count):
            name = f"a{number:02d}"
            guarded = not self.bus.mail or number == 0 or rng.random() < 0.85
            self.agents[name] = Agent(self, name, rng.choice(hosts), guarded)
            self.table[name] = Row()
            self.bus.join(name)
        for name, agent in self.agents.items():
            if agent.guarded:
                self.at(rng.random(), agent.start)
            else:
                self.table[name].status = "available"
        self.hosts = hosts

    def _plan(self) -> None:
        """Requests, and what goes wrong, all within ten minutes."""
        rng = self.rng
        guarded = [agent for agent in self.agents.values() if agent.guarded]
        for _ in range(rng.randint(1, 5)):
            self.at(2 + rng.random() ** 2 * 600, self.request, rng.choice(guarded))
        if rng.random() < 0.1:
            self.at(rng.random() * 600, self.sleep, rng.choice(self.hosts))
        if rng.random() < 0.06:
            self.at(rng.random() * 600, self.jump, rng.choice(self.hosts))
        if rng.random() < 0.1:
            self.at(rng.random() * 600, self.kill, rng.choice(guarded))
        if rng.random() < 0.1:
            self.at(rng.random() * 600, self.leave, rng.choice(guarded))

    # Time.

    def at(self, time: float, what: Callable[..., object], *about: object) -> None:
        self.steps += 1
        heapq.heappush(self.heap, (time, self.steps, what, about))

    def later(self, most: float, what: Callable[..., object], *about: object) -> None:
        self.at(self.time + self.rng.random() ** 2 * most, what, *about)

    def run(self) -> None:
        """Play until nothing is left to happen, then judge."""
        while self.heap and self.time < LONG:
            self.time, _, what, about = heapq.heappop(self.heap)
            what(*about)
            if self.steps > 100_000:
                raise Broken("it never comes to rest")
            if len(self.heap) <= len(self.agents) and self._at_rest():
                break
        self._last_polls()
        ended(self)

    def _at_rest(self) -> bool:
        """Whether only heartbeats are left, and the dead had time to be found."""
        if self.time < 600 or self.time < self.settled:
            return False
        if any(what.__name__ != "poll" for _, _, what, _ in self.heap):
            return False
        return not any(
            agent.state.given or agent.state.waiting or agent.state.active
            for agent in self.agents.values()
            if agent.alive and not agent.left
        ) and not any(
            self.bus.boxes[agent.name] or self.bus.beside[agent.name] for agent in self.living()
        )

    def living(self) -> list[Agent]:
        return [a for a in self.agents.values() if a.guarded and a.responsive(self.time)]

    def _last_polls(self) -> None:
        """A quiet end: everybody looks three times more."""
        self.crashes = self.repeats = 0.0
        for _ in range(3):
            self.time += 5.0
            for agent in self.living():
                agent._poll()

    # What happens in the world.

    def request(self, agent: Agent) -> None:
        others = [name for name in self.agents if name != agent.name]
        worker = self.rng.choice(others)
        retry = self.rng.choice(("", "queue", "block"))
        for event in agent.say("task_req", "", worker, retry) or ():
            if self.rng.random() < 0.15:
                self.later(400, agent.say, "task_cancel", event.task, worker)

    def sleep(self, host: Host) -> None:
        slept = self.rng.choice((15.0, 100.0, 2000.0))
        self.say(f"a host sleeps {slept:.0f} s")
        host.asleep_until = self.time + slept
        host.slept.append((self.time, slept))
        self.disturb(slept)
        for agent in self.agents.values():
            if agent.host is host:
                if agent.alive and agent.guarded:
                    self.table[agent.name].seen = agent.now
                agent.owed += slept
                agent.awake_since = host.asleep_until

    def jump(self, host: Host) -> None:
        by = self.rng.choice((-3600.0, -5.0, 5.0, 3600.0))
        self.say(f"a clock jumps {by:.0f} s")
        host.offset += by
        host.jumped = True
        self.disturb(0.0)
        for agent in self.agents.values():
            if agent.host is host and by > 0:
                agent.owed += by

    def disturb(self, seconds: float) -> None:
        """From now and for so long signs of life are not what they were: everybody looks out."""
        self.changes += 1
        self.settled = max(self.settled, self.time + seconds + TROUBLE)
        self.trouble = max(self.trouble, self.settled)
        for agent in self.agents.values():
            if agent.guarded and agent.alive:
                agent.wake(self.time + READ)

    def kill(self, agent: Agent) -> None:
        if agent.alive and not agent.left:
            agent.die()

    def leave(self, agent: Agent) -> None:
        if agent.responsive(self.time):
            said = agent.say("broadcast", intent="agent_leave")
            agent.left = bool(said)

    # The store.

    def store(self, event: Event) -> tuple[Event, bool]:
        stored, new = self.bus.store(event, self.time)
        if new:
            if self.show:
                self.say(shown(stored))
            self.stored_at[stored.id] = self.time
            self.watch.stored(stored, self.agents[stored.sender].guarded)
            if stored.kind == "task_cancel" and stored.intent == TIMEOUT:
                patient(self, stored)
        return stored, new

    def delivered(self, name: str, time: float) -> None:
        agent = self.agents[name]
        if agent.guarded:
            agent.wake(time + 0.01 + self.rng.random())
        else:
            self.at(time, agent.plain)

    def effect(self, agent: Agent, action: Action) -> None:
        self.changes += 1
        if isinstance(action, SetStatus):
            self.table[agent.name].status = action.status
        elif isinstance(action, MarkInactive):
            self.say(f"{agent.name} marks {action.agent} inactive")
            marked(self, agent.name, action.agent)
            self.table[action.agent].status = "inactive"
        elif isinstance(action, MarkAvailable):
            row = self.table[action.agent]
            self.say(f"{agent.name} takes {action.agent} back")
            if row.status == "inactive" and not self.agents[action.agent].left:
                row.status = "available"

    def roster(self, now: float) -> Roster:
        """The table of agents; read once a second for all whose clocks agree."""
        known, when, clock, changes = self.read
        if changes == self.changes and self.time - when < 1.0 and now - self.time == clock:
            return known
        read = self._read(now)
        self.before[now - self.time] = read
        self.read = (read, self.time, now - self.time, self.changes)
        return read

    def _read(self, now: float) -> Roster:
        mates = {}
        for name, agent in self.agents.items():
            row = self.table[name]
            seen = row.seen
            if agent.beats(self.time):
                seen = agent.now - 2.5
            mates[name] = Mate(status=row.status, seen=seen)
        return Roster(mates, now, before=self.before.get(now - self.time))

    def say(self, text: str) -> None:
        if self.show:
            self.lines.append(f"{self.time:8.1f}  {text}")


def shown(event: Event) -> str:
    task = f" task {event.task}" if event.task else ""
    more = " ".join(filter(None, (event.intent, event.retry and f"retry={event.retry}")))
    return (
        f"{event.id:>3} {event.sender} -> {event.to or 'all'}: {event.kind}{task} {more}".rstrip()
    )
