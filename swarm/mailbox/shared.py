"""A tree that several users of one group share, kept apart by the kernel (docs/security.md).

That it is shared is told by the modes of ``dir/`` and by nothing else.  An inbox is a folder
in which the group may make files and no more; a default access list gives each of them to its
sender and to the owner of the mailbox, whatever the umask.
"""

import errno
import os
import struct
from stat import S_IMODE

from swarm import disk
from swarm.errors import Conflict, SwarmError, Unreadable, UsageError, from_os

COMMON = 0o3770  # the group makes files; nobody but its owner renames or removes one
# The folders of a mailbox; "" is the mailbox itself, opened last and so whole.
BOX = {
    "inbox/.read": 0o2710,
    "drafts": 0o2700,
    "sent": 0o2700,
    "results": 0o2710,
    "inbox": 0o3730,
    "": 0o2710,
}
DEFAULT, ACCESS = "system.posix_acl_default", "system.posix_acl_access"
USER_OBJ, USER, GROUP_OBJ, MASK, OTHER = 0x01, 0x02, 0x04, 0x10, 0x20
NOBODY = 0xFFFFFFFF
R, RW = 4, 6
OWN_AND_GROUP = ((USER_OBJ, RW, NOBODY), (GROUP_OBJ, R, NOBODY), (OTHER, 0, NOBODY))
OWN = ((USER_OBJ, RW, NOBODY), (GROUP_OBJ, 0, NOBODY), (OTHER, 0, NOBODY))
# What users have in common, and who may read a file that one of them makes there.
IN_COMMON = {"dir": OWN_AND_GROUP, ".guardians": OWN_AND_GROUP, ".sessions": OWN, ".nudges": OWN}
NO_LISTS = frozenset((errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EPERM))
HELD = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def acl(entries: tuple[tuple[int, int, int], ...]) -> bytes:
    """An access list as the kernel keeps it."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def for_inbox(owner: int) -> tuple[tuple[int, int, int], ...]:
    """What a file in an inbox gets: its sender writes it, ``owner`` reads it."""
    sender, group = (USER_OBJ, RW, NOBODY), (GROUP_OBJ, 0, NOBODY)
    return (sender, (USER, R, owner), group, (MASK, RW, NOBODY), (OTHER, 0, NOBODY))


def group_id(group: str) -> int:
    """The number of a group; UsageError where there is none, or the caller is not in it."""
    import grp

    try:
        number = int(group) if group.isdecimal() else grp.getgrnam(group).gr_gid
    except (KeyError, ValueError):
        raise UsageError(f"no group {group!r} here", "name one of: id -Gn", "no-group") from None
    if os.geteuid() and number not in (os.getegid(), *os.getgroups()):
        raise UsageError(f"you are not in the group {group}", "name one of: id -Gn", "no-group")
    return number


def user(number: int) -> str:
    """A user in words."""
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def make_tree(path: str, group: int) -> list[str]:
    """Make what is common, ``dir/`` last of that which marks it; returns what was made.

    SwarmError, and nothing is left, where the file system keeps no access lists.
    """
    made = []
    try:
        made += _made(path)
        for name, files in IN_COMMON.items():
            made += _made(f"{path}/{name}")
            _secure(f"{path}/{name}", COMMON, files, group)
        _secure(path, COMMON, None, group)
    except OSError as error:
        for folder in reversed(made):
            disk.remove_folder(folder)
        raise _refused(error, path) from None
    return made


def make_box(path: str, group: int) -> list[str]:
    """Make a mailbox, or what is missing of one's own, and set what is not as it should be."""
    made = []
    try:
        made += _made(path)
        check_owner(path, os.path.basename(path))
        for part, mode in BOX.items():
            folder = f"{path}/{part}" if part else path
            if part == "inbox/.read":
                made += _made(os.path.dirname(folder))
            made += _made(folder)
            files = for_inbox(os.geteuid()) if part == "inbox" else None
            _secure(folder, mode, files, group)
    except OSError as error:
        raise _refused(error, path) from None
    return made


def _made(path: str) -> list[str]:
    """Make a folder that nobody else may look into yet; [] if it is there."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return []
    return [path]


def _secure(
    path: str, mode: int, files: tuple[tuple[int, int, int], ...] | None, group: int
) -> None:
    """Give a folder its group, mode and lists; of what files in it get, and no other."""
    fd = os.open(path, FOLDER)
    try:
        if os.fstat(fd).st_uid != os.geteuid():
            return  # its owner's to set
        for name in (ACCESS, DEFAULT):
            _drop(fd, name)
        if files:
            os.setxattr(fd, DEFAULT, acl(files))
        if os.fstat(fd).st_gid != group:
            os.fchown(fd, -1, group)
        os.fchmod(fd, mode)
    finally:
        os.close(fd)


def _drop(fd: int, name: str) -> None:
    try:
        os.removexattr(fd, name)
    except OSError as error:
        if error.errno != errno.ENODATA:
            raise


def _refused(error: OSError, path: str) -> SwarmError:
    if error.errno not in NO_LISTS:
        return from_os(error, "make", path)
    return Unreadable(
        f"{path} cannot be shared: no access lists here ({error.strerror})",
        "put the tree on a file system with POSIX access lists (ext4, xfs, btrfs, tmpfs)",
        code="no-acl",
    )


def owner(box: str) -> int | None:
    """Whose a mailbox is; None where there is none."""
    try:
        return os.lstat(box).st_uid
    except OSError:
        return None


def check_owner(box: str, agent: str) -> None:
    """Conflict for a mailbox that is another user's."""
    found = owner(box)
    if found is not None and found != os.geteuid():
        raise Conflict(
            f"the mailbox of {agent} belongs to {user(found)}",
            "choose an id of your own: swarm register ID …",
            code="taken",
        )


def list_of(path: str, name: str = DEFAULT) -> bytes | None:
    """The list that files in a folder get, or by ``name`` its own; None where there is none."""
    try:
        return os.getxattr(path, name, follow_symlinks=False)
    except OSError:
        return None


def mode_of(path: str) -> int | None:
    """The mode of a folder, None if that cannot be told."""
    try:
        return S_IMODE(os.lstat(path).st_mode)
    except OSError:
        return None


class Inbox:
    """``with Inbox(root, agent) as path:`` an inbox, held: no link leads there, and what is put
    in its place meanwhile gets nothing.  OSError where it cannot be."""

    __slots__ = ("_agent", "_fd", "_root")

    def __init__(self, root: str, agent: str) -> None:
        self._root = root
        self._agent = agent
        self._fd = -1

    def __enter__(self) -> str:
        self._fd = os.open(self._root, HELD)
        for part in (self._agent, "inbox"):
            outer = self._fd
            try:
                self._fd = os.open(part, HELD | os.O_NOFOLLOW, dir_fd=outer)
            finally:
                os.close(outer)
        return f"/proc/self/fd/{self._fd}"

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)
