"""The doorbell of an idle session: ``swarm wait --hook`` waits for news, says it, and ends.

It belongs to the harness that started it.  It ends when that does, when the session does, or
when a newer one of the session takes over: the file ``.NAME.bell`` is no longer its own then.
"""

import os
import select
import time

from swarm import disk
from swarm.errors import SwarmError
from swarm.harness import session, sessions
from swarm.harness.hook import Place, Post, speaker
from swarm.harness.telling import tell
from swarm.mailbox.wait import Bell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from swarm.identity import Identity

# Harnesses give it an hour: it ends by itself a little before.
TIMEOUT = 3590.0
LOOK = 1.0
COMMAND_MAX = 4 << 20
# So often the folders are listed even if they seem unchanged: remote mounts tell late.
LIST = 10.0
GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL
NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def ring(place: Place, given: str | None, timeout: float, say: "Callable[[str], None]") -> bool:
    """Wait for news of the session and say it; False if it ended without."""
    who = place.who(given)
    if not who or not place.name or place.asked.subagent or not wakes(place.env):
        return False
    root, parent, end = place.root, os.getppid(), time.monotonic() + timeout
    inbox, seen, listed, rang = root.inbox(who.agent), [(0, 0)], 0.0, True
    said: list[str] = []

    def speak(text: str) -> None:
        said.append(text)
        say(text)

    with Own(sessions.doorbell(place.path)) as own, Bell(inbox) as bell:
        while own.still() and os.getppid() == parent and not _unheard():
            bell.arm()
            now, looks = time.monotonic(), [_changed(inbox), _changed(root.receipts(who.agent))]
            # Two changes may have one time: that it rang counts, too.
            if rang or looks != seen or now - listed > LIST:
                try:
                    _look(place, who, own, speak)
                    seen, listed = looks, now
                except (OSError, SwarmError):
                    pass  # a disk full, an inbox away for a while: again in a moment
                if said:
                    return True
            left = end - time.monotonic()
            if left <= 0:
                break
            rang = bell.wait(min(LOOK, left))
    return False


def _look(place: Place, who: "Identity", own: "Own", say: "Callable[[str], None]") -> None:
    """Say what is new."""
    state = session.load(place.root, place.name) or session.Session()
    if Post(place.root, who.agent).fresh(state) and own.still():
        tell(place.root, place.name, who.agent, say, speaker(place, who))


def wakes(env: "Mapping[str, str]") -> bool:
    """Whether Claude Code runs us in the background, where alone there is somebody to wake.

    ``claude -p`` answers once: it waits for all of its hooks before it ends, for us an hour.
    It hears more than one prompt, and goes on beside its hooks, only where they come as a
    stream, as an SDK sends them; nothing but its command line tells.
    """
    if env.get("CLAUDE_CODE_ENTRYPOINT", "cli") == "cli":
        return True
    words = _command_line(env.get("CLAUDE_PID", ""))
    return b"--input-format stream-json" in words.replace(b"=", b" ")


def _command_line(process: str) -> bytes:
    """The words of a running process, b'' where that cannot be told."""
    if not (process.isascii() and process.isdigit()):
        return b""
    try:
        return disk.read(f"/proc/{process}/cmdline", COMMAND_MAX).replace(b"\0", b" ")
    except OSError:
        from subprocess import SubprocessError, run

    try:  # no such folder, as on macOS
        return run(["ps", "-o", "args=", "-p", process], capture_output=True, timeout=5).stdout
    except (OSError, SubprocessError):
        return b""


def _changed(folder: str) -> tuple[int, int]:
    """Which folder it is, and when it was last changed."""
    try:
        found = os.stat(folder)
    except OSError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns


def _unheard() -> bool:
    """Whether nobody is left to read what we say: a shell between us may outlive the harness."""
    poll = select.poll()
    poll.register(2, 0)
    return any(what & GONE for _, what in poll.poll(0))


class Own:
    """``with Own(path):`` the file of a session's one doorbell, locked, instead of an older."""

    __slots__ = ("_fd", "_path")

    def __init__(self, path: str) -> None:
        self._path = path
        self._fd = -1

    def __enter__(self) -> "Own":
        folder = os.path.dirname(self._path)
        disk.make_folders(os.path.dirname(folder), folder)
        while self._fd < 0:
            disk.remove(self._path)
            try:
                self._fd = os.open(self._path, NEW, 0o666)
            except FileExistsError:  # another begins just now: the last one is it
                continue
        disk.try_lock(self._fd)
        return self

    def still(self) -> bool:
        """Whether no newer one has taken its place, and the session has not ended."""
        try:
            return os.path.samestat(os.fstat(self._fd), os.stat(self._path))
        except OSError:
            return False

    def __exit__(self, *_: object) -> None:
        if self.still():
            disk.remove(self._path)
        os.close(self._fd)
