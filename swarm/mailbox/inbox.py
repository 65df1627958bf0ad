"""Looking into mailboxes: what lies there, what is unread, which one is meant.  Writes nothing.

The order of the two listings matters: the inbox first, then its receipts, so that a message
read in between is left out rather than shown again.
"""

import errno
import os
from stat import S_ISREG

from swarm import names
from swarm.disk import READ_FLAGS, open_regular
from swarm.errors import Unreadable, from_os
from swarm.mailbox.layout import Root, at_fault, bad_mailbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from swarm.mailbox.plain import Values
    from swarm.message import Message

HEAD = 4096
# How far a head grows at first: until the header has ended, and the first line of a body
# without Subject.
GROWTH = 65536
GONE = frozenset(
    (
        errno.ENOENT,
        errno.ENOTDIR,
        errno.ESTALE,
        errno.ELOOP,
        errno.ENXIO,
        errno.EAGAIN,
        errno.EINVAL,
        errno.EISDIR,
        errno.ESPIPE,
    )
)
# Messages whose beginnings are looked at together.
TOGETHER = 256
_new = object.__new__
OURS = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM))


class Item:
    """One line of a listing.

    ``flags``: ``malformed``, ``misaddressed``, ``unreadable``.  ``message``: what was read,
    its body perhaps only the beginning; None where it could not be.
    """

    __slots__ = (
        "_data",
        "_folder",
        "_message",
        "date",
        "file",
        "flags",
        "recipient",
        "sender",
        "status",
        "subject",
        "thread",
    )

    def __init__(self, file: str, folder: str, message: "Message | None", owner: str = "") -> None:
        """``owner`` is given for mail in somebody's inbox, to flag what is another's."""
        self._data = b""
        self._message = message
        self.file = file
        self._folder = folder
        fields = {} if message is None else message.fields
        self.sender = fields.get("from", "")
        self.recipient = fields.get("to", "")
        self.subject = "" if message is None else message.subject
        self.thread = fields.get("thread", "")
        self.status = fields.get("status", "")
        self.date = fields.get("date", "")
        self.flags = ["unreadable"] if message is None else []
        if message is not None and message.malformed:
            self.flags.append("malformed")
        if owner and self.recipient and self.recipient != owner:
            self.flags.append("misaddressed")

    @property
    def path(self) -> str:
        """Where it lies."""
        return f"{self._folder}/{self.file}"

    @property
    def unreadable(self) -> bool:
        """Whether it is there but could not be read."""
        return "unreadable" in self.flags

    @property
    def message(self) -> "Message | None":
        """The message with all its headers; parsed only now if the listing did not need to."""
        if self._message is None and self._data:
            from swarm.message import parse

            self._message = parse(self._data, len(self._data) < HEAD)
        return self._message

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


def read_head(path: str) -> "Message":
    """The header of a message, read without the rest of a long body.  Raises OSError."""
    fd = open_regular(path)
    try:
        return _head(fd, os.read(fd, HEAD))
    finally:
        os.close(fd)


def _head(fd: int, data: bytes) -> "Message":
    """Parse a first piece; read on while the header, or a body's first line, is not all there."""
    from swarm.message import FALLBACK_WITHIN, HEADER_MAX, parse

    whole = len(data) < HEAD
    message = parse(data, whole)
    for size in (GROWTH, HEADER_MAX + FALLBACK_WITHIN):
        if whole or message.settled:
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
    return _load(folder, file, owner if folder == root.inbox(owner) else "")


def _load(folder: str, file: str, owner: str) -> Item | None:
    path = f"{folder}/{file}"
    try:
        fd = os.open(path, READ_FLAGS)
        try:
            # A pipe has no position and a folder no bytes: both are errors, nothing blocks.
            data = os.pread(fd, HEAD, 0)
            if not S_ISREG(os.fstat(fd).st_mode):
                return None
            os.lseek(fd, len(data), os.SEEK_SET)
            return Item(file, folder, _head(fd, data), owner)
        finally:
            os.close(fd)
    except OSError as error:
        if error.errno in OURS:
            raise from_os(error, "read", file) from None
        return None if error.errno in GONE or not is_mail(path) else Item(file, folder, None)


def items(
    root: Root, owner: str, folder: str, found: list[str], together: int = TOGETHER
) -> "Iterator[Item | None]":
    """The same of many in one folder, in the order of their names.

    Most are told by their beginnings, so many ``together``; only the rest is parsed.
    """
    if not found:
        return
    from swarm.mailbox.plain import values

    addressed = owner if folder == root.inbox(owner) else ""
    fd = open_folder(root, folder)
    try:
        for first in range(0, len(found), together):
            chunk = found[first : first + together]
            told = _beginnings(fd, chunk)
            for name, data, row in zip(chunk, told, values(told), strict=True):
                if row is None:
                    yield _parsed(name, folder, data, addressed)
                else:
                    yield _told(name, folder, data, row, addressed)
    finally:
        os.close(fd)


def _beginnings(folder: int, found: list[str]) -> list[bytes]:
    """The first bytes of each file; of what cannot be read none, for ``_load`` to say why."""
    told = []
    for name in found:  # by name alone: finding the folder for each would take a tenth more
        try:
            fd = os.open(name, READ_FLAGS, dir_fd=folder)
        except OSError:
            told.append(b"")
            continue
        try:
            told.append(os.pread(fd, HEAD, 0))
        except OSError:
            told.append(b"")
        finally:
            os.close(fd)
    return told


def _parsed(file: str, folder: str, data: bytes, owner: str) -> Item | None:
    """An item of other form; of a short one all is known but whether it is a regular file."""
    if not 0 < len(data) < HEAD:
        return _load(folder, file, owner)
    from swarm.message import parse

    return Item(file, folder, parse(data), owner) if is_mail(f"{folder}/{file}") else None


def _told(file: str, folder: str, data: bytes, row: "Values", owner: str) -> Item:
    """An item that was not parsed."""
    item = _new(Item)
    item._data = data
    item._message = None
    item._folder = folder
    item.file = file
    item.recipient, item.sender, item.subject, item.thread, item.status, item.date = row
    item.flags = ["misaddressed"] if owner and item.recipient != owner else []
    return item


def is_mail(path: str) -> bool:
    """Whether a listing would show what stands there: a regular file, or one it cannot look at."""
    try:
        return S_ISREG(os.lstat(path).st_mode)
    except OSError as error:
        return error.errno not in GONE


def message_names(root: Root, folder: str) -> list[str]:
    """The names in a folder that may be mail, in no order; a missing folder has none.

    Raises Unreadable where something else than a readable folder stands there.
    """
    return _messages(_listing(root, folder))


def _messages(found: list[str]) -> list[str]:
    return [name for name in found if name.endswith(".txt") and name[0] != "."]


def _listing(root: Root, folder: str) -> list[str]:
    return _listed(root, folder) or []


def _listed(root: Root, folder: str) -> list[str] | None:
    """All names in a folder; None where there is none."""
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        for path in (os.path.dirname(folder), folder):
            if os.path.islink(path) and not os.path.exists(path):
                raise bad_mailbox(root, path, "a link that leads nowhere") from None
        return None
    except NotADirectoryError:
        parent = os.path.dirname(folder)
        wrong = folder if os.path.isdir(parent) else parent
        raise bad_mailbox(root, wrong, "a file, not a folder") from None
    except OSError as error:
        fault = root.relative(at_fault(root, folder))
        raise from_os(error, "list", root.relative(folder), fault) from None


def unread_names(root: Root, agent: str) -> list[str]:
    """Names in the inbox without a receipt, in order; where .read is unusable, all of them."""
    found = message_names(root, root.inbox(agent))
    return _without(found, _receipts(root, agent)) if found else []


def unread_of(root: Root, agent: str, found: set[str]) -> set[str]:
    """Which of the names just found in the inbox have no receipt."""
    return found.difference(_receipts(root, agent)) if found else set()


def surely_unread(root: Root, agent: str) -> set[str] | None:
    """The names without a receipt; None where the inbox, or its folder of receipts, is not there.

    Raises where receipts cannot be listed: what was read long ago would be taken for new.
    """
    found = _listed(root, root.inbox(agent))
    read = _listed(root, root.receipts(agent))
    return None if found is None or read is None else set(_messages(found)).difference(read)


def unread_and_receipts(root: Root, agent: str) -> tuple[list[str], list[str]]:
    """The names of unread messages in order, and the names of all receipts."""
    found = message_names(root, root.inbox(agent))
    read = _receipts(root, agent)
    return _without(found, read), read


def _receipts(root: Root, agent: str) -> list[str]:
    try:
        return _listing(root, root.receipts(agent))
    except Unreadable:
        return []


def _without(found: list[str], read: list[str]) -> list[str]:
    return in_order(set(found).difference(read) if read else found)


def in_order(found: "set[str] | list[str]") -> list[str]:
    """The same as sorting by ``names.order``, faster for names of our own form."""
    heads = [name.partition("_")[0] for name in found]
    joined = "".join(heads)
    if joined.isascii() and joined.isdigit():
        try:
            return [name for _, name in sorted(zip(map(int, heads), found, strict=True))]
        except ValueError:  # none, or more digits than int() takes
            pass
    return sorted(found, key=names.order)


def unread(
    root: Root, agent: str, limit: int | None = None, sender: str = "", thread: str = ""
) -> tuple[list[Item], int]:
    """Unread messages in order, at most ``limit``, and how many more there are.

    ``sender`` and ``thread`` choose before ``limit`` counts; what cannot be read may be meant.
    """
    inbox = root.inbox(agent)
    pending = unread_names(root, agent)
    filtered = bool(sender or thread)
    if limit == 0 and not filtered:
        return [], _count(inbox, pending)
    chosen: list[Item] = []
    told = items(root, agent, inbox, pending, min(limit or TOGETHER, TOGETHER))
    for at, item in enumerate(told, 1):
        if item is not None and (not filtered or _matches(item, sender, thread)):
            chosen.append(item)
        if not filtered and len(chosen) == limit:
            return chosen, _count(inbox, pending[at:])
    if limit is None or len(chosen) <= limit:
        return chosen, 0
    return chosen[:limit], len(chosen) - limit


def open_folder(root: Root, path: str) -> int:
    """A folder, open so that its files can be opened by name alone.  Raises SwarmError."""
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        fault = root.relative(at_fault(root, path))
        raise from_os(error, "open", root.relative(path), fault) from None


def _matches(item: Item, sender: str, thread: str) -> bool:
    if item.unreadable:
        return True
    return (not sender or item.sender == sender) and (not thread or item.thread == thread)


def _count(folder: str, found: list[str]) -> int:
    return sum(is_mail(f"{folder}/{name}") for name in found)


def count_unread(root: Root, agent: str, sender: str = "", thread: str = "") -> int:
    """How many messages ``unread`` would list."""
    if sender or thread:
        return len(unread(root, agent, None, sender, thread)[0])
    return _count(root.inbox(agent), unread_names(root, agent))
