"""A tree that several users share: whether its modes keep them apart (docs/security.md)."""

import os
from stat import S_ISVTX

from swarm import names
from swarm.doctor.finding import Finding
from swarm.mailbox import shared
from swarm.mailbox.inbox import Item
from swarm.mailbox.layout import Root

NOT_LIST = "lets others read what comes (its access list is not the one of a shared tree)"


def examine(root: Root) -> list[Finding]:
    """What is too open or too narrow in what all have in common; [] for any other tree."""
    if not root.shared:
        return []
    group = os.stat(root.dir).st_gid
    way = f"run as {_owner(root.path)}: cd .. && swarm init --shared {group}"
    found = _mode(root.path, ".", shared.COMMON, way)
    for name, files in shared.IN_COMMON.items():
        found += _mode(f"{root.path}/{name}", name, shared.COMMON, way)
        found += _list(f"{root.path}/{name}", name, shared.acl(files), way)
    return found


def box(root: Root, agent: str) -> list[Finding]:
    """The same of a mailbox, and of whose its entry is."""
    if not root.shared or (whose := shared.owner(root.box(agent))) is None:
        return []
    way = f"run as {shared.user(whose)}: cd .. && swarm init --agents {agent}"
    found = []
    for part, mode in shared.BOX.items():
        shown = f"{agent}/{part}" if part else agent
        found += _mode(f"{root.path}/{shown}", shown, mode, way)
    inbox = f"{agent}/inbox"
    found += _list(f"{root.path}/{inbox}", inbox, shared.acl(shared.for_inbox(whose)), way)
    entered = shared.owner(root.entry(agent))
    if entered not in (None, whose):
        what = f"written by {shared.user(entered or 0)}, the mailbox is {shared.user(whose)}'s"
        found.append(Finding("warn", f"dir/{agent}.txt", what, "ask its writer to unregister it"))
    return found


def message(root: Root, owner: str, item: Item) -> list[Finding]:
    """What is to be said of a message in an inbox that only a shared tree has."""
    return _open_to_all(root, item) + _sender(root, owner, item) if root.shared else []


def _open_to_all(root: Root, item: Item) -> list[Finding]:
    """That others may read it too: it was moved here, so that it kept the modes it had."""
    mode = shared.mode_of(item.path) or 0
    if not mode & 0o077 or (not mode & 0o007 and shared.list_of(item.path, shared.ACCESS)):
        return []
    way = "archive it; its sender copies into an inbox, and does not move"
    what = "may be read by who knows its name"
    return [Finding("warn", root.relative(item.path), what, way)]


def _sender(root: Root, owner: str, item: Item) -> list[Finding]:
    """That another user than the one whose mailbox From names has put it here."""
    claimed = item.sender
    if not names.is_id(claimed):
        return []
    wrote, whose = shared.owner(item.path), shared.owner(root.box(claimed))
    if wrote is None or whose is None or wrote in (whose, shared.owner(root.box(owner))):
        return []
    what = f"From says {claimed}, but {shared.user(wrote)} put it here"
    return [Finding("warn", root.relative(item.path), what, "trust it as you trust that user")]


def _owner(path: str) -> str:
    return shared.user(shared.owner(path) or 0)


def _mode(path: str, shown: str, wanted: int, way: str) -> list[Finding]:
    """Bits too many are a fault, whatever else; those that lack keep mail from coming."""
    mode = shared.mode_of(path)
    if mode is None or mode == wanted:
        return []
    lacks_sticky = wanted & ~mode & S_ISVTX
    if mode & ~wanted & 0o777 or lacks_sticky:
        return [Finding("fail", shown, f"too open (mode {mode:04o}, not {wanted:04o})", way)]
    return [Finding("warn", shown, f"too narrow (mode {mode:04o}, not {wanted:04o})", way)]


def _list(path: str, shown: str, wanted: bytes, way: str) -> list[Finding]:
    if shared.mode_of(path) is None or shared.list_of(path) == wanted:
        return []
    return [Finding("fail", shown, NOT_LIST, way)]
