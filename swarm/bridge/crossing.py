"""One message, from the form it has on one side to the form it gets on the other.  Pure."""

from dataclasses import dataclass

from swarm.bridge import words
from swarm.events import Event, headers, moment, one_line, shorten

MALFORMED = "malformed"
MISADDRESSED = "misaddressed"
# So many characters of one line cross (no client writes as many): a header of such lines is never
# longer than a reader reads.
LINE_MAX = 16384
# Say who is there: on the other side the registry, or the roster, tells that.
PRESENCE = frozenset(("agent_join", "agent_leave", "agent_status_change"))


@dataclass(slots=True, kw_only=True)
class Row:
    """A message file as it is to stand on the channel.

    ``key``: the file.  ``event``: what the row says, but for numbers: ``thread`` is the mail
    thread, and ``task``, ``ref`` and ``retry_of`` are found when it is stored.  ``text``:
    what goes into a detail file.  ``ref_key``, ``first``: the file answered, and the thread of
    the first request that this one repeats.  ``number``: the number the row had before.
    """

    key: str
    event: Event
    text: bytes = b""
    ref_key: str = ""
    first: str = ""
    number: int = 0


@dataclass(slots=True, kw_only=True)
class File:
    """A row, by its ``number``, as it is to lie in one inbox.

    ``copy``: whose sent/ gets it too, "" for nobody's.
    """

    agent: str
    name: str
    lines: list[tuple[str, str]]
    body: bytes
    copy: str = ""
    number: int = 0


def is_presence(event: Event) -> bool:
    """Whether it only says who is there."""
    return event.kind == "broadcast" and event.intent in PRESENCE


def to_row(owner: str, name: str, event: Event, raw: bytes, token: str) -> Row:
    """The row of a message in somebody's mailbox.

    ``event``: as the mail says it, with the ids of mailboxes.  ``raw``: all of a file that is
    malformed.  What is no proper message crosses as far as it goes, and asks for nothing.
    """
    said = event.replace(task="", id="", ref="", retry_of="", via="", body=b"")
    said.kind, said.intent, said.detail = (
        text[:LINE_MAX] for text in (event.kind, event.intent, event.detail)
    )
    said.thread = one_line(event.task)
    said.origin = words.origin(token, words.key(owner, name))
    said.to = owner
    text = event.body
    if event.problem:
        flaw = MISADDRESSED if event.problem.startswith("addressed") else MALFORMED
        said.kind, said.intent, said.need_reply, said.retry = "info_only", flaw, False, ""
        said.problem = ""
        text = raw or text
    said.content, cut = shorten(event.content)
    text = _text(said, event.content if cut else "", text)
    if text:
        said.detail = ""
    return Row(
        key=words.key(owner, name),
        event=said,
        text=text,
        ref_key=words.key(event.sender, event.ref) if event.ref else "",
        first=event.retry_of,
        number=words.row_number(token, name),
    )


def _text(said: Event, subject: str, body: bytes) -> bytes:
    """The longer text of a row: all that its few words leave out; a request always has one (S)."""
    parts = [f"{subject}\n\n".encode("utf-8", "replace") if subject else b"", body]
    if said.detail and (subject or body):
        end = b"" if not body or body.endswith(b"\n") else b"\n"
        parts.append(end + f"Detail: {said.detail}\n".encode("utf-8", "replace"))
    text = b"".join(parts)
    if said.kind == "task_req" and not text and not said.detail:
        text = f"{said.content}\n".encode("utf-8", "replace")
    return text


def to_file(
    event: Event, agent: str, sender: str, thread: str, ref: str, first: str, token: str, via: str
) -> File:
    """The file of a row in one inbox.

    ``event``: as the row says it.  ``agent``, ``sender``: mailboxes.  ``thread``: of its task.
    ``ref``: the file answered.  ``first``: the thread of the first request of a retried one.
    """
    number = int(event.id)
    said = event.replace(
        to=agent, sender=sender, task=thread, thread="", ref=ref, via=via, retry_of=first,
        origin=words.origin(token, event.id),
    )  # fmt: skip
    body = event.body
    if event.problem:
        said.kind, said.intent, said.content = "info_only", MALFORMED, event.problem
    elif said.content.strip() != one_line(said.content) or len(said.content) > LINE_MAX:
        body = f"{said.content}\n".encode("utf-8", "replace") + (b"\n" + body if body else b"")
    lines = dict(headers(said)) | {"Date": moment(said.at)}
    return File(
        agent=agent,
        name=words.file_name(token, number, event.content),
        lines=[(name, value[:LINE_MAX]) for name, value in lines.items() if value],
        body=body,
        copy=sender if sender != agent else "",
        number=number,
    )
