"""Who am I, and why: by word, by the environment, by the session, by the working tree.

Names are kept only where that was asked for: for a session in its file, for a working tree in
``mail/.names``, one line ``FOLDER<TAB>ID``.
"""

import os

from swarm import disk, names
from swarm.harness import session
from swarm.mailbox.layout import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = ".names"


class Identity:
    """An agent's id ('' if none was found), where it is from, and why in words.

    ``source``: ``--as``, ``SWARM_AGENT``, ``session``, ``tree`` or ''.
    """

    __slots__ = ("agent", "detail", "source")

    def __init__(self, agent: str, source: str, detail: str) -> None:
        self.agent = agent
        self.source = source
        self.detail = detail

    @property
    def two(self) -> bool:
        """Whether none was found because two were."""
        return not self.agent and self.source == "session"


NOBODY = Identity("", "", "")
Own = tuple[str, session.Session]


def who(
    root: Root, given: str | None, env: "Mapping[str, str]", own: Own | None = None
) -> Identity:
    """The agent who calls.  ``own``: its session's file and what that says, where it is known."""
    if given is not None:
        return Identity(given, "--as", "given by --as")
    if env.get("SWARM_AGENT"):
        return Identity(env["SWARM_AGENT"], "SWARM_AGENT", "the environment variable SWARM_AGENT")
    return _by_session(root, env, own) or _by_tree(root)


def _by_session(root: Root, env: "Mapping[str, str]", own: Own | None) -> Identity | None:
    """None where no session has a name; none and why where two have different ones."""
    found = []
    sessions = [("", own)] if own else _sessions(root, env)
    for variable, (name, state) in sessions:
        if state.agent:
            why = f"kept for this session in {root.path}/{session.FOLDER}/{name}"
            found.append((state.agent, why + (f", named by {variable}" if variable else "")))
    if len({agent for agent, _ in found}) > 1:
        said = " and ".join(f"{agent} ({why})" for agent, why in found)
        return Identity("", "session", f"two sessions are named here: {said}")
    return Identity(found[0][0], "session", found[0][1]) if found else None


def _sessions(root: Root, env: "Mapping[str, str]") -> list[tuple[str, Own]]:
    """The sessions that the environment names, by the variable.  Raises where one's file cannot
    be read just now."""
    loaded = [(variable, name, session.known(root, name)) for variable, name in session.here(env)]
    return [(variable, (name, state)) for variable, name, state in loaded if state]


def _by_tree(root: Root) -> Identity:
    folder = working_directory()
    kept = kept_names(root)
    while folder:
        if folder in kept:
            why = f"kept for the working tree {folder} in {names_file(root)}"
            return Identity(kept[folder], "tree", why)
        folder = "" if folder == "/" else os.path.dirname(folder)
    return Identity("", "", "no --as, no SWARM_AGENT, and no name is kept for this session or tree")


def working_directory() -> str:
    """Where we are, '' if that is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def names_file(root: Root) -> str:
    """The file of kept names; in a shared tree each user has one."""
    return f"{root.path}/{NAMES}" + (f"-{os.geteuid()}" if root.shared else "")


def kept_names(root: Root) -> dict[str, str]:
    """The folders that names are kept for, as far as they can be read."""
    try:
        return read_names(root)
    except OSError:
        return {}


def read_names(root: Root) -> dict[str, str]:
    """The same; OSError where the file cannot be read.  Lines that are none of ours say nothing.

    Editors leave a mark at the start, CRLF at the ends, people a slash after a folder.
    """
    try:
        data = disk.read(names_file(root), owner=root.trusted)
    except FileNotFoundError:
        return {}
    text = os.fsdecode(data).removeprefix("\ufeff")
    lines = (line.removesuffix("\r").partition("\t") for line in text.split("\n"))
    return {
        folder.rstrip("/") or "/": agent
        for folder, _, agent in lines
        if folder and names.is_id(agent)
    }
