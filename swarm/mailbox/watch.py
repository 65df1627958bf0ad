"""Following the whole tree live; the only home of watchfiles.

Events are hints: they say which mailbox to look at again, and what is new there is the
difference of two listings.  So an overflow, a mailbox moved in whole, a folder deleted and
made again, or a file system without events costs time, never a line.  What came and went
between two looks is known from its event alone.
"""

import os
import threading
import time

from swarm import disk, names
from swarm.mailbox.layout import Root
from swarm.mailbox.registry import is_beat
from swarm.message import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from threading import Event

# A full look so often, whatever the hints say.
RESCAN_S = 2.0
RESCAN_MS = 2000
# Of so many quiet times one is used to see which folders there are.
LOOK_AT_FOLDERS = 15
STOP_S = 0.5  # the longest wait, so that a stop is heeded
DEAF_S = 10.0  # without even an empty hint
AGAIN_S = 2.0  # until watching is tried again
# What is gathered to one hint: a person looks at these, a guardian answers by those.
WATCH_STEP_MS, WATCH_MOST_MS = 10, 50
# This step costs 0.85 % of a core; a shorter one more, and a longer one makes answers wait.
HINT_STEP_MS, HINT_MOST_MS = 3, 9
HEADER = 16384  # as much of a file as is read for its sender
FOLDERS = {"inbox": "delivered", "inbox/.read": "receipt", "sent": "sent"}
# Of one look: in the order in which things happen to a message.
KINDS = ("registry", "unregistered", "delivered", "sent", "receipt", "archived")

Version = tuple[int, int, int]
Listing = dict[str, dict[str, Version]]
NOTHING = (0, 0, 0)


def watch(root: Root, stop: "Event | None" = None, only: str = "") -> "Iterator[tuple[str, str]]":
    """(kind, path relative to the root) of each change from now on, as it happens.

    ``only``: of this agent's mailbox and the registry, which costs the same in a large swarm.

    Kinds: ``delivered``, ``receipt``, ``sent`` (the sender's copy), ``archived``,
    ``registry`` (an entry made or changed) and ``unregistered``.
    """
    # Here and not when the first change is asked for: what comes in between is one.
    seen = {owner: _look(root, owner, {}) for owner in _owners(root, only)}
    return _since(root, stop, only, seen)


def _since(
    root: Root, stop: "Event | None", only: str, seen: dict[str, Listing]
) -> "Iterator[tuple[str, str]]":
    pace = WATCH_STEP_MS, WATCH_MOST_MS
    with Ear(lambda ended: _follow(root, ended, pace, entries=True, only=only)) as ear:
        due = time.monotonic() + RESCAN_S
        while not (stop and stop.is_set()):
            paths = ear.wait(min(STOP_S, max(0.0, due - time.monotonic())))
            touched = {path.partition("/")[0] for path in paths}
            # By the clock, however busy it is; and where a hint says nothing of where.
            if time.monotonic() >= due or not touched.issubset(seen):
                began = time.monotonic()
                touched = _owners(root, only) | set(seen)
                yield from _news(root, touched, paths, seen)
                due = time.monotonic() + max(RESCAN_S, 20 * (time.monotonic() - began))
            else:
                yield from _news(root, touched, paths, seen)


def _news(
    root: Root, owners: set[str], paths: set[str], seen: dict[str, Listing]
) -> list[tuple[str, str]]:
    """What changed with these owners since they were seen, which is brought up to date."""
    found: list[tuple[str, str]] = []
    for owner in owners:
        old = seen.get(owner, {})
        seen[owner] = now = _look(root, owner, old)
        found += _changes(root, owner, _with(now, owner, old, paths), old)
    return sorted(found, key=lambda told: (KINDS.index(told[0]), told[1]))


def hints(
    root: Root, stop: "Event", pace: tuple[int, int] = (HINT_STEP_MS, HINT_MOST_MS)
) -> "Iterator[set[str]]":
    """Agents in whose inbox or sent folder something changed; "" where it is not known whose.

    Only hints: an overflow tells nothing.  An empty set now and then says that the tree is
    still watched.  Raises where it cannot be; ends when ``stop`` is set.  ``pace``: milliseconds
    of a step, and of the longest gathering; the steps cost, also where nothing happens.
    """
    for paths in _follow(root, stop, pace, entries=False):
        owners = {_touched(path) for path in paths}
        owners.discard("dir")
        if owners or not paths:
            yield owners


def _follow(
    root: Root, stop: "Event", pace: tuple[int, int], entries: bool, only: str = ""
) -> "Iterator[set[str]]":
    """Paths that changed, relative to the root; "" after folders came or went; none for so long.

    ``entries``: the registry's too; thousands of guardians touch theirs all the time.
    Folder by folder, not the tree: an engine that goes down by itself follows links as well.
    """
    import watchfiles

    start = len(root.path) + 1
    while not stop.is_set():
        folders, quiet = _folders(root, entries, only), 0
        try:
            for changes in watchfiles.watch(
                *folders, recursive=False, step=pace[0], debounce=pace[1], stop_event=stop,
                ignore_permission_denied=True, watch_filter=None, raise_interrupt=False,
                rust_timeout=RESCAN_MS, yield_on_timeout=True,
            ):  # fmt: skip
                paths = {path[start:] for _, path in changes}
                yield paths
                quiet = 0 if paths else quiet + 1
                if _may_be_others(paths, quiet) and _folders(root, entries, only) != folders:
                    break
        except FileNotFoundError:  # a folder that went while watching began
            if not os.path.isdir(root.path):
                raise
        yield {""}


def _may_be_others(paths: set[str], quiet: int) -> bool:
    """Whether it is time to look which folders there are: something else than mail changed."""
    return quiet % LOOK_AT_FOLDERS == 1 or any(map(_may_be_folder, paths))


def _may_be_folder(path: str) -> bool:
    return not path.endswith(".txt") and f"/{disk.TEMP_PREFIX}" not in path


def _folders(root: Root, entries: bool, only: str) -> list[str]:
    """All folders in which something can happen; one reached by a link is nobody's here."""
    found = [root.path]
    for owner in sorted(_owners(root, only) - (set() if entries else {"dir"})):
        box = f"{root.path}/{owner}"
        parts = ("",) if owner == "dir" else ("", "/inbox", "/inbox/.read", "/sent")
        found += [f"{box}{part}" for part in parts if os.path.isdir(f"{box}{part}")]
    return found


class Ear:
    """A thread that hears hints and keeps them; where there are none, ``wait`` just waits.

    ``follow``: gives the hints until its event is set; when it fails it is tried again.
    """

    def __init__(self, follow: "Callable[[Event], Iterable[set[str]]]") -> None:
        self._follow = follow
        self._rung = threading.Condition()
        self._heard: set[str] = set()
        self._notes: list[str] = []
        self._last = float("-inf")
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "Ear":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self) -> set[str]:
        """The hints since the last call; the first begins to listen."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._hear, name="hints", daemon=True)
            self._thread.start()
        with self._rung:
            found, self._heard = self._heard, set()
            return found

    def wait(self, seconds: float) -> set[str]:
        """The same, as soon as there is one, or after that time."""
        found = self.take()
        if not found:
            self.sleep(seconds)
            found = self.take()
        return found

    def sleep(self, seconds: float) -> None:
        """Return at a hint, or after that time."""
        with self._rung:
            if not self._heard:
                self._rung.wait(seconds)

    def hears(self) -> bool:
        """Whether somebody follows right now."""
        return time.monotonic() - self._last < DEAF_S

    def notes(self) -> list[str]:
        """Why nothing can be heard, if so, since the last call."""
        with self._rung:
            found, self._notes = self._notes, []
            return found

    def _hear(self) -> None:
        told = ""
        while not self._stop.is_set():
            try:
                for hinted in self._follow(self._stop):
                    self._ring(hinted)
            except Exception as error:  # whatever the engine of the events raises: looks go on
                if str(error) != told:
                    told = str(error)
                    self._note(f"the mail tree is not watched, only looked at: {told}")
            self._last = float("-inf")
            self._stop.wait(AGAIN_S)

    def _ring(self, hinted: set[str]) -> None:
        self._last = time.monotonic()
        if hinted:
            with self._rung:
                self._heard |= hinted
                self._rung.notify_all()

    def _note(self, text: str) -> None:
        with self._rung:
            self._notes.append(text)

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2.0)


def _touched(path: str) -> str:
    """The agent whose mail a path is; "dir" for what is no mail of anybody, "" for a folder."""
    owner, _, rest = path.partition("/")
    part, _, name = rest.partition("/")
    if names.is_message_name(name):
        return owner if part in ("inbox", "sent") else "dir"
    return "" if owner != "dir" and not name else "dir"


def _owners(root: Root, only: str = "") -> set[str]:
    """Every folder of the root that may be a mailbox, and the registry; or these two."""
    if only:
        return {only, "dir"}
    try:
        return {name for name in os.listdir(root.path) if names.is_id(name) or name == "dir"}
    except OSError:  # gone, or not to be read: nothing to see until it is back
        return set()


def _look(root: Root, owner: str, old: Listing) -> Listing:
    """What lies in each folder of an owner: names, and what changes when one is written anew.

    Of a folder that is away, or cannot be read, what was seen there before.
    """
    parts = {"": True} if owner == "dir" else dict.fromkeys(FOLDERS, False)
    found: Listing = {}
    for part, versions in parts.items():
        files = _files(f"{root.path}/{owner}/{part}".rstrip("/"), versions)
        found[part] = old.get(part, {}) if files is None else files
    return found


def _files(folder: str, versions: bool) -> dict[str, Version] | None:
    """``versions``: with inode, size and time, for files that are written under their name.

    None for a folder that cannot be read, or is not there: it may come back as it was.
    """
    try:
        with os.scandir(folder) as entries:
            found = [e for e in entries if names.is_message_name(e.name)]
    except OSError:
        return None
    if not versions:
        return dict.fromkeys((e.name for e in found), NOTHING)
    return {e.name: version for e in found if (version := _version(e))}


def _version(entry: "os.DirEntry[str]") -> Version | None:
    try:
        stat = entry.stat(follow_symlinks=False)
    except OSError:  # gone since it was listed
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _with(now: Listing, owner: str, old: Listing, paths: set[str]) -> Listing:
    """The listing, and the files that a hint names though they are gone again."""
    full = {part: dict(files) for part, files in now.items()}
    for path in paths:
        folder, _, name = path.rpartition("/")
        part = folder.partition("/")[2]
        if folder.partition("/")[0] == owner != "dir" and part in full:
            if names.is_message_name(name) and name not in old.get(part, {}):
                full[part].setdefault(name, NOTHING)
    return full


def _changes(root: Root, owner: str, now: Listing, old: Listing) -> "Iterator[tuple[str, str]]":
    for part, files in now.items():
        before = old.get(part, {})
        for name in files:
            if _differs(before.get(name), files[name]):
                path = "/".join(filter(None, (owner, part, name)))
                yield (_kind(root, owner, part, name, old, now) if part else "registry"), path
    if owner == "dir":
        for name in old.get("", {}).keys() - now[""].keys():
            yield "unregistered", f"dir/{name}"


def _differs(before: Version | None, now: Version) -> bool:
    """Whether there is something to tell; a guardian's sign of life is nothing."""
    beat = before is not None and before[:2] == now[:2] and is_beat(now[2])
    return before != now and not beat


def _kind(root: Root, owner: str, part: str, name: str, old: Listing, now: Listing) -> str:
    """What is new in sent/ was archived if it lay in the inbox or has a receipt.

    A message to oneself lies in both: there its sender tells.
    """
    if part != "sent":
        return FOLDERS[part]
    received = {*old.get("inbox", ()), *now["inbox"], *now["inbox/.read"]}
    if name not in received or _sender(f"{root.path}/{owner}/sent/{name}") == owner:
        return "sent"
    return "archived"


def _sender(path: str) -> str:
    try:
        return parse(disk.read(path, HEADER)).get("from")
    except OSError:  # gone again, or not to be read
        return ""
