"""What is known of one session of a harness: ``mail/.sessions/HARNESS-SESSION``.

A small file of ``key: value`` lines.  Hooks write it under its own lock and in place; who
only reads it needs no lock: the ``agent`` line comes first, and of a line given twice the
first counts.  What stands after the line ``end`` is of an older text, whose writer was killed.
"""

import errno
import os

from swarm import disk, names
from swarm.errors import TEMPORARY_ERRNOS, SwarmError, from_os
from swarm.harness.known import HARNESSES, OWN, SHELL
from swarm.mailbox.layout import Root, at_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = ".sessions"
PLAIN = names.ALNUM | frozenset("._-")
ESCAPED = PLAIN | {"="}
NAME_MAX = 160
SIZE_MAX = 16 << 20
LAST = "end"
KEYS = ("agent", "serves", "notices", "receipts", "hinted", "ended")


class Session:
    """What one file says.

    ``agent``: the id that is kept for the session.  ``serves``: whom its notices were for.
    ``notices``: how many since mail was read, when there were ``receipts`` receipts.
    ``told``: the names of unread messages that it was told of.  ``hinted``: whether it was told
    how to get a name.  ``ended``: why it ended, and in which process, '' while it lives.
    """

    __slots__ = ("agent", "ended", "hinted", "notices", "receipts", "serves", "told")

    def __init__(self) -> None:
        self.agent = ""
        self.serves = ""
        self.notices = 0
        self.receipts = 0
        self.told: list[str] = []
        self.hinted = 0
        self.ended = ""

    @property
    def owner(self) -> str:
        """The agent it works for, as far as is known."""
        return self.agent or self.serves


def parse(data: bytes) -> Session:
    """A session's file; what is no line of ours says nothing."""
    found = Session()
    values: dict[str, str] = {}
    for line in os.fsdecode(data).split("\n")[:-1]:
        if line == LAST:
            break
        key, _, value = line.partition(": ")
        if key == "told":
            found.told.append(names.named(value))
        else:
            values.setdefault(key, value)
    for key in ("agent", "serves"):
        value = values.get(key, "")
        setattr(found, key, value if names.is_id(value) else "")
    for key in ("notices", "receipts", "hinted"):
        setattr(found, key, _number(values.get(key, "")))
    found.ended = values.get("ended", "")
    return found


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def format_session(found: Session) -> bytes:
    """The same as a file; its first line is there even if nothing is in it."""
    lines = [
        f"{key}: {value}\n" for key in KEYS if (value := getattr(found, key)) or key == "agent"
    ]
    lines += [f"told: {names.plain(name)}\n" for name in found.told]
    lines.append(f"{LAST}\n")
    return os.fsencode("".join(lines))


def file_name(harness: str, session: str) -> str:
    """The name of a session's file; '' for what cannot be one.  Odd characters become ``=xx``."""
    if not PLAIN.issuperset(session):
        session = "".join(
            chr(b) if chr(b) in PLAIN else f"={b:02x}"
            for b in session[:NAME_MAX].encode("utf-8", "surrogateescape")
        )
    name = f"{harness}-{session}"
    return name if session and len(name) <= NAME_MAX else ""


def is_name(text: str) -> bool:
    """Whether a file of that name is a session's."""
    harness, _, rest = text.partition("-")
    return (
        harness in HARNESSES and bool(rest) and len(text) <= NAME_MAX and ESCAPED.issuperset(rest)
    )


def here(env: "Mapping[str, str]") -> list[tuple[str, str]]:
    """(variable, file name) of each session that the environment names, without repeats."""
    found: list[tuple[str, str]] = []
    own = env.get(OWN, "")
    if is_name(own):
        found.append((OWN, own))
    for harness, variable in SHELL.items():
        name = file_name(harness, env.get(variable, ""))
        if name and all(name != other for _, other in found):
            found.append((variable, name))
    return found


def load(root: Root, name: str) -> Session | None:
    """What is known of a session; None where there is no file of it that can be read."""
    try:
        return known(root, name)
    except SwarmError:
        return None


def known(root: Root, name: str) -> Session | None:
    """The same of one's own: raises where its file is there and cannot be read just now.

    Taken for none, it would make the session another agent's.  What another user keeps to
    himself is nobody's here.
    """
    path = f"{root.path}/{FOLDER}/{name}"
    try:
        return parse(disk.read(path, SIZE_MAX, root.trusted))
    except OSError as error:
        hidden = error.errno == errno.EACCES and _is_own(at_fault(root, path))
        if hidden or error.errno in TEMPORARY_ERRNOS:
            raise from_os(error, "read", path) from None
        return None


def _is_own(path: str) -> bool:
    try:
        return os.stat(path).st_uid == os.geteuid()
    except OSError:
        return False
