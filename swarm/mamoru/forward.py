"""Forwarders: where messages go that need thinking, since a guardian does not think.

One forwarder serves all agents of a process.  A message is handed over before it is committed:
a crash in between hands it over once more after the restart, never not at all.  Within one
process nothing is handed over twice.
"""

import json
from collections.abc import Callable, Collection
from typing import IO, Any

from swarm.errors import from_os
from swarm.events import Event, one_line
from swarm.mamoru.state import Active

# Who it is about ("" for all), and one line of text for a log or a person.
Tell = Callable[[str, str], None]
NEVER = float("inf")


class Forwarder:
    """Takes what an agent has to see; this one only tells, and leaves the message unread.

    Its methods are called from one thread.  One that raises SwarmError is called again later
    with the same message.
    """

    def __init__(self, tell: Tell) -> None:
        self.tell = tell

    def forward(self, agent: str, event: Event, reason: str) -> bool:
        """Hand the message over; True if it is to stay unread in the agent's inbox.

        ``reason``: "" the usual, else what is unusual about it; "again": handed over before.
        """
        raise NotImplementedError

    def notify(self, agent: str, text: str, task: str) -> None:
        """Tell the agent something that no message says."""
        self.tell(agent, text)

    def stopped(self, agent: str, task: str) -> bool:
        """Tell of a cancelled task, before that is stored; True if the message stays unread."""
        return False

    def committed(self, agent: str, event: Event, reason: str) -> None:
        """The message handed over is done now, and its answer stored."""

    def interrupt(self, agent: str, task: str) -> None:
        """The work on this task is no longer wanted; its acknowledgement is stored."""

    def says(self, agent: str, active: Active | None) -> list[Event]:
        """What the agent's work wants to send, each once.  ``active``: the task it works on."""
        return []

    def ready(self) -> Collection[str]:
        """Agents whose work has something to say."""
        return ()

    def patience(self) -> float:
        """Seconds after which ``ready`` is to be asked again, though no message came."""
        return NEVER

    def end(self) -> None:
        """Stop all work at once; the process is about to end."""


class Left(Forwarder):
    """For an agent that reads its own inbox: what needs thinking just stays there."""

    def forward(self, agent: str, event: Event, reason: str) -> bool:
        """Nothing to do: it stays unread."""
        return True

    def stopped(self, agent: str, task: str) -> bool:
        """The agent is to see the cancellation in its inbox."""
        return True


class Jsonl(Forwarder):
    """One line of JSON for each message and notice, written out before it is committed.

    After a crash the last messages may come once more: the same ``agent`` and ``id``.
    """

    def __init__(self, stream: IO[bytes], tell: Tell) -> None:
        super().__init__(tell)
        self._stream = stream
        self._held = b""

    def forward(self, agent: str, event: Event, reason: str) -> bool:
        """Write it; it is taken."""
        self._write({"v": 1, "agent": agent, "reason": reason, **fields(event)})
        return False

    def notify(self, agent: str, text: str, task: str) -> None:
        """Write it as ``notice``."""
        self._write({"v": 1, "agent": agent, "notice": text, "task": task})

    def stopped(self, agent: str, task: str) -> bool:
        """Write it as a notice of the task."""
        self.notify(agent, "the task is cancelled: stop", task)
        return False

    def _write(self, record: dict[str, Any]) -> None:
        """The line, flushed; BrokenPipeError if nobody reads any more, else SwarmError.

        A line whose flush failed is still in the stream's buffer: it is not written again.
        """
        line = json.dumps(record, ensure_ascii=True).encode() + b"\n"
        try:
            if line != self._held:
                self._held = line
                self._stream.write(line)
            self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise from_os(error, "write to", "the output") from None
        self._held = b""


def fields(event: Event) -> dict[str, Any]:
    """The event for a program, named as in mail headers; the body as text."""
    return {
        "event": event.kind,
        "from": event.sender,
        "to": event.to,
        "content": event.content,
        "task": event.task,
        "ref": event.ref,
        "id": event.id,
        "at": event.at,
        "intent": event.intent,
        "need_reply": event.need_reply,
        "detail": event.detail,
        "body": event.body.decode("utf-8", "replace"),
        "problem": event.problem,
    }


def told(event: Event) -> str:
    """The event in one short line for a log."""
    about = f" in {one_line(event.task)[:60]}" if event.task else ""
    return f"{event.kind[:30]} from {event.sender[:64]}{about}: {one_line(event.content)[:200]}"
