"""Forwarders: where messages go that need thinking, since a guardian does not think.

One forwarder serves all agents of a process.  A message is handed over before it is committed:
a crash in between hands it over once more after the restart, never not at all.  Within one
process nothing is handed over twice.
"""

import errno
import json
import os
import select
from collections.abc import Callable, Collection
from typing import Any

from swarm.errors import Temporary, from_os
from swarm.events import Event, one_line
from swarm.mamoru.state import Active

# Who it is about ("" for all), and one line of text for a log or a person.
Tell = Callable[[str, str], None]
NEVER = float("inf")
TAKEN = 0.5  # seconds in which a reader has to take something
LONGEST = 1000  # characters of a line for a log: more is somebody's payload


def heard(tell: Tell) -> Tell:
    """The same in bounds, and that it fails stops nobody: what it tells of goes on unheard."""

    def say(agent: str, text: str) -> None:
        try:
            tell(agent, text if len(text) <= LONGEST else f"{text[:LONGEST]} …")
        except Exception:  # there is nobody left who could hear of it
            return

    return say


class Forwarder:
    """Takes what an agent has to see; this one only tells, and leaves the message unread.

    Its methods are called from one thread.  One that raises SwarmError is called again later
    with the same message.
    """

    def __init__(self, tell: Tell) -> None:
        self.tell = heard(tell)

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

    After a crash the last messages may come once more: the same ``agent`` and ``id``.  ``fd``: a
    file descriptor, which is waited for but a moment: who reads slowly, or not at all, keeps
    nobody from being answered.
    """

    def __init__(self, fd: int, tell: Tell) -> None:
        super().__init__(tell)
        self._fd = fd
        self._rest = memoryview(b"")
        self._begun: set[bytes] = set()
        self._stuck = False

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
        """The line; BrokenPipeError if nobody reads any more, else SwarmError.

        A line that was begun is ended before any other, and then not written again.
        """
        line = json.dumps(record, ensure_ascii=True).encode() + b"\n"
        try:
            self._go_on()
            if line not in self._begun:
                self._begun.add(line)
                self._rest = memoryview(line)
                self._go_on()
        except BrokenPipeError:
            raise
        except OSError as error:
            if error.errno == errno.EBADF:  # closed from the start
                raise BrokenPipeError from None
            raise from_os(error, "write to", "the output") from None
        self._begun.discard(line)

    def _go_on(self) -> None:
        """Write what is left of the line; Temporary if that is not taken."""
        while self._rest:
            patience = 0 if self._stuck else TAKEN
            self._stuck = not writable(self._fd, patience)
            if self._stuck:
                raise Temporary("nobody takes the output", "let its reader go on")
            self._rest = self._rest[os.write(self._fd, self._rest[: select.PIPE_BUF]) :]


def writable(fd: int, seconds: float) -> bool:
    """Whether so much as PIPE_BUF can be written without waiting, so many seconds from now."""
    ready = select.poll()
    ready.register(fd, select.POLLOUT)
    return bool(ready.poll(seconds * 1000))


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
