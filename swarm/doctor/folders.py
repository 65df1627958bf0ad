"""The folders of a mail tree: what is in them, what may not be done there, what is missing."""

import os

from swarm import names
from swarm.doctor import rights
from swarm.doctor.finding import Finding, mended
from swarm.mailbox import guests
from swarm.mailbox.layout import Root, make_box, make_folder

HARMLESS = frozenset((".gitkeep", ".read", ".gitignore", guests.MARK))
# What to do about a thing that should be a file.
INSTEAD = {
    "folder": "move it away",
    "link": "put the file itself there, or remove the link",
    "pipe or the like": "remove it",
}


class Folder:
    """A folder as it was found, or what stands in its place.

    ``path`` is absolute, ``shown`` relative to the root.  ``entries``: what is in it, by name,
    if it may be used.  ``found``: what is wrong with the folder itself.  ``state``:
    ``usable``, ``missing`` or ``unusable``.
    """

    __slots__ = ("entries", "found", "path", "shown", "state")

    def __init__(self, path: str, shown: str) -> None:
        self.path = path
        self.shown = shown
        self.entries: list[os.DirEntry[str]] = []
        self.found: list[Finding] = []
        self.state = "usable"

    def inside(self, name: str) -> str:
        """The path of something in it, relative to the root."""
        return name if self.shown == "." else f"{self.shown}/{name}"

    def unusable(self, level: str, what: str, fix: str) -> None:
        """Note why nothing can be said of what is in it."""
        self.entries, self.state = [], "unusable"
        self.found.append(Finding(level, self.shown, what, fix))


def look(root: Root, shown: str, unusable: str = "warn", unwritable: str = "warn") -> Folder:
    """List a folder; the levels say how bad it is if that, or writing, is not allowed.

    With '' for ``unwritable`` nobody needs to write there.
    """
    folder = Folder(root.path if shown == "." else f"{root.path}/{shown}", shown)
    try:
        with os.scandir(folder.path) as entries:
            folder.entries = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        _not_listed(folder, unusable, error)
    else:
        _rights(folder, unusable, unwritable)
    return folder


def _rights(folder: Folder, unusable: str, unwritable: str) -> None:
    """What may not be done in a folder that was listed."""
    lacks = rights.lacking(folder.path, "wx")
    if "x" in lacks:
        way = rights.way_out(folder.path, folder.shown, "rwx")
        folder.unusable(unusable, f"cannot be entered (you lack {lacks})", way)
    elif lacks and unwritable:
        way = rights.way_out(folder.path, folder.shown, "wx")
        what = "cannot be written to (you lack w)"
        folder.found.append(Finding(unwritable, folder.shown, what, way))


def _not_listed(folder: Folder, level: str, error: OSError) -> None:
    """Why it could not be listed."""
    path, lacks = folder.path, rights.lacking(folder.path, "rwx")
    if not os.path.lexists(path):
        folder.state = "missing"
    elif not os.path.isdir(path):
        folder.unusable(level, _instead(path), "move it away, then swarm doctor --fix")
    elif "r" in lacks:
        way = rights.way_out(path, folder.shown, "rwx")
        folder.unusable(level, f"cannot be listed (you lack {lacks})", way)
    else:
        way = rights.after(error, "list", path, folder.shown)
        folder.unusable(level, f"cannot be listed ({error.strerror})", way)


def _instead(path: str) -> str:
    """What stands there instead of a folder."""
    if not os.path.islink(path):
        return "a file, not a folder"
    return "a link to a file" if os.path.exists(path) else "a link that leads nowhere"


def missing(root: Root, shown: str, fix: bool, level: str = "warn") -> Finding:
    """The finding on a folder that is not there; with ``fix`` it is made."""
    above = _above(root, shown)
    path = f"{root.path}/{above}"
    if not fix:
        locked = rights.lacking(path, "wx") and rights.way_out(path, above, "wx")
        way = f"{locked}, then swarm doctor --fix" if locked else "swarm doctor --fix makes it"
        return Finding(level, shown, "is missing", way)
    try:
        agent = shown.partition("/")[0]
        if root.shared and names.is_id(agent):
            make_box(root, agent)
        else:
            make_folder(root, f"{root.path}/{shown}")
    except OSError as error:
        what = f"is missing and cannot be made ({error.strerror})"
        return Finding("fail", shown, what, rights.after(error, "make", path, above))
    return mended(shown, "was missing, now made")


def _above(root: Root, shown: str) -> str:
    """The nearest folder above that is there."""
    above = os.path.dirname(shown)
    while above and not os.path.lexists(f"{root.path}/{above}"):
        above = os.path.dirname(above)
    return above or "."


def kind(entry: os.DirEntry[str]) -> str:
    """``file``, ``folder``, ``link`` or ``pipe or the like``; '' if it is gone by now."""
    try:
        if entry.is_file(follow_symlinks=False):
            return "file"
        if entry.is_symlink():
            return "link"
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        entry.stat(follow_symlinks=False)
    except OSError:
        return ""
    return "pipe or the like"
