"""The one table of what a guardian does.  It drives the machine, and docs/guardian.md shows it.

Rows are read from above: the first of a cause whose conditions all hold is taken, no other.  A
phrase in ``when`` is a function in ``conditions``, the first word of one in ``then`` a function
in ``effects``; ``*`` stands for every event.  ``status`` is what becomes of our own.

``source``: S the seed, D our own decision, where S is silent or would do harm.
"""

from dataclasses import dataclass

S = "S"
D = "D"


@dataclass(slots=True, frozen=True)
class Rule:
    """One row: on this side, this event, when all of these hold, then do these, in order."""

    side: str
    event: str
    when: str
    then: str
    status: str
    source: str

    @property
    def conditions(self) -> tuple[str, ...]:
        """The phrases of ``when``."""
        return _phrases(self.when)

    @property
    def effects(self) -> tuple[str, ...]:
        """The phrases of ``then``."""
        return _phrases(self.then)


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in text.split(",") if phrase.strip())


HEARD = "heard"
RECEIVED = "received"
OUTBOUND = "outbound"
SENT = "sent"
TIME = "time"
SELF = "self"

# What brings the rows of time and of the guardian itself about.
CAUSES = {
    "task silent": "for 20 minutes no word from the worker of a task we gave, nor did we answer it",
    "cancel unanswered": "20 s after that cancel",
    "mate silent": "no sign of life for 60 s from an agent we deal with; one agent, the smallest id"
    " among those fresh, also asks after all others, and everybody does after 240 s",
    "ping unanswered": "20 s after a ping",
    "status changed": "at least 3 s ago, and it still holds",
    "retry too old": "a day after the rejection",
    "retry due": "the target is known available, or stands in a mail tree without an entry; every"
    " request of ours to it is answered, and the wait is over (2 s, doubled each time up to 60 s);"
    " the first of each target",
    "joined": "the guardian starts on a channel",
    "marked inactive by others": "our own row says inactive, but not by our doing",
    "stood still": "this process was suspended, or the clock jumped",
    "set available": "the agent says so itself",
    "set busy": "the agent works for somebody outside",
    "set inactive": "the agent has finished, or is out of order",
}

SIDES = {
    HEARD: "Any message, before its own row: its sender is alive",
    RECEIVED: "A message arrives",
    OUTBOUND: "The agent sends a message",
    SENT: "A message of our own is stored, whoever wrote it",
    TIME: "Time passes",
    SELF: "The guardian itself",
}

RULES = tuple(
    Rule(*row)
    for row in (
        (HEARD, "*", "from oneself", "", "", D),
        (HEARD, "*", "from an agent marked inactive", "take it back, settle the ping", "", D),
        (HEARD, "*", "", "settle the ping", "", S),
        # S: auto-handled and forwarded events.
        (RECEIVED, "*", "no proper event, some text", "forward malformed", "", D),
        (RECEIVED, "*", "no proper event", "note malformed", "", D),
        (RECEIVED, "*", "a record of our own", "close the task we gave, forward", "", D),
        (RECEIVED, "*", "from oneself", "note from oneself", "", D),
        (RECEIVED, "*", "to somebody else", "note not for us", "", D),
        (RECEIVED, "ping", "", "answer pong", "", S),
        (RECEIVED, "pong", "", "", "", S),
        (RECEIVED, "task_req", "without a key", "forward no task", "", D),
        (RECEIVED, "task_req", "in another request's task", "forward not new", "", D),
        (RECEIVED, "task_req", "for the active task", "forward again", "", D),
        (RECEIVED, "task_req", "for a task that ended, seen before", "", "", D),
        (RECEIVED, "task_req", "for a task that ended", "forward ended", "", D),
        (RECEIVED, "task_req", "stale", "answer task_fail stale, never start it", "", D),
        (
            RECEIVED,
            "task_req",
            "we are available",
            "answer task_ack, start the task, forward",
            "busy",
            S,
        ),
        (
            RECEIVED,
            "task_req",
            "we are busy",
            "answer task_reject busy, never start it",
            "",
            S,
        ),
        (
            RECEIVED,
            "task_req",
            "we are inactive",
            "answer task_reject inactive, never start it",
            "",
            D,
        ),
        (RECEIVED, "task_cancel", "without a key", "forward no task", "", D),
        (
            RECEIVED,
            "task_cancel",
            "for the active task",
            "interrupt, answer task_cancel_ack, end the task",
            "available",
            S,
        ),
        (
            RECEIVED,
            "task_cancel",
            "for the active task of another requester",
            "note a stranger's cancel",
            "",
            D,
        ),
        (RECEIVED, "task_cancel", "", "answer task_cancel_ack, never start it", "", D),
        (RECEIVED, "broadcast", "intent agent_join", "welcome", "", S),
        (RECEIVED, "broadcast", "intent agent_leave", "part", "", S),
        (RECEIVED, "broadcast", "intent agent_status_change", "update the roster", "", S),
        (RECEIVED, "broadcast", "", "forward", "", D),
        (RECEIVED, "info_only", "", "forward", "", D),
        (RECEIVED, "task_ack", "of a task we gave", "advance the task we gave", "", S),
        (RECEIVED, "task_ack", "", "", "", D),
        (
            RECEIVED,
            "task_cancel_ack",
            "of a task we gave",
            "close the task we gave, set the worker available",
            "",
            S,
        ),
        (RECEIVED, "task_cancel_ack", "", "remember cancelled", "", D),
        (
            RECEIVED,
            "task_reject",
            "of a task we gave, to be blocked upon",
            "wait to retry, close the task we gave",
            "",
            D,
        ),
        (
            RECEIVED,
            "task_reject",
            "of a task we gave, to be queued",
            "wait to retry, close the task we gave, forward queued to be retried",
            "",
            D,
        ),
        (
            RECEIVED,
            "task_reject",
            "of a task we gave, tried too often",
            "close the task we gave, forward last try",
            "",
            D,
        ),
        (RECEIVED, "task_reject", "of a task we gave", "close the task we gave, forward", "", S),
        (RECEIVED, "task_reject", "for a task that waits", "", "", D),
        (RECEIVED, "task_reject", "", "remember rejected, forward late", "", D),
        (RECEIVED, "task_clarify", "of a task we gave", "advance the task we gave, forward", "", S),
        (RECEIVED, "task_clarify", "", "forward late", "", D),
        (RECEIVED, "task_update", "of a task we gave", "advance the task we gave, forward", "", D),
        (RECEIVED, "task_update", "", "forward late", "", D),
        (RECEIVED, "task_done", "of a task we gave", "close the task we gave, forward", "", S),
        (RECEIVED, "task_done", "", "remember done, forward late", "", D),
        (RECEIVED, "task_fail", "of a task we gave", "close the task we gave, forward", "", S),
        (RECEIVED, "task_fail", "", "remember failed, forward late", "", D),
        (RECEIVED, "task_clarify_res", "for the active task", "forward", "", S),
        (RECEIVED, "task_clarify_res", "", "forward late", "", D),
        (RECEIVED, "*", "", "forward unknown event", "", D),
        # S: outbound events.
        (OUTBOUND, "*", "not fit to be sent", "refuse", "", D),
        (OUTBOUND, "task_req", "to an unknown agent", "refuse unknown-agent", "", D),
        (
            OUTBOUND,
            "task_req",
            "to an inactive agent",
            "send, note the recipient is inactive",
            "",
            D,
        ),
        (OUTBOUND, "task_req", "", "send", "", S),
        (
            OUTBOUND,
            "task_done",
            "about the active task",
            "send, end the task",
            "available",
            S,
        ),
        (
            OUTBOUND,
            "task_fail",
            "about the active task",
            "send, end the task",
            "available",
            S,
        ),
        (OUTBOUND, "task_update", "about the active task", "send", "", S),
        (OUTBOUND, "task_clarify", "about the active task", "send", "", S),
        (OUTBOUND, "task_clarify_res", "about a task we gave", "send, advance what we gave", "", S),
        (OUTBOUND, "task_cancel", "about a task being cancelled", "refuse cancelling", "", D),
        (OUTBOUND, "task_cancel", "about a task we gave", "send, advance what we gave", "", S),
        (OUTBOUND, "task_cancel", "about a task that waits", "drop the retry cancelled", "", D),
        (OUTBOUND, "task_done", "about a task that ended", "refuse ended", "", D),
        (OUTBOUND, "task_fail", "about a task that ended", "refuse ended", "", D),
        (OUTBOUND, "task_update", "about a task that ended", "refuse ended", "", D),
        (OUTBOUND, "task_clarify", "about a task that ended", "refuse ended", "", D),
        (OUTBOUND, "task_clarify_res", "about a task that ended", "refuse ended", "", D),
        (OUTBOUND, "task_cancel", "about a task that ended", "refuse ended", "", D),
        (OUTBOUND, "task_done", "", "refuse not-active", "", D),
        (OUTBOUND, "task_fail", "", "refuse not-active", "", D),
        (OUTBOUND, "task_update", "", "refuse not-active", "", D),
        (OUTBOUND, "task_clarify", "", "refuse not-active", "", D),
        (OUTBOUND, "task_clarify_res", "", "refuse not-given", "", D),
        (OUTBOUND, "task_cancel", "", "refuse not-given", "", D),
        (
            OUTBOUND,
            "broadcast",
            "intent agent_leave, a task is active",
            "fail the task since we leave, send",
            "inactive",
            D,
        ),
        (OUTBOUND, "broadcast", "intent agent_leave", "send", "inactive", D),
        (OUTBOUND, "broadcast", "", "send", "", S),
        (OUTBOUND, "info_only", "", "send", "", S),
        # What a command beside the guardian wrote counts as if it had gone through it.
        (SENT, "task_req", "a new request", "give the task", "", D),
        (SENT, "task_clarify_res", "about a task we gave", "advance what we gave", "", D),
        (SENT, "task_cancel", "about a task we gave", "advance what we gave", "", D),
        (SENT, "task_fail", "a record of our own", "close the task we gave", "", D),
        (SENT, "task_fail", "a record about a task that waits", "forget the retry", "", D),
        (SENT, "task_done", "about the active task", "end the task", "available", D),
        (SENT, "task_fail", "about the active task", "end the task", "available", D),
        (SENT, "broadcast", "intent agent_leave", "", "inactive", D),
        (SENT, "*", "", "", "", D),
        (TIME, "task silent", "", "cancel what we gave", "", S),
        (TIME, "cancel unanswered", "", "mark the worker inactive, give up the task", "", S),
        (TIME, "mate silent", "", "ping", "", D),
        (TIME, "ping unanswered", "", "mark the mate inactive", "", S),
        (TIME, "status changed", "others heard otherwise", "announce", "", D),
        (TIME, "retry too old", "", "drop the retry too old", "", D),
        (TIME, "retry due", "to be queued", "send again, note sent again", "", D),
        (TIME, "retry due", "", "send again", "", D),
        (SELF, "joined", "a task is active", "greet", "busy", D),
        (SELF, "joined", "", "greet", "available", S),
        (SELF, "marked inactive by others", "we are inactive", "", "", D),
        (SELF, "marked inactive by others", "", "come back", "", S),
        (SELF, "stood still", "", "forgive the silence", "", D),
        (SELF, "set busy", "a task is active", "", "", D),
        (SELF, "set available", "a task is active", "", "", D),
        (SELF, "set available", "", "", "available", D),
        (SELF, "set busy", "", "", "busy", D),
        (SELF, "set inactive", "", "", "inactive", D),
    )
)
