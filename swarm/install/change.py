"""One file as it is and as it is to be; written whole, or left."""

import os

from swarm import disk, names, syncing
from swarm.errors import Refused, SwarmError, Temporary, from_os
from swarm.install.harnesses import File
from swarm.install.record import Record
from swarm.install.text import Text

WAY = "it is left as it is: mend it or move it away, then run swarm install again"


class Change:
    """``action``: unchanged, created, changed, removed, restored, kept or failed.

    ``before`` is None where there is no file, ``after`` where there is to be none.
    """

    def __init__(self, harness: str, file: File, take_out: bool) -> None:
        self.take_out = take_out
        self.harness = harness
        self.file = file
        self.path = file.path
        self.target = os.path.realpath(file.path)  # a link stays a link
        self.parts = [editor.name for editor in file.editors]
        self.action = "unchanged"
        self.before: str | None = None
        self.after: str | None = None
        self.text = Text("")
        self.error: SwarmError | None = None

    def failed(self, error: SwarmError) -> None:
        self.action, self.error = "failed", error

    def read(self) -> None:
        self.before = read(self.target, self.path)
        self.text = Text(self.before or "")
        self.after = self.before

    def check(self) -> None:
        """Temporary if others have changed the file since it was read."""
        if read(self.target, self.path) != self.before:
            raise Temporary(f"{self.path} is being changed", "run the same command again")


def read(target: str, path: str) -> str | None:
    """The text of a file, None where there is none."""
    try:
        text = disk.read(target).decode()
        if "\0" in text:  # as UTF-16 has, whose first two bytes may be left out
            raise Refused(f"{path} is not UTF-8", WAY)
        return text
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return None
    except UnicodeDecodeError:
        raise Refused(f"{path} is not UTF-8", WAY) from None
    except OSError as error:
        raise from_os(error, "read", path) from None


def plan(harness: str, file: File, store: str, words: list[str], take_out: bool) -> Change:
    """What is to happen to a file; never raises for what is in it."""
    change = Change(harness, file, take_out)
    try:
        change.read()
        if take_out:
            _taken_out(change, Record(store, change.target))
        else:
            _put_in(change, words)
    except Refused as refused:
        told = refused.message if refused.hint else f"{change.path} {refused.message}"
        change.failed(Refused(told, refused.hint or WAY))
    except SwarmError as error:
        change.failed(error)
    return change


def _put_in(change: Change, words: list[str]) -> None:
    for editor in change.file.editors:
        editor.install(change.text, words)
    change.after = change.text.content
    if not _is_utf8(change.after):
        raise Refused(
            f"{change.path} cannot name {names.shown(words[0])}", "move swarm to a path in UTF-8"
        )
    if change.after != (change.before or ""):
        change.action = "created" if change.before is None else "changed"
    else:
        change.after = change.before


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _taken_out(change: Change, record: Record) -> None:
    if change.before is None:
        return
    if record.known(change.before) and record.clean:
        change.after = record.take_back(change.text)
        change.action = "removed" if change.after is None else "restored"
        return
    for editor in change.file.editors:
        editor.remove(change.text)
    if change.text.content == change.before:
        return
    change.after = change.text.content
    change.action = "changed"
    if _empty(change.after):
        change.after, change.action = None, "removed"


def _empty(content: str) -> bool:
    """Whether nothing is left that anybody would miss."""
    return "".join(content.split()) in ("", "\ufeff", "{}", '{"version":1}')


def carry_out(change: Change, store: str) -> None:
    """Do what was planned: the record first, so that a crash between leaves nothing unknown."""
    if change.before == change.after:
        return
    record = Record(store, change.target)
    try:
        change.check()
        if change.after is None:
            disk.remove(change.target)
            syncing.sync_folder(os.path.dirname(change.target))
            return
        missing = _missing(change.target)
        if not change.take_out:
            record.add(change.before, change.text, _clean(change), missing)
        for folder in missing:
            os.mkdir(folder)
        sweep(os.path.dirname(change.target))
        disk.replace(change.target, change.after.encode(), sync=True, last=change.check)
    except SwarmError as error:
        change.failed(error)
    except OSError as error:
        change.failed(from_os(error, "write to", change.path))


def _clean(change: Change) -> bool:
    """Whether nothing of ours was in the file before."""
    before = Text(change.before or "")
    for editor in change.file.editors:
        try:
            editor.remove(before)
        except Refused:
            return False
    return before.content == (change.before or "")


def _missing(target: str) -> list[str]:
    """The folders that have to be made for a file, the outermost first."""
    found: list[str] = []
    folder = os.path.dirname(target)
    while folder and not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found


def sweep(folder: str) -> None:
    """Remove what a killed run left there half-written."""
    for name in os.listdir(folder):
        if not name.startswith(disk.TEMP_PREFIX) or not name.endswith(disk.TEMP_SUFFIX):
            continue
        number = name.removeprefix(disk.TEMP_PREFIX).split("-")[0]
        if number.isdecimal() and not os.path.exists(f"/proc/{number}"):
            disk.remove(os.path.join(folder, name))
