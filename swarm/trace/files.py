"""What the files of the sender and of the recipient tell: their names and times."""

import os
from stat import S_ISREG

from swarm import disk, names
from swarm.dates import dated
from swarm.errors import SwarmError
from swarm.events import moment
from swarm.mailbox import inbox, layout, threads
from swarm.mailbox.layout import Root
from swarm.mamoru.following import tasks
from swarm.trace.fact import Fact
from swarm.trace.letter import Letter
from swarm.transport.mail import MailStore

SECOND = 1.0


def facts(root: Root, letter: Letter) -> list[Fact]:
    """Where it lies and lay: drafts, inbox, receipt, sent."""
    name, box, sender = letter.name, letter.box, letter.sender
    found = _said(root, letter)
    there = _file("delivered", f"to {box}", root, f"{box}/inbox/{name}")
    if there and (other := _another(root, letter)):
        there = [Fact(None, "unknown", other, f"{box}/inbox/{name}")]
    copy = _file("sent", f"{sender}'s copy", root, f"{sender}/sent/{name}") if sender else []
    read = _file("read", f"{box}'s receipt", root, f"{box}/inbox/.read/{name}")
    away = _archived(root, letter)
    found += _draft(root, letter) + there + copy + read + away
    if there and not read:
        text = f"no receipt; it lies there since {moment(there[0].at or 0)}"
        found.append(Fact(None, "unread", text, f"{box}/inbox/.read/"))
    if not there and (read or away):
        found.append(Fact(None, "gone", f"no longer in {box}'s inbox", f"{box}/inbox/"))
    if not there and not read and not away:
        found += _nowhere(root, letter)
    return found


def stat(root: Root, path: str) -> os.stat_result | None:
    """What stands at a path of the tree, None if nothing that can be looked at."""
    try:
        return os.lstat(f"{root.path}/{path}")
    except OSError:
        return None


def _said(root: Root, letter: Letter) -> list[Fact]:
    """Its own Date and Via."""
    path, message = root.relative(letter.item.path), letter.item.message
    if message is None:
        return [Fact(None, "unknown", "what it says: it cannot be read", path)]
    at = dated(message.get("Date"))
    found = [] if at is None else [Fact(at, "dated", "its Date", path)]
    via = message.get("Via")
    return found + ([Fact(None, "via", f"carried here from channel {via}", path)] if via else [])


def _draft(root: Root, letter: Letter) -> list[Fact]:
    if not letter.sender:
        return []
    text = f"not sent off: it lies in {letter.sender}'s drafts"
    return _file("draft", text, root, f"{letter.sender}/drafts/{letter.name}")


def _file(kind: str, text: str, root: Root, path: str) -> list[Fact]:
    """That a file is there: with the time it was written, and when it was moved or changed."""
    seen = stat(root, path)
    if seen is None:
        return []
    if not S_ISREG(seen.st_mode):
        return [Fact(None, "why", "no regular file, so no listing shows it", path)]
    if seen.st_ctime > seen.st_mtime + SECOND and kind != "read":
        text += f"; moved here, or changed, at {moment(seen.st_ctime)}"
    return [Fact(seen.st_mtime, kind, text, path)]


def _another(root: Root, letter: Letter) -> str:
    """In words that the recipient's file of that name is another message, "" if it is this one."""
    path = f"{root.inbox(letter.box)}/{letter.name}"
    if letter.item.path == path:
        return ""
    try:
        item = inbox.load(root, letter.box, path)
    except SwarmError:
        item = None
    if item is None or item.unreadable:
        return ""
    same = (item.sender, item.subject) == (letter.item.sender, letter.item.subject)
    return "" if same else f"where it is: {letter.box} has another message of that name"


def _archived(root: Root, letter: Letter) -> list[Fact]:
    """In the recipient's sent/; mail to oneself lies there beside the copy."""
    name = letter.name
    if letter.box == letter.sender:
        name = f"{name[:-4]}-2.txt"
    path = f"{letter.box}/sent/{name}"
    seen = stat(root, path)
    if seen is None:
        return []
    return [Fact(seen.st_ctime, "archived", f"by {letter.box}, or by hand", path)]


def _nowhere(root: Root, letter: Letter) -> list[Fact]:
    """It is in no folder of the recipient's: still a draft, half written, or nobody can tell."""
    found = _half(root, letter)
    draft = f"{letter.sender}/drafts/{letter.name}"
    if letter.sender and stat(root, draft):
        text = f"never delivered: mv it into {letter.box}'s inbox, or send it"
        return [*found, Fact(None, "why", text, draft)]
    if not layout.is_known(root, letter.box):
        text = f"there is no agent {letter.box} here, so no inbox it could be in"
        return [*found, Fact(None, "why", text, f"dir/{letter.box}.txt")]
    text = "whether it was removed or never came: no message, no receipt, nothing archived"
    return [*found, Fact(None, "unknown", text, f"{letter.box}/inbox/")]


def _half(root: Root, letter: Letter) -> list[Fact]:
    """Temporary files with what it says, left by a delivery that was killed, or under way."""
    found = []
    folders = [f"{letter.box}/inbox"]
    folders += [f"{letter.sender}/drafts", f"{letter.sender}/sent"] if letter.sender else []
    for folder in dict.fromkeys(folders):
        for name in _names(root, folder):
            if name.startswith(disk.TEMP_PREFIX) and _says(root, f"{folder}/{name}", letter):
                text = "a temporary file with this message, left by a delivery that did not end"
                seen = stat(root, f"{folder}/{name}")
                found.append(Fact(seen and seen.st_mtime, "why", text, f"{folder}/{name}"))
    return found


def _names(root: Root, folder: str) -> list[str]:
    try:
        return sorted(os.listdir(f"{root.path}/{folder}"))
    except OSError:
        return []


def _says(root: Root, path: str, letter: Letter) -> bool:
    try:
        read = inbox.read_head(f"{root.path}/{path}")
    except OSError:
        return False
    said = (read.get("to"), read.get("from"), read.get("subject"))
    return said == (letter.item.recipient, letter.item.sender, letter.item.subject)


def hidden(root: Root, letter: Letter) -> list[Fact]:
    """Files beside it that no listing shows, for their name alone."""
    stem = letter.name.removesuffix(".txt").lstrip(".")
    return [
        Fact(None, "why", "no listing shows a file of such a name: mail ends in .txt, and begins "
             "with no dot", f"{letter.box}/inbox/{name}")
        for name in _names(root, f"{letter.box}/inbox")
        if stem and stem in name and name != ".read" and not names.is_message_name(name)
    ]  # fmt: skip


def answers(root: Root, agent: str, letter: Letter) -> list[Fact]:
    """What was sent in answer, as far as the caller's own mail tells, and the task's state."""
    owners = {agent} if agent else {letter.sender, letter.box}
    found: dict[str, Fact] = {}
    for owner in sorted(owner for owner in owners if owner and _open_to_us(root, owner)):
        for item in threads.search(root, owner, [letter.name])[0]:
            message = item.message
            if message and message.get("Ref") == letter.name and item.file != letter.name:
                seen = stat(root, root.relative(item.path))
                at = dated(message.get("Date")) or (seen.st_mtime if seen else None)
                text = f"by {item.sender}: {message.get('Event') or item.status or 'a reply'}"
                found[item.file] = Fact(at, "answered", text, root.relative(item.path))
    return [*found.values(), *_task(root, agent or letter.sender or letter.box, letter)]


def _open_to_us(root: Root, owner: str) -> bool:
    return layout.has_box(root, owner) and not layout.is_private(root, owner)


def _task(root: Root, agent: str, letter: Letter) -> list[Fact]:
    if not letter.item.thread or not _open_to_us(root, agent):
        return []
    task = tasks(MailStore(root, watching=False), agent).get(letter.item.thread)
    if task is None:
        return []
    text = f"{task.key}: {task.state}, asked by {task.requester} of {task.worker}"
    return [Fact(None, "task", text, f"messages of that thread in {agent}'s mail")]
