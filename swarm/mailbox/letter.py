"""One message on its way: drafted, copied for its sender, published into an inbox, named once.

The sender's copy is staged before the message is published, so that a full disk is noticed
while nothing has been delivered.
"""

import errno
import os

from swarm import disk, message, names, syncing
from swarm.errors import Conflict, SwarmError, from_os
from swarm.mailbox import shared
from swarm.mailbox.layout import Root, make_box

# After so many names that were taken a longer token is drawn.
SHORT_TRIES = 8
ORDER = ("To", "From", "Subject", "Thread", "Status", "Ref", "Detail", "Date")


class Delivered:
    """One message that lies in somebody's inbox; ``repeated`` if a call before sent it."""

    __slots__ = ("agent", "name", "repeated")

    def __init__(self, agent: str, name: str, repeated: bool = False) -> None:
        self.agent = agent
        self.name = name
        self.repeated = repeated

    @property
    def path(self) -> str:
        """The path as it is printed: relative to the root."""
        return f"{self.agent}/inbox/{self.name}"


class Letter:
    """What is the same for all recipients of one send; ``unsettled``: what failed afterwards."""

    __slots__ = (
        "body",
        "key",
        "more",
        "number",
        "root",
        "sender",
        "slug",
        "template",
        "unsettled",
        "values",
    )

    def __init__(
        self, root: Root, sender: str, values: dict[str, str], body: bytes, template: bytes
    ) -> None:
        self.root = root
        self.sender = sender
        self.values = values
        self.body = body
        self.template = template
        self.slug = names.slug(values["subject"])
        self.key = ""
        self.more: tuple[str, ...] = ()
        self.number = 0
        self.unsettled: list[SwarmError] = []

    def data(self, recipient: str) -> bytes:
        """The bytes for one recipient; UsageError for a value that cannot be written."""
        values = {**self.values, "to": recipient}
        headers = message.fill(self.template, values)
        there = {name.lower() for name, _ in headers}
        for name in (*ORDER, *self.more):  # what an edited template left out is not lost
            if name.lower() not in there:
                there.add(name.lower())
                headers.append((name, values.get(name.lower(), "")))
        return message.format_message(headers, self.body)


def listing(root: Root, folder: str) -> list[str]:
    """The names in a folder of a mailbox; [] where there is no such folder."""
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise from_os(error, "list", root.relative(folder)) from None


def deliver(letter: Letter, agent: str) -> Delivered:
    """Put the message into one inbox, once for a key; SwarmError if it is not there."""
    root = letter.root
    if not root.shared and not os.path.isdir(root.inbox(agent)):
        make_box(root, agent)
    if not letter.key:
        return Delivered(agent, _write(letter, agent, ""))
    import hashlib

    from swarm.lock import Lock

    text = f"{letter.sender}\0{agent}\0{letter.key}".encode("utf-8", "surrogateescape")
    token = hashlib.sha256(text).hexdigest()[:16]
    try:
        with Lock(root.box(letter.sender)):
            earlier = _earlier(letter, agent, token)
            return Delivered(agent, earlier or _write(letter, agent, token), bool(earlier))
    except OSError as error:
        raise from_os(error, "lock", letter.sender) from None


def _earlier(letter: Letter, agent: str, token: str) -> str:
    """The name under which a message of that key was sent before, or ''; completes its copy."""
    if letter.root.shared:
        return _guessed(letter, agent, token)
    root, end = letter.root, f"_{token}.txt"
    for folder in (root.inbox(agent), root.receipts(agent), root.sent(letter.sender)):
        for name in listing(root, folder):
            if name.endswith(end) and not name.startswith("."):
                _complete(letter, agent, name)
                return name
    return ""


def _guessed(letter: Letter, agent: str, token: str) -> str:
    """The same where the inbox may not be listed: in sent/, or under any number until now."""
    root = letter.root
    for name in listing(root, root.sent(letter.sender)):
        if name.endswith(f"_{token}.txt") and not name.startswith("."):
            return name
    for number in range(letter.number, 0, -1):
        name = names.message_name(number, letter.slug, token)
        for folder in (root.inbox(agent), root.receipts(agent)):
            if os.path.lexists(f"{folder}/{name}"):
                _complete(letter, agent, name)
                return name
    return ""


def _complete(letter: Letter, agent: str, name: str) -> None:
    root = letter.root
    path = f"{root.inbox(agent)}/{name}"
    try:
        if root.shared and os.lstat(path).st_uid == shared.owner(root.box(agent)) != os.geteuid():
            raise FileNotFoundError  # marked by its reader: no longer ours to read
        data = disk.read(path)
    except FileNotFoundError:
        data = b""
    except OSError as error:
        raise from_os(error, "read", root.relative(path)) from None
    if data and message.parse(data).get("from") != letter.sender:
        raise Conflict(
            f"{root.relative(path)} has the name of this message but another sender",
            "send it with another key",
            code="taken",
        )
    copy = f"{root.sent(letter.sender)}/{name}"
    if os.path.lexists(copy):
        return
    try:
        disk.create(copy, data or letter.data(agent), root.sync)
    except OSError as error:
        raise from_os(error, "write to", root.relative(root.sent(letter.sender))) from None


def _write(letter: Letter, agent: str, token: str) -> str:
    """Draft, stage the copy, publish both; whatever fails leaves no temporary file.

    In a shared tree the inbox is held, and the draft made there: its list says who may read it.
    """
    root = letter.root
    if not root.shared:
        return _write_to(letter, agent, token, root.inbox(agent), root.drafts(letter.sender))
    try:
        with shared.Inbox(root.path, agent) as inbox:
            return _write_to(letter, agent, token, inbox, inbox)
    except OSError as error:
        raise from_os(error, "reach", root.relative(root.inbox(agent))) from None


def _write_to(letter: Letter, agent: str, token: str, inbox: str, drafts: str) -> str:
    root, sender = letter.root, letter.sender
    data = letter.data(agent)
    staged: list[str] = []
    where = root.drafts(sender)
    try:
        staged.append(disk.write_temp(drafts, data, False))
        where = root.sent(sender)
        staged.append(disk.write_temp(where, data, False))
        if root.sync:
            syncing.sync_all(staged)
        where = root.inbox(agent)
        name = _publish(letter, agent, token, data, staged, inbox)
        _settle(letter, agent, staged[1], name, inbox)
    except OSError as error:
        raise from_os(error, "write to", root.relative(where)) from None
    finally:
        for path in staged:
            _discard(path)
    letter.number = min(letter.number + 1, names.NUMBER_MAX)
    return name


def _settle(letter: Letter, agent: str, copy: str, name: str, inbox: str) -> None:
    """Sync the delivery and name the sender's copy; what fails now undoes nothing.

    It is told beside the delivery: a caller who took it for a failure would send twice.
    """
    root = letter.root
    path = f"{agent}/inbox/{name}"
    try:
        if root.sync:
            if root.shared:  # whose folder may not be opened: the file takes its name along
                syncing.sync_all([f"{inbox}/{name}"])
            syncing.sync_folder(inbox)
    except OSError as error:
        letter.unsettled.append(_after(error, f"sync {path}", path))
    where = root.sent(letter.sender)
    try:
        _publish_copy(copy, where, name)  # its folder is not synced: whole or absent will do
    except OSError as error:
        letter.unsettled.append(_after(error, f"keep a copy in {root.relative(where)}", path))


def _after(error: OSError, doing: str, path: str) -> SwarmError:
    """An error of something that came after the delivery."""
    problem = from_os(error, doing.partition(" ")[0], doing.partition(" ")[2])
    problem.hint = f"{path} is delivered: do not send it again without the same --id"
    return problem


def _publish(
    letter: Letter, agent: str, token: str, data: bytes, staged: list[str], folder: str
) -> str:
    """Give the draft, ``staged[0]``, a free name in the inbox; return the name.

    In a shared tree none that others could guess.
    """
    tries = 0
    while True:
        short = tries < SHORT_TRIES and not letter.root.shared
        drawn = token or os.urandom(2 if short else 8).hex()
        name = names.message_name(letter.number, letter.slug, drawn)
        tries += 1
        try:
            if not _taken(letter, agent, name) and disk.publish(staged[0], f"{folder}/{name}"):
                return name
        except OSError as error:
            if error.errno != errno.EXDEV or os.path.dirname(staged[0]) == folder:
                raise
            draft, staged[0] = staged[0], disk.write_temp(folder, data, letter.root.sync)
            _discard(draft)
            continue
        if token:
            raise Conflict(f"{agent}/inbox/{name} is taken", "send it with another key", "taken")


def _taken(letter: Letter, agent: str, name: str) -> bool:
    root = letter.root
    return any(
        os.path.lexists(f"{folder}/{name}")
        for folder in (root.inbox(agent), root.receipts(agent), root.sent(letter.sender))
    )


def _publish_copy(staged: str, folder: str, name: str) -> None:
    """Name the sender's copy; where a racing send took the name it is kept beside that one."""
    target, count = f"{folder}/{name}", 1
    while not disk.publish(staged, target):
        count += 1
        target = f"{folder}/{name[:-4]}-{count}.txt"


def _discard(path: str) -> None:
    """Remove a temporary file if it is still there; never hides the error that came before."""
    try:
        disk.remove(path)
    except OSError:
        return
