"""Looking into mailboxes: what lies there, what is unread, which one is meant.  Writes nothing.

The order of the two listings matters: the inbox first, then its receipts, so that a message
read in between is left out rather than shown again.
"""

import errno
import os
from stat import S_ISREG

from swarm import names
from swarm.errors import Unknown, Unreadable, from_os
from swarm.mailbox.disk import READ_FLAGS, is_regular, open_regular
from swarm.mailbox.layout import Root
from swarm.message import Message, parse

HEAD = 4096
# How far a head grows: until the header has ended, and the first line of a body without Subject.
GROWTH = (65536, 1 << 20)
GONE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ESTALE, errno.EINVAL, errno.EISDIR))
OURS = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM))


class Item:
    """One line of a listing.

    ``flags``: ``malformed``, ``misaddressed``, ``unreadable``.  ``message``: what was read,
    its body perhaps only the beginning; None where it could not be.
    """

    __slots__ = (
        "file",
        "flags",
        "message",
        "path",
        "recipient",
        "sender",
        "status",
        "subject",
        "thread",
    )

    def __init__(self, file: str, path: str, message: Message | None, owner: str = "") -> None:
        """``owner`` is given for mail in somebody's inbox, to flag what is another's."""
        self.file = file
        self.path = path
        self.message = message
        if message is None:
            self.sender = self.recipient = self.subject = self.thread = self.status = ""
            self.flags = ["unreadable"]
            return
        get = message.fields.get
        self.sender = sender = get("from", "")
        self.recipient = recipient = get("to", "")
        subject = get("subject", "")
        self.thread = get("thread", "")
        self.status = get("status", "")
        self.flags = [] if recipient and sender and subject and message.separated else ["malformed"]
        self.subject = subject or message.subject
        if owner and recipient and recipient != owner:
            self.flags.append("misaddressed")

    def record(self, root: Root) -> "dict[str, object]":
        """The fields as ``--json`` shows them."""
        return {
            "file": self.file,
            "from": self.sender,
            "subject": self.subject,
            "to": self.recipient,
            "thread": self.thread,
            "status": self.status,
            "path": root.relative(self.path),
            "flags": self.flags,
        }


def read_head(path: str) -> Message:
    """The header of a message, read without the rest of a long body.  Raises OSError."""
    fd = open_regular(path)
    try:
        return _head(fd, os.read(fd, HEAD))
    finally:
        os.close(fd)


def _head(fd: int, data: bytes) -> Message:
    """Parse a first piece; read on while the header, or a body's first line, is not all there."""
    whole = len(data) < HEAD
    message = parse(data, whole)
    for size in GROWTH:
        if whole or (message.ended and message.fields.get("subject")):
            break
        data += os.read(fd, size - len(data))
        whole = len(data) < size
        message = parse(data, whole)
    return message


def load(root: Root, owner: str, path: str) -> Item | None:
    """The message at ``path``; None if it vanished or is no regular file.

    One that exists but cannot be read is an Item flagged ``unreadable``.
    """
    folder, _, file = path.rpartition("/")
    return _load(path, file, owner if folder == root.inbox(owner) else "")


def _load(path: str, file: str, owner: str) -> Item | None:
    try:
        # open_regular without its calls: a pipe or device says so by fstat before it is read.
        fd = os.open(path, READ_FLAGS)
        try:
            if not S_ISREG(os.fstat(fd).st_mode):
                return None
            message = _head(fd, os.read(fd, HEAD))
        finally:
            os.close(fd)
    except OSError as error:
        return _unreadable(error, path, file)
    return Item(file, path, message, owner)


def _unreadable(error: OSError, path: str, file: str) -> Item | None:
    """What an error on opening a message means for the listing."""
    if error.errno in OURS:
        raise from_os(error, "read", file) from None
    if error.errno in GONE or not _is_mail(path):
        return None
    return Item(file, path, None)


def _is_mail(path: str) -> bool:
    """Whether a listing would show what stands there: a regular file, or one it cannot look at."""
    try:
        return S_ISREG(os.lstat(path).st_mode)
    except OSError as error:
        return error.errno not in GONE


def message_names(folder: str) -> list[str]:
    """The names in a folder that may be mail, in no order; a missing folder has none.

    Raises Unreadable where something else than a readable folder stands there.
    """
    return [name for name in _listing(folder) if name.endswith(".txt") and name[0] != "."]


def _listing(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        for path in (os.path.dirname(folder), folder):
            if os.path.islink(path) and not os.path.exists(path):
                raise _bad(path, "a link that leads nowhere") from None
        return []
    except NotADirectoryError:
        parent = os.path.dirname(folder)
        raise _bad(folder if os.path.isdir(parent) else parent, "a file, not a folder") from None
    except OSError as error:
        raise from_os(error, "list", short(folder)) from None


def short(folder: str) -> str:
    """A mailbox's folder as it is printed, from the agent's name on."""
    parts = folder.split("/")
    if parts[-1] in ("inbox", "drafts", "sent"):
        return "/".join(parts[-2:])
    return "/".join(parts[-3:] if parts[-1] == ".read" else parts[-1:])


def _bad(path: str, what: str) -> Unreadable:
    hint = "swarm doctor says what is wrong and what to do"
    return Unreadable(f"{short(path)} is {what}", hint, code="bad-mailbox")


def unread_names(root: Root, agent: str) -> list[str]:
    """Names in the inbox without a receipt, in order; where .read is unusable, all of them."""
    found = message_names(root.inbox(agent))
    if not found:
        return found
    try:
        read = _listing(root.receipts(agent))
    except Unreadable:
        read = []
    return in_order(set(found).difference(read))


def in_order(found: "set[str] | list[str]") -> list[str]:
    """The same as sorting by ``names.order``, faster for names of our own form."""
    keyed = []
    for name in found:
        head = name.partition("_")[0]
        if len(head) < 19 and head.isascii() and head.isdigit():
            keyed.append((0, int(head), name))
        else:
            keyed.append(names.order(name))
    keyed.sort()
    return [key[2] for key in keyed]


def unread(
    root: Root, agent: str, limit: int | None = None, sender: str = "", thread: str = ""
) -> tuple[list[Item], int]:
    """Unread messages in order, at most ``limit``, and how many more there are.

    ``sender`` and ``thread`` choose before ``limit`` counts.
    """
    inbox = root.inbox(agent)
    pending = unread_names(root, agent)
    chosen: list[Item] = []
    filtered = bool(sender or thread)
    for at, name in enumerate(pending):
        if limit is not None and len(chosen) >= limit and not filtered:
            return chosen, _count(inbox, pending[at:])
        item = _load(f"{inbox}/{name}", name, agent)
        if item is None or (filtered and not _matches(item, sender, thread)):
            continue
        chosen.append(item)
    if limit is None or len(chosen) <= limit:
        return chosen, 0
    return chosen[:limit], len(chosen) - limit


def _matches(item: Item, sender: str, thread: str) -> bool:
    return (not sender or item.sender == sender) and (not thread or item.thread == thread)


def _count(folder: str, found: list[str]) -> int:
    return sum(_is_mail(f"{folder}/{name}") for name in found)


def count_unread(root: Root, agent: str, sender: str = "", thread: str = "") -> int:
    """How many messages ``unread`` would list."""
    if sender or thread:
        return len(unread(root, agent, None, sender, thread)[0])
    return _count(root.inbox(agent), unread_names(root, agent))


def find(root: Root, agent: str, wanted: str) -> str:
    """The absolute path of a message in one's own inbox or sent.

    ``wanted``: its name, the stem of it, its path, or a part that only one name has.  Raises
    Unknown (``unknown-message``, ``ambiguous-message``), and Unreadable for what is no file.
    """
    if wanted in ("", ".", "..") or "\0" in wanted:
        raise _unknown(wanted)
    if "/" in wanted:
        return _by_path(root, agent, wanted)
    boxes = [(root.inbox(agent), message_names(root.inbox(agent)))]
    if wanted not in boxes[0][1] and f"{wanted}.txt" not in boxes[0][1]:
        boxes.append((root.sent(agent), message_names(root.sent(agent))))
    for folder, found in boxes:
        for name in (wanted, f"{wanted}.txt"):
            if name in found:
                return _regular(f"{folder}/{name}")
    for folder, found in boxes:
        path = _by_part(folder, found, wanted)
        if path:
            return path
    raise _unknown(wanted)


def _by_part(folder: str, found: list[str], wanted: str) -> str:
    """The one message whose name has ``wanted`` in it, or ''; ``.txt`` alone says nothing."""
    cut = -4 if wanted in ".txt" else None
    hits = [name for name in found if wanted in name[:cut]]
    mail = in_order([name for name in hits if is_regular(f"{folder}/{name}")])
    if len(mail) > 1:
        raise Unknown(
            f"{names.shown(wanted)} is part of several names: {', '.join(map(_plain, mail))}",
            "give the whole name",
            code="ambiguous-message",
        )
    return _regular(f"{folder}/{(mail or hits)[0]}") if hits else ""


def _plain(name: str) -> str:
    """A name as it may stand in an error: as it is, or quoted and escaped."""
    return name if name.isprintable() else repr(name)


def _by_path(root: Root, agent: str, wanted: str) -> str:
    """A path from the working directory or the root, if it leads into one's own box."""
    folder, _, name = wanted.rpartition("/")
    own = {os.path.realpath(path): path for path in (root.sent(agent), root.inbox(agent))}
    for start in ("", root.path):
        try:
            real = os.path.realpath(os.path.join(start, folder or "/"))
        except (OSError, ValueError):  # the working directory is gone, or no such text on disk
            continue
        if real not in own:
            continue
        found = message_names(own[real])
        for file in (name, f"{name}.txt"):
            if file in found:
                return _regular(f"{own[real]}/{file}")
    raise _unknown(wanted)


def _regular(path: str) -> str:
    if is_regular(path) or _is_mail(path):
        return path
    name = _plain(path.rpartition("/")[2])
    if not os.path.lexists(path):
        raise _unknown(name)
    raise Unreadable(f"{name} is no regular file, so no message", "swarm doctor names such things")


def _unknown(wanted: str) -> Unknown:
    return Unknown(
        f"no message {names.shown(wanted)} in your inbox or sent",
        "swarm unread lists what is unread; a name, its stem or a unique part of it will do",
        code="unknown-message",
    )
