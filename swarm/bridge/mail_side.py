"""What the mail tree shows: which files are new, what is unread.

After the first look a mailbox is listed again only where a hint or its folders' times say so;
a file is opened once, and not at all if its name shows that its row is there.
"""

from collections.abc import Iterable, Mapping
from sys import intern
from typing import NamedTuple

from swarm import disk
from swarm.bridge import words
from swarm.bridge.census import Census
from swarm.bridge.plan import Letter
from swarm.errors import SwarmError
from swarm.mailbox import inbox
from swarm.mailbox.layout import Root
from swarm.message import BODY_MAX
from swarm.transport.mail_files import Folder, Key, Letters
from swarm.transport.mail_files import Letter as Read

# No page of letters is much longer.
PAGE_BYTES = 16 * 1024 * 1024
# Seconds between two listings of a folder whose time says that nothing changed.
FULL = 180.0


class Box:
    """One mailbox: when to list it, and what was found in it.

    ``unread``: the rows of its unread files.  ``seen``, ``put``: names in its inbox and in sent/
    that need no second look, so that a listing costs no more than what is new in it.
    """

    __slots__ = ("_folders", "letters", "put", "seen", "unread")

    def __init__(self, root: Root, agent: str) -> None:
        self._folders = [Folder(f(agent), FULL) for f in (root.inbox, root.receipts, root.sent)]
        self.letters = Letters(root, agent)
        self.unread: dict[str, int] = {}
        self.seen: set[str] = set()
        self.put: set[str] = set()

    def due(self) -> bool:
        """Whether something may have changed (three stats while nothing does)."""
        one, two, three = self._folders
        return self.letters.unsettled or one.due() or two.due() or three.due()

    def listing(self) -> None:
        """Called just before it is listed."""
        for folder in self._folders:
            folder.listing()

    def forget(self) -> None:
        """That listing failed: it is due again."""
        for folder in self._folders:
            folder.forget()


class Fresh(NamedTuple):
    """A file without a row: its place in the order, its key, who sent it."""

    place: Key
    key: str
    sender: str


class MailSide:
    """``rows``: the number of each file's row, by its key, as ``origins`` of the channel tell it;
    for files that share a row, as ``noted`` in the tree.  ``listed``: whose mailboxes were, since
    somebody last cleared it.

    ``anew``: the channel has no rows of the tree: also what once came from there is to get one.
    """

    def __init__(
        self,
        root: Root,
        token: str,
        origins: Iterable[tuple[int, str]],
        noted: Mapping[str, int],
        anew: bool,
    ) -> None:
        self.root = root
        self.rows: dict[str, int] = {}
        self._renumbered: dict[int, int] = {}
        self._anew = anew
        self._token = token
        self._boxes: dict[str, Box] = {}
        self._names: set[str] = set()
        self._fresh: dict[str, Fresh] = {}
        self._new: set[str] = set()  # of the fresh: not in the queue yet
        self._queue: list[Fresh] = []  # the oldest last
        self.problems: dict[str, str] = {}
        self.census = Census(root, self.problems)
        self.listed: set[str] = set()
        shared = {
            number for number, origin in origins if self._recall(number, words.cause(token, origin))
        }
        for key, number in noted.items():
            if number in shared:
                self.settle(key, number)

    def _recall(self, number: int, cause: str) -> bool:
        """A row that came from the tree, or came back to the channel from there; whether it is
        one of several files."""
        if cause.isdigit():
            self._renumbered[int(cause)] = number
        elif words.split_key(cause)[0]:
            self.settle(cause, number)
        return cause.startswith(words.SHARED)

    # --- messages ----------------------------------------------------------------------------

    def again(self) -> None:
        """What was given out as new is so still."""
        waiting = (one for key, one in self._fresh.items() if key not in self._new)
        self._queue = sorted(waiting, reverse=True)

    def look(self, hinted: "set[str] | None") -> None:
        """List what may have changed; ``hinted``: whose mailboxes, None for anybody's."""
        known = self.census.known() if hinted is None else hinted
        due = [agent for agent in known if self._due(agent, hinted)]
        sent = {agent: found for agent in due if (found := self._list(agent)) is not None}
        for agent, found in sent.items():  # after all inboxes: a copy is known by its name
            put = self._boxes[agent].put
            for name in found:
                if (
                    self._has_row(agent, name)
                    or name in self._names
                    or self._read_sent(agent, name)
                ):
                    put.add(name)

    def _due(self, agent: str, hinted: "set[str] | None") -> bool:
        box = self._boxes.get(agent)
        if box is None:
            box = self._boxes[agent] = Box(self.root, agent)
        return box.due() if hinted is None else agent in hinted

    def _list(self, agent: str) -> set[str] | None:
        """Note what is new in an inbox, and what is unread; the names to look at in sent/."""
        box = self._boxes[agent]
        folder = self.root.inbox(agent)
        box.listing()
        try:
            there = set(inbox.message_names(self.root, folder))
            unread = inbox.unread_of(self.root, agent, there)
            sent = set(inbox.message_names(self.root, self.root.sent(agent)))
        except SwarmError as error:
            self.problems[agent] = error.message
            box.forget()
            return None
        self.listed.add(agent)
        box.letters.only(folder, there)
        if unread != box.unread.keys():
            box.unread = {n: box.unread.get(n) or self.number(agent, n) for n in unread}
        box.seen &= there
        box.put &= sent
        for name in there - box.seen:
            if self._has_row(agent, name):
                box.seen.add(name)
            elif self._read(agent, f"{folder}/{name}", name):
                box.seen.add(name)
                self._names.add(name)
        return sent - box.put

    def _has_row(self, agent: str, name: str) -> bool:
        key = words.key(agent, name)
        if key in self.rows or key in self._fresh:
            return True
        return not self._anew and words.row_number(self._token, name) > 0

    def _read(self, agent: str, path: str, name: str) -> Read | None:
        """Note a new file with its place in the order; None if it is not whole yet, or gone.

        What cannot be read is told, and tried again when its folder is listed again.
        """
        key = words.key(agent, name)
        try:
            letter = self._boxes[agent].letters.read(path, False)
        except SwarmError as error:
            self.problems[key] = error.message
            return None
        if letter is not None and letter.problem:
            self.problems[key] = f"{path.removeprefix(self.root.path + '/')} {letter.problem}"
            return None
        if letter is not None:
            self._fresh[key] = Fresh(letter.key, key, intern(letter.message.get("from")))
            self._new.add(key)
        return letter

    def _read_sent(self, agent: str, name: str) -> bool:
        """Whether a file in sent/ is done with: one that came from somebody else is archived."""
        letter = self._read(agent, f"{self.root.sent(agent)}/{name}", name)
        if letter and letter.message.get("from") == agent:
            self._forget(words.key(agent, name))
        return letter is not None

    def fresh(self, limit: int) -> list[Letter]:
        """New messages, oldest first, those of one sender in their order."""
        if self._new:
            ready = self._in_order()
            self._new -= ready
            self._queue = sorted([*self._queue, *(self._fresh[key] for key in ready)])
            self._queue.reverse()
        page: list[Letter] = []
        size = 0
        while self._queue and len(page) < limit and size < PAGE_BYTES:
            letter = self._letter(self._queue.pop().key)
            if letter is not None:
                page.append(letter)
                size += len(letter.message.body) + len(letter.raw)
        return page

    def _in_order(self) -> set[str]:
        """What of the new can go: nothing of the same senders comes before it.

        A message that was sent before one that was seen is there when everything is listed
        once more; one that comes after those seen waits for the next time.
        """
        first, self._new = self._new, set()
        self.look(None)
        last: dict[str, Fresh] = {}
        for key in first:
            one = self._fresh[key]
            last[one.sender] = max(one, last.get(one.sender, one))
        late = (self._fresh[key] for key in self._new)
        before = {one.key for one in late if one.sender in last and one < last[one.sender]}
        self._new |= first
        return first | before

    def _forget(self, key: str) -> None:
        self._fresh.pop(key, None)
        self._new.discard(key)

    def _letter(self, key: str) -> Letter | None:
        agent, name = words.split_key(key)
        box = self._boxes[agent]
        letter = self._found(agent, name)
        raw = _raw(letter) if letter else None
        if letter is None or raw is None:  # gone, or it cannot be read now: looked at once more
            self._forget(key)
            box.seen.discard(name)
            box.put.discard(name)
            box.forget()
            return None
        message = letter.message
        if len(message.body) > BODY_MAX:
            self.problems[key] = f"{agent}/inbox/{name} is over 1 MiB: only its beginning crosses"
        return Letter(owner=agent, name=name, message=message, at=letter.at, raw=raw)

    def _found(self, agent: str, name: str) -> Read | None:
        """A message in an inbox, or in sent/ if it was archived before or since."""
        read = self._boxes[agent].letters.read
        return read(f"{self.root.inbox(agent)}/{name}") or read(f"{self.root.sent(agent)}/{name}")

    def settle(self, key: str, number: int) -> None:
        """The file has its row."""
        agent, _, name = key.partition("/")
        self.rows[key] = number
        self._names.add(name)
        self._forget(key)
        box = self._boxes.get(agent)
        if box and name in box.unread:
            box.unread[name] = number

    def made(self) -> None:
        """All that lies in the tree has its row."""
        self._anew = False

    @property
    def behind(self) -> bool:
        """Whether files are left over from the last page."""
        return bool(self._fresh)

    # --- what was read -----------------------------------------------------------------------

    def unread(self, agent: str) -> dict[str, int]:
        """The rows of its unread files by name, 0 for one without a row."""
        box = self._boxes.get(agent)
        return box.unread if box else {}

    def number(self, agent: str, name: str) -> int:
        """The row of a file, 0 if it has none."""
        found = self.rows.get(words.key(agent, name))
        if found:
            return found
        drawn = words.row_number(self._token, name)
        return self._renumbered.get(drawn, drawn)


def _raw(letter: Read) -> bytes | None:
    """All of a malformed one; None where it cannot be read."""
    if letter.problem:
        return None
    try:
        return disk.read(letter.path, BODY_MAX) if letter.message.malformed else b""
    except OSError:
        return None
