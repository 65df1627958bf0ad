"""An event: one line of the conversation between agents, on either transport.  Pure.

The fourteen words and the five payload keys are seed S's.  What is refused when writing and
tolerated when reading, and the form as mail headers, is contract 2 and our own decision.
"""

import json
from dataclasses import dataclass, fields
from typing import Any, cast

from swarm.dates import dated
from swarm.errors import UsageError
from swarm.message import Message, check_value, is_control

EVENTS = (
    "broadcast",
    "info_only",
    "ping",
    "pong",
    "task_req",
    "task_ack",
    "task_reject",
    "task_clarify",
    "task_clarify_res",
    "task_update",
    "task_done",
    "task_fail",
    "task_cancel",
    "task_cancel_ack",
)
# Only a guardian sends these: an agent that tries is refused.
AUTOMATIC = frozenset(("task_ack", "task_reject", "task_cancel_ack", "ping", "pong"))
FROM_REQUESTER = frozenset(("task_req", "task_clarify_res", "task_cancel"))
FROM_WORKER = frozenset(event for event in EVENTS if event[:5] == "task_") - FROM_REQUESTER
FOLLOW_UPS = (FROM_REQUESTER | FROM_WORKER) - {"task_req"}
# What asks for an answer (S: need_reply is true where the recipient must respond).
NEEDS_REPLY = frozenset(("task_req", "task_clarify", "task_cancel", "ping"))
RETRIES = ("queue", "block")

PAYLOAD_MAX = 1024 * 1024
CONTENT_WORDS = 20
CONTENT_CHARS = 500
EXTRA_KEYS = ("retry", "retry_of", "origin", "thread", "via")
EXTRAS = frozenset(EXTRA_KEYS)
STATUS_OF = {
    "task_ack": "ack",
    "task_reject": "error",
    "task_done": "done",
    "task_fail": "error",
    "task_cancel": "cancelled",
    "task_cancel_ack": "ack",
    "pong": "ack",
}
# The known client counts words by JavaScript's \s, which is not what str.split() parts by.
JS_SPACES = str.maketrans({"\ufeff": " "} | dict.fromkeys("\x1c\x1d\x1e\x1f\x85", "x"))


@dataclass(slots=True, kw_only=True)
class Event:
    """One message of the conversation, wherever it is stored.  Taken as immutable.

    ``kind``: the event's word, one of EVENTS when we write it, anything when read.
    ``to``: the recipient's id, "" for a broadcast.  ``task``: the task's key: the Thread in
    mail, the decimal ``task_id`` in a channel.  ``id``, ``ref``: this message and the one it
    answers: a file name in mail, a decimal ``message_id`` in a channel.
    ``at``: when it was sent, epoch seconds, 0 unknown.  ``body``: longer text, mail only.
    ``retry``: "queue" or "block" where a rejected request is to be tried again, and
    ``retry_of`` the key of the first request in a retried one.
    ``origin``: the unique name of what caused an automatic message, "" for any other.
    ``thread``, ``via``: set by a bridge: the mail thread, and who carried it over.
    ``problem``: why it is no proper event; "" if it is one.
    """

    kind: str
    sender: str = ""
    to: str = ""
    content: str = ""
    intent: str = ""
    detail: str = ""
    need_reply: bool = False
    task: str = ""
    ref: str = ""
    id: str = ""
    at: float = 0.0
    body: bytes = b""
    retry: str = ""
    retry_of: str = ""
    origin: str = ""
    thread: str = ""
    via: str = ""
    problem: str = ""

    def replace(self, **changes: Any) -> "Event":
        """The same event with other values in the fields named; AttributeError for no field."""
        found: Event = _NEW(Event)
        for name in FIELDS:
            setattr(found, name, getattr(self, name))
        for name, value in changes.items():
            setattr(found, name, value)
        return found

    @property
    def key(self) -> str:
        """The key of its task; a request that does not name itself is its own (S)."""
        return self.task or (self.id if self.kind == "task_req" else "")


FIELDS = tuple(field.name for field in fields(Event))
# Made once: the functions of json make one, or look for blanks, at each call.
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
SCAN = cast(Any, json.JSONDecoder()).scan_once
_NEW = object.__new__


def payload(event: Event) -> str:
    """The event as compact JSON: S's five keys always, ours only when set."""
    keys: dict[str, object] = {
        "event": event.kind,
        "intent": event.intent or None,
        "need_reply": event.need_reply,
        "content": event.content,
        "detail": event.detail or None,
    }
    for key in EXTRA_KEYS:
        if value := getattr(event, key):
            keys[key] = value
    return whole(ENCODER.encode(keys))


def from_payload(
    text: object,
    *,
    sender: str = "",
    to: str = "",
    task: str = "",
    ref: str = "",
    id: str = "",
    at: float = 0.0,
) -> Event:
    """The event in a row's payload; the other fields as its other columns tell them.

    Never raises: ``problem`` says what makes it no event.  An optional key of a wrong type
    counts as unset, an unknown event is kept (the known client does both).
    """
    keys: dict[str, object] = {}
    problem = ""
    try:
        keys = _decoded(text)
    except (ValueError, RecursionError) as error:
        problem = whole(f"no event: {error}"[:200])
    get = keys.get
    kind, content, intent, detail = get("event"), get("content"), get("intent"), get("detail")
    if kind.__class__ is not str or content.__class__ is not str or not kind:
        problem = problem or f"no event: {_lacking(kind, content)}"
        content = _text(content) if isinstance(kind, str) else ""
        kind = _text(kind)
    # One by one: the constructor with its keywords takes three times as long.
    event: Event = _NEW(Event)
    event.kind = kind if kind.isascii() else whole(kind)
    event.sender = sender
    event.to = to
    event.content = content if content.isascii() else whole(content)
    event.intent = "" if intent is None else _text(intent)
    event.detail = "" if detail is None else _text(detail)
    event.need_reply = get("need_reply") is True
    event.task = task
    event.ref = ref
    event.id = id
    event.at = at
    event.body = b""
    event.retry = event.retry_of = event.origin = event.thread = event.via = ""
    event.problem = problem
    if not EXTRAS.isdisjoint(keys):
        for key in EXTRA_KEYS:
            setattr(event, key, _text(get(key)))
    return event


def _decoded(text: object) -> dict[str, object]:
    """The JSON object in a payload; ValueError or RecursionError for anything else."""
    if text.__class__ is str and len(text) <= PAYLOAD_MAX:
        try:
            keys, end = SCAN(text, 0)
        except StopIteration:  # it begins with a blank, or something is missing: said below
            end = -1
        if end == len(text) and keys.__class__ is dict:
            return keys
    if not isinstance(text, (str, bytes)):
        raise ValueError(f"the payload is {type(text).__name__}, not text")
    if len(text) > PAYLOAD_MAX:
        raise ValueError(f"the payload is over 1 MiB ({len(text)})")
    keys = json.loads(text.decode("utf-8", "replace") if isinstance(text, bytes) else text)
    if not isinstance(keys, dict):
        raise ValueError("the payload is no JSON object")
    return keys


def _lacking(kind: object, content: object) -> str:
    """Why these two, which every event has, make none."""
    for key, value in (("event", kind), ("content", content)):
        if not isinstance(value, str):
            return f"the payload has no {key} that is text"
    return "the payload's event is empty"


def _text(value: object) -> str:
    """A text as it is, nothing for anything else."""
    if isinstance(value, str):
        return value if value.isascii() else whole(value)
    return ""


def whole(text: str) -> str:
    """The text with lone surrogates, which no UTF-8 can carry, replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def one_line(text: str) -> str:
    """The text as one line that a header can carry: controls become blanks."""
    if text.isascii() and text.isprintable():
        return text.strip(" ")
    return "".join(" " if is_control(char) else char for char in whole(text)).strip(" ")


def words(text: str) -> int:
    """The number of words as the known client counts them."""
    return len(text.translate(JS_SPACES).split())


def shorten(text: str, limit: float = CONTENT_WORDS) -> tuple[str, bool]:
    """The first words that fit into a content, and whether anything else was left out.

    ``limit`` is in words; 500 characters hold beside it, and cut a first word longer than that.
    """
    kept: list[str] = []
    size = -1
    for word in one_line(text[: 4 * CONTENT_CHARS]).translate(JS_SPACES).split():
        size += 1 + len(word)
        if len(kept) + 1 > limit or size > CONTENT_CHARS:
            if not kept:
                kept.append(word[:CONTENT_CHARS])
            break
        kept.append(word)
    content = " ".join(kept)
    return content, content != text.strip()


def check_out(event: Event, limit: float = CONTENT_WORDS) -> None:
    """Raise UsageError for an event that an agent must not send.

    ``limit``: the most words of a content (S: about 20; a persona may set another).
    """
    _check_kind(event.kind)
    # Whom and what it is about is anybody's text, and has to be there to be found: an answer to it
    # is no less fit to be sent than the question was.
    for name in ("content", "intent", "detail"):
        check_value(name, getattr(event, name))
    _check_content(event.content, limit)
    if event.kind == "task_req":
        _check_recipient(event)
    elif event.kind in FOLLOW_UPS and not event.task:
        raise UsageError(
            f"{event.kind} names no task", "swarm task list shows the keys", code="no-task"
        )
    if event.retry and event.retry not in RETRIES:
        raise UsageError("a retry is queue or block", code="bad-value")


def _check_kind(kind: str) -> None:
    if kind in AUTOMATIC:
        raise UsageError(
            f"{kind} is reserved: the guardian sends it by itself", code="reserved-event"
        )
    if kind not in EVENTS:
        raise UsageError(
            f"{kind[:80]!a} is no event",
            "one of " + ", ".join(event for event in EVENTS if event not in AUTOMATIC),
            code="unknown-event",
        )


def _check_content(content: str, limit: float) -> None:
    count = words(content)
    if not count:
        raise UsageError("the content is empty", "say in a few words what it is", code="no-content")
    if count > limit or len(content) > CONTENT_CHARS:
        raise UsageError(
            f"the content has {count} words, {len(content)} characters: at most {limit:g} words"
            f" and {CONTENT_CHARS} characters",
            "leave the longer text in a file and pass its path with --detail",
            code="content-too-long",
        )


def _check_recipient(event: Event) -> None:
    if not event.to:
        raise UsageError("a task_req needs a recipient", "name one agent", code="no-recipient")
    if event.to == event.sender:
        raise UsageError("a task_req to oneself", "name another agent", code="to-self")


def headers(event: Event) -> list[tuple[str, str]]:
    """The event as mail headers (contract 2), in their order; an empty value means none.

    Subject is the content, or the event's word where that is blank, since mail needs one.
    """
    lines = [
        ("To", event.to),
        ("From", event.sender),
        ("Subject", one_line(event.content) or one_line(event.kind) or "message"),
        ("Thread", event.task or event.thread),
        ("Status", STATUS_OF.get(event.kind, "")),
        ("Event", event.kind),
        ("Ref", event.ref),
        ("Intent", event.intent),
        ("Need-Reply", "yes" if event.need_reply else ""),
        ("Detail", event.detail),
        ("Date", date(event.at)),
        ("Via", event.via),
        ("Retry", event.retry),
        ("Retry-Of", event.retry_of),
        ("Origin", event.origin),
    ]
    return [(name, one_line(value)) for name, value in lines]


def from_message(message: Message, name: str, at: float, opener: str) -> Event:
    """The event in a mail; never raises.

    ``name``: its file name.  ``at``: when it came, where its Date cannot be read.  ``opener``:
    who sent the first mail of its Thread, "" if this is the first.  Without an Event header
    the event is inferred (contract 2).  A malformed mail has a ``problem``, and its name as
    content if it says nothing at all.
    """
    get = message.fields.get
    problem = "malformed: lacks " + ", ".join(message.missing) if message.malformed else ""
    said = dated(message.get("Date"))
    return Event(
        kind=get("event") or _inferred(message, opener),
        sender=get("from", ""),
        to=get("to", ""),
        content=message.subject or name,
        intent=get("intent", ""),
        detail=get("detail", ""),
        need_reply=get("need-reply", "").lower() == "yes",
        task=one_line(get("thread", "")),  # as an answer will have it
        ref=get("ref", ""),
        id=name,
        at=at if said is None else said,
        body=message.body,
        retry=get("retry", ""),
        retry_of=get("retry-of", ""),
        origin=get("origin", ""),
        via=get("via", ""),
        problem=problem,
    )


FROM_STATUS = {
    "ack": "task_ack",
    "done": "task_done",
    "error": "task_fail",
    # A worker cannot cancel what it was asked: it gives up.
    "cancelled": "task_fail",
}


def _inferred(message: Message, opener: str) -> str:
    """The event that a mail without an Event header stands for (contract 2).

    A first mail whose Status answers something opens nothing: acknowledging an acknowledgement
    would never end.
    """
    status = message.get("status").lower()
    if not message.get("thread"):
        return "info_only"
    if not opener:
        return FROM_STATUS.get(status, "task_req")
    if message.get("from") != opener:
        return FROM_STATUS.get(status, "task_update")
    return "task_cancel" if status == "cancelled" else "task_clarify_res"


def date(at: float) -> str:
    """The time as a Date header, ISO 8601 in UTC; "" for 0 and for times no calendar has."""
    from datetime import UTC, datetime

    if not at:
        return ""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return ""


def moment(at: float) -> str:
    """A Date that also orders what is said within one second."""
    from datetime import UTC, datetime

    if not date(at):
        return ""
    return datetime.fromtimestamp(at, UTC).replace(tzinfo=None).isoformat() + "Z"
