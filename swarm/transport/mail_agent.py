"""One agent's mailbox as a transport.

A step is several files, in this order: the messages sent, each under a name drawn from its
origin, the status, the receipt.  A crash in between leaves the message unread, so it is
received again, and what is there already is found.
"""

import hashlib
import os
import time
from collections.abc import Callable

from swarm import names
from swarm.errors import Conflict, SwarmError, Temporary, Unknown, UsageError
from swarm.events import Event, headers, moment
from swarm.mailbox import delivery, inbox, receipts
from swarm.mailbox.layout import Root, check_inbox, check_known, make_box
from swarm.mailbox.letter import Delivered
from swarm.transport.base import PAGE, Outcome, Transport, named
from swarm.transport.handled import answered, settled
from swarm.transport.mail_claim import MailClaim
from swarm.transport.mail_files import Folder, Key, Letter, Letters
from swarm.transport.mail_roster import Registry, check_root

MORE = ("Event", "Intent", "Need-Reply", "Date", "Via", "Retry", "Retry-Of", "Origin")
SLUG = 24
# Seconds for which receipts that are gone may come back: without them all mail would be new.
AWAY = 60.0
# The same of an inbox in whose place there is another: its mail that was done is not done again.
REPLACED = 3600.0


class MailTransport(Transport):
    """One agent's side of a mail tree."""

    def __init__(
        self,
        root: Root,
        agent: str,
        entries: Registry,
        claim: MailClaim | None,
        shut: Callable[[str], None],
    ) -> None:
        self.me = agent
        self._shut = shut
        self._root = root
        self._entries = entries
        self._claim = claim
        self._letters = Letters(root, agent)
        self._inbox = Folder(root.inbox(agent))
        self._sent = Folder(root.sent(agent), float("inf"))
        self._pending: dict[str, Key] = {}  # unread, not done: their places in the order
        self._ready: dict[str, Event] = {}  # a page of them at most
        self._done: set[str] = set()  # of the unread: committed here, kept or not
        self._failed: set[str] = set()  # what could not be read
        self._place = self._inbox.place()  # where that was done
        self._missed = self._moved = 0.0
        self._known = set(inbox.message_names(root, root.sent(agent)))
        self._outbox: list[Event] = []
        self._remembers = False

    # --- reading -----------------------------------------------------------------------------

    def due(self) -> bool:
        """Whether a look may find something: two stats while nothing happens."""
        return self._letters.unsettled or self._inbox.due() or self._sent.due()

    def seen(self, name: str) -> bool:
        """Whether a message is no longer before the guardian; from any thread."""
        return name in self._done or receipts.has(self._root, self.me, name)

    def receive(self) -> list[Event]:
        if self._letters.unsettled or self._inbox.due():
            if self._inbox.overdue():
                self._sent.forget()  # both in one turn
            with self._inbox.listed():
                self._list()
        page = sorted((key, name) for name, key in self._pending.items())[:PAGE]
        found = [self._ready.get(name) or self._again(name) for _, name in page]
        return [event for event in found if event is not None]

    def _list(self) -> None:
        """What is unread now; what came since is read for its place in the order."""
        if self._claim:
            self._claim.check()
        unread = self._unread()
        if unread is None:
            return
        self._forget_done(unread)
        self._retry_failed(unread)
        self._letters.only(self._root.inbox(self.me), unread)
        for gone in self._pending.keys() - unread:
            self._forget(gone)
        fresh = unread - self._done - self._pending.keys()
        for letter in self._in_order(self._root.inbox(self.me), fresh):
            self._take(letter)

    def _unread(self) -> set[str] | None:
        """What has no receipt; None while the inbox is away, which may come back as it was."""
        unread = inbox.surely_unread(self._root, self.me)
        if unread is not None:
            self._missed = 0.0
        elif not os.path.isdir(self._root.inbox(self.me)):
            check_root(self._root)
        else:
            now = time.monotonic()
            self._missed = self._missed or now
            if now < self._missed + AWAY:
                raise Temporary(f"{self.me}/inbox/.read is gone", "move it back, or make it")
            make_box(self._root, self.me)
        return unread

    def _forget_done(self, unread: set[str]) -> None:
        """What was done and is gone; but an inbox that was moved away may come back."""
        place, now = self._inbox.place(), time.monotonic()
        self._moved = (self._moved or now) if place != self._place else 0.0
        if not self._moved or now > self._moved + REPLACED:
            self._place = place
            self._done &= unread

    def _retry_failed(self, unread: set[str]) -> None:
        """What could not be read and now can is not done."""
        self._failed &= unread
        for letter in self._in_order(self._root.inbox(self.me), self._failed):
            if not letter.problem:
                self._failed.discard(letter.name)
                self._done.discard(letter.name)
                self._forget(letter.name)

    def _in_order(self, folder: str, found: set[str]) -> list[Letter]:
        """Messages by their time, so that the first of a thread is known before others."""
        letters = (self._letters.read(f"{folder}/{name}", False) for name in found)
        return sorted((one for one in letters if one is not None), key=lambda one: one.key)

    def _take(self, letter: Letter) -> Event:
        self._recall_threads(letter)
        event = self._letters.event(letter)
        self._pending[letter.name] = letter.key
        if letter.problem:
            self._failed.add(letter.name)
        if letter.whole and len(self._ready) < PAGE:
            self._ready[letter.name] = event
        return event

    def _again(self, name: str) -> Event | None:
        """A message of which only the place in the order was kept."""
        letter = self._letters.read(f"{self._root.inbox(self.me)}/{name}")
        if letter is None:
            self._forget(name)
            return None
        return self._take(letter)

    def _forget(self, name: str) -> None:
        self._pending.pop(name, None)
        self._ready.pop(name, None)

    def _recall_threads(self, letter: Letter) -> None:
        """Who opened a message's thread is needed where that alone tells what it is."""
        if letter.message.get("thread") and not letter.message.get("event"):
            if not self._remembers:
                self.history()
            self._look_sent()

    def sent(self) -> list[Event]:
        self._look_sent()
        found, self._outbox = self._outbox, []
        return found

    def _look_sent(self) -> None:
        """Read what is new in sent/: own messages, and archived ones for their threads."""
        if not self._letters.unsettled and not self._sent.due():
            return
        with self._sent.listed():
            self._list_sent()

    def _list_sent(self) -> None:
        folder = self._root.sent(self.me)
        found = set(inbox.message_names(self._root, folder))
        self._letters.only(folder, found)
        for letter in self._in_order(folder, found - self._known):
            self._known.add(letter.name)
            event = self._letters.event(letter)
            if event.sender == self.me:
                self._outbox.append(event)
        self._known &= found

    def conversation(self) -> list[Event]:
        return [event for _, event in self._past()]

    def history(self) -> list[Event]:
        """Own inbox and sent; what is unread counts as handled if our answer lies in sent."""
        unread = self._unread() or set()
        here = self._root.inbox(self.me)
        events = self._past()
        said = [event for _, event in events]
        self._done |= settled(self.me, said, unread)
        handled = self._done | answered(self.me, said)
        return [
            event
            for one, event in events
            if one.folder != here or one.name not in unread or one.name in handled
        ]

    def _past(self) -> list[tuple[Letter, Event]]:
        """All of the inbox and of sent, by their time."""
        letters = [
            letter
            for folder in (self._root.inbox(self.me), self._root.sent(self.me))
            for letter in self._in_order(folder, set(inbox.message_names(self._root, folder)))
        ]
        ordered = sorted(letters, key=lambda one: one.key)
        self._remembers = True
        return [(letter, self._of_the_past(letter)) for letter in ordered]

    def _of_the_past(self, letter: Letter) -> Event:
        """A message of the past; whole where it may have to be sent again."""
        event = self._letters.event(letter)
        if event.retry and not letter.whole:
            again = self._letters.read(letter.path)
            event.body = again.message.body if again else b""
        return event

    def status(self) -> str:
        return self._entries.status(self.me)

    def close(self) -> None:
        self._shut(self.me)
        self._entries.rest(self.me)
        if self._claim:
            self._claim.release()

    # --- writing -----------------------------------------------------------------------------

    def commit(self, event: Event, outcome: Outcome) -> list[Event]:
        sends = named(event, [send.replace(sender=self.me) for send in outcome.sends])
        found, fresh = self._send_all(sends)
        read = receipts.has(self._root, self.me, event.id)
        if event.id in self._done or (read and sends and not fresh):
            return found  # that was a repeat
        if outcome.status:
            self._entries.set_status(self.me, outcome.status)
        if not outcome.keep and event.id not in self._failed:  # nobody has read that
            receipts.write(self._root, self.me, event.id)
        self._done.add(event.id)
        self._forget(event.id)
        return found

    def apply(self, outcome: Outcome) -> list[Event]:
        found, _ = self._send_all([send.replace(sender=self.me) for send in outcome.sends])
        if outcome.status:
            self._entries.set_status(self.me, outcome.status)
        return found

    def _send_all(self, sends: list[Event]) -> tuple[list[Event], bool]:
        """What was sent, now or before, and whether any of it is new."""
        self._look_sent()  # what others wrote before comes before
        found: list[Event] = []
        fresh = False
        for send in sends:
            try:
                self._check(send)
                stored = self._send(_whole(send))
            except (Unknown, UsageError, Conflict) as error:
                found.append(send.replace(problem=error.message))
                continue
            fresh = fresh or any(new for _, new in stored)
            found += [event for event, _ in stored]
        return found, fresh

    def _check(self, send: Event) -> None:
        """Raise Unknown for a recipient that can take no mail; the others need not wait for it."""
        if not send.to:
            return
        check_known(self._root, send.to)
        try:
            check_inbox(self._root, send.to)
        except SwarmError as error:
            if error.temporary:
                raise
            raise Unknown(error.message, error.hint) from None

    def _send(self, send: Event) -> list[tuple[Event, bool]]:
        """Deliver one event, a broadcast to everybody at work; each with whether it is new."""
        lines = dict(headers(send))
        try:
            result = delivery.send(
                self._root,
                self.me,
                [send.to or "all"],
                lines["Subject"],
                send.body,
                thread=lines["Thread"],
                status=lines["Status"],
                detail=lines["Detail"],
                ref=lines["Ref"],
                key=send.origin,
                more={name: lines[name] for name in MORE} | {"Date": moment(send.at)},
            )
        except Unknown:
            if send.to:
                raise
            return []  # nobody to tell
        stored = [(self._stored(send, one), not one.repeated) for one in result.delivered]
        problems = [send.replace(problem=error.message) for error in result.failed]
        return stored + [(event, False) for event in problems]

    def _stored(self, send: Event, one: Delivered) -> Event:
        """The message as it lies in sent/, which is not read again if it is new."""
        event = send.replace(to=one.agent, id=one.name)
        path = f"{self._root.sent(self.me)}/{one.name}"
        if one.repeated:
            letter = self._letters.read(path)
            return self._letters.event(letter) if letter else event
        self._letters.wrote(event)
        self._known.add(one.name)
        self._outbox.append(event)
        return event


def _whole(event: Event) -> Event:
    """The event with its time, and a request with the key of its task.

    The key of one with an origin is drawn from that, so that a repeat has it too.
    """
    event = event.replace(at=event.at or time.time())
    if event.kind != "task_req" or event.task or event.thread:
        return event
    cause = f"{event.sender}\0{event.to}\0{event.origin}".encode("utf-8", "replace")
    token = hashlib.sha256(cause).digest()[:4] if event.origin else os.urandom(4)
    prefix = names.slug(event.content)[:SLUG].strip("-")
    return event.replace(task=names.thread_key(prefix, token.hex()))
