"""Why a message that has no receipt may not have been seen."""

from swarm import names
from swarm.doctor.mail import is_older
from swarm.errors import SwarmError
from swarm.events import moment
from swarm.mailbox import guests, inbox, layout, registry
from swarm.mailbox.layout import Root
from swarm.trace import files, notices
from swarm.trace.fact import Fact
from swarm.trace.letter import Letter
from swarm.transport.pulse import FOLDER, guardings

PAUSED = registry.FINISHED | {"paused"}


def facts(root: Root, letter: Letter, now: float) -> list[Fact]:
    """Each thing that speaks for it not being seen; and the recipient's signs of life."""
    if not layout.is_known(root, letter.box):
        return []
    found = [*_form(root, letter), *files.hidden(root, letter)]
    there = files.stat(root, f"{letter.box}/inbox/{letter.name}")
    if there is None or guests.is_guest(root, letter.box):
        return found
    return [
        *found, *_inbox(root, letter), *_entry(root, letter), *_life(root, letter),
        *_guardian(root, letter, now), *notices.facts(root, letter),
    ]  # fmt: skip


def receipts(root: Root, letter: Letter) -> list[Fact]:
    """A receipt that is older than the message: it was another's, and hides this one."""
    path = f"{letter.box}/inbox/.read/{letter.name}"
    read, come = files.stat(root, path), files.stat(root, f"{letter.box}/inbox/{letter.name}")
    if not read or not come or not is_older(read, come):
        return []
    text = "the receipt is older than the message, so it was another's: it hides this one"
    return [Fact(None, "why", text, path)]


def _form(root: Root, letter: Letter) -> list[Fact]:
    """What its name and its header lack."""
    name, item = letter.name, letter.item
    path = root.relative(item.path)
    found = []
    if not names.is_message_name(name):
        text = "no listing shows a file of such a name: mail ends in .txt, and begins with no dot"
        found.append(Fact(None, "why", text, path))
    if "unreadable" in item.flags:
        found.append(Fact(None, "why", "it cannot be read", path))
    if "malformed" in item.flags and item.message:
        lacks = ", ".join(item.message.missing)
        found.append(Fact(None, "why", f"malformed: it lacks {lacks}; listed and flagged", path))
    if "misaddressed" in item.flags:
        text = f"misaddressed: it lies in {letter.box}'s inbox and says To: {item.recipient}"
        found.append(Fact(None, "why", text, path))
    return found


def _inbox(root: Root, letter: Letter) -> list[Fact]:
    """An inbox that cannot be used, and how many unread messages come first."""
    where = f"{letter.box}/inbox/"
    try:
        layout.check_inbox(root, letter.box)
        if layout.is_private(root, letter.box):
            what = "how much unread mail comes first: the mailbox is another user's"
            return [Fact(None, "unknown", what, where)]
        unread = inbox.unread_names(root, letter.box)
    except SwarmError as error:
        return [Fact(None, "why", error.message, where)]
    before = unread[: unread.index(letter.name)] if letter.name in unread else []
    count = sum(inbox.is_mail(f"{root.inbox(letter.box)}/{name}") for name in before)
    if not count:
        return []
    text = f"unread mail of {letter.box}'s that comes before it: {count}"
    return [Fact(None, "why", text, f"{letter.box}/inbox/")]


def _entry(root: Root, letter: Letter) -> list[Fact]:
    path = f"dir/{letter.box}.txt"
    if not layout.has_entry(root, letter.box):
        text = f"{letter.box} has no entry: nobody of that id is registered"
        return [Fact(None, "why", text, path)]
    status = registry.entry(root, letter.box).status
    if status not in PAUSED:
        return []
    seen = files.stat(root, path)
    return [Fact(seen and seen.st_mtime, "why", f"{letter.box}'s entry says {status}", path)]


def _life(root: Root, letter: Letter) -> list[Fact]:
    """When the recipient was last heard of: before it came, or after."""
    path = f"dir/{letter.box}.txt, {letter.box}/sent/, {letter.box}/inbox/.read/"
    last = registry.last_sign(root, letter.box)
    come = files.stat(root, f"{letter.box}/inbox/{letter.name}")
    if come and last < come.st_mtime:
        before = f"the last {moment(last)}" if last else "nor before"
        text = f"no sign of life of {letter.box} since this came, {before}"
        return [Fact(None, "why", text, path)]
    if not last:
        return []
    return [Fact(last, "heard", f"of {letter.box}, last: entry, mail sent or receipt", path)]


def _guardian(root: Root, letter: Letter, now: float) -> list[Fact]:
    for one in guardings(root.path, now):
        if one.lives and letter.box in one.agents:
            text = f"by process {one.process}, whose last good pass this is"
            if one.problem:
                text = f"the guardian {one.problem}"
            kind = "why" if one.problem else "guarded"
            return [Fact(now - one.age, kind, text, f"{FOLDER}/{one.file}")]
    text = f"nobody guards {letter.box}: no living process names it there"
    return [Fact(None, "why", text, f"{FOLDER}/")]
