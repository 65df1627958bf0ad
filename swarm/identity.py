"""Who am I, and why: by word, by the environment, by the session, by the working tree.

Names are kept only where that was asked for: for a session in its file, for a working tree in
``mail/.names``, one line ``FOLDER<TAB>ID``.
"""

import os

from swarm import disk, names
from swarm.errors import Conflict, UsageError, from_os
from swarm.harness import session
from swarm.mailbox.layout import Root, has_entry

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


def who(root: Root, given: str | None, env: "Mapping[str, str]", own: str = "") -> Identity:
    """The agent who calls.  ``own``: the file name of the session, where it is known."""
    if given is not None:
        return Identity(given, "--as", "given by --as")
    if env.get("SWARM_AGENT"):
        return Identity(env["SWARM_AGENT"], "SWARM_AGENT", "the environment variable SWARM_AGENT")
    return _by_session(root, env, own) or _by_tree(root)


def _by_session(root: Root, env: "Mapping[str, str]", own: str) -> Identity | None:
    """None where no session has a name; none and why where two have different ones."""
    found = []
    for variable, name in [("", own)] if own else session.here(env):
        state = session.load(root, name)
        if state and state.agent:
            why = f"kept for this session in {session.FOLDER}/{name}"
            found.append((state.agent, why + (f", named by {variable}" if variable else "")))
    if len({agent for agent, _ in found}) > 1:
        said = " and ".join(f"{agent} ({why})" for agent, why in found)
        return Identity("", "session", f"two sessions are named here: {said}")
    return Identity(found[0][0], "session", found[0][1]) if found else None


def _by_tree(root: Root) -> Identity:
    folder = _cwd()
    kept = _kept(root)
    while folder:
        if folder in kept:
            why = f"kept for the working tree {folder} in {NAMES}"
            return Identity(kept[folder], "tree", why)
        folder = "" if folder == "/" else os.path.dirname(folder)
    return Identity("", "", "no --as, no SWARM_AGENT, and no name is kept for this session or tree")


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


def _kept(root: Root) -> dict[str, str]:
    """The folders that names are kept for; lines that are none of ours say nothing."""
    try:
        data = disk.read(f"{root.path}/{NAMES}")
    except OSError:
        return {}
    lines = (line.partition("\t") for line in os.fsdecode(data).split("\n"))
    return {folder: agent for folder, tab, agent in lines if tab and names.is_id(agent)}


def keep(root: Root, agent: str, env: "Mapping[str, str]") -> str:
    """Keep the id for this session, or without one for the working tree; says for which.

    Conflict where another id that is still registered is kept there.
    """
    name, folder = place(root, agent, env)
    if name:
        session.keep(root, name, agent)
        return f"the session {name}"
    _write(root, folder, agent)
    return f"the working tree {folder}"


def place(root: Root, agent: str, env: "Mapping[str, str]") -> tuple[str, str]:
    """(session, folder) that ``keep`` would keep it for, one of them ''; raises what it would."""
    found = session.here(env)
    if len(found) > 1:
        said = " and ".join(variable for variable, _ in found)
        raise UsageError(f"two sessions are named here, by {said}", "use SWARM_AGENT instead")
    if found:
        name = found[0][1]
        state = session.load(root, name)
        _check_free(root, f"this session ({name})", state.agent if state else "", agent)
        return name, ""
    folder = _top(_cwd())
    if not folder or "\t" in folder or "\n" in folder:
        raise UsageError("no name can be kept for this working directory", "use SWARM_AGENT")
    _check_free(root, folder, _kept(root).get(folder, ""), agent)
    return "", folder


def _check_free(root: Root, where: str, kept: str, agent: str) -> None:
    if kept not in ("", agent) and has_entry(root, kept):
        hint = "two agents in one place use SWARM_AGENT; 'swarm whoami --forget' frees it"
        raise Conflict(f"{where} is kept for {kept}", hint, code="taken")


def _top(folder: str) -> str:
    """The top of the git working tree that a folder is in, else the folder itself."""
    above = folder
    while above:
        if os.path.lexists(f"{above}/.git"):
            return above
        above = "" if above == "/" else os.path.dirname(above)
    return folder


def forget(root: Root, env: "Mapping[str, str]") -> Identity:
    """Keep no name any more for who asks; what it was."""
    found = who(root, None, {key: value for key, value in env.items() if key != "SWARM_AGENT"})
    if found.source == "session":
        for _, name in session.here(env):
            if session.load(root, name):
                session.keep(root, name, "")
    elif found.source == "tree":
        folder, kept = _cwd(), _kept(root)
        while folder not in kept:
            folder = os.path.dirname(folder)
        _write(root, folder, "")
    return found


def _write(root: Root, folder: str, agent: str) -> None:
    """Set, or with '' remove, the line of a folder."""
    try:
        with disk.Lock(root.path):
            kept = _kept(root)
            kept.pop(folder, None)
            if agent:
                kept[folder] = agent
            data = "".join(f"{place}\t{name}\n" for place, name in kept.items())
            disk.replace(f"{root.path}/{NAMES}", os.fsencode(data), root.sync)
    except OSError as error:
        raise from_os(error, "write to", NAMES) from None
