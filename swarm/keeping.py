"""Keeping an agent's name for a session or a working tree, where that is asked for."""

import os

from swarm import disk
from swarm.errors import Conflict, UsageError, from_os
from swarm.harness import session, sessions
from swarm.identity import Identity, kept_names, names_file, read_names, who, working_directory
from swarm.lock import Lock
from swarm.mailbox.layout import Root, has_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def keep(root: Root, agent: str, env: "Mapping[str, str]") -> str:
    """Keep the id for this session, or without one for the working tree; says for which.

    Conflict where another id that is still registered is kept there.
    """
    name, folder = place(root, agent, env)
    if name:
        sessions.keep(root, name, agent)
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
    folder = _top(working_directory())
    if not folder or "\t" in folder or "\n" in folder:
        raise UsageError("no name can be kept for this working directory", "use SWARM_AGENT")
    _check_free(root, folder, kept_names(root).get(folder, ""), agent)
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
                sessions.keep(root, name, "")
    elif found.source == "tree":
        folder, kept = working_directory(), kept_names(root)
        while folder not in kept:
            folder = os.path.dirname(folder)
        _write(root, folder, "")
    return found


def _write(root: Root, folder: str, agent: str) -> None:
    """Set, or with '' remove, the line of a folder."""
    try:
        with Lock(root.path):
            kept = read_names(root)  # what cannot be read is not written anew
            kept.pop(folder, None)
            if agent:
                kept[folder] = agent
            data = "".join(f"{place}\t{name}\n" for place, name in kept.items())
            disk.replace(names_file(root), os.fsencode(data), root.sync)
    except OSError as error:
        raise from_os(error, "write to", names_file(root)) from None
