"""The files of sessions: one for oneself to write, all of them, and their doorbells."""

import os
import time

from swarm import disk
from swarm.errors import from_os
from swarm.harness.known import MARKS
from swarm.harness.session import FOLDER, SIZE_MAX, Session, format_session, is_name, load, parse
from swarm.mailbox.layout import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LIVE_S = 600  # so long after its last hook a session counts as live
PATIENCE_S = 2.0
FLAGS = disk.OWN_FLAGS | os.O_RDWR


class Locked:
    """``with Locked(root, name) as state:`` the session's file for oneself, made if need be.

    ``state.found`` is what it says; ``state.save()`` writes that back, if it is another now.
    ``state.reserve()`` takes the room for that before something is done that it tells of.
    """

    __slots__ = ("_fd", "_path", "_was", "found", "new")

    def __init__(self, root: Root, name: str) -> None:
        self._path = f"{root.path}/{FOLDER}/{name}"
        self._fd = -1
        self._was = b""
        self.found = Session()
        self.new = False

    def __enter__(self) -> "Locked":
        self._fd = self._open()
        self._was = disk.read_fd(self._fd, SIZE_MAX)
        self.new = not self._was
        self.found = parse(self._was)
        return self

    def _open(self) -> int:
        """The file, open and locked; again if it was removed meanwhile."""
        while True:
            try:
                fd = os.open(self._path, FLAGS, 0o666)
            except FileNotFoundError:
                folder = os.path.dirname(self._path)
                disk.make_folders(os.path.dirname(folder), folder)
                continue
            try:
                _lock(fd)
                if os.path.samestat(os.fstat(fd), os.stat(self._path)):
                    return fd
            except FileNotFoundError:
                pass
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)

    def reserve(self) -> None:
        """Have the disk's room for what ``save`` will write, where that can be asked for."""
        ask = getattr(os, "posix_fallocate", None)
        try:
            if ask:
                ask(self._fd, 0, len(format_session(self.found)))
        except OSError as error:
            if error.errno not in disk.NO_SYNC:
                raise

    def save(self) -> None:
        """Write what ``found`` says, in place, so that the lock stays one for all."""
        data = format_session(self.found)
        if data == self._was:
            return
        os.lseek(self._fd, 0, os.SEEK_SET)
        disk.write_all(self._fd, data)
        os.truncate(self._fd, len(data))
        self._was = data

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def _lock(fd: int) -> None:
    """Who has it keeps it for moments; a stopped one must not stop a harness: TimeoutError."""
    end = time.monotonic() + PATIENCE_S
    while not disk.try_lock(fd):
        if time.monotonic() > end:
            raise TimeoutError("another has the session's file")
        time.sleep(0.002)


def keep(root: Root, name: str, agent: str) -> None:
    """Keep an agent's id for a session; '' for none."""
    try:
        with Locked(root, name) as state:
            state.found.agent = agent
            state.save()
    except OSError as error:
        raise from_os(error, "write to", f"{root.path}/{FOLDER}/{name}") from None


class Other:
    """Another session that works for the same agent, and the seconds since its last sign."""

    __slots__ = ("ago", "name")

    def __init__(self, name: str, ago: int) -> None:
        self.name = name
        self.ago = ago

    @property
    def harness(self) -> str:
        """The harness that it is a session of."""
        return self.name.partition("-")[0]


def names_of(root: Root, harness: str = "") -> list[str]:
    """The names of all files of sessions, or of those of one harness."""
    try:
        found = os.listdir(f"{root.path}/{FOLDER}")
    except OSError:  # no folder, or one that says nothing
        return []
    return [n for n in found if is_name(n) and (not harness or n.startswith(f"{harness}-"))]


def others(root: Root, agent: str, own: str = "") -> list[Other]:
    """Live sessions of the agent beside one's own, the newest sign first."""
    now, found = time.time(), []
    for name in names_of(root):
        path = f"{root.path}/{FOLDER}/{name}"
        try:
            ago = now - os.lstat(path).st_mtime
        except OSError:
            continue
        if name != own and (abs(ago) < LIVE_S or has_doorbell(path)):  # a time to come is no sign
            other = load(root, name)
            if other and other.owner == agent and not other.ended:
                found.append(Other(name, max(0, int(ago))))
    return sorted(found, key=lambda other: other.ago)


def beside(found: list[Other], env: "Mapping[str, str]") -> list[Other]:
    """Those without one's own where its harness names it to nobody: if there is but one of it."""
    for harness, mark in MARKS.items():
        likely = [other for other in found if other.harness == harness]
        if env.get(mark) and len(likely) == 1:
            return [other for other in found if other is not likely[0]]
    return found


def doorbell(path: str) -> str:
    """The file that the doorbell of a session has locked, by the path of the session's."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}.bell"


def has_doorbell(path: str) -> bool:
    """Whether a ``swarm wait --hook`` stands by for the session."""
    try:
        fd = os.open(doorbell(path), disk.READ_FLAGS)
    except OSError:
        return False
    try:
        return disk.is_locked(fd)
    finally:
        os.close(fd)


def end_doorbell(root: Root, name: str) -> None:
    """Have the doorbell of a session end: without its file it soon does."""
    disk.remove(doorbell(f"{root.path}/{FOLDER}/{name}"))
