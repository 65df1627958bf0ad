"""Performs planned actions one by one; each may be performed again without effect.

Files are on the disk before the channel notes that they are; a row is stored once for its
origin.  So a crash anywhere leaves something to be planned again, and nothing twice.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from swarm import disk, message, names, syncing
from swarm.bridge import actions, details
from swarm.bridge.actions import Action, Session
from swarm.bridge.crossing import File, Row
from swarm.bridge.mail_side import MailSide
from swarm.bridge.pair import MAKING, Ledger
from swarm.bridge.who import Who
from swarm.errors import Conflict, SwarmError, Unknown, Unreadable, UsageError, from_os
from swarm.events import Event, one_line
from swarm.mailbox import guests, receipts, registry
from swarm.mailbox.layout import Root, check_known, has_box, make_box
from swarm.team.mirror import MAIL, MAIL_LEFT, Mirror, Pair, Post
from swarm.team.rows import AgentRow

# Seconds for which the mail of somebody whose mailbox is gone waits for it to come back: a folder
# may be moved away for a while, and of some agents there is nothing else.
AWAY = 3600.0
# The row of the tree itself: whatever no known agent wrote.
TREE = "."
# What needs one mailbox.
MAILBOX = (actions.Welcome, actions.Register, actions.Receipt)
Tell = Callable[[str, str], None]


@dataclass(slots=True)
class Staged:
    """A file of a row under its hidden name, and the sender's copy, "" if there is to be none.

    ``data``: what is in it, until there is a copy.
    """

    path: str
    file: File
    copy: str
    data: bytes


class Apply:
    """Where and how; ``told``: what was last said of each resident; ``lost``: whether the channel
    has lost its rows; ``left``: about whom something could not be done; ``reached``: up to which
    row there are files, but for what is ``late``."""

    def __init__(
        self, root: Root, mirror: Mirror, mail: MailSide, pair: Pair, ledger: Ledger, tell: Tell
    ) -> None:
        self.told: dict[str, tuple[str, str]] = {}
        self.who = Who()
        self.lost = False
        self.left: set[str] = set()
        self.reached = pair.mirrored
        self.late: list[File] = []
        self._missed: dict[str, float] = {}  # since when a mailbox is gone
        self._root = root
        self._mirror = mirror
        self._mail = mail
        self._pair = pair
        self._ledger = ledger
        self._tell = tell

    def perform(self, found: Iterable[Action]) -> int:
        """Perform them in their order; how many went through."""
        count = 0
        self.left = set()
        for kind, group in groupby(found, type):
            alike = list(group)
            count += len(alike)
            if kind is Row:
                self._post([one for one in alike if isinstance(one, Row)])
            elif kind is File:
                self._write([one for one in alike if isinstance(one, File)])
            elif kind is actions.Advance:
                read = [one for one in alike if isinstance(one, actions.Advance)]
                self._mirror.set_cursors({one.session: one.number for one in read})
            elif kind is actions.Beat:
                beats = [one for one in alike if isinstance(one, actions.Beat)]
                self._mirror.beat_for({one.session: one.seen for one in beats})
            else:
                count -= sum(not self._alone(action) for action in alike)
        return count

    def _alone(self, action: Action) -> bool:
        """One action; what stands in its way for good is told, and the others go on.

        So is a mailbox that may not be written to: it alone is to blame.
        """
        try:
            self._one(action)
            return True
        except OSError as error:
            raise from_os(error, "write to", "the mail tree") from None
        except (Unknown, Conflict, UsageError, Unreadable) as failed:
            agent = action.agent if isinstance(action, MAILBOX) else ""
            if isinstance(failed, Unreadable) and not agent:
                raise
            self._tell(failed.message, failed.message)
            self.left.add(agent)
            return False

    def _one(self, action: Action) -> None:
        match action:
            case actions.Enter():
                self._enter(action)
            case actions.Part(agent, session):
                self._mirror.part(self._row(agent, session, actions.Resident()))
                self.told.pop(agent, None)
            case actions.Welcome(agent, session):
                guests.welcome(self._root, agent, self._mirror.place.channel, session)
                self.who.welcome(agent, session)
                self._mail.census.welcomed()
            case actions.Register(agent, row, status):
                self._register(agent, row, status)
            case actions.Restatus(agent, status, note):
                registry.update(self._root, agent, status=status, note=note or None)
            case actions.Touch(agent, seen):
                with suppress(FileNotFoundError):  # it left just now
                    os.utime(self._root.entry(agent), (seen, seen), follow_symlinks=False)
            case actions.Unregister(agent):
                registry.unregister(self._root, agent)
            case actions.Receipt(agent, name):
                receipts.write(self._root, agent, name)
            case actions.Mirrored(number):
                self.reached = number
                self._mirrored()
            case actions.Flaw(about, text):
                self._tell(about, text)

    # --- people ------------------------------------------------------------------------------

    def _row(
        self, agent: str, session: str, resident: actions.Resident, status: str = ""
    ) -> AgentRow:
        """A resident's row; its folder and the pair's token say whose it is."""
        return AgentRow(
            session, agent, resident.description, MAIL, self._pair.token,
            f"{self._root.path}/{agent}", status or resident.status, resident.seen,
        )  # fmt: skip

    def _enter(self, action: actions.Enter) -> None:
        row = self._row(action.agent, action.session, action.resident, action.status)
        row.provider = MAIL if action.resident.entry else MAIL_LEFT
        self._mirror.enter(row, action.joined, self._read())
        self.who.settle(action.agent, action.session)
        self.told[action.agent] = (action.resident.description, action.status)

    def _register(self, agent: str, row: Session, status: str) -> None:
        role, _, task = row.description.partition(": ")
        role, task = _words(role) or "teammate", _words(task) or "-"
        more = {"via": self._mirror.place.channel, "session": _words(row.session)}
        registry.register(self._root, agent, role, "specialist", task, status, True, more)

    def _present(self, sessions: Iterable[str]) -> None:
        """Rows for guests whose channel was replaced, and for the tree itself."""
        for session in sorted(set(sessions)):
            if self._mirror.row(session):
                continue
            agent = self.who.id(session)
            if agent:
                row = AgentRow(session, agent, status="inactive")
            else:
                row = self._row(TREE, session, actions.Resident())
                row.name = "mail"
            self._mirror.enter(row, False, self._read())

    def _read(self) -> int:
        """Up to which row somebody has read who had no cursor: what is not in the tree yet is
        unread, and of a channel that lost its rows everything, until receipts tell."""
        if self._pair.mirrored != MAKING:
            return self._pair.mirrored
        return 0 if self.lost else -1

    def _session(self, agent: str) -> str:
        return self.who.session(agent) or f"mail-{self._pair.token}"

    # --- files to rows -----------------------------------------------------------------------

    def _post(self, rows: Sequence[Row]) -> None:
        ready = [self._addressed(row) for row in rows]
        self._present({e.sender for e in ready} | {e.to for e in ready if e.to})
        if self._root.sync:
            texts = {e.detail for row, e in zip(rows, ready, strict=True) if row.text}
            syncing.sync_all(texts, {os.path.dirname(path) for path in texts})
        places = {row.key: place for place, row in enumerate(rows)}
        posts = [
            partial(self._found, row, event, places) for row, event in zip(rows, ready, strict=True)
        ]
        done: dict[str, int] = {}
        for row, stored in zip(rows, self._mirror.post(posts), strict=True):
            if stored.id:
                done[row.key] = int(stored.id)
            else:
                self._tell(row.key, f"{row.key} cannot cross: {stored.problem}")
            self._mail.settle(row.key, int(stored.id or 0))
        self._ledger.note(done)

    def _addressed(self, row: Row) -> Event:
        """The event with sessions for mailboxes, its longer text in a file."""
        sender = self._session(row.event.sender)
        event = row.event.replace(
            sender=sender, to=self._session(row.event.to) if row.event.to else ""
        )
        if not row.text:
            return event
        folder = sender if names.is_id(sender) else f"mail-{self._pair.token}"
        path = self._mirror.place.write_detail(folder, _detail_name(row), row.text, False)
        return event.replace(detail=path)

    def _found(self, row: Row, event: Event, places: dict[str, int], done: dict[int, int]) -> Post:
        agent, name = row.ref_key.partition("/")[::2]
        ref = done.get(places.get(row.ref_key, -1), 0) or self._mail.number(agent, name)
        return Post(event, ref, name, row.first, row.number)

    # --- rows to files -----------------------------------------------------------------------

    def _write(self, files: Sequence[File]) -> None:
        """Stage all, sync all, give them their names in order; what fails leaves nothing."""
        staged: list[Staged] = []
        try:
            for file in files:
                one = self._try(file)
                if one is not None:
                    staged.append(one)
                    self._copy(staged)
            if self._root.sync:
                syncing.sync_all(path for one in staged for path in (one.path, one.copy) if path)
            for one in staged:
                if one.copy:  # first: what was delivered is not looked at again
                    disk.publish(one.copy, f"{self._root.sent(one.file.copy)}/{one.file.name}")
                disk.publish(one.path, f"{self._root.inbox(one.file.agent)}/{one.file.name}")
            if self._root.sync:
                syncing.sync_all([], {self._root.inbox(one.file.agent) for one in staged})
        except OSError as error:
            raise from_os(error, "write to", "the mail tree") from None
        finally:
            for one in staged:
                for path in filter(None, (one.path, one.copy)):
                    disk.remove(path)

    def _try(self, file: File) -> "Staged | None":
        """Stage it; where that mailbox alone is to blame it is late, and the others go on."""
        try:
            return self._stage(file) if self._is_due(file) else None
        except SwarmError as failed:
            error = failed
        except OSError as failed:
            error = from_os(failed, "write to", f"{file.agent}/inbox")
        if error.temporary or isinstance(error, Conflict):
            raise error
        self.late.append(file)
        self._tell(f"to {file.agent}", f"{file.agent} gets no mail: {error.message}")
        return None

    def again(self) -> int:
        """Try once more to deliver what is late; how many were."""
        late, self.late = self.late, []
        try:
            self._write(late)
        except BaseException:
            self.late = late
            raise
        self._mirrored()
        return len(late) - len(self.late)

    def is_late(self, agent: str, number: int) -> bool:
        """Whether that row has no file there yet."""
        return any((file.agent, file.number) == (agent, number) for file in self.late)

    def _mirrored(self) -> None:
        """Note up to which row all is in the tree."""
        number = min([self.reached, *(file.number - 1 for file in self.late)])
        if number != self._pair.mirrored:
            self._mirror.set_mirrored(self._pair.token, number)
            self._pair.mirrored = number

    def _is_due(self, file: File) -> bool:
        """Whether somebody is there to get it, and has not got it yet."""
        try:
            check_known(self._root, file.agent)
        except Unknown:  # any other error: it may be there, so its mail is late
            self._ledger.check()
            if time.monotonic() < self._missed.setdefault(file.agent, time.monotonic()) + AWAY:
                raise
            left = f"{file.agent} has no mailbox any more: {file.name} is left out"
            self._tell(f"to {file.agent}", left)
            return False
        self._missed.pop(file.agent, None)
        return not self._is_there(file.agent, file.name)

    def _stage(self, file: File) -> Staged:
        """Write it under a hidden name."""
        root, agent = self._root, file.agent
        make_box(root, agent)
        lines, body, problem = details.with_text(file, self._mirror.place.folder)
        if problem:
            self._tell(file.name, f"{agent}/inbox/{file.name}: {problem}")
        data = message.format_message(lines, body)
        return Staged(disk.write_temp(root.inbox(agent), data, False), file, "", data)

    def _is_there(self, agent: str, name: str) -> bool:
        """Whether it was delivered before: it lies there, was read, or was archived.

        OSError where that cannot be seen: what is given out then would be given twice.
        """
        root = self._root
        folders = (root.inbox(agent), root.receipts(agent), root.sent(agent))
        return any(disk.is_there(f"{folder}/{name}") for folder in folders)

    def _copy(self, staged: list[Staged]) -> None:
        """The sender's copy of the last, under a hidden name: one of all files of a row."""
        one, before = staged[-1], staged[-2] if len(staged) > 1 else None
        data, one.data = one.data, b""
        if before and (before.file.copy, before.file.name) == (one.file.copy, one.file.name):
            return
        if one.file.copy and has_box(self._root, one.file.copy):
            one.copy = self._copied(one.file, data)

    def _copied(self, file: File, data: bytes) -> str:
        """The copy; "" where its mailbox takes none: nobody waits for that."""
        try:
            make_box(self._root, file.copy)
            return disk.write_temp(self._root.sent(file.copy), data, False)
        except SwarmError as failed:
            error = failed
        except OSError as failed:
            error = from_os(failed, "write to", f"{file.copy}/sent")
        if error.temporary:
            raise error
        self._tell(f"copy {file.copy}", f"{file.copy} has no copies of its mail: {error.message}")
        return ""


def _words(text: str) -> str:
    """Text of a row as it can stand in an entry."""
    return one_line(text)[:200].strip()


def _detail_name(row: Row) -> str:
    """The name of a detail file: that of the mail, if it can be."""
    name = row.key.partition("/")[2]
    if names.is_id(name):
        return name
    import hashlib

    mark = hashlib.sha256(row.key.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{names.slug(row.event.content)}-{mark}.txt"
