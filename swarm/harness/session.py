"""What is known of one session of a harness: ``mail/.sessions/HARNESS-SESSION``.

A small file of ``key: value`` lines.  Hooks write it under its own lock and in place; who
only reads it needs no lock: the ``agent`` line comes first, and of a line given twice, as
the end of an older text may, the first counts.
"""

import os
import time

from swarm import disk, names
from swarm.errors import from_os
from swarm.harness.known import HARNESSES, OWN, SHELL
from swarm.mailbox.layout import Root, make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

FOLDER = ".sessions"
PLAIN = names.ALNUM | frozenset("._-")
ESCAPED = PLAIN | {"="}
NAME_MAX = 160
SIZE_MAX = 1 << 20
LIVE_S = 600  # so long after its last hook a session counts as live
PATIENCE_S = 2.0
DOORBELL = ".bell"
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Session:
    """What one file says.

    ``agent``: the id that is kept for the session.  ``serves``: whom its notices were for.
    ``notices``: how many since mail was read, when there were ``receipts`` receipts.
    ``told``: the names of unread messages that it was told of.
    """

    __slots__ = ("agent", "notices", "receipts", "serves", "told")

    def __init__(self) -> None:
        self.agent = ""
        self.serves = ""
        self.notices = 0
        self.receipts = 0
        self.told: list[str] = []

    @property
    def owner(self) -> str:
        """The agent it works for, as far as is known."""
        return self.agent or self.serves


def parse(data: bytes) -> Session:
    """A session's file; what is no line of ours says nothing."""
    found = Session()
    values: dict[str, str] = {}
    for line in os.fsdecode(data).split("\n")[:-1]:
        key, _, value = line.partition(": ")
        if key == "told":
            found.told.append(names.named(value))
        else:
            values.setdefault(key, value)
    for key in ("agent", "serves"):
        value = values.get(key, "")
        setattr(found, key, value if names.is_id(value) else "")
    found.notices, found.receipts = (_number(values.get(k, "")) for k in ("notices", "receipts"))
    return found


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def format_session(found: Session) -> bytes:
    """The same as a file."""
    lines = [
        f"{key}: {getattr(found, key)}\n" for key in ("agent", "serves", "notices", "receipts")
    ]
    lines += [f"told: {names.plain(name)}\n" for name in found.told]
    return os.fsencode("".join(lines))


def file_name(harness: str, session: str) -> str:
    """The name of a session's file; '' for what cannot be one.  Odd characters become ``=xx``."""
    if not PLAIN.issuperset(session):
        session = "".join(
            chr(b) if chr(b) in PLAIN else f"={b:02x}"
            for b in session[:NAME_MAX].encode("utf-8", "surrogateescape")
        )
    name = f"{harness}-{session}"
    return name if session and len(name) <= NAME_MAX else ""


def is_name(text: str) -> bool:
    """Whether a file of that name is a session's."""
    harness, _, rest = text.partition("-")
    return (
        harness in HARNESSES and bool(rest) and len(text) <= NAME_MAX and ESCAPED.issuperset(rest)
    )


def here(env: "Mapping[str, str]") -> list[tuple[str, str]]:
    """(variable, file name) of each session that the environment names, without repeats."""
    found: list[tuple[str, str]] = []
    own = env.get(OWN, "")
    if is_name(own):
        found.append((OWN, own))
    for harness, variable in SHELL.items():
        name = file_name(harness, env.get(variable, ""))
        if name and all(name != other for _, other in found):
            found.append((variable, name))
    return found


def load(root: Root, name: str) -> Session | None:
    """What is known of a session; None where there is no file of it that can be read."""
    try:
        return parse(disk.read(f"{root.path}/{FOLDER}/{name}", SIZE_MAX))
    except OSError:
        return None


class Locked:
    """``with Locked(root, name) as state:`` the session's file for oneself, made if need be.

    ``state.found`` is what it says; ``state.save()`` writes that back.
    """

    __slots__ = ("_fd", "_path", "found", "new")

    def __init__(self, root: Root, name: str) -> None:
        self._path = f"{root.path}/{FOLDER}/{name}"
        self._fd = -1
        self.found = Session()
        self.new = False

    def __enter__(self) -> "Locked":
        self._fd = self._open()
        data = disk.read_fd(self._fd, SIZE_MAX)
        self.new = not data
        self.found = parse(data)
        return self

    def _open(self) -> int:
        """The file, open and locked; again if it was removed meanwhile."""
        while True:
            try:
                fd = os.open(self._path, FLAGS, 0o666)
            except FileNotFoundError:
                make_folder(os.path.dirname(self._path))
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

    def save(self) -> None:
        """Write what ``found`` says, in place, so that the lock stays one for all."""
        data = format_session(self.found)
        os.lseek(self._fd, 0, os.SEEK_SET)
        disk.write_all(self._fd, data)
        os.truncate(self._fd, len(data))

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
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
        raise from_os(error, "write to", f"{FOLDER}/{name}") from None


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


def others(root: Root, agent: str, own: str = "") -> list[Other]:
    """Live sessions of the agent beside one's own, the newest sign first."""
    now, found = time.time(), []
    try:
        with os.scandir(f"{root.path}/{FOLDER}") as entries:
            for entry in entries:
                if entry.name == own or not is_name(entry.name):
                    continue
                ago = now - entry.stat(follow_symlinks=False).st_mtime
                if ago < LIVE_S or _has_doorbell(entry.path):
                    other = load(root, entry.name)
                    if other and other.owner == agent:
                        found.append(Other(entry.name, max(0, int(ago))))
    except OSError:  # no folder, or one that says nothing: nobody is known
        pass
    return sorted(found, key=lambda other: other.ago)


def _has_doorbell(path: str) -> bool:
    """Whether a ``swarm wait --hook`` stands by for the session."""
    folder, _, name = path.rpartition("/")
    try:
        fd = os.open(f"{folder}/.{name}{DOORBELL}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        return disk.is_locked(fd)
    finally:
        os.close(fd)
