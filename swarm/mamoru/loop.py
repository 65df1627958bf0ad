"""The guardian of one agent: what its transport gives goes through the machine and back.

Every step has the same order: the machine decides, what needs thinking is handed over, the
effects are stored as one commit, and only then the new state counts.  A commit that fails is
kept and tried again, so nothing is decided, or handed over, twice.
"""

from collections import deque
from collections.abc import Iterable

from swarm.errors import SwarmError, Unknown, UsageError
from swarm.events import Event, one_line, shorten
from swarm.mamoru.forward import Forwarder, Tell
from swarm.mamoru.machine import due, step
from swarm.mamoru.signals import (
    Action,
    Forward,
    Input,
    Interrupt,
    Joined,
    MarkAvailable,
    MarkInactive,
    Notify,
    Outbound,
    Presence,
    Received,
    Refuse,
    Roster,
    Send,
    Sent,
    SetStatus,
    Tick,
    Woke,
)
from swarm.mamoru.state import Settings, State, recall
from swarm.transport.base import PAGE, Outcome, Transport

# Broadcasts by which agents learn of each other where no registry tells it.
ANNOUNCEMENTS = frozenset(("agent_join", "agent_leave", "agent_status_change"))


class _Step:
    """A decided step on its way: what is still to be handed over, stored and followed up."""

    __slots__ = ("cause", "follow", "handed", "outcome", "state")

    def __init__(self, cause: Event | None, state: State, actions: list[Action]) -> None:
        self.cause = cause
        self.state = state
        self.outcome = outcome(actions, state.settings)
        self.handed: deque[Forward | Notify | Interrupt] = deque(
            a for a in actions if isinstance(a, (Forward, Notify, Interrupt))
        )
        self.follow = deque(a for a in actions if isinstance(a, (Forward, Interrupt)))

    @property
    def stores(self) -> bool:
        """Whether there is anything to be stored."""
        out = self.outcome
        return bool(self.cause or out.sends or out.status or out.inactive or out.available)


def outcome(actions: Iterable[Action], settings: Settings) -> Outcome:
    """What the actions store."""
    out = Outcome()
    for action in actions:
        match action:
            case Send(event):
                if settings.announce or not _announces(event):
                    out.sends.append(event)
            case SetStatus(status):
                out.status = status
            case MarkInactive(agent):
                out.inactive.append(agent)
            case MarkAvailable(agent):
                out.available.append(agent)
    return out


def _announces(event: Event) -> bool:
    return event.kind == "broadcast" and event.intent in ANNOUNCEMENTS


class Guardian:
    """One guarded agent.  Any method may raise SwarmError: call it again later.

    ``state`` is what is stored, never what is only decided.  ``marked``: whether others may
    mark it inactive in the store; where not, what stands there is the agent's own word.
    """

    __slots__ = (
        "_own",
        "_step",
        "_words",
        "forwarder",
        "marked",
        "me",
        "state",
        "tell",
        "transport",
    )

    def __init__(
        self,
        transport: Transport,
        forwarder: Forwarder,
        tell: Tell,
        settings: Settings,
        roster: Roster,
        now: float,
    ) -> None:
        """Know again what the agent is about, from what its transport has stored."""
        self.me = transport.me
        self.transport = transport
        self.forwarder = forwarder
        self.tell = tell
        self.marked = True
        self._step: _Step | None = None
        self._own: deque[Event] = deque()
        self._words: deque[Event] = deque()
        stored = transport.status()
        self.state = recall(self.me, stored, transport.history(), roster, settings, now)

    def join(self, now: float) -> None:
        """Start: the agent is available, or busy with what it has not finished.

        Where its status says so already, it was announced by whoever entered it, or by the
        guardian before: nothing is said twice.
        """
        stored = self.transport.status()
        state, actions = step(self.state, Joined(), now)
        if state.status == stored:
            actions = [one for one in actions if not isinstance(one, (SetStatus, Send))]
        self._begin(None, state, actions, now)

    def turn(self, now: float) -> bool:
        """Handle what has come, a page at most; True if there may be more.

        Own messages go first: one is stored before any answer to it.  Time passes last, and
        only when all that was there at ``now`` is handled: a result is in time.
        """
        self._settle(now)
        received = self.transport.receive()
        self._own.extend(self.transport.sent())
        while self._own:
            own = self._own.popleft()
            if not own.problem:
                self._do(Sent(own), now)
        for event in received:
            self._receive(event, now)
        self.speak(now)
        more = len(received) >= PAGE
        if not more and due(self.state) <= now:
            self._do(Tick(), now)
        return more

    def speak(self, now: float) -> None:
        """Send what the agent's work has to say."""
        self._settle(now)
        self._send_words(now)
        self._words.extend(self.forwarder.says(self.me, self.state.active))
        self._send_words(now)

    def _send_words(self, now: float) -> None:
        while self._words:
            try:
                self._do(Outbound(self._words.popleft()), now)
            except (UsageError, Unknown) as error:
                self.tell(self.me, f"not sent: {error.message}")

    def outbound(self, event: Event, now: float) -> list[Event]:
        """Send a message of the agent's own, blanks filled in; UsageError or Unknown if refused.

        Returns it as stored.
        """
        self._settle(now)
        return self._do(Outbound(event), now)

    def look(self, roster: Roster, now: float) -> None:
        """Take in who is there; does nothing if that is known."""
        if self.state.roster is not roster:
            self._settle(now)
            self._heed_own_word(roster, now)
            self._do(roster, now)

    def woke(self, seconds: float, now: float) -> None:
        """Forgive the time in which this process stood still."""
        self._settle(now)
        self._do(Woke(seconds), now)

    def leave(self, now: float) -> None:
        """Say goodbye: the agent is inactive, and a task that it works on has failed."""
        self._settle(now)
        text = f"{self.state.called} has left the channel"
        content, _ = shorten(text, self.state.settings.words)
        self._do(Outbound(Event(kind="broadcast", content=content, intent="agent_leave")), now)

    def awaits(self) -> bool:
        """Whether it waits for what others do."""
        state = self.state
        return bool(state.given or state.waiting or state.pings)

    def concerned(self, roster: Roster) -> bool:
        """Whether that has to be shown to it now: it awaits something, is the one that asks
        after all, or its own row says what it does not know."""
        leads = not roster.lead or self.me <= roster.lead
        return leads or self.awaits() or self._row_differs(roster)

    def due(self) -> float:
        """When it has to be called though nothing came, epoch seconds; infinity for never."""
        return due(self.state)

    def _row_differs(self, roster: Roster) -> bool:
        own = roster.mates.get(self.me)
        return own is not None and (own.status == "inactive") != (self.state.status == "inactive")

    def _heed_own_word(self, roster: Roster, now: float) -> None:
        """Follow what the agent wrote about itself, where nobody else writes it."""
        if not self.marked and self._row_differs(roster):
            inactive = self.transport.status() == "inactive"
            if inactive != (self.state.status == "inactive"):
                self._do(Presence("inactive" if inactive else "available"), now)

    def _receive(self, event: Event, now: float) -> None:
        try:
            state, actions = step(self.state, Received(event), now)
        except Exception as error:
            # No message may stop those behind it, whatever the machine makes of it: the
            # agent is told and the message left to it.
            text = f"message {event.id} could not be judged: {type(error).__name__}: {error}"
            state, actions = self.state, [Forward(event, "not judged"), Notify(text)]
        self._begin(event, state, actions, now)

    def _do(self, given: Input, now: float) -> list[Event]:
        """One input that no message brought; what was stored."""
        state, actions = step(self.state, given, now)
        for action in actions:
            if isinstance(action, Refuse):
                raise refused(action)
        return self._begin(None, state, actions, now)

    def _begin(
        self, cause: Event | None, state: State, actions: list[Action], now: float
    ) -> list[Event]:
        self._step = _Step(cause, state, actions)
        return self._settle(now)

    def _settle(self, now: float) -> list[Event]:
        """Bring the step that is on its way to its end, from where it was left off."""
        at = self._step
        if at is None:
            return []
        while at.handed:
            self._hand_over(at.handed[0], at.outcome)
            at.handed.popleft()
        stored = self._store(at) if at.stores else []
        self.state = at.state
        self._step = None
        self._follow_up(at)
        for event in stored:
            self._note_stored(event, now)
        return stored

    def _hand_over(self, action: Forward | Notify | Interrupt, outcome: Outcome) -> None:
        if isinstance(action, Forward):
            outcome.keep = self.forwarder.forward(self.me, action.event, action.reason)
        elif isinstance(action, Interrupt):
            outcome.keep = self.forwarder.stopped(self.me, action.task)
        else:
            self.forwarder.notify(self.me, action.text, action.task)

    def _store(self, at: _Step) -> list[Event]:
        if at.cause is None:
            return self.transport.apply(at.outcome)
        return self.transport.commit(at.cause, at.outcome)

    def _follow_up(self, at: _Step) -> None:
        for action in at.follow:
            if isinstance(action, Interrupt):
                self.forwarder.interrupt(self.me, action.task)
            else:
                self.forwarder.committed(self.me, action.event, action.reason)

    def _note_stored(self, event: Event, now: float) -> None:
        """What the transport gave back: our own message with its id, or why it is none."""
        if event.problem:
            to = one_line(event.to)[:64] or "all"
            self.tell(self.me, f"{event.kind} to {to} not sent: {event.problem}")
        else:
            self._do(Sent(event), now)


def refused(action: Refuse) -> SwarmError:
    """The error that tells an agent why its message is not sent."""
    kind = Unknown if action.code == "unknown-agent" else UsageError
    return kind(action.text, action.hint, action.code)
