"""Workers that have only files: what their receipts and Status lines say about a task.

A request from the channel is accepted when it is read, not when it is delivered: an
acknowledgement that nobody read hides a dead worker.  What is said for a worker is said as its
guardian would, under the same names; so a guardian that comes later finds it said.
"""

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from swarm.bridge.actions import Action, Speak
from swarm.bridge.crossing import File, Row
from swarm.bridge.mail_side import MailSide
from swarm.bridge.who import Who
from swarm.errors import SwarmError
from swarm.events import Event
from swarm.mailbox import inbox, receipts
from swarm.mailbox.layout import Root
from swarm.mamoru.tasks import Task, fold
from swarm.transport.base import Outcome
from swarm.transport.mail import MailStore
from swarm.transport.mail_claim import is_claimed

ENDS = {"done": "task_done", "error": "task_fail", "cancelled": "task_fail"}
# Seconds until what could not be said is tried again.
AGAIN = 5.0
# What is said of a file, and of an inbox, that is not there.
GONE, AWAY = (0, 0, 0), (0, 0)
ACKS = frozenset(("ack", *ENDS))


@dataclass(slots=True)
class Request:
    """A request from the channel in a resident's mailbox, not ended yet.

    ``mark``: what its files looked like when they were last thought about; ``home``: which inbox
    it was last seen in, (0, 0) before it was; ``taken``: whether
    the worker took it up; ``said``: what was said for the worker; ``later``: when it can be said
    what could not be.
    """

    agent: str
    name: str
    thread: str
    requester: str
    mark: tuple[object, ...] = ()
    home: tuple[int, int] = (0, 0)
    taken: bool = False
    said: set[str] = field(default_factory=set)
    later: float = 0.0


class Workers:
    """The open requests of all residents."""

    def __init__(self, root: Root, mail: MailSide) -> None:
        self._root = root
        self._mail = mail
        self._open: dict[str, dict[str, Request]] = {}
        self._guarded: set[str] = set()

    @property
    def busy(self) -> set[str]:
        """Who has taken up a task that has not ended."""
        return {
            agent
            for agent, requests in self._open.items()
            if any(request.taken for request in requests.values())
        }

    def note(self, actions: Iterable[Action]) -> None:
        """Remember requests that are delivered."""
        for action in actions:
            if isinstance(action, File):
                lines = dict(action.lines)
                if lines.get("Event") == "task_req":
                    thread, sender = lines.get("Thread", ""), lines.get("From", "")
                    self.recall(action.agent, action.name, thread, sender)

    def recall(self, agent: str, name: str, thread: str, requester: str) -> None:
        """Remember one that was delivered before."""
        request = Request(agent, name, thread, requester)
        self._open.setdefault(agent, {})[name] = request

    def heard(self, rows: Iterable[Row]) -> None:
        """Somebody in the tree said something: think again about the tasks that it is about."""
        threads = {row.event.thread for row in rows}
        for requests in self._open.values():
            for request in requests.values():
                if request.thread in threads:
                    request.mark = ()

    def plan(self, who: Who) -> list[Action]:
        """What is to be said for workers whose files have changed."""
        found: list[Action] = []
        for agent in list(self._open):
            if agent not in who.residents:
                continue
            try:
                if not self._still_guarded(agent):
                    found += self._think(agent)
            except SwarmError as error:
                self._mail.problems[agent] = error.message
        return found

    def _still_guarded(self, agent: str) -> bool:
        """Whether it has a guardian, as when it was last thought of."""
        if agent in self._guarded and is_claimed(self._root, agent):
            return True
        self._guarded.discard(agent)
        return False

    def _think(self, agent: str) -> list[Action]:
        """Of one worker; all that it said and heard is read once for all its requests."""
        requests = self._open[agent]
        marks = {request.name: self._look(request) for request in requests.values()}
        changed = [one for one in requests.values() if marks[one.name] != one.mark]
        if not changed and not any(one.taken for one in requests.values()):
            return []
        if is_claimed(self._root, agent):  # its guardian says how it is from now on
            self._guarded.add(agent)
            for request in requests.values():
                request.taken, request.mark = False, ()
            return []
        said = MailStore(self._root, watching=False).voice(agent).conversation()
        tasks: dict[str, Task] = {}
        for task in fold(said).values():
            if task.worker == agent:
                tasks.setdefault(task.key, task)
        found: list[Action] = []
        for request in changed:
            mine, mark = tasks.get(request.thread), marks[request.name]
            found += self._answers(request, mine, said, mark)
        if not requests:
            del self._open[agent]
        return found

    def _answers(
        self, request: Request, task: Task | None, said: list[Event], mark: tuple[object, ...]
    ) -> list[Action]:
        if task is None and not self._is_over(request, mark):
            request.mark = mark
            return []
        if task is None or task.final:
            del self._open[request.agent][request.name]
            return []
        events = [e for e in self._due(request, task, said) if e.origin not in request.said]
        request.taken = request.taken or task.state != "asked" or bool(events)
        if not events:  # else once more when they are said
            request.mark = mark
        elif time.monotonic() < request.later:
            return []
        return [Speak(request.agent, event) for event in events]

    def _is_over(self, request: Request, mark: tuple[object, ...]) -> bool:
        """Whether that is no request any more: one that is away, or not to be read, may be one."""
        try:
            inbox.read_head(self._path(request))
        except FileNotFoundError:
            home = _place(self._root.inbox(request.agent))
            return home != AWAY and request.home in (AWAY, home)
        except OSError:
            return False
        return mark[:3] != GONE  # else it has come back just now

    def _look(self, request: Request) -> tuple[object, ...]:
        """What tells that something changed: the receipts, and the request itself."""
        path = self._path(request)
        try:
            stat = os.stat(path)
            file = (stat.st_ctime_ns, stat.st_size, stat.st_ino)
            request.home = _place(self._root.inbox(request.agent))
        except OSError:
            file = GONE
        try:
            read = os.stat(self._root.receipts(request.agent)).st_mtime_ns
        except OSError:
            read = 0
        return (*file, read)

    def _path(self, request: Request) -> str:
        path = f"{self._root.inbox(request.agent)}/{request.name}"
        archived = f"{self._root.sent(request.agent)}/{request.name}"
        return path if os.path.lexists(path) or not os.path.lexists(archived) else archived

    def _due(self, request: Request, task: Task, said: list[Event]) -> list[Event]:
        """The events that the files stand for and that were not said yet."""
        status = self._status(request)
        read = receipts.has(self._root, request.agent, request.name)
        found = []
        if task.state == "asked" and (read or status in ACKS):
            found.append(_answer(request, "task_ack", "accepted", request.name))
        if status in ENDS:
            words = f"{status}: {task.content}"
            found.append(_answer(request, ENDS[status], words, request.name))
        elif task.state == "cancelling":
            cancel = next((e.id for e in reversed(said) if _cancels(e, request)), "")
            if cancel and receipts.has(self._root, request.agent, cancel):
                found.append(_answer(request, "task_cancel_ack", "cancelled", cancel))
        return found

    def _status(self, request: Request) -> str:
        try:
            return inbox.read_head(self._path(request)).get("status").lower()
        except OSError:
            return ""

    def speak(self, agent: str, event: Event) -> str:
        """Send it as the worker's own mail; what went wrong, "" if nothing: it is tried again."""
        try:
            stored = (
                MailStore(self._root, watching=False).voice(agent).apply(Outcome(sends=[event]))
            )
            problem = next((one.problem for one in stored if one.problem), "")
        except SwarmError as error:
            if error.temporary:
                raise
            problem = error.message
        for request in self._open.get(agent, {}).values():
            if request.thread == event.task:
                if problem:
                    request.later = time.monotonic() + AGAIN
                else:
                    request.said.add(event.origin)
        return problem


def _place(folder: str) -> tuple[int, int]:
    """Which folder stands there; AWAY if none, or none that can be seen."""
    try:
        found = os.stat(folder)
    except OSError:
        return AWAY
    return found.st_dev, found.st_ino


def _cancels(event: Event, request: Request) -> bool:
    return event.kind == "task_cancel" and event.task == request.thread


def _answer(request: Request, kind: str, content: str, ref: str) -> Event:
    """What the worker's guardian would send, under the name that it would give it."""
    return Event(
        kind=kind,
        sender=request.agent,
        to=request.requester,
        content=content,
        task=request.thread,
        ref=ref,
        origin=f"{kind}:{ref}:{request.agent}",
    )
