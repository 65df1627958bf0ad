"""Install into harnesses, or take out again: file by file, one run at a time."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from swarm import disk
from swarm.errors import SwarmError
from swarm.install.change import Change, carry_out, plan, read
from swarm.install.harnesses import NAMES, File, files
from swarm.install.places import Places
from swarm.install.record import Record
from swarm.install.text import Text
from swarm.lock import Lock

Show = Callable[[Change], None]


class Job:
    """``words`` start this program; ``store`` holds the records; ``dry``: nothing is written.

    ``show`` is called with each change before it is made.
    """

    def __init__(self, at: Places, words: list[str], store: str, dry: bool, show: Show) -> None:
        self.at = at
        self.words = words
        self.store = store
        self.dry = dry
        self.show = show

    def install(self, harnesses: list[str]) -> list[Change]:
        with self._alone():
            return self._each([(name, file) for name in harnesses for file in files(name, self.at)])

    def uninstall(self, harnesses: list[str]) -> list[Change]:
        with self._alone():
            every = Places(self.at.scope, self.at.folder, self.at.env, everywhere=True)
            pairs = [(name, file) for name in harnesses for file in files(name, every)]
            pairs.sort(key=lambda pair: pair[1].shared)
            done = self._each(pairs, take_out=True)
            if not self.dry:
                self._forget([change for change in done if change.action not in ("failed", "kept")])
            return done

    def _alone(self) -> AbstractContextManager[object]:
        if self.dry:
            return nullcontext()
        if not os.path.isdir(self.store):
            os.makedirs(self.store, mode=0o700, exist_ok=True)
        return Lock(self.store)

    def _each(self, pairs: list[tuple[str, File]], take_out: bool = False) -> list[Change]:
        done: dict[str, Change] = {}
        gone = {name for name, _ in pairs}
        readers = self._readers(pairs)
        for _, file in pairs:
            target = os.path.realpath(file.path)
            if target in done:
                continue
            change = plan(readers[target], file, self.store, self.words, take_out)
            done[target] = change
            if take_out and file.shared and self._wanted(change, gone):
                change.action, change.after = "kept", change.before
            self.show(change)
            if not self.dry and not change.error:
                carry_out(change, self.store)
        return list(done.values())

    def _readers(self, pairs: list[tuple[str, File]]) -> dict[str, str]:
        """By file, the harnesses that read it; where none does now, those that may have."""
        readers: dict[str, list[str]] = {}
        others: dict[str, list[str]] = {}
        for name, file in pairs:
            target = os.path.realpath(file.path)
            now = any(os.path.realpath(one.path) == target for one in files(name, self.at))
            (readers if now else others).setdefault(target, []).append(name)
        return {target: ",".join(names) for target, names in {**others, **readers}.items()}

    def _wanted(self, change: Change, gone: set[str]) -> bool:
        """Whether a harness that stays set up here reads this file too."""
        for name in NAMES:
            ours = [] if name in gone else files(name, self.at)
            reads = any(os.path.realpath(file.path) == change.target for file in ours)
            if reads and any(is_set_up(file, self.words) for file in ours if not file.shared):
                return True
        return False

    def _forget(self, done: list[Change]) -> None:
        """Remove the folders that were made for these files, if they are empty, and the records.

        The records last: until then a run that is killed here can be done again.
        """
        records = [Record(self.store, change.target) for change in done]
        folders = {folder for record in records for folder in record.folders}
        for folder in sorted(folders, key=len, reverse=True):
            disk.remove_folder(folder)
        for record in records:
            record.forget()


def is_set_up(file: File, words: list[str]) -> bool:
    """Whether anything of ours stands in a file."""
    return any(
        state not in ("", "another's", "unreadable") for state in states(file, words).values()
    )


def states(file: File, words: list[str]) -> dict[str, str]:
    """By part: '' missing, set up, older, missing command, another's or unreadable."""
    found: dict[str, str] = {}
    for editor in file.editors:
        try:
            content = read(os.path.realpath(file.path), file.path)
            found[editor.name] = editor.state(Text(content or ""), words)
        except SwarmError:
            found[editor.name] = "unreadable"
    return found
