"""Message files as events: when to look at a folder again, and what a file says.

A look costs one stat while nothing changes.  A folder's time is coarse, so after a change it is
listed until that time has stood still for longer than its grain, and now and then whatever the
time says.
"""

import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from swarm import disk, names
from swarm.dates import dated
from swarm.errors import from_os
from swarm.events import Event, from_message
from swarm.mailbox.inbox import GONE, OURS, is_mail
from swarm.mailbox.layout import Root
from swarm.mailbox.registry import SECOND
from swarm.message import BODY_MAX, Message, parse

# Seconds that a time must stand still to be believed, and that a half-written file may take.
SETTLED = 2.0
# The same for a folder's time that is no whole second: its grain is the kernel's tick, or less.
TICKS = 0.04
# Seconds between two listings of a folder whose time says that nothing changed, at most.
FULL = 60.0
FILE_MAX = BODY_MAX + 65536
# As much is read where a place in the order is all that is wanted.
HEAD = 16384

Stamp = tuple[int, int, int]
Key = tuple[float, tuple[int, int, str]]


class Folder:
    """When one folder is to be listed again."""

    __slots__ = ("_full", "_full_at", "_listed", "_since", "_stamp", "path")

    def __init__(self, path: str, full: float = FULL) -> None:
        self.path = path
        self._full = full
        self._stamp: Stamp | None = None
        self._since = self._listed = self._full_at = float("-inf")

    def due(self) -> bool:
        """Whether something may have changed since ``listing`` (one stat)."""
        stamp = self._stamp
        if stamp is None or self._listed - self._since < (TICKS if stamp[2] % SECOND else SETTLED):
            return True
        return self.overdue() or stamp != self._look()

    def overdue(self) -> bool:
        """Whether it is to be listed whatever its time says."""
        return time.monotonic() >= self._full_at

    @contextmanager
    def listed(self) -> Iterator[None]:
        """Around its listing: one that failed is due again, though nothing in it changes."""
        self.listing()
        try:
            yield
        except BaseException:
            self.forget()
            raise

    def listing(self) -> None:
        """Called just before the folder is listed."""
        now = time.monotonic()
        stamp = self._look()
        if stamp != self._stamp or stamp is None:
            self._stamp, self._since = stamp, now
        first = self._listed == float("-inf")
        self._listed = now
        # At different times for different folders.
        self._full_at = now + self._full * random.uniform(0.1 if first else 0.9, 1.0)

    def place(self) -> tuple[int, int]:
        """Which folder stood there when it was listed, or now if it never was; (0, 0) for none."""
        stamp = self._stamp or self._look()
        return stamp[:2] if stamp else (0, 0)

    def forget(self) -> None:
        """The last listing does not count."""
        self._stamp = None

    def _look(self) -> Stamp | None:
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_mtime_ns


class Letters:
    """Files of one mailbox as events.

    It knows who opened each thread of them, as far as they were read in their order, and which
    files seem to be half written.
    """

    def __init__(self, root: Root, me: str) -> None:
        self.root = root
        self.me = me
        self._openers: dict[str, tuple[Key, str]] = {}
        self._growing: dict[str, tuple[tuple[int, int], float]] = {}

    @property
    def unsettled(self) -> bool:
        """Whether a file was left for later since it is still being written."""
        return bool(self._growing)

    def only(self, folder: str, found: set[str]) -> None:
        """What else was half written in that folder is there no longer."""
        for path in list(self._growing):
            there, _, name = path.rpartition("/")
            if there == folder and name not in found:
                del self._growing[path]

    def read(self, path: str, all_of_it: bool = True) -> "Letter | None":
        """The message at a path; None if it is gone, no file, or still being written.

        Without ``all_of_it`` a long body may be left out.  Raises Temporary where this
        process, not the file, is to blame.
        """
        try:
            fd = disk.open_regular(path)
            try:
                stat = os.fstat(fd)
                message, whole = _parsed(fd, all_of_it)
            finally:
                os.close(fd)
        except OSError as error:
            return self._unreadable(path, error)
        if message.malformed and self._grows(path, stat):
            return None
        self._growing.pop(path, None)
        return Letter(path, message, stat.st_mtime, whole)

    def _unreadable(self, path: str, error: OSError) -> "Letter | None":
        self._growing.pop(path, None)
        if error.errno in OURS:
            raise from_os(error, "read", self.root.relative(path)) from None
        if error.errno in GONE or not is_mail(path):
            return None
        bare = Message([], b"", False)
        return Letter(path, bare, 0.0, True, f"cannot be read: {error.strerror}")

    def _grows(self, path: str, stat: os.stat_result) -> bool:
        """Whether a malformed file may still be written to: young, and not long unchanged."""
        now, mark = time.monotonic(), (stat.st_mtime_ns, stat.st_size)
        before, since = self._growing.get(path, (None, now))
        if mark != before:
            since = now
        if time.time() - stat.st_mtime >= SETTLED or now - since >= SETTLED:
            return False
        self._growing[path] = (mark, since)
        return True

    def event(self, letter: "Letter") -> Event:
        """What a message says; those of its thread before it have been given here before."""
        get = letter.message.get
        thread = get("thread")
        opener = self._opener(thread, letter.key, get("from")) if thread else ""
        event = letter.event(opener)
        if not event.problem and letter.folder == self.root.inbox(self.me) and event.to != self.me:
            event.problem = f"addressed to {names.shown(event.to)}"
        return event

    def _opener(self, thread: str, key: Key, sender: str) -> str:
        """Who opened a thread before that message; "" if this is the first."""
        first = self._openers.get(thread)
        if first is None or key < first[0]:
            self._openers[thread] = (key, sender)
            return ""
        return first[1] if key != first[0] else ""

    def wrote(self, event: Event) -> None:
        """Take note of a message that was stored without being read here."""
        if event.task:
            self._opener(event.task, (event.at, names.order(event.id)), event.sender)


def _parsed(fd: int, all_of_it: bool) -> tuple[Message, bool]:
    """The message in an open file, and whether all of it was read; without ``all_of_it`` that is
    so where it is short, or its header is longer than a head."""
    data = disk.read_fd(fd, HEAD)
    whole = len(data) < HEAD
    if not whole and not all_of_it:
        message = parse(data, whole)
        if message.ended and not message.malformed:
            return message, whole
    return parse(data if whole else data + disk.read_fd(fd, FILE_MAX - HEAD)), True


class Letter:
    """One message file: ``message`` as parsed, ``at`` when it was sent.

    A Date in whole seconds is made finer by the file's time, where that bears it out.
    ``whole``: whether the body was read.
    """

    __slots__ = ("at", "folder", "message", "name", "path", "problem", "whole")

    def __init__(
        self, path: str, message: Message, mtime: float, whole: bool, problem: str = ""
    ) -> None:
        self.path = path
        self.folder, _, self.name = path.rpartition("/")
        self.message = message
        self.whole = whole
        self.problem = problem
        self.at = mtime
        said = dated(message.get("Date"))
        if said is not None and (said % 1 or abs(said - mtime) >= SETTLED):
            self.at = said

    @property
    def key(self) -> Key:
        """Its place in the order: time, leading number, name."""
        return self.at, names.order(self.name)

    def event(self, opener: str) -> Event:
        """The event in it, where ``opener`` began its thread; without a body cut short."""
        event = from_message(self.message, self.name, self.at, opener)
        event.at = self.at
        if not self.whole:
            event.body = b""
        if self.problem:
            event.kind, event.problem = "", self.problem
        return event
