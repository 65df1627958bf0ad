"""Which message is meant, and in whose boxes it can be."""

import os

from swarm import names
from swarm.errors import SwarmError, Unknown, Unreadable
from swarm.mailbox import inbox, layout
from swarm.mailbox.inbox import Item
from swarm.mailbox.layout import Root

PARTS = ("inbox", "sent", "drafts")
Place = tuple[str, str, str]


class Letter:
    """A message: ``name`` of its file, ``item`` what it says, ``box`` whose mail it is.

    ``sender`` is '' where it names nobody whose boxes could be looked into.
    """

    __slots__ = ("box", "item", "name", "sender")

    def __init__(self, name: str, item: Item, box: str, sender: str) -> None:
        self.name = name
        self.item = item
        self.box = box
        self.sender = sender


def find(root: Root, agent: str, wanted: str) -> Letter:
    """The message in the agent's inbox, sent or drafts, or with '' in anybody's.

    ``wanted``: its name, the stem of it, its path, or a part that only one name has, or
    that is the whole slug or hash of only one.
    """
    places = [place for owner in _owners(root, agent) for place in _listed(root, owner, agent)]
    found = _matching(root, places, wanted)
    named = names.meant(sorted({name for _, _, name in found}), wanted)
    found = [place for place in found if place[2] in named]
    if len(named) > 1:
        some = ", ".join(map(names.shown, named[:5])) + (" …" if len(named) > 5 else "")
        what = f"{names.shown(wanted)} is part of several names: {some}"
        raise Unknown(what, "give the whole name", code="ambiguous-message")
    letters: dict[tuple[str, ...], Letter] = {}
    for place in found:
        letter = _letter(root, place)
        if letter:
            said = letter.item
            letters.setdefault((letter.box, said.sender, said.subject), letter)
    if not letters:
        raise _none(root, agent, wanted, found)
    if len(letters) > 1:
        paths = ", ".join(root.relative(one.item.path) for one in letters.values())
        what = f"{names.shown(wanted)} names several messages: {paths}"
        raise Unknown(what, "give the path of one", code="ambiguous-message")
    return next(iter(letters.values()))


def _none(root: Root, agent: str, wanted: str, found: list[Place]) -> SwarmError:
    """The error where no message is meant; of what is there and none, that it is none."""
    for owner, part, name in found:
        if os.path.lexists(f"{root.box(owner)}/{part}/{name}"):
            what = f"{names.shown(name)} is no regular file, so no message"
            return Unreadable(what, "swarm doctor names such things")
    where = "your inbox, sent or drafts" if agent else "any mailbox"
    hint = "a name, its stem, a unique part of it or its path will do"
    hint += "; --everywhere looks in all mailboxes" if agent else ""
    if wanted.removeprefix("#").isdecimal():
        hint = "a number is a message of a channel: --channel names that"
    return Unknown(f"no message {names.shown(wanted)} in {where}", hint, code="unknown-message")


def _owners(root: Root, agent: str) -> list[str]:
    return [agent] if agent else layout.boxes(root)


def _listed(root: Root, owner: str, agent: str) -> list[Place]:
    """All files of a mailbox; a broken one of another hides nobody else's."""
    found: list[Place] = []
    for part in PARTS:
        try:
            listed = os.listdir(f"{root.box(owner)}/{part}")
        except OSError:
            if agent:  # raises what is wrong; a missing folder is nothing wrong
                inbox.message_names(root, f"{root.box(owner)}/{part}")
            continue
        found += [(owner, part, name) for name in listed if name != ".read"]
    return found


def _matching(root: Root, places: list[Place], wanted: str) -> list[Place]:
    """By whole name or stem, also what no listing shows; else by a part of a message's name."""
    if "/" in wanted:
        return _by_path(root, places, wanted)
    if called := names.called([name for _, _, name in places], wanted) if wanted else []:
        return [place for place in places if place[2] in called]
    cut = -4 if wanted in ".txt" else None
    return [p for p in places if names.is_message_name(p[2]) and wanted and wanted in p[2][:cut]]


def _by_path(root: Root, places: list[Place], wanted: str) -> list[Place]:
    """From the working directory or from the root; what is in another's box by its name alone."""
    tree = os.path.realpath(root.path)
    for start in (os.curdir, root.path):
        try:
            folder, name = os.path.split(os.path.realpath(os.path.join(start, wanted)))
        except (OSError, ValueError):
            continue
        for owner, part, file in places:
            there = os.path.realpath(f"{root.box(owner)}/{part}")
            if there == folder and names.called([file], name):
                return [(owner, part, file)]
        if folder.startswith(f"{tree}/"):
            found = [place for place in places if names.called([place[2]], name)]
            if found:
                return found
    return []


def _letter(root: Root, place: Place) -> Letter | None:
    owner, part, name = place
    path = f"{root.box(owner)}/{part}/{name}"
    try:
        item = inbox.load(root, owner, path)
    except SwarmError:
        item = None
    if item is None:
        return None
    sender = item.sender if names.is_id(item.sender) else ""
    to = item.recipient if names.is_id(item.recipient) else owner
    kept = part == "drafts" or (part == "sent" and sender == owner)
    return Letter(name, item, to if kept else owner, sender)
