"""Putting mail away, and marking what became of it."""

import os

from swarm import disk, message
from swarm.errors import Conflict, SwarmError, Unknown, UsageError, from_os
from swarm.lock import Lock
from swarm.mailbox import inbox, layout, receipts
from swarm.mailbox.find import find
from swarm.mailbox.layout import Root
from swarm.mailbox.moving import move

NAME_BYTES = 255
SETTABLE = ("delivered", "read", "ack", "done", "cancelled", "error")


def archive(
    root: Root, agent: str, wanted: list[str], all_read: bool, delete: bool
) -> tuple[list[str], list[SwarmError]]:
    """Move messages to one's own sent/ (or remove them); the receipt is there before.

    Returns the new absolute paths (the removed ones with ``delete``), and the errors of those
    that could not be moved.  Raises the first where none could.  No byte changes.
    """
    own = root.inbox(agent)
    paths = [_in_inbox(root, agent, name) for name in wanted]
    if all_read:
        names = inbox.in_order(inbox.message_names(root, own))
        unread = inbox.unread_of(root, agent, set(names))  # of one listing: what is new is unread
        paths = [f"{own}/{n}" for n in names if n not in unread and disk.is_regular(f"{own}/{n}")]
    if not paths:
        return [], []
    done: list[str] = []
    failed: list[SwarmError] = []
    try:
        with Lock(own):
            for path in _still_there(paths, all_read):
                try:
                    done.append(_put_away(root, agent, path, delete))
                except OSError as error:
                    what = f"archive {os.path.basename(path)} into"
                    failed.append(layout.blame(error, what, root, root.sent(agent), own))
                except SwarmError as error:
                    failed.append(error)
    except OSError as error:
        raise from_os(error, "lock", root.relative(own)) from None
    if failed and not done:
        raise failed[0]
    return done, failed


def _still_there(paths: list[str], all_read: bool) -> list[str]:
    """Each once, as seen under the lock: another process may have archived some by now."""
    there = [path for path in dict.fromkeys(paths) if disk.is_regular(path)]
    for path in paths:
        if path not in there and not all_read:
            raise Unknown(f"{os.path.basename(path)} is gone", code="unknown-message")
    return there


def _in_inbox(root: Root, agent: str, wanted: str) -> str:
    path = find(root, agent, wanted)
    if os.path.dirname(path) != root.inbox(agent):
        what = "is not in your inbox but in sent/: archived already, or sent by you"
        raise Unknown(f"{os.path.basename(path)} {what}", code="unknown-message")
    return path


def _put_away(root: Root, agent: str, path: str, delete: bool) -> str:
    name = os.path.basename(path)
    receipts.write(root, agent, name)
    if delete:
        disk.remove(path)
        return path
    layout.make_box(root, agent)
    # Another user's file would stay his to change wherever it lies.
    anew = root.shared and os.lstat(path).st_uid != os.geteuid()
    stem, number = name[:-4], 1
    while True:
        number += 1
        target = f"{root.sent(agent)}/{name}"
        if move(path, target, root.sync, anew):
            return target
        name = _numbered(stem, number)


def _numbered(stem: str, number: int) -> str:
    """``stem-number.txt``, the stem cut where the name would be longer than names can be."""
    end = f"-{number}.txt"
    kept = os.fsencode(stem)[: NAME_BYTES - len(end)].decode("utf-8", "surrogateescape")
    return kept + end


def mark(root: Root, agent: str, wanted: str, status: str) -> str:
    """Set the Status header of a message in one's inbox; no other byte changes.  Its name.

    Raises UsageError for a word that is none, Conflict where a final one stands or another
    process reads the message.
    """
    if status not in SETTABLE:
        raise UsageError(f"{status!r} is no status to set", f"one of {', '.join(SETTABLE)}")
    path = _in_inbox(root, agent, wanted)
    name = os.path.basename(path)
    try:
        with Lock(root.inbox(agent)):
            _mark(root, agent, path, status)
    except FileNotFoundError:
        raise Unknown(f"{name} is gone", code="unknown-message") from None
    except OSError as error:
        raise layout.blame(error, "mark in", root, root.inbox(agent)) from None
    return name


def _mark(root: Root, agent: str, path: str, status: str) -> None:
    name = os.path.basename(path)
    fd = disk.open_regular(path)
    try:
        # A claim is a lock on this file: with another in its place a second reader gets it too.
        if not disk.try_lock(fd):
            raise Conflict(f"{name} is being read by another process", "try again")
        data, seen = disk.read_fd(fd), os.fstat(fd)
        parsed = message.parse(data)
        old = parsed.get("Status")
        if old == status:
            receipts.renew(root, agent, name)  # one that died may have left that out
            return
        if old in message.FINAL_STATUSES:
            raise Conflict(f"the message is {old}; that is final", code="final")
        if not parsed.separated:
            raise SwarmError("the message has no line '---', so no header to mark")
        # Its time stays that of the delivery: threads sort by it, and a receipt is younger.
        times = (seen.st_atime_ns, seen.st_mtime_ns)
        disk.replace(path, message.with_status(data, status), root.sync, times)
    finally:
        os.close(fd)
    receipts.renew(root, agent, name)
