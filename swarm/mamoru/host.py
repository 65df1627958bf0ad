"""One process that guards many agents of one store (design decision 5).

A pass turns the agents that a hint, a timer, or their own work calls for; what all share, the
roster and the signs of life, is looked after once for all.  One agent's trouble is told, and
that agent tried again later; only a permanent fault of the whole store ends the run.
"""

import resource
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from functools import partial

from swarm.errors import SwarmError, Unknown
from swarm.events import Event
from swarm.mamoru.forward import Forwarder, Tell
from swarm.mamoru.guarded import Guarded
from swarm.mamoru.loop import Guardian
from swarm.mamoru.signals import Roster
from swarm.mamoru.standstill import Standstill, steady
from swarm.mamoru.state import DEFAULTS, Settings
from swarm.transport.base import Store

SLICE = 0.5  # the longest single wait, so that a signal is heeded in time
# Seconds between two looks at the roster: many times what one takes, but within limits.  While
# somebody awaits something (from one poll on) at most, and the times; while nobody does at least,
# at most, and the times.
LOOKS = (5.0, 50)
IDLE_LOOKS = (5.0, 15.0, 200)
# Of so many agents, with so many turns in a pause, one that had its own just now waits: its hint is
# its own doing.
CROWD = 8
PAUSE = 0.05
MANY_FILES = 65536
ENDING = 1.5  # seconds for what agents have to say at the end


class Host(Guarded):
    """Guards ``agents``, or with None all that the store has, as they come and go.

    ``tell`` hears, in one line each, of what goes wrong (agent "" where it concerns all).
    ``poll``: seconds between two looks at the longest (S: one).  ``last_good``: when a pass
    last went through, epoch seconds, 0 never; signs of life are written by such a pass only,
    and for agents without trouble, so a loop that hangs or fails looks dead.
    """

    def __init__(
        self,
        store: Store,
        agents: Sequence[str] | None,
        forwarder: Forwarder,
        tell: Tell,
        settings: Settings = DEFAULTS,
        poll: float = 1.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(store, agents, forwarder, tell, settings, poll, clock)
        self.last_good = 0.0
        self._turned: dict[str, float] = {}
        self._turns: deque[float] = deque()
        self._standstill = Standstill(clock)
        self._lost = 0.0

    def run(self, leave: bool = False) -> None:
        """Guard until ``stop``; SwarmError when the store as a whole cannot be used.

        BrokenPipeError if nobody reads what is forwarded.  ``leave``: say goodbye at the end;
        otherwise the agents count as there until they are found silent.
        """
        try:
            allow_many_files()
            self._look()
            self.open_named()
            self._standstill.noticed(self.poll)
            while not self.stopping:
                self.turn(self._wait())
        finally:
            self.close(leave)

    def stop(self) -> None:
        """End ``run`` soon; may be called by a signal handler or another thread."""
        self.stopping = True

    def turn(self, hinted: set[str] | None) -> None:
        """One pass, whatever goes wrong in it.  ``hinted``: who may have something new, None
        for everybody."""
        before = self.shared.count
        try:
            self._pass(hinted)
        except (SwarmError, BrokenPipeError):
            raise
        except Exception as error:  # told and counted: the next pass runs
            self.shared.note("pass", error, steady())
            time.sleep(min(self.poll, SLICE))
            return
        self.shared.over("pass")
        if self.shared.count == before:
            self.last_good = self.clock()
            self._leave_trace()

    def _leave_trace(self) -> None:
        try:
            self.store.pulse(self.guardians)
        except Exception as error:  # told: nobody is guarded the less for it
            self.shared.note("trace", error, steady())
            return
        self.shared.over("trace")

    def outbound(self, agent: str, event: Event) -> list[Event]:
        """Send for an agent guarded here, from the thread of ``run``; the message as stored.

        UsageError or Unknown if the machine refuses it.
        """
        guardian = self.guardians.get(agent)
        if guardian is None:
            raise Unknown(f"{agent} is not guarded here", code="unknown-agent")
        sent = guardian.outbound(event, self.clock())
        self._alarms.set(agent, guardian.due())
        return sent

    def close(self, leave: bool = False) -> None:
        """End all work, say goodbye if asked, and let go of agents and store."""
        end = steady() + ENDING
        try:
            self.forwarder.end()
            for guardian in list(self.guardians.values()):
                if steady() < end and (leave or guardian.state.active):
                    self._isolated(guardian, partial(self._part, leave=leave))
        finally:
            self.guardians.clear()
            self.store.close()

    def _part(self, guardian: Guardian, leave: bool) -> None:
        guardian.speak(self.clock())
        if leave:
            guardian.leave(self.clock())

    def _pass(self, hinted: set[str] | None) -> None:
        self._forgive(self._standstill.noticed(self.poll))
        self._find_agents()
        self._open_some()
        self.store.each(self._called(hinted), self._turn_in_time)
        self._forgive(self._lost + self._standstill.noticed(0.0))
        self._lost = 0.0
        if self.stopping:
            return
        if steady() >= self._next_look:
            self._look_around()
        self._beat()
        for note in self._for_all("notes", self.store.notes) or ():
            self.tell("", note)
        self._forgive(self._standstill.noticed(0.0))

    def _wait(self) -> set[str] | None:
        """Wait until a hint, a timer or a signal comes; who is hinted at."""
        now = steady()
        end = now + min(
            self.poll,
            self.forwarder.patience(),
            self._alarms.next() - self.clock(),
            self.troubles.next() - now,
        )
        if self._again or self._unopened:
            end = now
        hinted = self._hints(min(max(0.0, end - now), SLICE))
        while not self.stopping and hinted == set() and (left := end - steady()) > 0:
            hinted = self._hints(min(left, SLICE))
        return hinted

    def _hints(self, seconds: float) -> set[str] | None:
        """The store's hints; where it cannot wait, as long without any."""
        before = self.shared.count
        hinted = self._for_all("wait", lambda: self.store.wait(seconds))
        if self.shared.count == before:
            return hinted
        time.sleep(seconds)
        return set()

    def _called(self, hinted: set[str] | None) -> list[str]:
        """Who has a turn now, each once; those in trouble only when their wait is over."""
        again, self._again = self._again, {}
        called = self._fresh(self.guardians if hinted is None else hinted)
        called.update(again)
        called.update(dict.fromkeys(self.forwarder.ready()))
        called.update(dict.fromkeys(self._alarms.due(self.clock())))
        if self.troubles.open:
            called = {agent: None for agent in called if agent not in self.troubles.open}
            called.update(dict.fromkeys(self.troubles.due(steady())))
        return list(called)

    def _fresh(self, hinted: Collection[str]) -> dict[str, None]:
        """Those hinted at; in a crowd, without those whose last turn was just now."""
        since = steady() - PAUSE
        while self._turns and self._turns[0] < since:
            self._turns.popleft()
        if min(len(self.guardians), len(self._turns) + len(hinted)) < CROWD:
            return dict.fromkeys(hinted)
        just_now = {agent for agent in hinted if self._turned.get(agent, 0.0) > since}
        for agent in just_now:
            self._alarms.sooner(agent, self.clock() + PAUSE)
        return {agent: None for agent in hinted if agent not in just_now}

    def _turn_in_time(self, agent: str) -> None:
        """The agent's turn, after a standstill in the next pass only.

        A long pass is none, but a long turn is: no other agent may be judged by it.
        """
        self._lost += self._standstill.noticed(0.0)
        if self._lost:
            self._again[agent] = None
        elif not self.stopping:
            self._turn(agent)

    def _turn(self, agent: str) -> None:
        guardian = self.guardians.get(agent)
        if guardian is None:
            if agent in self.troubles.open and (error := self._open(agent)):
                self._failed(agent, error)
            guardian = self.guardians.get(agent)
        if guardian and self._isolated(guardian, self._take_turn):
            self.troubles.over(agent)

    def _take_turn(self, guardian: Guardian) -> None:
        now = self.clock()
        guardian.look(self.roster, now)
        if guardian.turn(now):
            self._again[guardian.me] = None
        self._set_alarm(guardian, now)
        self._turned[guardian.me] = steady()
        self._turns.append(self._turned[guardian.me])

    def _set_alarm(self, guardian: Guardian, now: float) -> None:
        """When it is called next; what is due and was not settled by its turn waits a poll."""
        when = guardian.due()
        late = when <= now and guardian.me not in self._again
        self._alarms.set(guardian.me, now + self.poll if late else when)

    def _look_around(self) -> None:
        """Read the roster, and show it to those whom it concerns.

        Every poll while somebody awaits something, but a large one less often.
        """
        begun = steady()
        awaited = False
        if self.guardians and self._look():
            for guardian in [g for g in self.guardians.values() if g.concerned(self.roster)]:
                awaited = awaited or guardian.awaits()
                if guardian.me not in self.troubles.open:
                    self._isolated(guardian, self._show)
        now = steady()
        least, most, share = (self.poll, *LOOKS) if awaited else IDLE_LOOKS
        self._next_look = now + min(max(least, share * (now - begun)), most)

    def _look(self) -> bool:
        mates = self._for_all("roster", self.store.roster)
        if mates is not None:
            self.roster = Roster(mates, self.clock(), self.settings.stale, self.roster)
        return mates is not None

    def _show(self, guardian: Guardian) -> None:
        now = self.clock()
        guardian.look(self.roster, now)
        self._alarms.set(guardian.me, guardian.due())

    def _forgive(self, seconds: float) -> None:
        """After a standstill nobody else's silence counts."""
        if seconds:
            self.tell("", f"stood still for {seconds:.0f} s: all timers get that time back")
            for guardian in list(self.guardians.values()):
                self._isolated(guardian, partial(self._wake, seconds=seconds))

    def _wake(self, guardian: Guardian, seconds: float) -> None:
        now = self.clock()
        guardian.woke(seconds, now)
        self._alarms.set(guardian.me, guardian.due())

    def _beat(self) -> None:
        """Signs of life of those that are well."""
        due = [agent for agent in self._beats.share(steady()) if agent not in self.troubles.open]
        if due:
            self._for_all("sign of life", lambda: self.store.beat(due))


def allow_many_files() -> None:
    """Each guarded agent holds a lock, which is an open file: take what the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_FILES if hard == resource.RLIM_INFINITY else min(hard, MANY_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # what cannot be opened then is told agent by agent
            return
