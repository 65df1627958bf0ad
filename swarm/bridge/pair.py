"""Which tree and which channel belong together, as both of them remember it.

In the tree: ``.bridge/<channel>/pair``, and ``rows``, which number each message of the tree has
on the channel.  In the channel: a line of the table ``swarm_bridge``.  Where one of the two is
missing a side was replaced: then nobody can tell what was deleted, and a person is asked.
"""

import os

from swarm import disk, message, names
from swarm.bridge import words
from swarm.bridge.crossing import is_presence
from swarm.errors import from_os
from swarm.mailbox.layout import Root, boxes
from swarm.team.mirror import Mirror, Pair, replaced

# What the channel says of a pair until all that lies in the tree has its row.
MAKING = -1
# A line of ``rows`` is shorter than that.
LINE_MAX = 4096


class Ledger:
    """The files of one pair in the tree."""

    def __init__(self, root: Root, channel: str) -> None:
        self.folder = f"{root.path}/.bridge/{channel}"
        self._root = root
        self._channel = channel
        self._seen: tuple[int, int] | None = None
        self._late: dict[str, int] = {}

    def token(self) -> str:
        """What the tree remembers the pair by, "" if nothing."""
        return self._pair().get("token", "")

    def _pair(self) -> dict[str, str]:
        try:
            return message.parse(disk.read(f"{self.folder}/pair", 4096)).fields
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise from_os(error, "read", f"{self.folder}/pair") from None

    def place(self) -> str:
        """The channel's folder when the pair was made, "" if none was."""
        return self._pair().get("folder", "")

    def waiting(self) -> int:
        """How many rows of the channel have not been looked at; 0 before a pair is made."""
        said = self._pair()
        if not said.get("token"):
            return 0
        with Mirror.open(os.path.dirname(said["folder"]), self._channel, sync=False) as mirror:
            pairs = [pair for pair in mirror.pairs() if pair.token == said["token"]]
            return mirror.waiting(pairs[0]) if pairs else 0

    def remember(self, token: str, folder: str) -> None:
        """Note the pair; ``folder``: the channel's."""
        text = f"token: {token}\nchannel: {self._channel}\nfolder: {folder}\n"
        try:
            disk.make_folders(self._root.path, self.folder)
            disk.replace(f"{self.folder}/pair", text.encode("utf-8", "replace"), self._root.sync)
        except OSError as error:
            raise from_os(error, "write to", self.folder) from None

    def check(self) -> None:
        """Conflict where the tree is gone, or another one, since this was first called."""
        try:
            found = os.stat(f"{self.folder}/pair")
        except FileNotFoundError:
            raise replaced(f"{self._root.path} was removed or replaced", "tree") from None
        except OSError as error:
            raise from_os(error, "read", f"{self.folder}/pair") from None
        there = (found.st_dev, found.st_ino)
        self._seen = self._seen or there
        if there != self._seen:
            raise replaced(f"{self._root.path} was replaced", "tree")

    def numbers(self) -> dict[str, int]:
        """The rows of the tree's messages, by their keys, as noted; a line cut short is none."""
        try:
            data = disk.read(f"{self.folder}/rows")
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise from_os(error, "read", f"{self.folder}/rows") from None
        found = {}
        for line in data.decode("utf-8", "replace").split("\n")[:-1]:
            number, tab, key = line.partition("\t")
            if tab and number.isascii() and number.isdigit():
                found[names.named(key)] = int(number)
        return found

    def note(self, rows: dict[str, int]) -> None:
        """Add rows, with those that could not be added before.

        The channel knows them too, so nothing is lost if this is cut short.
        """
        self._late |= rows
        if not self._late:
            return
        text = "".join(f"{number}\t{names.plain(key)}\n" for key, number in self._late.items())
        try:
            fd = os.open(f"{self.folder}/rows", disk.OWN_FLAGS | os.O_RDWR | os.O_APPEND)
            try:
                _mend(fd)
                disk.write_all(fd, text.encode("utf-8", "replace"))
            finally:
                os.close(fd)
        except OSError as error:
            raise from_os(error, "write to", f"{self.folder}/rows") from None
        self._late = {}


def _mend(fd: int) -> None:
    """Take off the end of a file a line that was cut short."""
    size = os.fstat(fd).st_size
    start = max(0, size - LINE_MAX)
    end = os.pread(fd, size - start, start)
    if end and not end.endswith(b"\n"):
        os.ftruncate(fd, start + end.rfind(b"\n") + 1)


def find(root: Root, mirror: Mirror, ledger: Ledger, rebuild: bool) -> Pair:
    """The pair of a tree and a channel, made if neither remembers one.

    Conflict where one of them was replaced or emptied, unless it is to be rebuilt.
    """
    token = ledger.token()
    there = {pair.token: pair for pair in mirror.pairs()}
    if token and token in there:
        return _both(root, mirror, there[token], rebuild)
    if token:
        _ask(rebuild, f"channel {mirror.place.channel} is not the one that was bridged", "channel")
        return _begin(mirror, Pair(token, root.path, MAKING))
    ours = [pair for pair in there.values() if pair.root == root.path]
    if ours and ours[-1].mirrored > 0:
        _ask(rebuild, f"{root.path} is not the tree that was bridged", "tree")
        pair = _begin(mirror, _restoring(mirror, ours[-1]))
    else:
        fresh = os.urandom(words.TOKEN_DIGITS // 2).hex()
        pair = ours[-1] if ours else _begin(mirror, Pair(fresh, root.path, MAKING))
    ledger.remember(pair.token, mirror.place.folder)
    return pair


def _both(root: Root, mirror: Mirror, pair: Pair, rebuild: bool) -> Pair:
    """A pair that both remember: is everything there?"""
    if int(mirror.newest()) < pair.mirrored:
        _ask(rebuild, f"channel {mirror.place.channel} was emptied", "channel")
        return _begin(mirror, Pair(pair.token, root.path, MAKING))
    if _is_empty(root) and _was_said(mirror, pair.mirrored):
        _ask(rebuild, f"{root.path} was emptied", "tree")
        return _begin(mirror, _restoring(mirror, pair))
    if pair.root != root.path:
        pair.root = root.path
        mirror.set_pair(pair)
    return pair


def _restoring(mirror: Mirror, pair: Pair) -> Pair:
    return Pair(pair.token, pair.root, 0, int(mirror.newest()))


def _begin(mirror: Mirror, pair: Pair) -> Pair:
    mirror.set_pair(pair)
    return pair


def _ask(rebuild: bool, what: str, side: str) -> None:
    if not rebuild:
        raise replaced(what, side)


def check(mirror: Mirror, pair: Pair) -> None:
    """Conflict where the channel, under the same name, has lost the pair or its rows since."""
    known = pair.token in (one.token for one in mirror.pairs())
    if not known or int(mirror.newest()) < pair.mirrored:
        raise replaced(f"channel {mirror.place.channel} was emptied", "channel")


def _was_said(mirror: Mirror, last: int) -> bool:
    """Whether a row up to that one is more than presence: it would lie in the tree."""
    after = 0
    while page := mirror.every(after):
        for event in page:
            if int(event.id) > last:
                return False
            if not is_presence(event):
                return True
        after = int(page[-1].id)
    return False


def _is_empty(root: Root) -> bool:
    """Whether no message lies anywhere in the tree, and no receipt; where that cannot be seen
    there may be some."""
    for agent in boxes(root):
        for folder in (root.inbox(agent), root.receipts(agent), root.sent(agent)):
            try:
                if any(name.endswith(".txt") for name in os.listdir(folder)):
                    return False
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                return False
    return True
