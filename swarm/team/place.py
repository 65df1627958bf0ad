"""Where things are under the team home (seed S), and the files beside ``team.db``.

``<home>/<channel>/team.db`` and one folder per session, for detail files and the lock that
says one process speaks for it.
"""

import os
import stat

from swarm import disk, lock, names
from swarm.errors import Conflict, Unknown, Unreadable, UsageError, from_os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DATABASE = "team.db"
LOCK = ".lock"
# What SQLite keeps beside the database: the log, its index, and a log of the older kind.
BESIDE = ("-wal", "-shm", "-journal")


def home(environ: "Mapping[str, str]") -> str:
    """The team home: ``SWARM_TEAM_HOME``, else ``~/.pi/pi-teammate`` (seed S), absolute."""
    given = environ.get("SWARM_TEAM_HOME", "")
    if given:
        return os.path.abspath(given)
    user = environ.get("HOME", "") or os.path.expanduser("~")
    return os.path.abspath(os.path.join(user, ".pi", "pi-teammate"))


def check_channel(name: str) -> str:
    """Return a channel's name if it is one: the rule of agent ids (contract 4).

    UsageError otherwise.  The known client takes any text, which then leads out of the home.
    """
    try:
        return names.check_id(name)
    except UsageError as error:
        message = error.message.replace("an agent id", "a channel name")
        raise UsageError(message, error.hint, code="bad-channel") from None


def channels(team_home: str) -> list[str]:
    """Names of the channels that have a database, sorted; [] where there is no home yet."""
    try:
        found = os.listdir(team_home)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, "list", team_home) from None
    return sorted(
        name
        for name in found
        if names.is_id(name) and os.path.isfile(Place(team_home, name).database)
    )


class Place:
    """The folder of one channel; ``sync`` says whether detail files are synced to disk."""

    __slots__ = ("channel", "folder", "sync")

    def __init__(self, team_home: str, channel: str, sync: bool = True) -> None:
        self.channel = check_channel(channel)
        self.folder = os.path.join(os.path.abspath(team_home), channel)
        self.sync = sync

    @property
    def database(self) -> str:
        """The path of ``team.db``."""
        return f"{self.folder}/{DATABASE}"

    def session(self, session: str) -> str:
        """The folder of one session of ours; UsageError where that is no id."""
        return f"{self.folder}/{names.check_id(session)}"

    def exists(self) -> bool:
        """A channel is there when its database is (as for the known client)."""
        found = self.look()
        return found is not None and stat.S_ISREG(found.st_mode)

    def look(self) -> os.stat_result | None:
        """What has the database's name, None if nothing; not to be let in is another answer."""
        try:
            return os.stat(self.database)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise from_os(error, "look at", self.database, self.folder) from None

    def make(self, session: str = "") -> str:
        """Make the folder of the channel, or of a session in it; return its path.

        Unknown for a session of a channel without a folder: that was moved away, or deleted.
        """
        path = self.session(session) if session else self.folder
        try:
            if session:
                disk.make_folders(self.folder, path)
            else:
                os.makedirs(path, exist_ok=True)
        except OSError as error:
            if session and isinstance(error, FileNotFoundError):
                raise unknown_channel(self) from None
            raise from_os(error, "make", path) from None
        return path

    def write_detail(self, session: str, name: str, data: bytes, sync: bool | None = None) -> str:
        """Store longer text beside the bus before its row is written; return the absolute path.

        ``sync``: False where the caller syncs many at once.

        Whole or not there, never over another file: a taken name gets ``-2``, ``-3`` … before
        its ending; the same bytes again find the file that is there.
        """
        folder = self.make(session)
        stem, ending = os.path.splitext(names.check_id(name))
        for number in range(1, 10_000):
            path = f"{folder}/{name}" if number == 1 else f"{folder}/{stem}-{number}{ending}"
            try:
                if (
                    disk.create(path, data, self.sync if sync is None else sync)
                    or disk.read(path, len(data) + 1) == data
                ):
                    return path
            except OSError as error:
                raise from_os(error, "write to", path) from None
        raise Conflict(f"{folder} holds too many files named {stem}", "give another name")


class Claim:
    """The right to speak for a session: a lock on a file in its folder, held by one process.

    The kernel gives it back when the process ends, however it ends.  Other clients of the
    bus do not know it.
    """

    __slots__ = ("_fd", "_path")

    def __init__(self, place: Place, session: str) -> None:
        """Take it, or raise Conflict with the number of the process that has it."""
        self._path = path = f"{place.make(session)}/{LOCK}"
        try:
            self._fd = lock.take(path)
        except OSError as error:
            raise from_os(error, "lock", path) from None
        if self._fd < 0:
            raise Conflict(
                f"{session} is guarded by another process{_holder(path)}",
                "end that one first, or join under another id",
                code="claimed",
            )

    def holds(self) -> bool:
        """Whether the locked file still has its name: a removed one locks nobody out."""
        try:
            return os.path.samestat(os.fstat(self._fd), os.stat(self._path))
        except OSError:
            return False

    def release(self) -> None:
        """Give it back; twice does no harm."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def is_claimed(place: Place, session: str) -> bool:
    """Whether some process speaks for the session right now; False for what is no id of ours.

    Raises where that cannot be told: a channel may not be wiped then.
    """
    if not names.is_id(session):
        return False
    path = f"{place.session(session)}/{LOCK}"
    try:
        return lock.is_taken(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise from_os(error, "open", path) from None


def is_ours(place: Place, session: str) -> bool:
    """Whether a process of ours ever spoke for the session: another client's agent is not ours."""
    return names.is_id(session) and os.path.isfile(f"{place.session(session)}/{LOCK}")


def _holder(path: str) -> str:
    """The number that the holder wrote into its lock, in words; '' if it says none."""
    try:
        text = disk.read(path, 20).strip()
    except OSError:
        return ""
    return f" (number {text.decode()})" if text.isdigit() else ""


def unknown_channel(place: Place) -> Unknown:
    """The error for a channel that is not there, with the likeliest one meant."""
    team_home = os.path.dirname(place.folder)
    meant = names.closest(place.channel, channels(team_home))
    hint = f"did you mean {meant}?" if meant else f"swarm team create {place.channel} makes it"
    return Unknown(f"no channel {place.channel} in {team_home}", hint, code="unknown-channel")


def wipe(place: Place) -> None:
    """Remove a channel with all its detail files (seed S: "deletes the entire directory").

    The database goes first: what is left of a wipe that was cut short is no channel.
    """
    import shutil

    if os.path.islink(place.folder):
        raise Unreadable(
            f"{place.folder} is a link: what it leads to is not removed",
            "remove the link, or the folder that it leads to, by hand",
        )
    try:
        disk.remove(place.database)
        for suffix in BESIDE:
            disk.remove(place.database + suffix)
        shutil.rmtree(place.folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise from_os(error, "remove", place.folder) from None
