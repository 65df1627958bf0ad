"""One guardian for a mailbox: the kernel's lock on its drafts/, given back however it ends.

Its other folders are locked for moments by whoever writes to them.
"""

import errno
import os
import time

from swarm import disk, lock
from swarm.errors import Conflict, from_os
from swarm.mailbox.layout import Root, check_known, make_box

TRIES, MOMENT = 4, 0.002
FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class MailClaim:
    """The right to guard an agent; Conflict while another process, or claim, has it."""

    __slots__ = ("_agent", "_fd", "_root")

    def __init__(self, root: Root, agent: str) -> None:
        self._root = root
        self._agent = agent
        self._fd = -1
        self._fd = self._take()

    def _take(self) -> int:
        make_box(self._root, self._agent)
        path = self._root.drafts(self._agent)
        try:
            fd = _open(path)
            if self._fd >= 0 and os.path.samestat(os.fstat(fd), os.fstat(self._fd)):
                os.close(fd)  # it is back: who holds its lock is this one
                return self._fd
            for _ in range(TRIES):  # who looks whether it is guarded may hold it for a moment
                if disk.try_lock(fd):
                    return fd
                time.sleep(MOMENT)
            os.close(fd)
        except OSError as error:
            raise from_os(error, "lock", self._root.relative(path)) from None
        raise Conflict(
            f"{self._agent} is guarded by another process",
            "end that one first, if it is to be guarded here",
            code="claimed",
        )

    def check(self) -> None:
        """Take it again where the folder is another one now; Conflict if somebody was faster."""
        if self._fd < 0:
            return
        try:
            if os.path.samestat(os.fstat(self._fd), os.stat(self._root.drafts(self._agent))):
                return
        except OSError:  # gone: made again, if neither the tree nor the agent has gone with it
            if not os.path.isdir(self._root.dir):
                return
            check_known(self._root, self._agent)
        fd = self._take()
        if fd != self._fd:
            self.release()
            self._fd = fd

    def release(self) -> None:
        """Give it back; twice does no harm."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _open(path: str) -> int:
    """The open folder; one for each guarded agent, so the soft limit is raised if need be."""
    try:
        return os.open(path, FLAGS)
    except OSError as error:
        if error.errno != errno.EMFILE:
            raise
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return os.open(path, FLAGS)


def is_claimed(root: Root, agent: str) -> bool:
    """Whether some process guards the agent right now.  Raises where that cannot be told."""
    try:
        return lock.is_taken(root.drafts(agent), FLAGS)
    except OSError as error:
        raise from_os(error, "open", root.relative(root.drafts(agent))) from None
