"""Mailboxes of agents that live elsewhere: on a channel of the team bus, carried by a bridge.

Such a mailbox has a hidden file that says so, to people and to guardians: nobody here answers
for a guest.
"""

import os

from swarm import disk, message, names
from swarm.errors import Unknown, from_os
from swarm.mailbox import registry
from swarm.mailbox.inbox import OURS
from swarm.mailbox.layout import Root, boxes, has_entry, make_box, registered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = ".guest"
# No mark is longer, whatever the session.
LONGEST = 16384


class Guest:
    """Where an agent lives: the ``channel``, and its ``session`` there.

    ``sure``: its mark says so, which a bridge wrote; else only its entry, which anybody may have.
    ``marked``: whether there is a mark, whatever it says.  ``boxed``: whether there is a mailbox.
    ``unread``: its entry could not be read just now.
    """

    __slots__ = ("boxed", "channel", "id", "marked", "session", "sure", "unread")

    def __init__(self, agent: str, channel: str, session: str) -> None:
        self.id = agent
        self.channel = channel
        self.session = session
        self.sure = self.marked = self.boxed = True
        self.unread = False

    def place(self) -> tuple[object, ...]:
        """All that is known of it, to be compared."""
        return self.id, self.channel, self.session, self.sure, self.marked, self.boxed


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
    found = Guest(agent, "", "")
    found.sure = False
    try:
        entry = registry.entry(root, agent)
    except Unknown:
        return found
    found.unread = entry.unreadable
    found.channel, found.session = entry.fields.get("via", ""), entry.fields.get("session", "")
    return found


def is_guest(root: Root, agent: str) -> bool:
    """Whether somebody who lives elsewhere has the mailbox, as far as can be seen (one look)."""
    return os.path.lexists(f"{root.box(agent)}/{MARK}")


def guests(root: Root, residents: "Iterable[str]" = ()) -> list[Guest]:
    """All guests, sorted by id; of one without a mark only its entry says that it is one.

    ``residents``: who is none, as long as there is no mark: their entries are not asked.  Of a
    mailbox that may not be looked into only an entry tells that its owner is none.
    """
    here = boxes(root)
    marked = [agent for agent in here if _may_be_guest(root, agent, residents)]
    found = [one for one in (guest(root, agent) for agent in marked) if one]
    for agent in set(registered(root)).difference(marked, residents):
        one = _registered(root, agent)
        if one.unread or (one.channel and one.session):
            one.marked, one.boxed = False, agent in here
            found.append(one)
    return sorted(found, key=lambda one: one.id)


def _may_be_guest(root: Root, agent: str, residents: "Iterable[str]") -> bool:
    try:
        return disk.is_there(f"{root.box(agent)}/{MARK}")
    except OSError:
        return agent not in residents and not has_entry(root, agent)


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
