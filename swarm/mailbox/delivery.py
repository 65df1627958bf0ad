"""Sending: every recipient is checked first, then each gets a whole message or none.

How one message gets into one inbox is in ``letter``.
"""

import os
import time

from swarm import message, names
from swarm.errors import SwarmError, Unknown, UsageError, from_os
from swarm.mailbox.layout import Root, check_inbox, check_known, check_mine, make_box, make_folder
from swarm.mailbox.letter import Delivered, Letter, deliver, listing
from swarm.mailbox.templates import load_template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ANSWERS = {"ack": "ack.txt", "done": "done.txt", "error": "error.txt"}


class Delivery:
    """What a send came to: messages delivered, and errors of boxes that could not take one."""

    __slots__ = ("delivered", "failed", "thread")

    def __init__(self, thread: str) -> None:
        self.thread = thread
        self.delivered: list[Delivered] = []
        self.failed: list[SwarmError] = []


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
    check_mine(root, sender)
    result = Delivery(thread)
    recipients, tolerant = _recipients(root, sender, to, result)
    values = {"from": sender, "subject": subject, "thread": thread, "status": status, "ref": ref}
    values["detail"] = _absolute(detail)
    values["date"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    values |= {name.lower(): value for name, value in (more or {}).items() if value}
    letter = Letter(root, sender, values, body, load_template(template))
    letter.key = key
    letter.more = tuple(more or ())
    letter.data(sender)  # raises for what cannot be written
    if recipients:
        _make_own_folders(root, sender)
        letter.number = names.next_number(listing(root, root.sent(sender)))
    _deliver_all(letter, recipients, tolerant, result)
    return result


def _deliver_all(letter: Letter, recipients: list[str], tolerant: bool, result: Delivery) -> None:
    """Serve everybody; raise only where nobody has got the message."""
    for agent in recipients:
        try:
            result.delivered.append(deliver(letter, agent))
        except SwarmError as error:
            if not (tolerant or result.delivered):
                raise
            result.failed.append(error)
    result.failed += letter.unsettled


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
    if not names.is_id(sender):
        why = f"is from {names.shown(sender)}, which is no agent id" if sender else "has no From"
        raise UsageError(
            f"{root.relative(path)} {why}, so nobody to answer",
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
    if root.shared:
        if not (os.path.isdir(root.drafts(sender)) and os.path.isdir(root.sent(sender))):
            make_box(root, sender)
        return
    for folder in (root.drafts(sender), root.sent(sender)):
        _make(root, folder)


def _make(root: Root, folder: str) -> None:
    try:
        if not os.path.isdir(folder):
            make_folder(root, folder)
    except OSError as error:
        raise from_os(error, "make", root.relative(folder)) from None
