"""Sending: every recipient is checked first, then each gets a whole message or none.

A message is written to a draft and given its name in the inbox in one step; the sender's copy
is staged before that step, so that a full disk is noticed while nothing has been delivered.
"""

import errno
import os
import time

from swarm import message, names
from swarm.errors import Conflict, SwarmError, Unknown, Unreadable, UsageError, from_os
from swarm.mailbox import disk
from swarm.mailbox.layout import Root, check_inbox, check_known, make_box, make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# After so many names that were taken a longer token is drawn.
SHORT_TRIES = 8
ANSWERS = {"ack": "ack.txt", "done": "done.txt", "error": "error.txt"}
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


class Delivery:
    """What a send came to: messages delivered, and errors of boxes that could not take one."""

    __slots__ = ("delivered", "failed", "thread")

    def __init__(self, thread: str) -> None:
        self.thread = thread
        self.delivered: list[Delivered] = []
        self.failed: list[SwarmError] = []


class _Letter:
    """What is the same for all recipients of one send."""

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


def send(
    root: Root,
    sender: str,
    to: list[str],
    subject: str,
    body: bytes,
    *,
    thread: str = "",
    status: str = "",
    detail: str = "",
    ref: str = "",
    key: str = "",
    template: str = "message.txt",
    more: "Mapping[str, str] | None" = None,
) -> Delivery:
    """Deliver one message to each recipient; ``all`` is every agent at work but the sender.

    Everything is checked before anything is written.  A ``key`` makes a repeated call for the
    same sender and recipient the same message.  Once somebody has the message, a box that
    fails is in ``failed`` and the rest are still served.  ``more``: other headers by name, in
    their order; a Date among them is when it was said.
    """
    check_known(root, sender)
    result = Delivery(thread)
    recipients, tolerant = _recipients(root, sender, to, result)
    values = {
        "from": sender,
        "subject": subject,
        "thread": thread,
        "status": status,
        "ref": ref,
        "detail": _absolute(detail),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    values |= {name.lower(): value for name, value in (more or {}).items() if value}
    letter = _Letter(root, sender, values, body, load_template(template))
    letter.key = key
    letter.more = tuple(more or ())
    letter.data(sender)  # raises for what cannot be written
    if recipients:
        _make_own_folders(root, sender)
        letter.number = names.next_number(_listing(root, root.sent(sender)))
    for agent in recipients:
        try:
            result.delivered.append(_deliver(letter, agent))
        except SwarmError as error:
            if not (tolerant or result.delivered):
                raise
            result.failed.append(error)
    result.failed += letter.unsettled
    return result


def reply(
    root: Root,
    me: str,
    wanted: str,
    body: bytes,
    *,
    also: "list[str] | tuple[str, ...]" = (),
    subject: str = "",
    thread: str = "",
    status: str = "",
    detail: str = "",
    key: str = "",
) -> Delivery:
    """Answer a message in one's own box: to its sender, in its thread, with its name as Ref."""
    from swarm.mailbox import inbox
    from swarm.mailbox.find import find

    check_known(root, me)
    path = find(root, me, wanted)
    try:
        original = inbox.read_head(path)
    except OSError as error:
        raise from_os(error, "read", root.relative(path)) from None
    return send(
        root,
        me,
        [_answerable(root, original, path), *also],
        subject or _re(original.subject),
        body,
        thread=thread or _threaded(original),
        status=status,
        detail=detail,
        ref=_writable(os.path.basename(path)),
        key=key,
        template=ANSWERS.get(status, "reply.txt"),
    )


def load_template(name: str) -> bytes:
    """A template's bytes: from the installed package, else from the checkout around it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (package, os.path.dirname(package)):
        path = f"{folder}/templates/{name}"
        try:
            return disk.read(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise from_os(error, "read", path) from None
    raise Unreadable(f"the template {name} is missing", "install swarm again")


def _absolute(detail: str) -> str:
    """The path as others can use it; checked first, since a path with NUL is cut in some places."""
    checked = message.check_value("Detail", detail)
    try:
        return os.path.abspath(checked) if checked else ""
    except OSError as error:
        raise from_os(error, "resolve", checked) from None


def _answerable(root: Root, original: message.Message, path: str) -> str:
    """The sender of a message, if mail can go there."""
    sender = original.get("from")
    if not sender:
        raise UsageError(
            f"{root.relative(path)} has no From, so nobody to answer",
            "swarm send writes to an agent by its id",
            code="no-sender",
        )
    return check_known(root, sender)


def _writable(name: str) -> str:
    """A file name as it can stand in a header; '' for one that cannot."""
    return name if name.isprintable() and name == name.strip() else ""


def _threaded(original: message.Message) -> str:
    """The thread of the answer; UsageError where that of the message cannot be written."""
    try:
        return message.check_value("Thread", original.get("thread"))
    except UsageError as error:
        raise UsageError(f"the message's {error.message}", "name a thread with -t") from None


def _re(subject: str) -> str:
    return "Re: " + "".join(" " if message.is_control(char) else char for char in subject)


def _recipients(root: Root, sender: str, to: list[str], result: Delivery) -> tuple[list[str], bool]:
    """Each recipient once, all checked; whether ``all`` was among them."""
    named = [agent for agent in dict.fromkeys(to) if agent != "all"]
    for agent in named:
        names.check_id(agent)
    for agent in named:
        check_known(root, agent)
    for agent in named:
        check_inbox(root, agent)
    if "all" not in to:
        if not named:
            raise UsageError("nobody to send to", "name one or more agents, or all")
        return named, False
    at_work = _at_work(root, sender)
    for agent in at_work:
        if agent in named:
            continue
        try:
            check_inbox(root, agent)
            named.append(agent)
        except SwarmError as error:
            result.failed.append(error)
    return named, True


def _at_work(root: Root, sender: str) -> list[str]:
    """Every registered agent but the sender and those that are done, failed or cancelled."""
    from swarm.mailbox.registry import FINISHED, entries

    found = [e.id for e in entries(root) if e.id != sender and e.status not in FINISHED]
    if not found:
        raise Unknown(
            "all: nobody else is registered and at work",
            "swarm agents lists who is registered",
            code="unknown-agent",
        )
    return found


def _make_own_folders(root: Root, sender: str) -> None:
    for folder in (root.drafts(sender), root.sent(sender)):
        _make(root, folder)


def _make(root: Root, folder: str) -> None:
    try:
        if not os.path.isdir(folder):
            make_folder(folder)
    except OSError as error:
        raise from_os(error, "make", root.relative(folder)) from None


def _listing(root: Root, folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise from_os(error, "list", root.relative(folder)) from None


def _deliver(letter: _Letter, agent: str) -> Delivered:
    root = letter.root
    if not os.path.isdir(root.inbox(agent)):
        make_box(root, agent)
    if not letter.key:
        return Delivered(agent, _write(letter, agent, ""))
    import hashlib

    text = f"{letter.sender}\0{agent}\0{letter.key}".encode("utf-8", "surrogateescape")
    token = hashlib.sha256(text).hexdigest()[:16]
    try:
        with disk.Lock(root.box(letter.sender)):
            earlier = _earlier(letter, agent, token)
            return Delivered(agent, earlier or _write(letter, agent, token), bool(earlier))
    except OSError as error:
        raise from_os(error, "lock", letter.sender) from None


def _earlier(letter: _Letter, agent: str, token: str) -> str:
    """The name under which a message of that key was sent before, or ''; completes its copy."""
    root, end = letter.root, f"_{token}.txt"
    for folder in (root.inbox(agent), root.receipts(agent), root.sent(letter.sender)):
        for name in _listing(root, folder):
            if name.endswith(end) and not name.startswith("."):
                _complete(letter, agent, name)
                return name
    return ""


def _complete(letter: _Letter, agent: str, name: str) -> None:
    root = letter.root
    path = f"{root.inbox(agent)}/{name}"
    try:
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


def _write(letter: _Letter, agent: str, token: str) -> str:
    """Draft, stage the copy, publish both; whatever fails leaves no temporary file."""
    root, sender = letter.root, letter.sender
    data = letter.data(agent)
    staged: list[str] = []
    where = root.drafts(sender)
    try:
        staged.append(disk.write_temp(where, data, root.sync))
        where = root.sent(sender)
        staged.append(disk.write_temp(where, data, root.sync))
        where = root.inbox(agent)
        name = _publish(letter, agent, token, data, staged)
        _settle(letter, agent, staged[1], name)
    except OSError as error:
        raise from_os(error, "write to", root.relative(where)) from None
    finally:
        for path in staged:
            _discard(path)
    letter.number = min(letter.number + 1, names.NUMBER_MAX)
    return name


def _settle(letter: _Letter, agent: str, copy: str, name: str) -> None:
    """Sync the delivery and name the sender's copy; what fails now undoes nothing.

    It is told beside the delivery: a caller who took it for a failure would send twice.
    """
    root = letter.root
    path = f"{agent}/inbox/{name}"
    try:
        if root.sync:
            disk.sync_folder(root.inbox(agent))
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


def _publish(letter: _Letter, agent: str, token: str, data: bytes, staged: list[str]) -> str:
    """Give the draft, ``staged[0]``, a free name in the inbox; return the name."""
    folder = letter.root.inbox(agent)
    tries = 0
    while True:
        drawn = token or os.urandom(2 if tries < SHORT_TRIES else 8).hex()
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


def _taken(letter: _Letter, agent: str, name: str) -> bool:
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
