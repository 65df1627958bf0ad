"""What is wrong in a mail tree, also what listings cannot show; mends only what is safe."""

import os
import time
from stat import S_ISDIR, S_ISREG

from swarm import names
from swarm.errors import SwarmError
from swarm.mailbox import disk, inbox, layout, registry
from swarm.mailbox.layout import Root

LEFT_OVER_AFTER = 3600
BOX = frozenset(("inbox", "drafts", "sent"))
HARMLESS = frozenset((".gitkeep", ".read", ".gitignore"))


class Finding:
    """``level``: ok, warn or fail; ``path`` relative to the root; ``text`` in plain words."""

    __slots__ = ("level", "path", "text")

    def __init__(self, level: str, path: str, text: str) -> None:
        self.level, self.path, self.text = level, path, text


def examine(root: Root, fix: bool = False) -> list[Finding]:
    """Findings, worst first; with ``fix`` missing folders are made and old left-overs removed."""
    try:
        agents = layout.known(root)
    except SwarmError as error:
        return [Finding("fail", "dir", error.message)]
    found = _registry(root, fix)
    found += _strays(root)
    for agent in agents:
        found += _box(root, agent, fix) or [Finding("ok", agent, "mailbox is sound")]
    return sorted(found, key=lambda f: ("fail", "warn", "ok").index(f.level))


def _mode(path: str) -> int:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _registry(root: Root, fix: bool) -> list[Finding]:
    found = []
    for name in _names(root.dir):
        path = f"dir/{name}"
        if name in HARMLESS:
            continue
        if name.startswith(disk.TEMP_PREFIX):
            found.append(_left_over(f"{root.dir}/{name}", path, fix))
        elif not names.is_message_name(name) or not S_ISREG(_mode(f"{root.dir}/{name}")):
            found.append(Finding("warn", path, "no registry entry"))
        elif not names.is_id(name[:-4]):
            found.append(Finding("warn", path, "its name is no agent id"))
        else:
            found += _entry(root, name[:-4], path)
    return found or [Finding("ok", "dir", "registry is sound")]


def _entry(root: Root, agent: str, path: str) -> list[Finding]:
    try:
        problems = registry.entry(root, agent).problems
    except SwarmError:  # unregistered in between
        return []
    return [Finding("warn", path, f"damaged: {', '.join(problems)}")] if problems else []


def _strays(root: Root) -> list[Finding]:
    found = []
    for name in _names(root.path):
        path = f"{root.path}/{name}"
        if name == "dir" or name in HARMLESS or name.startswith(".git"):
            continue
        if names.is_id(name) and layout.has_entry(root, name):
            continue  # its mailbox, or what stands in the way of it: _box tells
        if os.path.islink(path) and not layout.has_box(root, name):
            found.append(Finding("warn", name, "a link that is no mailbox"))
        elif not names.is_id(name) or not layout.has_box(root, name):
            found.append(Finding("warn", name, "no mailbox"))
    return found


def _box(root: Root, agent: str, fix: bool) -> list[Finding]:
    for folder in (root.box(agent), root.inbox(agent)):
        wrong = _unusable(folder)
        if wrong:
            return [Finding("fail", root.relative(folder), wrong)]
    found = [
        Finding("warn", f"{agent}/{name}", "no folder of a mailbox: nothing reads it")
        for name in _names(root.box(agent))
        if name not in BOX and name not in HARMLESS
    ]
    found += _folders(root, agent, fix)
    for folder in (root.inbox(agent), root.drafts(agent), root.sent(agent)):
        found += _folder(root, agent, folder, fix)
    return found + _receipts(root, agent)


def _folders(root: Root, agent: str, fix: bool) -> list[Finding]:
    found = []
    for part in layout.FOLDERS:
        folder, path = f"{root.box(agent)}/{part}", f"{agent}/{part}"
        wrong = _unusable(folder)
        if wrong:
            found.append(Finding("warn", path, wrong))
        elif not os.path.lexists(folder):
            found.append(_missing(folder, path, fix))
    return found


def _unusable(folder: str) -> str:
    """What is wrong with something that stands where a folder belongs, or ''."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        kind = "a link that leads nowhere" if os.path.islink(folder) else "a file, not a folder"
        return f"{kind}: move it away, then swarm doctor --fix"
    if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK):
        return "cannot be listed: check its permissions"
    return ""


def _missing(folder: str, path: str, fix: bool) -> Finding:
    if not fix:
        return Finding("warn", path, "is missing: --fix makes it")
    try:
        layout.make_folder(folder)
    except OSError as error:
        return Finding("fail", path, f"is missing and cannot be made: {error.strerror}")
    return Finding("warn", path, "was missing: made")


def _folder(root: Root, agent: str, folder: str, fix: bool) -> list[Finding]:
    found = []
    for name in _names(folder):
        path = f"{folder}/{name}"
        shown = root.relative(path)
        if name in HARMLESS:
            continue
        if name.startswith(disk.TEMP_PREFIX):
            found.append(_left_over(path, shown, fix))
        elif not names.is_message_name(name):
            found.append(Finding("warn", shown, "no mail: hidden or not *.txt"))
        elif not S_ISREG(_mode(path)):
            kind = "folder" if S_ISDIR(_mode(path)) else "link, pipe or the like"
            found.append(Finding("warn", shown, f"a {kind}, so no mail"))
        elif folder != root.drafts(agent):
            found += _message(root, agent, path, shown)
    return found


def _left_over(path: str, shown: str, fix: bool) -> Finding:
    try:
        seen = os.lstat(path)
        old = time.time() - seen.st_mtime > LEFT_OVER_AFTER
        if fix and old and S_ISREG(seen.st_mode):
            disk.remove(path)
            return Finding("warn", shown, "left by a killed process: removed")
    except FileNotFoundError:
        return Finding("ok", shown, "is gone again")
    except OSError as error:
        return Finding("warn", shown, f"half-written, but cannot be removed: {error.strerror}")
    return Finding("warn", shown, "half-written, perhaps by a killed process")


def _message(root: Root, agent: str, path: str, shown: str) -> list[Finding]:
    item = inbox.load(root, agent, path)
    found = []
    for flag in item.flags if item else []:
        missing = item.message.missing if item and item.message and flag == "malformed" else []
        extra = f": lacks {', '.join(missing)}" if missing else ""
        found.append(Finding("warn", shown, flag + extra))
    return found


def _receipts(root: Root, agent: str) -> list[Finding]:
    """A receipt older than the file it hides was some other message's."""
    found = []
    for name in _names(root.receipts(agent)):
        try:
            receipt = os.lstat(f"{root.receipts(agent)}/{name}").st_mtime
            letter = os.lstat(f"{root.inbox(agent)}/{name}").st_mtime
        except OSError:
            continue
        if receipt < letter - 1:  # a second: git and tar unpack a tree in any order
            text = "hidden by a receipt older than itself: remove the receipt to read it"
            found.append(Finding("warn", f"{agent}/inbox/{name}", text))
    return found
