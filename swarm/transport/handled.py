"""What a guardian before us did with mail that is still unread.  Pure.

In a store with inboxes an unread message may have been handled long ago: it waits for the agent
to read it.  No file says so; what was sent afterwards does.
"""

from collections.abc import Container

from swarm.events import Event
from swarm.mamoru.tasks import ANSWERS


def answered(me: str, events: list[Event]) -> set[str]:
    """Ids of requests and cancellations that have our automatic answer."""
    return {event.ref for event in events if event.sender == me and event.kind in ANSWERS}


def settled(me: str, events: list[Event], unread: Container[str]) -> set[str]:
    """Ids of unread messages that nothing is left to be done about.

    A question that we answered since, a rejection after which the request was sent again.
    Received once more, they would undo that.  ``events``: all there are, by their time.
    """
    found: set[str] = set()
    later: set[str] = set()  # tasks clarified, and first requests sent again, after this message
    roots = {e.key: e.retry_of or e.key for e in events if e.sender == me and e.kind == "task_req"}
    for event in reversed(events):
        if event.sender == me:
            if event.kind == "task_clarify_res":
                later.add(f"clarified {event.task}")
            elif event.retry_of:
                later.add(f"retried {event.retry_of}")
        elif event.id in unread:
            clarified = event.kind == "task_clarify" and f"clarified {event.task}" in later
            again = f"retried {roots.get(event.task, '')}" in later
            if clarified or (event.kind == "task_reject" and again):
                found.add(event.id)
    return found
