"""From messages that the two sides show to a list of actions.  Pure.

An action says what is missing, not what happened: performed twice it changes nothing more, and
planned again after all were performed there are none.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from swarm.bridge import crossing, words
from swarm.bridge.actions import Action, Advance, Flaw, Mirrored, Receipt
from swarm.bridge.crossing import File, Row
from swarm.bridge.who import Who
from swarm.events import Event, from_message
from swarm.message import Message


@dataclass(slots=True, kw_only=True)
class Letter:
    """A message file that has no row yet.  ``at``: when it was sent.  ``raw``: all of it, if it
    is malformed."""

    owner: str
    name: str
    message: Message
    at: float
    raw: bytes = b""

    @property
    def thread(self) -> str:
        """The thread whose opener tells what the message is, "" if a header says it."""
        return "" if self.message.get("event") else self.message.get("thread")

    @property
    def sender(self) -> str:
        """Who says to have sent it."""
        return self.message.get("from")

    def event(self, opener: str) -> Event:
        """What it says, where ``opener`` began its thread."""
        event = from_message(self.message, self.name, self.at, opener)
        event.at = self.at
        if not event.problem and event.to != self.owner:
            event.problem = f"addressed to {event.to!a}"
        return event


@dataclass(slots=True, kw_only=True)
class Lookup:
    """What rows refer to: threads of tasks and names of files by number, who is at work."""

    threads: Mapping[int, str] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    at_work: tuple[str, ...] = ()


def rows_to_files(
    page: Iterable[Event], here: Who, look: Lookup, token: str, channel: str, restored: int
) -> Iterator[Action]:
    """Files for rows that came from elsewhere; up to ``restored`` also for the tree's own."""
    last = 0
    for event in page:
        last = int(event.id)
        cause = words.cause(token, event.origin)
        agent, name = words.split_key(cause)
        if agent and last <= restored:
            yield _restored(event, agent, name, here, look, token)
        elif not cause and not crossing.is_presence(event):
            yield from _files(event, here, look, token, channel)
    if last:
        yield Mirrored(last)


def _files(event: Event, here: Who, look: Lookup, token: str, channel: str) -> Iterator[Action]:
    sender = here.id(event.sender)
    if not sender:
        sender = event.sender if event.sender and len(event.sender) < 65 else "unknown"
        yield Flaw(f"row {event.id}", f"row {event.id} is from nobody in the channel")
    to = [here.id(event.to)] if event.to else [a for a in look.at_work if a != sender]
    if to == [""]:
        yield Flaw(f"row {event.id}", f"row {event.id} is for nobody in the channel")
        return
    for agent in to:
        yield crossing.to_file(
            event, agent, sender, _thread(event, look, channel), _name(event.ref, look),
            _first(event, look, channel), token, channel,
        )  # fmt: skip


def _thread(event: Event, look: Lookup, channel: str) -> str:
    """The mail thread of a row: of its request, else drawn from its number."""
    number = int(event.task) if event.task.isdigit() else 0
    if not number:
        return event.thread
    return look.threads[number]


def _name(number: str, look: Lookup) -> str:
    return look.names.get(int(number), "") if number.isdigit() else ""


def _first(event: Event, look: Lookup, channel: str) -> str:
    if not event.retry_of.isdigit():
        return event.retry_of
    return _thread(event.replace(task=event.retry_of), look, channel)


def _restored(event: Event, agent: str, name: str, here: Who, look: Lookup, token: str) -> File:
    """One of the tree's own messages, under the name that it had."""
    thread = event.thread
    sender = here.id(event.sender) or event.sender
    file = crossing.to_file(
        event, agent, sender, thread, _name(event.ref, look), "", token, via=""
    )  # fmt: skip
    file.name = name
    file.lines = [line for line in file.lines if line[0] not in ("Origin", "Via")]
    return file


def files_to_rows(
    letters: Iterable[Letter],
    token: str,
    openers: Mapping[tuple[str, str], str],
    numbers: Mapping[str, int],
) -> Iterator[Row]:
    """Rows for files, in their order.

    ``openers``: who opened a thread in somebody's mailbox before these; ``numbers``: those that
    the files had before, where the channel has lost its rows.
    """
    known = dict(openers)
    for letter in letters:
        thread = letter.message.get("thread")
        event = letter.event(known.get((letter.owner, thread), ""))
        if thread:
            for party in (letter.owner, event.sender):
                known.setdefault((party, thread), event.sender)
        yield _row(letter, event, token, numbers)


def _row(letter: Letter, event: Event, token: str, numbers: Mapping[str, int]) -> Row:
    row = crossing.to_row(letter.owner, letter.name, event, letter.raw, token)
    row.number = row.number or numbers.get(row.key, 0)
    drawn = words.row_number(token, letter.name)
    group = words.origin(token, str(drawn)) if drawn else _broadcast(event, token)
    if group:
        row.event.origin = group
        if event.kind == "broadcast":
            row.event.to = ""
    return row


def _broadcast(event: Event, token: str) -> str:
    """The one origin of all files of a broadcast: of the same words at the same moment."""
    if event.kind != "broadcast" or event.problem or not event.at % 1:
        return ""
    said = "\0".join((event.sender, event.content, event.task, event.intent, repr(event.at)))
    mark = sha256(said.encode("utf-8", "surrogatepass") + event.body).hexdigest()[:16]
    return words.origin(token, words.SHARED + mark)


# --- what was read -----------------------------------------------------------------------------


def reads(
    unread: Mapping[str, Mapping[str, int]], here: Who, cursors: Mapping[str, int], restored: int
) -> Iterator[Action]:
    """Receipts for what guests have read on the channel; ``unread``: rows of unread files.

    A resident reads in the tree, and its cursor only follows: it tells of the receipts that went
    with a tree that was lost, up to the row ``restored``, and of no others.
    """
    for agent, found in unread.items():
        read = cursors.get(here.session(agent), 0)
        last = min(read, restored) if agent in here.residents else read
        yield from (Receipt(agent, name) for name, number in found.items() if 0 < number <= last)


def advances(
    read: Mapping[str, list[int]], here: Who, cursors: Mapping[str, int]
) -> Iterator[Action]:
    """Cursors of residents; ``read``: the rows after them that are read without a gap."""
    for agent, numbers in read.items():
        session = here.session(agent)
        if numbers and numbers[-1] > cursors.get(session, 0):
            yield Advance(session, numbers[-1])
