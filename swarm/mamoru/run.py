"""One run of a command for one task: what it is given, and what its output becomes."""

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence

from swarm import disk
from swarm.events import PAYLOAD_MAX, Event, one_line
from swarm.mamoru.child import Child
from swarm.names import ID_CHARS

VALUE_MAX = 4096  # characters of one variable: the system refuses a start with very long ones
NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class Run:
    """``wanted``: whether anybody still waits for its result."""

    __slots__ = ("_count", "_path", "_updated", "agent", "child", "ref", "task", "wanted")

    def __init__(
        self,
        agent: str,
        event: Event,
        argv: Sequence[str],
        folder: str,
        environ: Mapping[str, str],
        grace: float,
        cap: int,
        giver: int | None = None,
    ) -> None:
        """Start it; OSError or ValueError says why that cannot be.

        ``giver``: the only user whose file the detail may be.
        """
        if shutil.which(argv[0]) is None:
            raise FileNotFoundError(2, "no such command", argv[0])
        self.agent = agent
        self.task = event.key
        self.ref = event.id
        self.wanted = True
        self._updated = float("-inf")
        self._count = 0
        stdin = text_of(event, giver)
        try:
            self._path, output = new_file(folder, self.task)
            try:
                variables = environment(agent, event, environ)
                self.child = Child(argv, variables, stdin, output, grace=grace, cap=cap)
            except BaseException:
                os.close(output)
                disk.remove(self._path)
                raise
        finally:
            os.close(stdin)

    def cancel(self) -> None:
        """Nobody waits for it any more: end it."""
        self.wanted = False
        self.child.interrupt()

    def update(self, every: float) -> Event | None:
        """What its newest ``update:`` line says, if the last one is so many seconds ago."""
        now = time.monotonic()
        if not self.wanted or now - self._updated < every:
            return None
        text = self.child.output.take_update()
        if not text:
            return None
        self._updated = now
        self._count += 1
        return self._event("task_update", text, f"update-{self._count}")

    def result(self) -> tuple[Event | None, str]:
        """How it ended, None if nobody waits for that; and what its owner should know.

        The output is the body, or a file where it is over 1 MiB.
        """
        output, status = self.child.output, self.child.status
        if not self.wanted:
            disk.remove(self._path)
            return None, ""
        last = output.last[-1] if output.last else ""
        if status == 0:
            event = self._event("task_done", last or "done, without a word", "result")
        else:
            why = how_ended(status or 0)
            event = self._event("task_fail", f"{why}: {last}" if last else why, "result")
        try:
            self._attach(event)
        except OSError as error:
            return event, f"the output in {self._path} cannot be read: {error.strerror}"
        note = f"the output for {self.task} is not complete: {output.failure}"
        return event, note if output.failure else ""

    def _attach(self, event: Event) -> None:
        output = self.child.output
        if output.size > PAYLOAD_MAX:
            event.detail = self._path
            event.body = "".join(f"{line}\n" for line in output.last).encode()
        else:
            event.body = disk.read(self._path)
            disk.remove(self._path)
        if output.failure:
            event.body += f"\n[swarm: the rest could not be kept: {output.failure}]\n".encode()

    def _event(self, kind: str, content: str, what: str) -> Event:
        """A message about the task; its origin makes it one, however often it is sent."""
        origin = f"{what}:{self.ref}:{self.agent}" if self.ref else ""
        return Event(kind=kind, content=content, task=self.task, origin=origin)


def cannot_start(command: str, event: Event, agent: str, error: Exception) -> Event:
    """The result of a run that could not be started."""
    reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
    origin = f"result:{event.id}:{agent}" if event.id else ""
    content = f"cannot start {command}: {reason}"
    return Event(kind="task_fail", content=content, task=event.key, origin=origin)


def how_ended(status: int) -> str:
    """A process's end in words."""
    if status >= 0:
        return f"exit {status}"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"


def text_of(event: Event, giver: int | None = None) -> int:
    """A file to be read from its start: the body, else the detail's text, else the content."""
    if event.detail and not event.body:
        if not os.path.isabs(event.detail):
            raise ValueError("its detail is no absolute path")
        fd = disk.open_regular(event.detail)
        if giver is not None and os.fstat(fd).st_uid != giver:
            os.close(fd)
            raise ValueError("its detail is no file of the user who asks")
        return fd
    with tempfile.TemporaryFile() as file:
        file.write(event.body or f"{event.content}\n".encode("utf-8", "replace"))
        file.seek(0)
        return os.dup(file.fileno())


def new_file(folder: str, task: str) -> tuple[str, int]:
    """A new file named after the task, and its path."""
    disk.make_folders(os.path.dirname(os.path.dirname(folder)), folder)
    stem = "".join(char if char in ID_CHARS else "-" for char in task[:60]).lstrip(".-") or "task"
    number = 1
    while True:
        path = os.path.join(folder, f"{stem}-{number}.out")
        try:
            return path, os.open(path, NEW_FILE, 0o666)
        except FileExistsError:
            number += 1


def environment(agent: str, event: Event, more: Mapping[str, str]) -> dict[bytes, bytes]:
    """The variables of a run, as bytes: a message's text may not fit the locale."""
    own = {
        "SWARM_TASK": event.key,
        "SWARM_FROM": event.sender,
        "SWARM_SUBJECT": event.content,
        "SWARM_DETAIL": event.detail,
        "SWARM_AGENT": agent,
    }
    given = {name: one_line(value)[:VALUE_MAX] for name, value in own.items()}
    fixed = {os.fsencode(name): os.fsencode(value) for name, value in more.items()}
    return {**os.environb, **fixed, **{k.encode(): v.encode() for k, v in given.items()}}
