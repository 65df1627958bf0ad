"""Messages and their receipts (contract 1, 2).  Each message is opened at most once."""

import os
from shlex import quote

from swarm import names
from swarm.doctor import rights, sharing
from swarm.doctor.finding import Finding
from swarm.doctor.folders import Folder
from swarm.errors import Unreadable
from swarm.mailbox import inbox, layout
from swarm.mailbox.inbox import Item
from swarm.mailbox.layout import Root

# Times are that coarse: git and tar unpack a tree in any order, receipts before messages.
SLACK = 1.0


def examine(root: Root, owner: str, folder: Folder, letters: list[str]) -> list[Finding]:
    """What is wrong with messages in the owner's inbox or sent/."""
    found: list[Finding] = []
    in_inbox = folder.path == root.inbox(owner)
    try:
        for item in inbox.items(root, owner, folder.path, letters):
            if item:
                found += _of(root, owner, item, folder.inside(item.file), in_inbox)
    except Unreadable:  # the folder is gone by now
        return found
    return found


def _of(root: Root, owner: str, item: Item, shown: str, in_inbox: bool) -> list[Finding]:
    """In sent/ only of those that the owner sent: the others are archived, so put away."""
    if "unreadable" in item.flags:
        return [_unreadable(item.path, shown)]
    found = sharing.message(root, owner, item) if in_inbox else []
    if "malformed" in item.flags and (in_inbox or item.sender == owner):
        found.append(_malformed(item, shown, "archive" if in_inbox else "remove"))
    if "misaddressed" in item.flags:
        found.append(_misaddressed(root, item, shown))
    return found


def _unreadable(path: str, shown: str) -> Finding:
    lacks = rights.lacking(path, "r")
    what = f"unreadable (you lack {lacks})" if lacks else "unreadable"
    way = rights.way_out(path, shown, "r") if lacks else f"look at what stands at {quote(shown)}"
    return Finding("warn", shown, what, way)


def _malformed(item: Item, shown: str, otherwise: str) -> Finding:
    lacks = ", ".join(item.message.missing) if item.message else ""
    way = f"add what it lacks with an editor, or {otherwise} it"
    return Finding("warn", shown, f"malformed (lacks {lacks})", way)


def _misaddressed(root: Root, item: Item, shown: str) -> Finding:
    to = item.recipient
    way = "correct its To, or answer its sender"
    if names.is_id(to) and layout.has_box(root, to):
        way = f"mv -n {quote(shown)} {to}/inbox/, or answer its sender"
    return Finding("warn", shown, f"misaddressed (to {names.shown(to)})", way)


def stale_receipts(letters: Folder, receipts: Folder) -> list[Finding]:
    """Messages hidden by a receipt older than themselves: it was some other message's."""
    times = {entry.name: entry for entry in receipts.entries}
    found = []
    for letter in letters.entries:
        receipt = times.get(letter.name)
        if receipt and names.is_message_name(letter.name) and _hides(receipt, letter):
            name = quote(f"{receipts.shown}/{letter.name}")
            way = f"rm {name} to read it, or touch {name} if it was only edited since"
            what = "hidden by a receipt older than itself"
            found.append(Finding("warn", f"{letters.shown}/{letter.name}", what, way))
    return found


def _hides(receipt: os.DirEntry[str], letter: os.DirEntry[str]) -> bool:
    try:
        read, come = (entry.stat(follow_symlinks=False) for entry in (receipt, letter))
    except OSError:  # one of them is gone
        return False
    return is_older(read, come)


def is_older(read: os.stat_result, come: os.stat_result) -> bool:
    """Whether a receipt is older than the message of its name, so that it was another's."""
    if read.st_mtime < come.st_mtime - SLACK:
        return True
    # ``mv`` keeps an old time, so that a name used again looks old; when the file came here is
    # told by its ctime.  In a tree that was unpacked that means nothing: there the receipt's
    # own two times differ.  Nor does it in a file with two names, which is on its way.
    written_here = abs(read.st_ctime - read.st_mtime) <= SLACK and come.st_nlink == 1
    return written_here and read.st_ctime < come.st_ctime - SLACK
