"""Mailboxes of agents that live elsewhere: on a channel of the team bus, carried by a bridge.

Such a mailbox has a hidden file that says so, to people and to guardians: nobody here answers
for a guest.
"""

import os

from swarm import disk, message, names
from swarm.errors import Unknown, from_os
from swarm.mailbox import registry
from swarm.mailbox.inbox import OURS
from swarm.mailbox.layout import Root, boxes, make_box, registered

MARK = ".guest"
# No mark is longer, whatever the session.
LONGEST = 16384


class Guest:
    """Where an agent lives: the ``channel``, and its ``session`` there."""

    __slots__ = ("channel", "id", "session")

    def __init__(self, agent: str, channel: str, session: str) -> None:
        self.id = agent
        self.channel = channel
        self.session = session


def guest(root: Root, agent: str) -> Guest | None:
    """Whose mailbox it is, None for an agent of the tree; a mark that says nothing counts.

    What the mark does not say its entry may.  Raises Temporary where this process can open no more.
    """
    try:
        read = message.parse(disk.read(f"{root.box(agent)}/{MARK}", LONGEST))
        channel, session = read.get("channel"), names.named(read.get("session"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in OURS:
            raise from_os(error, "read", f"{agent}/{MARK}") from None
        channel = session = ""
    return Guest(agent, channel, session) if channel and session else _registered(root, agent)


def _registered(root: Root, agent: str) -> Guest:
    """What its entry says."""
    try:
        fields = registry.entry(root, agent).fields
    except Unknown:
        fields = {}
    return Guest(agent, fields.get("via", ""), fields.get("session", ""))


def is_guest(root: Root, agent: str) -> bool:
    """Whether the mailbox belongs to somebody who lives elsewhere (one look)."""
    return os.path.lexists(f"{root.box(agent)}/{MARK}")


def guests(root: Root) -> list[Guest]:
    """All guests, sorted by id; one whose mailbox is away is known by its entry."""
    here = boxes(root)
    found = [guest(root, agent) for agent in here if is_guest(root, agent)]
    away = [_registered(root, agent) for agent in set(registered(root)).difference(here)]
    found += [one for one in away if one.channel and one.session]
    return sorted((one for one in found if one), key=lambda one: one.id)


def welcome(root: Root, agent: str, channel: str, session: str) -> None:
    """Make a guest's mailbox; one that is there is marked."""
    names.check_id(agent)
    text = f"channel: {message.check_value('channel', channel)}\nsession: {names.plain(session)}\n"
    try:
        disk.make_folders(root.path, root.box(agent))
        disk.create(f"{root.box(agent)}/{MARK}", text.encode("utf-8", "replace"), root.sync)
    except OSError as error:
        raise from_os(error, "write to", agent) from None
    make_box(root, agent)  # last: an agent of the tree has a mailbox without a mark
