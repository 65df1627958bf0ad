"""One step at work: what it is about, the copy of the state it changes, the actions so far."""

from swarm.events import Event
from swarm.mamoru.signals import Action, Notify, Send, SetStatus
from swarm.mamoru.state import Given, Retry, State, kept, without
from swarm.mamoru.tasks import is_record

NOTHING = Event(kind="")


class Work:
    """What conditions look at and effects change.

    ``event``: the message.  ``other``: the agent at its other end, or the one a timer is about.
    ``key``: the task's.  ``given``, ``retry``: the task we gave, or the waiting retry, that it
    is about.
    """

    __slots__ = ("actions", "event", "given", "key", "now", "other", "retry", "state")

    def __init__(self, state: State, now: float) -> None:
        self.state = state
        self.now = now
        self.actions: list[Action] = []
        self.event = NOTHING
        self.other = ""
        self.key = ""
        self.given: Given | None = None
        self.retry: Retry | None = None

    def about(self, event: Event, other: str) -> None:
        """Turn to a message exchanged with ``other``."""
        self.event, self.other, self.key = event, other, event.key
        if is_record(event) and other == self.state.me:
            self._about_record(event)
            return
        self.given = self.state.given.get((self.key, other))
        self.retry = waiting_for(self.state, self.key)

    def _about_record(self, event: Event) -> None:
        """A record names the request by key and id, since one key may have several workers."""
        for given in self.state.given.values():
            if given.task == event.task and given.ref == event.ref:
                self.given, self.other = given, given.worker
        self.retry = waiting_for(self.state, event.task, event.ref)

    def send(self, kind: str, to: str, content: str, origin: str = "", **more: str | bool) -> None:
        """Add an automatic message; ``more``: other fields of the Event."""
        event = Event(kind=kind, sender=self.state.me, to=to, content=content, at=self.now)
        event.origin = f"{origin}:{self.state.me}" if origin else ""
        for name, value in more.items():
            setattr(event, name, value)
        self.actions.append(Send(event))

    def notify(self, text: str, task: str = "") -> None:
        """Add a notice."""
        self.actions.append(Notify(text, task))

    def put(self, given: Given) -> None:
        """Set the task we gave."""
        self.given = given
        self.state.given = {**self.state.given, (given.task, given.worker): given}

    def close(self, end: str) -> None:
        """The task we gave has ended."""
        if self.given:
            pair = (self.given.task, self.given.worker)
            self.state.given = without(self.state.given, pair)
            self.state.finished = kept(self.state.finished, pair, end)

    def forget(self, retry: Retry, target: str) -> None:
        """The retry no longer waits."""
        state = self.state
        left = tuple(other for other in state.waiting.get(target, ()) if other is not retry)
        if left:
            state.waiting = {**state.waiting, target: left}
        else:
            state.waiting = without(state.waiting, target)

    def set_status(self, status: str, forced: bool = False) -> None:
        """Our own status; others hear of it after the grace, if they heard otherwise."""
        state = self.state
        if status == state.status and not forced:
            return
        state.status = status
        self.actions.append(SetStatus(status))
        if status == "inactive":
            state.told = status
        heard = status == state.told or not (state.settings.announce or state.told == "inactive")
        state.changed_at = 0.0 if heard else self.now


def waiting_for(state: State, key: str, ref: str = "") -> Retry | None:
    """The waiting retry with that key, of its first or last request."""
    for retries in state.waiting.values():
        for retry in retries:
            if key in (retry.root, retry.last) and ref in ("", retry.request.id):
                return retry
    return None
