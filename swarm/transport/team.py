"""A channel of the team bus as a store.

One step is one transaction there.  Longer text lies beside the bus: a body becomes a detail
file before its row is written, and a task_req always has one (S).
"""

import time
from collections.abc import Collection, Iterator, Mapping

from swarm import names
from swarm.errors import Conflict, Unknown
from swarm.events import Event
from swarm.mamoru.signals import Mate
from swarm.team.channel import Channel
from swarm.team.place import is_ours
from swarm.team.reading import PAGE as ROWS
from swarm.team.rows import AgentRow
from swarm.team.writing import Effects
from swarm.transport.base import PAGE, Outcome, Store, Transport, Voice, named
from swarm.transport.pulse import Pulse

DETAIL_STEM = 48
LOOK = 1.0  # seconds of one wait in a channel, which may be replaced meanwhile


class TeamTransport(Transport):
    """One agent's side of a channel."""

    def __init__(self, store: "TeamStore", agent: str) -> None:
        self.me = agent
        self._store = store
        self._channel = store.channel
        self._told = self._seen = store.channel.newest()

    def receive(self) -> list[Event]:
        return self._channel.receive(self.me, PAGE)

    def sent(self) -> list[Event]:
        top = self._channel.newest()
        if int(top) < int(self._told):  # another file has the name now
            self._told = "0"
        found: list[Event] = []
        while int(self._told) < int(top):
            page = self._channel.sent(self.me, self._told, ROWS)
            found += page
            self._told = page[-1].id if len(page) == ROWS else top
        return found

    def commit(self, event: Event, outcome: Outcome) -> list[Event]:
        effects = self._effects(outcome)
        effects.sends = named(event, effects.sends)
        return self._channel.commit(self.me, event.id, effects)

    def apply(self, outcome: Outcome) -> list[Event]:
        return self._channel.apply(self.me, self._effects(outcome))

    def _effects(self, outcome: Outcome) -> Effects:
        return Effects(
            sends=[self._ready(event) for event in outcome.sends],
            status=outcome.status,
            inactive=outcome.inactive,
            available=outcome.available,
        )

    def _ready(self, event: Event) -> Event:
        """The event as it can stand in a row: its longer text in a file of its own."""
        text = event.body or (event.content.encode() if event.kind == "task_req" else b"")
        if event.detail or not text:
            return event.replace(sender=self.me, body=b"")
        name = f"{names.slug(event.content)[:DETAIL_STEM].strip('-') or event.kind}.txt"
        text += b"" if text.endswith(b"\n") else b"\n"
        detail = self._channel.place.write_detail(self.me, name, text)
        return event.replace(sender=self.me, detail=detail, body=b"")

    def history(self) -> list[Event]:
        """All of its tasks' messages, but for those behind the cursor."""
        cursor = int(self._channel.cursor(self.me))
        said = self.conversation()
        return [e for e in said if e.sender == self.me or int(e.id) <= cursor]

    def conversation(self) -> list[Event]:
        found: list[Event] = []
        after = ""
        while page := self._channel.tasks_of(self.me, after, ROWS):
            found += page
            after = page[-1].id
        return found

    def whole(self, event: Event) -> Event:
        return event

    def follow(self, seconds: float | None) -> Iterator[list[Event]]:
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            self._seen = self._channel.newest()
            yield self.conversation()
            if not self._spoken_to(end):
                return

    def _spoken_to(self, end: float | None) -> bool:
        """Whether there is a message from it or for it before the end."""
        while True:
            top, found = self._channel.parties(self._seen)
            if int(top) < int(self._seen) or any({*pair} & {self.me, ""} for pair in found):
                return True
            self._seen = top
            left = LOOK if end is None else end - time.monotonic()
            if left <= 0:
                return False
            self._channel.wait(min(LOOK, left))

    def status(self) -> str:
        return self._channel.status(self.me) or "inactive"

    def close(self) -> None:
        self._store.shut(self.me)


class TeamStore(Store):
    """A channel, for the agents of this process; it is closed with the store.

    ``open`` takes agents that have a row; a newcomer joins the channel first.
    """

    keeps = False
    marks = True

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._open: set[str] = set()
        self._after = channel.newest()
        self._roster: dict[str, Mate] = {}
        self._pulse = Pulse(channel.place.folder)

    def agents(self) -> list[str]:
        """Those that swarm ever spoke for: the known client guards its own."""
        place = self.channel.place
        return sorted(r.session for r in self.channel.roster() if is_ours(place, r.session))

    def open(self, agent: str) -> TeamTransport:
        if agent in self._open:
            raise Conflict(f"{agent} is guarded already", "end that one first", code="claimed")
        row = self.channel.row(agent)
        if row is None:
            raise _unknown(agent)
        self._join(row)
        self._open.add(agent)
        return TeamTransport(self, agent)

    def voice(self, agent: str) -> Voice:
        if all(row.session != agent for row in self.channel.roster()):
            raise _unknown(agent)
        return TeamTransport(self, agent)

    def _join(self, row: AgentRow) -> None:
        """Take the agent over as its row tells it."""
        self.channel.join(
            row.session,
            row.name,
            row.description,
            provider=row.provider,
            model=row.model,
            cwd=row.cwd,
            status=row.status,
        )

    def shut(self, agent: str) -> None:
        """Give up an agent."""
        if agent in self._open:
            self._open.discard(agent)
            self.channel.release(agent)

    def roster(self) -> Mapping[str, Mate]:
        found = {
            row.session: Mate(
                status=row.status, seen=row.seen, name=row.name, description=row.description
            )
            for row in self.channel.roster()
        }
        if found != self._roster:
            self._roster = found
        return self._roster

    def beat(self, agents: list[str]) -> None:
        self.channel.beat(a for a in agents if a in self._open and self.channel.speaks_for(a))

    def pulse(self, agents: Collection[str]) -> None:
        self._pulse.beat(agents)

    def wait(self, seconds: float) -> set[str] | None:
        """Named are senders and recipients of what was stored since: no message is missed."""
        end = time.monotonic() + seconds
        while True:
            found = self._parties()
            left = end - time.monotonic()
            if found or left <= 0:
                return found
            self.channel.wait(left)

    def _parties(self) -> set[str]:
        top, found = self.channel.parties(self._after)
        replaced = int(top) < int(self._after)
        self._after = top
        if replaced or any(to == "" for _, to in found):
            return set(self._open)
        return self._open & {agent for pair in found for agent in pair}

    def notes(self) -> list[str]:
        found, self.channel.notes = self.channel.notes, []
        return found

    def close(self) -> None:
        self._pulse.end()
        self._open.clear()
        self.channel.close()


def _unknown(agent: str) -> Unknown:
    text = f"no agent {names.shown(agent)} in this channel"
    return Unknown(text, "swarm team join enters one", code="unknown-agent")
