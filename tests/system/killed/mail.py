"""A mail tree for the killed commands, and a look at it that takes nothing from swarm."""

import os
import re
import time
from collections import Counter
from pathlib import Path

END = "the last line\n"
TEXT = "the first line\n" + "some more text\n" * 300 + END
HEAD = re.compile(rb"(?:[A-Za-z-]+: [^\n]+\n)+---\n")
DAY = 86400
QUESTION, NEWS, MORE = "01_question_aaaa.txt", "02_news_bbbb.txt", "03_more_cccc.txt"


class Mail:
    """Files of a mail tree as anybody sees them."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def listed(self, folder: str) -> dict[str, bytes]:
        """Names and bytes of what counts as mail, or as entries, in a folder."""
        paths = (self.root / folder).glob("*.txt")
        return {path.name: path.read_bytes() for path in paths if path.name[0] != "."}

    def inbox(self, agent: str) -> dict[str, bytes]:
        return self.listed(f"{agent}/inbox")

    def sent(self, agent: str) -> dict[str, bytes]:
        return self.listed(f"{agent}/sent")

    def entries(self) -> dict[str, bytes]:
        return self.listed("dir")

    def receipts(self, agent: str) -> set[str]:
        return {path.name for path in (self.root / agent / "inbox/.read").iterdir()}

    def copies(self, agent: str, data: bytes) -> int:
        """How often an agent has a message, in the inbox or archived."""
        found = [*self.inbox(agent).values(), *self.sent(agent).values()]
        return Counter(found)[data]

    def torn(self) -> list[str]:
        """What is listed as mail and is not whole."""
        paths = [*self.root.glob("*/inbox/*.txt"), *self.root.glob("*/sent/*.txt")]
        return [str(path) for path in paths if not whole(path.read_bytes())]

    def temporaries(self) -> list[Path]:
        return sorted(self.root.rglob(".swarm-*"))

    def folders(self) -> list[str]:
        paths = self.root.rglob("*")
        return sorted(str(path.relative_to(self.root)) for path in paths if path.is_dir())

    def let_time_pass(self) -> int:
        """Make what killed processes left two days older; how much that is."""
        left = self.temporaries()
        for path in left:
            then = path.stat().st_mtime - 2 * DAY
            os.utime(path, (then, then))
        return len(left)


def whole(data: bytes) -> bool:
    """Whether a message is all there, from its first header to its last line."""
    head = HEAD.match(data)
    lines = head[0].split(b"\n") if head else []
    names = {line.partition(b":")[0] for line in lines}
    return {b"To", b"From", b"Subject"} <= names and data.endswith(b"\n" + TEXT.encode())


def prepare(place: Path) -> None:
    """alice with three messages, the second read; bob and carl; entries of alice and bob."""
    root = place / "mail"
    for agent in ("alice", "bob", "carl"):
        for folder in ("inbox/.read", "drafts", "sent"):
            (root / agent / folder).mkdir(parents=True)
    (root / "dir").mkdir()
    for agent in ("alice", "bob"):
        lines = f"id: {agent}\nrole: r\narchetype: planner\ntask: t\nstatus: active\n"
        (root / "dir" / f"{agent}.txt").write_text(lines)
    inbox = root / "alice" / "inbox"
    for name, sender in ((QUESTION, "bob"), (NEWS, "carl"), (MORE, "bob")):
        head = f"To: alice\nFrom: {sender}\nSubject: {name}\nThread: t-1\n---\n"
        put(inbox / name, head + f"{name}\n" + TEXT)
    put(inbox / ".read" / NEWS, "")


def put(path: Path, text: str) -> None:
    """A file of yesterday."""
    path.write_text(text)
    os.utime(path, (time.time() - DAY, time.time() - DAY))
