"""Where things are in a mail tree, and who is known in it (contract 1)."""

import os
from stat import S_ISDIR, S_ISGID, S_ISREG, S_ISVTX

from swarm import names
from swarm.errors import NoRoot, SwarmError, Unknown, Unreadable, from_os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDERS = ("inbox/.read", "drafts", "sent")
# What a command of the guardian's wrote that is too long for a message (docs/guardian.md).
RESULTS = "results"
ORCHESTRATOR = "orchestrator"
SHARED_BITS = S_ISGID | S_ISVTX  # of dir/: that tells a shared tree


class Root:
    """A mail tree: ``path`` is the absolute path of ``mail/``; ``sync`` whether to fsync."""

    __slots__ = ("_shared", "path", "sync")

    def __init__(self, path: str, sync: bool = True) -> None:
        self.path = os.path.abspath(path)
        self.sync = sync
        self._shared: bool | None = None

    def box(self, agent: str) -> str:
        """The mailbox folder of an agent."""
        return f"{self.path}/{agent}"

    def inbox(self, agent: str) -> str:
        """Received messages."""
        return f"{self.path}/{agent}/inbox"

    def receipts(self, agent: str) -> str:
        """Receipts: empty files named like the message."""
        return f"{self.path}/{agent}/inbox/.read"

    def drafts(self, agent: str) -> str:
        """Not yet delivered."""
        return f"{self.path}/{agent}/drafts"

    def sent(self, agent: str) -> str:
        """Copies of what was sent, and archived mail."""
        return f"{self.path}/{agent}/sent"

    @property
    def dir(self) -> str:
        """The registry, whose presence marks a root."""
        return f"{self.path}/dir"

    def entry(self, agent: str) -> str:
        """The registry entry of an agent."""
        return f"{self.path}/dir/{agent}.txt"

    @property
    def shared(self) -> bool:
        """Whether several users share it (docs/security.md); looked at once."""
        if self._shared is None:
            try:
                self._shared = os.stat(self.dir).st_mode & SHARED_BITS == SHARED_BITS
            except OSError:
                return False
        return self._shared

    @property
    def trusted(self) -> int | None:
        """Whose files say who one is: in a shared tree only one's own; None for anybody's."""
        return os.geteuid() if self.shared else None

    def relative(self, path: str) -> str:
        """A path as it is printed: relative to the root."""
        return path.removeprefix(self.path + "/")


def synced(env: "Mapping[str, str]") -> bool:
    """Whether what is written is to be synced to disk (contract 1)."""
    return env.get("SWARM_FSYNC") != "0"


def has_box(root: Root, agent: str) -> bool:
    """A mailbox is a folder that holds an inbox, drafts or sent (our own decision)."""
    box = root.box(agent)
    for part in ("inbox", "drafts", "sent"):
        try:
            os.lstat(f"{box}/{part}")
        except PermissionError:  # it may not be looked into: there it is all the same
            return os.path.isdir(box)
        except (OSError, ValueError):
            continue
        return True
    return False


def has_entry(root: Root, agent: str) -> bool:
    """Whether a regular file stands in the registry for the agent."""
    try:
        return S_ISREG(os.lstat(root.entry(agent)).st_mode)
    except OSError:
        return False


def is_known(root: Root, agent: str) -> bool:
    """A known agent has an entry or a mailbox (contract 1)."""
    return has_box(root, agent) or has_entry(root, agent)


def registered(root: Root) -> list[str]:
    """Ids of all registry entries, sorted; damaged entries included."""
    try:
        with os.scandir(root.dir) as entries:
            found = [
                entry.name[:-4]
                for entry in entries
                if names.is_message_name(entry.name) and entry.is_file(follow_symlinks=False)
            ]
    except OSError as error:
        raise from_os(error, "list", root.dir) from None
    return sorted(name for name in found if names.is_id(name))


def boxes(root: Root) -> list[str]:
    """Ids of all mailboxes, sorted."""
    try:
        found = os.listdir(root.path)
    except OSError as error:
        raise from_os(error, "list", root.path) from None
    return sorted(name for name in found if names.is_id(name) and has_box(root, name))


def known(root: Root) -> list[str]:
    """All known agents, sorted."""
    return sorted({*registered(root), *boxes(root)})


def check_known(root: Root, agent: str) -> str:
    """Return the id if such an agent is known; else Unknown with the likeliest one meant.

    Where the tree cannot be listed nobody can tell, which is the error that is raised then.
    """
    names.check_id(agent)
    if is_known(root, agent):
        return agent
    there = known(root)
    if agent in there:  # come back just now
        return agent
    meant = names.closest(agent, there)
    hint = f"did you mean {meant}?" if meant else "swarm status lists who is here"
    raise Unknown(f"no agent {names.shown(agent)} here", hint, code="unknown-agent")


def twin(root: Root, agent: str) -> str:
    """A known id that differs from this one only in case, or ''."""
    lowered = agent.lower()
    for other in known(root):
        if other != agent and other.lower() == lowered:
            return other
    return ""


def check_inbox(root: Root, agent: str) -> None:
    """Raise Unreadable where the agent's inbox cannot take mail; changes nothing."""
    if root.shared:
        _check_shared(root, agent)
        return
    box, inbox = root.box(agent), root.inbox(agent)
    for path in (box, inbox):
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            if os.path.lexists(path):
                raise bad_mailbox(root, path, "a link that leads nowhere") from None
            if path == box and not os.access(root.path, os.W_OK | os.X_OK):
                raise bad_mailbox(root, root.path, "a folder that cannot be written to") from None
            continue
        except OSError as error:
            fault = root.relative(at_fault(root, path))
            raise from_os(error, "reach", root.relative(path), fault) from None
        if not S_ISDIR(mode):
            raise bad_mailbox(root, path, "a file, not a folder")
        if path == inbox and not os.access(path, os.W_OK | os.X_OK):
            raise bad_mailbox(root, path, "a folder that cannot be written to")


def _check_shared(root: Root, agent: str) -> None:
    """The same where only its owner may make what is missing, or put a link there."""
    from swarm.mailbox import shared

    try:
        with shared.Inbox(root.path, agent) as inbox:
            if not os.access(inbox, os.W_OK | os.X_OK):
                raise bad_mailbox(root, root.inbox(agent), "a folder that cannot be written to")
    except FileNotFoundError:
        what = "missing: in a shared tree only its owner makes it (swarm register)"
        raise bad_mailbox(root, root.inbox(agent), what) from None
    except NotADirectoryError:
        raise bad_mailbox(root, root.inbox(agent), "no folder, or led to by a link") from None
    except OSError as error:
        raise from_os(error, "reach", root.relative(root.inbox(agent))) from None


def is_private(root: Root, agent: str) -> bool:
    """Whether the mailbox is another user's, so that only he can look into it."""
    if not root.shared:
        return False
    from swarm.mailbox.shared import owner

    return owner(root.box(agent)) not in (None, os.geteuid())


def giver(root: Root, agent: str, file: str) -> int:
    """The user who put a message into an inbox; -1, who is nobody, if it is not there."""
    try:
        return os.lstat(f"{root.inbox(agent)}/{file}").st_uid
    except (OSError, ValueError):
        return -1


def check_own(root: Root, agent: str) -> None:
    """Conflict in a shared tree where the mailbox is another user's."""
    if root.shared:
        from swarm.mailbox.shared import check_owner

        check_owner(root.box(agent), agent)


def check_mine(root: Root, agent: str) -> str:
    """Return the id of a known agent for whom this user may act; Unknown, or Conflict."""
    check_known(root, agent)
    check_own(root, agent)
    return agent


def bad_mailbox(root: Root, path: str, what: str) -> Unreadable:
    """The error for something in a mailbox that is not what should stand there."""
    return Unreadable(
        f"{root.relative(path)} is {what}",
        "swarm doctor says what is wrong and what to do",
        code="bad-mailbox",
    )


def make_box(root: Root, agent: str) -> list[str]:
    """Make the folders of a mailbox that are missing; return those made."""
    if root.shared:
        from swarm.mailbox import shared

        return shared.make_box(root.box(agent), os.stat(root.dir).st_gid)
    made = []
    try:
        for part in FOLDERS:
            path = root.box(agent)
            for name in part.split("/"):
                path = f"{path}/{name}"
                if not os.path.isdir(path):
                    make_folder(root, path)
                    made.append(path)
    except OSError as error:
        raise from_os(error, "make", root.relative(path)) from None
    return made


def at_fault(root: Root, path: str) -> str:
    """The folder above that may not be entered, if that is why; else the path itself."""
    folder = root.path
    for part in root.relative(path).split("/")[:-1]:
        folder = f"{folder}/{part}"
        if os.path.isdir(folder) and not os.access(folder, os.X_OK):
            return folder
    return path


def blame(error: OSError, doing: str, root: Root, *folders: str) -> SwarmError:
    """The error of a step on several folders: it names the one that may not be written to."""
    locked = (f for f in folders if os.path.isdir(f) and not os.access(f, os.W_OK | os.X_OK))
    return from_os(error, doing, root.relative(next(locked, folders[0])))


def make_folder(root: Root, path: str) -> None:
    """Make one folder of the tree, and those above it; not the root.  Raises OSError."""
    from swarm.disk import make_folders

    make_folders(root.path, path)


def find_root(given: str, environment: str, sync: bool = True) -> Root:
    """The root by ``--root``, else ``SWARM_ROOT``, else by walking up (contract 1).

    Raises NoRoot: a root that was named and is none is never replaced by another.
    """
    for source, path in (("--root", given), ("SWARM_ROOT", environment)):
        if path:
            try:
                root = Root(path, sync)
            except OSError:  # a relative one, and the working directory does not exist
                raise NoRoot(
                    f"{source} {names.shown(path)} leads nowhere from here", _INIT
                ) from None
            if _is_root(root.path):
                return root
            inner = os.path.join(root.path, "mail")
            hint = f"did you mean {inner}?" if os.path.isdir(f"{inner}/dir") else _INIT
            raise NoRoot(f"{source} {names.shown(path)} is no mail root: it has no dir/", hint)
    try:
        folder = os.getcwd()
    except OSError:
        raise NoRoot("the working directory does not exist any more", _INIT) from None
    found = _walk_up(folder)
    if not found:
        raise NoRoot("no mail root here or in any folder above", _INIT)
    return Root(found, sync)


def _is_root(path: str) -> bool:
    """Whether a mail tree is there; Unreadable for a ``mail/`` that may not be looked into.

    One of that kind is never passed over for another further up.
    """
    try:
        return S_ISDIR(os.stat(f"{path}/dir").st_mode)
    except PermissionError as error:
        if os.path.lexists(path):
            raise from_os(error, "look into", path) from None
    except (OSError, ValueError):
        pass
    return False


_INIT = "run 'swarm init' in the project's folder, or name one with --root or SWARM_ROOT"


def _walk_up(folder: str) -> str:
    """The first mail/ with a dir/ in it on the way up; a main worktree's before what is above."""
    start = folder
    while True:
        if _is_root(os.path.join(folder, "mail")):
            return os.path.join(folder, "mail")
        if os.path.isfile(f"{folder}/.git"):
            found = _in_main_worktree(folder, start)
            if found:
                return found
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def _in_main_worktree(worktree: str, start: str) -> str:
    """The mail/ of the worktree's main one, seen from the same folder in it, or ''."""
    try:
        with open(f"{worktree}/.git", encoding="utf-8", errors="replace") as file:
            gitdir = file.readline().partition("gitdir:")[2].strip()
        gitdir = os.path.join(worktree, gitdir)
        if not os.path.isfile(f"{gitdir}/commondir"):
            return ""
        with open(f"{gitdir}/commondir", encoding="utf-8", errors="replace") as file:
            common = os.path.normpath(os.path.join(gitdir, file.readline().strip()))
    except OSError:
        return ""
    main = os.path.dirname(common)
    folder = os.path.join(main, os.path.relpath(start, worktree))
    while len(folder) >= len(main):
        folder = os.path.normpath(folder)
        if _is_root(os.path.join(folder, "mail")):
            return os.path.join(folder, "mail")
        if folder == main:
            break
        folder = os.path.dirname(folder)
    return ""
