"""Conversations, search and sent mail: reading across one's own inbox and sent/."""

import os

from swarm import names
from swarm.errors import SwarmError, Unknown, UsageError
from swarm.mailbox import disk, inbox, layout
from swarm.mailbox.inbox import Item
from swarm.mailbox.layout import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def _own(root: Root, agent: str) -> list[str]:
    """Paths of all mail in one's own inbox and sent, in order within each."""
    return [
        f"{folder}/{name}"
        for folder in (root.inbox(agent), root.sent(agent))
        for name in inbox.in_order(inbox.message_names(root, folder))
    ]


def _time(item: Item) -> tuple[float, float, str]:
    """Date where it can be read, else the file's time (contract 4), which also breaks ties."""
    from datetime import UTC, datetime

    text = item.message.get("Date") if item.message else ""
    try:
        written = os.lstat(item.path).st_mtime
    except OSError:
        written = 0.0
    try:
        when = datetime.fromisoformat(text)
        stamp = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        stamp = written
    return stamp, written, item.file


def _once(items: list[Item]) -> list[Item]:
    """Each message once: a sent copy and its delivery share name, sender, recipient, subject."""
    seen: dict[tuple[str, str, str, str], Item] = {}
    for item in items:
        seen.setdefault((_original(item), item.sender, item.recipient, item.subject), item)
    return list(seen.values())


def thread(root: Root, agent: str, key: str, everywhere: bool = False) -> list[Item]:
    """The messages whose Thread is exactly ``key``, in time order; Unknown if there is none."""
    if not key.strip():
        raise UsageError("the thread is empty")
    agents = layout.known(root) if everywhere else [agent]
    found = []
    for owner in agents:
        for folder in (root.inbox(owner), root.sent(owner)):
            try:
                found += _in_folder(root, owner, folder, key)
            except SwarmError:
                if owner == agent:
                    raise
                # another's broken mailbox hides nobody else's mail: status and doctor name it
    if not found:
        raise Unknown(f"no thread {key!r} in your mail", "swarm threads lists them",
                      code="unknown-thread")  # fmt: skip
    return sorted(_once(found), key=_time)


def _in_folder(root: Root, owner: str, folder: str, key: str) -> list[Item]:
    """Only files whose first bytes hold the key's are parsed."""
    needle = b"" if "\ufffd" in key else key.encode("utf-8", "surrogatepass")
    found = []
    for name, data in _heads(root, folder):
        if needle in data or len(data) == inbox.HEAD:
            item = inbox.load(root, owner, f"{folder}/{name}")
            if item and item.thread == key:
                found.append(item)
    return found


def _heads(root: Root, folder: str) -> "Iterator[tuple[str, bytes]]":
    """The first bytes of each file; what is gone or unreadable, unread and doctor tell of."""
    wanted = inbox.message_names(root, folder)
    if not wanted:
        return
    at = inbox.open_folder(root, folder)
    try:
        for name in wanted:
            try:
                fd = os.open(name, disk.READ_FLAGS, dir_fd=at)
            except OSError:
                continue
            try:
                data = os.read(fd, inbox.HEAD)
            except OSError:
                continue
            finally:
                os.close(fd)
            yield name, data
    finally:
        os.close(at)


def summary(root: Root, agent: str) -> list[tuple[str, int, str]]:
    """(thread, count, last subject) of one's conversations, the latest last."""
    groups: dict[str, list[Item]] = {}
    for item in _once(_items(root, agent)):
        if item.thread:
            groups.setdefault(item.thread, []).append(item)
    ordered = sorted((sorted(items, key=_time) for items in groups.values()),
                     key=lambda items: _time(items[-1]))  # fmt: skip
    return [(items[0].thread, len(items), items[-1].subject) for items in ordered]


def _items(root: Root, agent: str) -> list[Item]:
    return [item for path in _own(root, agent) if (item := inbox.load(root, agent, path))]


def search(root: Root, agent: str, words: list[str]) -> list[Item]:
    """Mail that holds every one of the words, literally, in any case."""
    wanted = [word.casefold() for word in words if word]
    if not wanted:
        raise UsageError("nothing to search for")
    found = []
    for path in _own(root, agent):
        try:
            text = disk.read(path).decode("utf-8", "replace").casefold()
        except OSError:  # gone, unreadable or no file: doctor tells of it
            continue
        if all(word in text for word in wanted):
            item = inbox.load(root, agent, path)
            if item:
                found.append(item)
    return found


def sent(root: Root, agent: str) -> list[tuple[Item, bool]]:
    """What one sent, and whether the recipient's receipt is there; not what one archived."""
    found = []
    folder = root.sent(agent)
    for name in inbox.in_order(inbox.message_names(root, folder)):
        item = inbox.load(root, agent, f"{folder}/{name}")
        if item is None or item.sender != agent or _original(item) != name:
            continue
        to = item.recipient
        seen = names.is_id(to) and os.path.lexists(f"{root.receipts(to)}/{name}")
        found.append((item, seen))
    return found


def _original(item: Item) -> str:
    """Its name; of mail to oneself archived beside its copy as ``NAME-2.txt`` the copy's."""
    stem, _, number = item.file[:-4].rpartition("-")
    copy = f"{stem}.txt"
    archived = (
        item.sender == item.recipient
        and number.isdecimal()
        and names.split_name(copy) is not None
        and os.path.lexists(f"{os.path.dirname(item.path)}/{copy}")
    )
    return copy if archived else item.file
