"""What the caller may not do with a file or folder, and the command that changes it."""

import os
from shlex import quote
from stat import S_IMODE

from swarm.errors import from_os

RIGHTS = {"r": os.R_OK, "w": os.W_OK, "x": os.X_OK}


def lacking(path: str, wanted: str) -> str:
    """Those of the letters ``rwx`` that the caller wants and does not have; '' if it is gone."""
    lacks = "".join(letter for letter in wanted if not os.access(path, RIGHTS[letter]))
    return lacks if lacks and os.path.lexists(path) else ""


def way_out(path: str, shown: str, wanted: str) -> str:
    """How to get these rights: a command for the owner, or why none would do."""
    try:
        seen = os.stat(path)
        read_only = os.statvfs(path).f_flag & os.ST_RDONLY
    except OSError:
        return f"look at what stands at {quote(shown)}"
    if read_only and "w" in wanted:
        return "mount its file system for writing"
    if os.geteuid() not in (0, seen.st_uid):
        return _owner(seen, quote(shown), wanted)
    if all(S_IMODE(seen.st_mode) >> 6 & RIGHTS[letter] for letter in wanted):
        return f"look for attributes and access lists (lsattr, getfacl {quote(shown)})"
    return f"chmod u+{wanted} {quote(shown)}"


def _owner(seen: os.stat_result, shown: str, wanted: str) -> str:
    """What the owner can do for somebody who is not: rights go by a group they share."""
    command = f"chmod g+{wanted} {shown}"
    if seen.st_gid not in (os.getegid(), *os.getgroups()):
        command = f"chgrp {_group(os.getegid())} {shown} && {command}"
    return f"run as {_user(seen.st_uid)} or root: {command}"


def _user(number: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _group(number: int) -> str:
    import grp

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def after(error: OSError, doing: str, path: str, shown: str) -> str:
    """The way out after a step in the folder ``path`` has failed."""
    if os.path.isdir(path) and lacking(path, "wx"):
        return f"{way_out(path, shown, 'wx')}, then swarm doctor --fix"
    return from_os(error, doing, shown).hint
