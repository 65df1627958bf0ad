"""Reading a message for good: one reader at a time, the receipt only when told to.

A claim is the kernel's lock on the open message, so a reader that dies gives it back.
"""

import errno
import os

from swarm import disk
from swarm.errors import from_os
from swarm.mailbox import receipts
from swarm.mailbox.inbox import Item
from swarm.mailbox.layout import Root
from swarm.message import parse

GONE = frozenset((errno.ENOENT, errno.ESTALE))


class Claim:
    """A message that nobody else reads now: ``item``, all its bytes ``data``, as ``message``.

    ``done()`` after the output was written; leaving a ``with`` block only gives it back.
    """

    __slots__ = ("_agent", "_fd", "_receipt", "_root", "data", "item", "message")

    def __init__(self, root: Root, agent: str, path: str, fd: int, data: bytes) -> None:
        folder, _, name = path.rpartition("/")
        self._root = root
        self._agent = agent
        self._fd = fd
        self._receipt = folder == root.inbox(agent)
        self.data = data
        self.message = parse(data)
        self.item = Item(name, path, self.message, agent if self._receipt else "")

    def done(self) -> None:
        """Write the receipt if the message is in the inbox, and give it back."""
        try:
            if self._receipt:
                receipts.write(self._root, self._agent, self.item.file)
        finally:
            self.close()

    def close(self) -> None:
        """Give the message back; without ``done`` before, as unread as it was."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)

    def __enter__(self) -> "Claim":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def claim(root: Root, agent: str, path: str, again: bool) -> Claim | None:
    """Claim a message; None if another reader has it, it is gone, or (not ``again``) read.

    Raises Unreadable for what cannot be read, Temporary for what may be read later.
    """
    fd = -1
    try:
        fd = disk.open_regular(path)
        if disk.try_lock(fd) and _still(root, agent, path, fd, again):
            claimed = Claim(root, agent, path, fd, disk.read_fd(fd))
            fd = -1
            return claimed
    except OSError as error:
        if error.errno not in GONE:
            raise from_os(error, "read", root.relative(path)) from None
    finally:
        if fd >= 0:
            os.close(fd)
    return None


def look(root: Root, agent: str, path: str) -> Claim | None:
    """The same without claiming it, also while another reader has it; None if it is gone.

    Its ``done()`` is not for calling.  Raises Unreadable or Temporary.
    """
    try:
        return Claim(root, agent, path, -1, disk.read(path))
    except OSError as error:
        if error.errno not in GONE:
            raise from_os(error, "read", root.relative(path)) from None
    return None


def _still(root: Root, agent: str, path: str, fd: int, again: bool) -> bool:
    """Whether, now that it is locked, the message is still there and still to be read."""
    folder, _, name = path.rpartition("/")
    if not again and folder == root.inbox(agent) and receipts.has(root, agent, name):
        return False
    return os.path.samestat(os.fstat(fd), os.lstat(path))
