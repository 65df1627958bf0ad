"""Following the whole tree live; the only home of watchfiles.

Events are hints: they say which mailbox to look at again, and what is new there is the
difference of two listings.  So an overflow, a mailbox moved in whole, a folder deleted and
made again, or a file system without events costs time, never a line.  What came and went
between two looks is known from its event alone.
"""

import os

from swarm import names
from swarm.mailbox.layout import Root
from swarm.mailbox.registry import is_beat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Event

# A full look, whatever the hints say: so often where events do not come.
RESCAN_MS = 2000
# A hint comes after a step in which nothing more changed, or after the most.  This step costs
# 0.7 % of a core, a shorter one more, and a longer one makes every answer wait.
HINT_STEP_MS = 4
HINT_MOST_MS = 12
FOLDERS = {"inbox": "delivered", "inbox/.read": "receipt", "sent": "sent"}
# Of one look: in the order in which things happen to a message.
KINDS = ("registry", "unregistered", "delivered", "sent", "receipt", "archived")

Version = tuple[int, int, int]
Listing = dict[str, dict[str, Version]]


NOTHING = (0, 0, 0)


def watch(root: Root, stop: "Event | None" = None) -> "Iterator[tuple[str, str]]":
    """(kind, path relative to the root) of each change from now on, as it happens.

    Kinds: ``delivered``, ``receipt``, ``sent`` (the sender's copy), ``archived``,
    ``registry`` (an entry made or changed) and ``unregistered``.
    """
    import watchfiles

    seen = {owner: _look(root, owner) for owner in _owners(root)}
    hints = watchfiles.watch(
        root.path, step=10, debounce=50, stop_event=stop, ignore_permission_denied=True,
        watch_filter=None, raise_interrupt=True, rust_timeout=RESCAN_MS, yield_on_timeout=True,
    )  # fmt: skip
    for changes in hints:
        paths = {root.relative(path) for _, path in changes}
        touched = {path.partition("/")[0] for path in paths}
        # A hint about the root itself, or none for so long, says nothing of where.
        everything = not touched or not touched.issubset(seen)
        found: list[tuple[str, str]] = []
        for owner in _owners(root) | set(seen) if everything else touched:
            old, seen[owner] = seen.get(owner, {}), _look(root, owner)
            found += _changes(owner, _with(seen[owner], owner, old, paths), old)
        yield from sorted(found, key=lambda told: (KINDS.index(told[0]), told[1]))


def hints(root: Root, stop: "Event") -> "Iterator[set[str]]":
    """Agents in whose inbox or sent folder something changed; "" where it is not known whose.

    Only hints: a folder made anew may not be followed, an overflow tells nothing.  An empty set
    every two seconds says that the tree is still watched.  Raises where it cannot be; ends
    when ``stop`` is set.
    """
    import watchfiles

    start = len(root.path) + 1
    for changes in watchfiles.watch(
        root.path, step=HINT_STEP_MS, debounce=HINT_MOST_MS, stop_event=stop,
        ignore_permission_denied=True, watch_filter=None, raise_interrupt=False,
        rust_timeout=RESCAN_MS, yield_on_timeout=True,
    ):  # fmt: skip
        owners = {_touched(path[start:]) for _, path in changes}
        owners.discard("dir")
        if owners or not changes:
            yield owners


def _touched(path: str) -> str:
    """The agent whose mail a path is; "dir" for what is no mail of anybody, "" for a folder."""
    owner, _, rest = path.partition("/")
    part, _, name = rest.partition("/")
    if names.is_message_name(name):
        return owner if part in ("inbox", "sent") else "dir"
    return "" if owner != "dir" and not name else "dir"


def _owners(root: Root) -> set[str]:
    """Every folder of the root that may be a mailbox, and the registry."""
    try:
        return {name for name in os.listdir(root.path) if names.is_id(name) or name == "dir"}
    except OSError:  # gone, or not to be read: nothing to see until it is back
        return set()


def _look(root: Root, owner: str) -> Listing:
    """What lies in each folder of an owner: names, and what changes when one is written anew."""
    if owner == "dir":
        return {"": _files(root.dir, True)}
    return {part: _files(f"{root.path}/{owner}/{part}", False) for part in FOLDERS}


def _files(folder: str, versions: bool) -> dict[str, Version]:
    """``versions``: with inode, size and time, for files that are written under their name."""
    try:
        with os.scandir(folder) as entries:
            found = [e for e in entries if names.is_message_name(e.name)]
            if not versions:
                return dict.fromkeys((e.name for e in found), NOTHING)
            stats = ((e.name, e.stat(follow_symlinks=False)) for e in found)
            return {name: (stat.st_ino, stat.st_size, stat.st_mtime_ns) for name, stat in stats}
    except OSError:
        return {}


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


def _changes(owner: str, now: Listing, old: Listing) -> "Iterator[tuple[str, str]]":
    for part, files in now.items():
        before = old.get(part, {})
        for name in files:
            if _differs(before.get(name), files[name]):
                path = "/".join(filter(None, (owner, part, name)))
                yield (_kind(part, name, old, now) if part else "registry"), path
    if owner == "dir":
        for name in old.get("", {}).keys() - now[""].keys():
            yield "unregistered", f"dir/{name}"


def _differs(before: Version | None, now: Version) -> bool:
    """Whether there is something to tell; a guardian's sign of life is nothing."""
    beat = before is not None and before[:2] == now[:2] and is_beat(now[2])
    return before != now and not beat


def _kind(part: str, name: str, old: Listing, now: Listing) -> str:
    """What is new in sent/ was archived if it lay in the inbox or has a receipt."""
    if part != "sent":
        return FOLDERS[part]
    received = {*old.get("inbox", ()), *now["inbox"], *now["inbox/.read"]}
    return "archived" if name in received else "sent"
