"""What is wrong in a mail tree, also what listings cannot show; mends only what is safe."""

import os
import time
from stat import S_ISDIR, S_ISREG

from swarm import names
from swarm.errors import SwarmError
from swarm.mailbox import disk, inbox, layout, registry
from swarm.mailbox.layout import Root

LEFT_OVER_AFTER = 3600
HARMLESS = frozenset((".gitkeep", ".read", ".gitignore"))


class Finding:
    """``level``: ok, warn or fail; ``path`` relative to the root; ``text`` in plain words."""

    __slots__ = ("level", "path", "text")

    def __init__(self, level: str, path: str, text: str) -> None:
        self.level, self.path, self.text = level, path, text


def examine(root: Root, fix: bool = False) -> list[Finding]:
    """Findings, worst first; with ``fix`` missing folders are made and old left-overs removed."""
    found = _registry(root)
    found += _strays(root)
    for agent in layout.known(root):
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


def _registry(root: Root) -> list[Finding]:
    found = []
    for name in _names(root.dir):
        path = f"dir/{name}"
        if name in HARMLESS:
            continue
        if not names.is_message_name(name) or not S_ISREG(_mode(f"{root.dir}/{name}")):
            found.append(Finding("warn", path, "no registry entry"))
        elif not names.is_id(name[:-4]):
            found.append(Finding("warn", path, "its name is no agent id"))
        else:
            problems = registry.entry(root, name[:-4]).problems
            if problems:
                found.append(Finding("warn", path, f"damaged: {', '.join(problems)}"))
    return found or [Finding("ok", "dir", "registry is sound")]


def _strays(root: Root) -> list[Finding]:
    found = []
    for name in _names(root.path):
        path = f"{root.path}/{name}"
        if name == "dir" or name in HARMLESS or name.startswith(".git"):
            continue
        if os.path.islink(path) and not layout.has_box(root, name):
            found.append(Finding("warn", name, "a link that is no mailbox"))
        elif names.is_id(name) and layout.has_entry(root, name) and not os.path.isdir(path):
            found.append(Finding("fail", name, "a file where a mailbox belongs: move it away"))
        elif not names.is_id(name) or not layout.has_box(root, name):
            found.append(Finding("warn", name, "no mailbox"))
    return found


def _box(root: Root, agent: str, fix: bool) -> list[Finding]:
    found = []
    for folder in (root.box(agent), root.inbox(agent)):
        path = root.relative(folder)
        if os.path.lexists(folder) and not os.path.isdir(folder):
            kind = "a link that leads nowhere" if os.path.islink(folder) else "a file, not a folder"
            return [Finding("fail", path, f"{kind}: move it away, then swarm doctor --fix")]
        if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK):
            return [Finding("fail", path, "cannot be listed: check its permissions")]
    found += _folders(root, agent, fix)
    for folder in (root.inbox(agent), root.drafts(agent), root.sent(agent)):
        found += _folder(root, agent, folder, fix)
    return found + _receipts(root, agent)


def _folders(root: Root, agent: str, fix: bool) -> list[Finding]:
    missing = [p for p in layout.FOLDERS if not os.path.isdir(f"{root.box(agent)}/{p}")]
    if missing and fix:
        try:
            layout.make_box(root, agent)
            return [Finding("warn", f"{agent}/{p}", "was missing: made") for p in missing]
        except SwarmError as error:
            return [Finding("fail", agent, error.message)]
    return [Finding("warn", f"{agent}/{p}", "is missing: --fix makes it") for p in missing]


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
        age = time.time() - os.lstat(path).st_mtime
    except OSError:
        return Finding("ok", shown, "is gone again")
    if fix and age > LEFT_OVER_AFTER:
        disk.remove(path)
        return Finding("warn", shown, "left by a killed process: removed")
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
        if receipt < letter - 1:
            text = "hidden by a receipt older than itself: remove the receipt to read it"
            found.append(Finding("warn", f"{agent}/inbox/{name}", text))
    return found
