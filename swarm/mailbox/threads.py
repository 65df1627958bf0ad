"""Conversations, search and sent mail: reading across one's own inbox and sent/."""

import os
from stat import S_ISREG

from swarm import disk, names
from swarm.errors import SwarmError, Unknown, Unreadable, UsageError, from_os
from swarm.mailbox import inbox, layout, receipts
from swarm.mailbox.inbox import Item
from swarm.mailbox.layout import Root

Found = tuple[list[Item], list[Item]]
STATUS_LINE = 64  # and its like: as long as a line that ``mark`` writes, or longer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from swarm.message import Message


def _own(root: Root, agent: str) -> Found:
    """All mail in one's own inbox and sent, in order within each, and what cannot be read."""
    items = [
        item for box in (root.inbox(agent), root.sent(agent)) for item in _all(root, agent, box)
    ]
    return [i for i in items if not i.unreadable], [i for i in items if i.unreadable]


def _all(root: Root, agent: str, folder: str) -> list[Item]:
    found = inbox.in_order(inbox.message_names(root, folder))
    return [item for item in inbox.items(root, agent, folder, found) if item]


def _time(item: Item) -> tuple[float, float, str]:
    """Date where it can be read, else the file's time (contract 4), which also breaks ties."""
    from swarm.dates import dated  # a search needs no calendar

    try:
        written = os.lstat(item.path).st_mtime
    except OSError:
        written = 0.0
    stamp = dated(item.date)
    return written if stamp is None else stamp, written, item.file


def _once(items: list[Item]) -> list[Item]:
    """Each message once: a sent copy and its delivery share all but the Status."""
    alike: dict[tuple[str, ...], list[Item]] = {}
    kept: list[Item] = []
    for item in items:
        key = (_original(item), item.sender, item.recipient, item.subject, item.date)
        others = alike.setdefault(key, [])
        if not others or _says(item) not in map(_says, others):  # most are alike to none
            others.append(item)
            kept.append(item)
    return kept


def _says(item: Item) -> bytes:
    return _beginning(item.message) if item.message else b""


def _beginning(message: "Message") -> bytes:
    """As much of its body as was read of each copy, though one was marked since."""
    fields = {name: value for name, value in message.fields.items() if name != "status"}
    head = len("".join([*fields, *fields.values()]).encode()) + len(": \r\n") * len(fields)
    return message.body[: max(0, min(inbox.HEAD // 2, inbox.HEAD - STATUS_LINE - head))]


def thread(root: Root, agent: str, key: str) -> Found:
    """The messages whose Thread is exactly ``key`` in time order, and those it cannot read.

    In the agent's own mail, or for '' in everybody's.  Unknown if there is none.
    """
    if not key.strip(" \t"):
        raise UsageError("the thread is empty")
    found: list[Item] = []
    unreadable: list[Item] = []
    for owner in [agent] if agent else layout.known(root):
        for folder in (root.inbox(owner), root.sent(owner)):
            try:
                _in_folder(root, owner, folder, key, found, unreadable)
            except SwarmError:
                if owner == agent:
                    raise
                # another's broken mailbox hides nobody else's mail: status and doctor name it
    if found:
        return sorted(_once(found), key=_time), unreadable
    if unreadable:
        first = root.relative(unreadable[0].path)
        raise Unreadable(f"no thread {key!r} in what can be read; {first} cannot")
    known = [thread for thread, _, _ in summary(root, agent)[0]] if agent else []
    meant = names.closest(key, known)
    hint = f"did you mean {meant}?" if meant else "swarm threads lists yours"
    raise Unknown(f"no thread {key!r} in your mail", hint, code="unknown-thread")


def _in_folder(
    root: Root, owner: str, folder: str, key: str, found: list[Item], unreadable: list[Item]
) -> None:
    """Add what belongs to the thread; only files whose first bytes hold its key are parsed."""
    needle = b"" if "\ufffd" in key else key.encode("utf-8", "surrogatepass")
    for name, data in _heads(root, folder):
        if data is None or needle in data or len(data) == inbox.HEAD:
            item = inbox.load(root, owner, f"{folder}/{name}")
            if item and item.unreadable:
                unreadable.append(item)
            elif item and item.thread == key:
                found.append(item)


def _heads(root: Root, folder: str, whole: bool = False) -> "Iterator[tuple[str, bytes | None]]":
    """The first bytes of each file, or all; None for what is gone or cannot be read."""
    wanted = inbox.message_names(root, folder)
    if not wanted:
        return
    at = inbox.open_folder(root, folder)
    try:
        for name in wanted:
            data = None
            try:
                fd = os.open(name, disk.READ_FLAGS, dir_fd=at)
                try:
                    data = os.read(fd, inbox.HEAD)
                    if whole and len(data) == inbox.HEAD and S_ISREG(os.fstat(fd).st_mode):
                        data += disk.read_fd(fd)
                finally:
                    os.close(fd)
            except OSError:
                pass  # ``inbox.load`` says why
            yield name, data
    finally:
        os.close(at)


def summary(root: Root, agent: str) -> tuple[list[tuple[str, int, str]], list[Item]]:
    """(thread, count, last subject) of one's conversations, the latest last, and the unreadable."""
    groups: dict[str, list[Item]] = {}
    items, unreadable = _own(root, agent)
    for item in _once(items):
        if item.thread:
            groups.setdefault(item.thread, []).append(item)
    ordered = sorted((sorted(group, key=_time) for group in groups.values()),
                     key=lambda group: _time(group[-1]))  # fmt: skip
    return [(group[0].thread, len(group), group[-1].subject) for group in ordered], unreadable


def search(root: Root, agent: str, words: list[str]) -> Found:
    """Mail that holds every one of the words, literally, in any case; and the unreadable."""
    wanted = [word.casefold() for word in words if word]
    if not wanted:
        raise UsageError("nothing to search for")
    found: list[Item] = []
    for folder in (root.inbox(agent), root.sent(agent)):
        texts = _heads(root, folder, whole=True)
        read = {name: data is not None for name, data in texts if _may_hold(data, wanted)}
        for name in inbox.in_order(set(read)):
            item = inbox.load(root, agent, f"{folder}/{name}")
            if item and (item.unreadable or read[name]):
                found.append(item)
    return _once([i for i in found if not i.unreadable]), [i for i in found if i.unreadable]


def _may_hold(data: bytes | None, wanted: list[str]) -> bool:
    if data is None:
        return True
    text = data.decode("utf-8", "replace").casefold()
    return all(word in text for word in wanted)


def sent(root: Root, agent: str) -> list[tuple[Item, bool]]:
    """What one sent, and whether the recipient's receipt is there; not what one archived."""
    found = []
    for item in _all(root, agent, root.sent(agent)):
        name = item.file
        if item.sender != agent or _original(item) != name:
            continue
        to = item.recipient
        seen = names.is_id(to) and any(receipts.has(root, to, n) for n in _delivered_as(name))
        found.append((item, seen))
    return found


def hidden_receipts(root: Root, found: list[tuple[Item, bool]]) -> list[SwarmError]:
    """The recipients of what was sent of whom it cannot be seen what they have read."""
    errors: list[SwarmError] = []
    for agent in sorted({item.recipient for item, _ in found if names.is_id(item.recipient)}):
        folder = root.receipts(agent)
        try:
            disk.is_there(f"{folder}/.")
        except OSError as error:
            fault = root.relative(layout.at_fault(root, f"{folder}/."))
            errors.append(from_os(error, "look into", root.relative(folder), fault))
    return errors


def _delivered_as(name: str) -> tuple[str, ...]:
    """The names under which a copy may have been delivered: a racing send may have had its name,
    so that the copy got a number behind."""
    stem, _, number = name[:-4].rpartition("-")
    return (name, f"{stem}.txt") if stem and number.isdecimal() else (name,)


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
