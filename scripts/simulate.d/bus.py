"""The store in memory: as team.db (one log, a cursor each) or as mail (inboxes, receipts)."""

import random
from collections.abc import Callable

from swarm.events import Event

# Seconds after which mail is seen at the latest.
LATEST = 4.0
ANSWERS = frozenset(("task_ack", "task_reject", "task_cancel_ack", "pong"))


class Bus:
    """All messages of one history, and who has handled which.

    ``log``: as stored.  ``boxes``: what lies unhandled before each agent.  ``handled``: what
    each has, in order.  ``own``: what each sent.  ``beside``: what a command wrote for an agent
    and its guardian has not seen yet.
    """

    def __init__(self, mail: bool, rng: random.Random, deliver: Callable[[str, float], None]):
        self.mail = mail
        self.rng = rng
        self.deliver = deliver
        self.log: list[Event] = []
        self.origins: dict[str, Event] = {}
        self.boxes: dict[str, list[tuple[float, Event]]] = {}
        self.handled: dict[str, list[Event]] = {}
        self.own: dict[str, list[Event]] = {}
        self.beside: dict[str, list[Event]] = {}

    def join(self, agent: str) -> None:
        for table in (self.boxes, self.handled, self.own, self.beside):
            table[agent] = []

    def store(self, event: Event, time: float) -> tuple[Event, bool]:
        """The message as stored, and whether it is new: an origin that is there is done."""
        known = self.origins.get(event.origin) if event.origin else None
        if known:
            return known, False
        number = len(self.log) + 1
        event.id = f"{number:02d}_m_{number:04x}.txt" if self.mail else str(number)
        if event.kind == "task_req" and not event.task:
            event.task = f"T{number}" if self.mail else event.id
        self.log.append(event)
        self.own[event.sender].append(event)
        if event.origin:
            self.origins[event.origin] = event
        self._spread(event, time)
        return event, True

    def _spread(self, event: Event, time: float) -> None:
        for agent, box in self.boxes.items():
            if agent != event.sender and event.to in ("", agent):
                # Mail of several senders arrives in any order; a channel has one.
                seen = time + (self.rng.random() * LATEST if self.mail else 0.0)
                box.append((seen, event))
                self.deliver(agent, seen)

    def receive(self, agent: str, time: float) -> list[Event]:
        return [event for seen, event in self.boxes[agent] if seen <= time]

    def next(self, agent: str) -> float:
        """When the next message of a box can be seen."""
        return min((seen for seen, _ in self.boxes[agent]), default=float("inf"))

    def done(self, agent: str, event: Event) -> None:
        """The receipt is written, the cursor moved."""
        box = self.boxes[agent]
        for place, (_, lying) in enumerate(box):
            if lying is event:
                del box[place]
                break
        self.handled[agent].append(event)

    def again(self, agent: str, event: Event, time: float) -> None:
        """It comes a second time."""
        self.boxes[agent].append((time, event))
        self.deliver(agent, time)

    def history(self, agent: str) -> list[Event]:
        """What a restart is told: handled messages and one's own."""
        events = self.handled[agent] + self.own[agent]
        return events if self.mail else sorted(events, key=lambda event: int(event.id))
