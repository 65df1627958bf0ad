"""Who is guarded by a process: agents opened, dropped and kept apart in their troubles."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

from swarm.errors import Conflict, SwarmError
from swarm.mamoru.alarms import NEVER, Alarms
from swarm.mamoru.backoff import Troubles
from swarm.mamoru.forward import Forwarder, Tell, heard
from swarm.mamoru.loop import Guardian
from swarm.mamoru.rounds import Rounds
from swarm.mamoru.signals import Roster
from swarm.mamoru.standstill import steady
from swarm.mamoru.state import DEFAULTS, Settings
from swarm.transport.base import Store

T = TypeVar("T")
OPENING = 0.05  # seconds of a pass spent on opening further agents
LOOK_FOR_NEW = 5.0  # seconds between two looks for agents that came or went
BEAT_ROUND = 2.5  # the store writes a sign of life every 5 s, if it is asked more often


class Guarded:
    """The half of a Host that knows its agents.

    ``named``: whom to guard; None for all that the store has, as they come and go.
    ``troubles``: by agent; ``shared``: of what is done for all.
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
        self.store = store
        self.named = agents
        self.forwarder = forwarder
        self.tell = heard(tell)
        self.settings = settings
        self.poll = poll
        self.clock = clock
        self.guardians: dict[str, Guardian] = {}
        self.troubles = Troubles(self.tell)
        self.shared = Troubles(lambda what, text: self.tell("", f"{what}: {text}"))
        self.roster = Roster({})
        self.stopping = False
        self._alarms = Alarms()
        self._beats = Rounds(BEAT_ROUND, min(poll, 1.0))
        self._unopened: deque[str] = deque()
        self._again: dict[str, None] = {}
        self._next_find = self._next_look = 0.0

    def open_named(self) -> None:
        """Open the named agents; the first one's error if that cannot succeed for any."""
        errors = {}
        for agent in dict.fromkeys(self.named or ()):
            if error := self._open(agent):
                errors[agent] = error
        if errors and not self.guardians:
            for error in errors.values():
                if isinstance(error, SwarmError) and not error.temporary:
                    raise error
        for agent, error in errors.items():
            self._failed(agent, error)

    def _find_agents(self) -> None:
        """Notice agents that are new, and those that are no longer the store's."""
        now = steady()
        if self.named is not None or now < self._next_find:
            return
        self._next_find = now + LOOK_FOR_NEW
        found = self._for_all("agents", self.store.agents)
        if found is None:
            return
        known = {*self.guardians, *self._unopened, *self.troubles.open}
        self._unopened.extend(agent for agent in found if agent not in known)
        for agent in (self.guardians.keys() | self.troubles.open) - set(found):
            self._drop(agent)

    def _drop(self, agent: str) -> None:
        guardian = self.guardians.get(agent)
        if guardian:
            self._let_go(guardian)
        self.troubles.open.pop(agent, None)

    def _let_go(self, guardian: Guardian) -> None:
        del self.guardians[guardian.me]
        self._alarms.set(guardian.me, NEVER)
        self._beats.drop(guardian.me)
        self._isolated(guardian, lambda one: one.transport.close())

    def _open_some(self) -> None:
        """Open further agents for a while, so that those that are open need not wait."""
        end = steady() + OPENING
        while self._unopened and steady() < end and not self.stopping:
            agent = self._unopened.popleft()
            if error := self._open(agent):
                self._failed(agent, error)

    def _open(self, agent: str) -> Exception | None:
        """Guard the agent, or say what hinders it.

        Only who is named comes back from being inactive by that: of all that are there, some
        have finished, or left.
        """
        try:
            guardian = self.guardians[agent] = self._opened(agent)
            self._beats.add(agent)
            self._again[agent] = None
            if self.named is not None or guardian.state.status != "inactive":
                guardian.join(self.clock())
        except Exception as error:  # the caller tells and counts it
            return error
        return None

    def _opened(self, agent: str) -> Guardian:
        transport = self.store.open(agent)
        try:
            guardian = Guardian(
                transport, self.forwarder, self.tell, self.settings, self.roster, self.clock()
            )
        except BaseException:
            transport.close()
            raise
        guardian.marked = self.store.marks
        return guardian

    def _isolated(self, guardian: Guardian, call: Callable[[Guardian], object]) -> bool:
        """Whether the call went well; its trouble is told and stays that agent's.

        Only BrokenPipeError goes through: nobody takes what is forwarded, for any agent.
        """
        try:
            call(guardian)
        except BrokenPipeError:
            raise
        except Exception as error:  # told and counted by _failed
            if isinstance(error, Conflict) and guardian.me in self.guardians:
                # Another process has it: what is known of it here is soon out of date.
                self._let_go(guardian)
            self._failed(guardian.me, error)
            return False
        return True

    def _failed(self, agent: str, error: Exception) -> None:
        """Note it; a permanent one may be the whole store's, which the next look tells."""
        if isinstance(error, SwarmError) and not error.temporary:
            self._next_look = 0.0
        self.troubles.note(agent, error, steady())

    def _for_all(self, what: str, call: Callable[[], T]) -> T | None:
        """A call to the whole store: None in trouble, which is told; a permanent one is raised."""
        try:
            result = call()
        except Exception as error:  # told and counted: the next pass tries again
            if isinstance(error, SwarmError) and not error.temporary:
                raise
            self.shared.note(what, error, steady())
            return None
        self.shared.over(what)
        return result
