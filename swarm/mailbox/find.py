"""Which message is meant: by its name, the stem of it, a part only one has, or its path."""

import os

from swarm import names
from swarm.disk import is_regular
from swarm.errors import Unknown, Unreadable
from swarm.mailbox.inbox import in_order, is_mail, message_names
from swarm.mailbox.layout import Root


def find(root: Root, agent: str, wanted: str) -> str:
    """The absolute path of a message in one's own inbox or sent.

    ``wanted``: its name, as it is or as it is shown, the stem of it, its path, or a part that
    only one name has, or that is the whole slug or hash of only one.  Raises Unknown
    (``unknown-message``, ``ambiguous-message``), and Unreadable for what is no file.
    """
    if wanted in ("", ".", "..") or "\0" in wanted:
        raise _unknown(wanted)
    if "/" in wanted:
        return _by_path(root, agent, wanted)
    boxes = [(root.inbox(agent), message_names(root, root.inbox(agent)))]
    if not names.called(boxes[0][1], wanted):
        boxes.append((root.sent(agent), message_names(root, root.sent(agent))))
    for folder, found in boxes:
        if hits := names.called(found, wanted):
            return _only(folder, hits, wanted)
    for folder, found in boxes:
        path = _by_part(folder, found, wanted)
        if path:
            return path
    raise _unknown(wanted)


def _by_part(folder: str, found: list[str], wanted: str) -> str:
    """The one message whose name has ``wanted`` in it, or ''; ``.txt`` alone says nothing."""
    cut = -4 if wanted in ".txt" else None
    hits = [name for name in found if wanted in name[:cut]]
    mail = names.meant(in_order([name for name in hits if is_regular(f"{folder}/{name}")]), wanted)
    return _only(folder, mail or hits[:1], wanted) if hits else ""


def _only(folder: str, found: list[str], wanted: str) -> str:
    """The path of the one that was found."""
    if len(found) > 1:
        raise Unknown(
            f"{names.shown(wanted)} is part of several names: {', '.join(map(_plain, found))}",
            "give the whole name",
            code="ambiguous-message",
        )
    return _regular(f"{folder}/{found[0]}")


def _plain(name: str) -> str:
    """A name as it may stand in an error: as it is, or quoted and escaped."""
    return name if name.isprintable() else repr(name)


def _by_path(root: Root, agent: str, wanted: str) -> str:
    """A path from the working directory or the root, if it leads into one's own box."""
    folder, _, name = wanted.rpartition("/")
    own = {os.path.realpath(path): path for path in (root.sent(agent), root.inbox(agent))}
    for start in ("", root.path):
        try:
            real = os.path.realpath(os.path.join(start, folder or "/"))
        except (OSError, ValueError):  # the working directory is gone, or no such text on disk
            continue
        if real not in own:
            continue
        if hits := names.called(message_names(root, own[real]), name):
            return _only(own[real], hits, name)
    raise _unknown(wanted)


def _regular(path: str) -> str:
    if is_regular(path) or is_mail(path):
        return path
    name = _plain(path.rpartition("/")[2])
    if not os.path.lexists(path):
        raise _unknown(name)
    raise Unreadable(f"{name} is no regular file, so no message", "swarm doctor names such things")


def _unknown(wanted: str) -> Unknown:
    return Unknown(
        f"no message {names.shown(wanted)} in your inbox or sent",
        "swarm unread lists what is unread; a name, its stem or a unique part of it will do",
        code="unknown-message",
    )
