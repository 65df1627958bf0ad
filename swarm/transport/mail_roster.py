"""The registry as a roster: status words, signs of life.

Only a guardian's beat counts as a sign of life that may end.  The silence of an agent whose entry
was written or touched otherwise means nothing, since it may have no guardian: its ``seen`` is 0.
"""

import os
import time
from collections.abc import Mapping

from swarm import names
from swarm.errors import NoRoot, Unknown, Unreadable, from_os
from swarm.mailbox import registry
from swarm.mailbox.layout import Root, has_entry
from swarm.mamoru.signals import Mate
from swarm.transport.mail_files import Folder

# Mail's words for S's, and S's for mail's (docs/guardian.md); any other counts as available.
TO_MAIL = {"busy": "active", "available": "paused", "inactive": "done"}
FROM_MAIL = {"active": "busy", "done": "inactive", "error": "inactive"}
# Seconds.  Touches and edits in place do not change the folder's time: so often all entries are
# looked at.  A sign of life is seldom, since there may be 10,000, and old only after 60 s.
LOOK = 15.0
BEAT_EVERY = 15.0

Mark = tuple[int, int, int]


def from_mail(word: str) -> str:
    """S's word for an entry's status."""
    return FROM_MAIL.get(word, "available")


def check_root(root: Root) -> None:
    """Raise NoRoot where the mail tree is not there any more."""
    if not os.path.isdir(root.dir):
        raise NoRoot(f"{root.path} is no mail root any more: it has no dir/", "is it mounted?")


class Registry:
    """All entries, read anew only where they changed."""

    def __init__(self, root: Root) -> None:
        self._root = root
        # A status is known again after a crash, from the mail: it need not be on the disk first.
        self._unsynced = Root(root.path, sync=False)
        self._folder = Folder(root.dir, LOOK)
        self._marks: dict[str, Mark] = {}
        self._mates: dict[str, Mate] = {}
        self._beaten: dict[str, float] = {}
        self._ids: dict[str, str] = {}  # of file names

    def mates(self) -> Mapping[str, Mate]:
        """The roster; the same object where nothing changed."""
        if self._folder.due():
            with self._folder.listed():
                self._refresh(self._look())
        return self._mates

    def fresh(self) -> Mapping[str, Mate]:
        """The same with entries that were edited in place just now; one look at all of them."""
        self._folder.forget()
        return self.mates()

    def _look(self) -> dict[str, Mark]:
        found: dict[str, Mark] = {}
        try:
            with os.scandir(self._root.dir) as entries:
                for entry in entries:
                    agent = self._id(entry.name)
                    if agent and entry.is_file(follow_symlinks=False):
                        found[agent] = _mark(entry.stat(follow_symlinks=False))
            return found
        except FileNotFoundError:
            self._folder.forget()
            check_root(self._root)
            return self._marks  # an entry went away while it was looked at: next time
        except OSError as error:
            raise from_os(error, "list", self._root.dir) from None

    def _id(self, file: str) -> str:
        """Whose entry a file of that name is, "" if nobody's."""
        agent = self._ids.get(file)
        if agent is None and names.is_message_name(file) and names.is_id(file[:-4]):
            self._ids[file] = agent = file[:-4]
        return agent or ""

    def _refresh(self, marks: dict[str, Mark]) -> None:
        changed = {name: mark for name, mark in marks.items() if self._marks.get(name) != mark}
        if changed or marks.keys() != self._marks.keys():
            mates = {name: mate for name, mate in self._mates.items() if name in marks}
            for name, mark in changed.items():
                mate = self._mate(name, mark)
                if mate is None:  # as it was, and looked at again
                    del marks[name]
                mates[name] = mate or mates.get(name) or Mate(status="available", name=name)
            self._mates = mates
        self._marks = marks

    def _mate(self, agent: str, mark: Mark) -> Mate | None:
        """What an entry says; None where it cannot be read."""
        try:
            entry = registry.entry(self._root, agent)
        except Unknown:
            entry = registry.Entry(agent, {}, [])
        if entry.unreadable:
            return None
        description = ": ".join(filter(None, (entry.role, entry.task)))
        status = from_mail(entry.status)
        return Mate(status=status, seen=_seen(mark), name=agent, description=description)

    def status(self, agent: str) -> str:
        """One agent's status as its entry has it now; available without an entry.

        Raises Unreadable for one that cannot be read: the agent may have finished.
        """
        try:
            entry = registry.entry(self._root, agent)
        except Unknown:
            return "available"
        if entry.unreadable:
            raise Unreadable(f"dir/{agent}.txt {entry.problems[0]}", "swarm doctor says more")
        return from_mail(entry.status)

    def set_status(self, agent: str, status: str) -> None:
        """Write it into the agent's entry, if it has one and says something else.

        What an agent ended with (error, cancel) is not written over by "done".  An entry that
        does not say whose it is stays as it is: damaged, or still being written.
        """
        word = TO_MAIL[status]
        if not has_entry(self._root, agent):
            return
        entry = registry.entry(self._root, agent)
        there = entry.status
        if entry.fields.get("id") != agent:
            return
        if there == word or (status == "inactive" and there in registry.FINISHED):
            return
        registry.update(self._unsynced, agent, status=word)
        self._folder.forget()
        if agent in self._beaten:  # a new file has no mark yet
            self._touch(agent)

    def beat(self, agents: list[str]) -> None:
        """A sign of life of each agent that has an entry, where it is due."""
        now = time.monotonic()
        due = [a for a in agents if now - self._beaten.get(a, float("-inf")) >= BEAT_EVERY]
        self._beaten.update(dict.fromkeys(due, now))
        fresh = {agent: mate for agent in due if (mate := self._touch(agent))}
        if fresh:
            self._mates = {**self._mates, **fresh}

    def rest(self, agent: str) -> None:
        """It is guarded here no longer."""
        self._beaten.pop(agent, None)

    def _touch(self, agent: str) -> Mate | None:
        """Touch an entry; the mate it is now, if that is known without reading it."""
        touched = registry.beat(self._root, agent)
        mate = self._mates.get(agent)
        if touched is None or mate is None or _mark(touched[0]) != self._marks.get(agent):
            return None
        self._marks[agent] = mark = (touched[0].st_ino, touched[1], touched[0].st_size)
        return Mate(
            status=mate.status, seen=_seen(mark), name=mate.name, description=mate.description
        )


def _mark(stat: os.stat_result) -> Mark:
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def _seen(mark: Mark) -> float:
    return mark[1] / registry.SECOND if registry.is_beat(mark[1]) else 0.0
