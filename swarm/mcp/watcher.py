"""A thread that notices what changes for the agent: hints wake it, looks decide."""

import os
import threading
from collections.abc import Callable
from urllib.parse import quote

from swarm.errors import SwarmError
from swarm.mailbox import inbox, watch
from swarm.mcp.desk import Desk
from swarm.mcp.notices import TOOLS, Notices
from swarm.mcp.session import log, one_line

AGAIN = 1.0
INBOX, ROSTER, THREADS = "swarm://inbox", "swarm://roster", "swarm://threads"
THREAD, MESSAGE = "swarm://thread/", "swarm://message/"
BYTES = "surrogateescape"  # a file's name need be no text
OF_INBOX = ("delivered", "receipt", "archived")
OF_THREADS = ("delivered", "sent", "archived")


class Watcher:
    """Marks in ``notices`` what changed; ``stop`` ends it."""

    def __init__(self, desk: Desk, notices: Notices) -> None:
        self.desk = desk
        self.notices = notices
        self._ended = False
        self._stop = threading.Event()  # of what is watched now
        self._roster: list[tuple[str, str, str]] = []
        self._told = ""
        desk.session.heed.append(self._anew)

    def start(self) -> None:
        """Watch from now on."""
        work = self._mail if self.desk.session.channel is None else self._channel
        threading.Thread(target=self._run, args=(work,), name="watcher", daemon=True).start()

    def stop(self) -> None:
        """End soon."""
        self._ended = True
        self._stop.set()

    def _anew(self) -> None:
        """The agent is another now, so its mailbox is."""
        self._stop.set()

    def _run(self, work: Callable[[], None]) -> None:
        """Watch, and after a fault again: there may be no mail tree yet."""
        while not self._ended:
            self._stop.clear()
            try:
                work()
            except Exception as error:  # told once: the server works without, if slower
                if (text := one_line(error)) != self._told:
                    self._told = text
                    log(f"not watching: {text}")
                self._stop.wait(AGAIN)

    def _mail(self) -> None:
        root, me = self.desk.session.root, self.desk.session.agent()
        news = watch.watch(root, self._stop, me or "dir")
        self._look_around()
        if me:
            self.notices.changed(INBOX, THREADS)
        for kind, path in news:
            owner, _, file = path.partition("/")
            if owner == "dir":
                self._look_around()
            else:
                self._mail_changed(kind, f"{root.path}/{path}", os.path.basename(file))

    def _mail_changed(self, kind: str, path: str, file: str) -> None:
        changed = [INBOX] if kind in OF_INBOX else []
        changed.append(MESSAGE + quote(file, safe="", errors=BYTES))
        if kind in OF_THREADS:
            changed.append(THREADS)
            try:
                thread = inbox.read_head(path).get("thread")
            except OSError:  # gone again
                thread = ""
            changed += [THREAD + quote(thread, safe="")] if thread else []
        self.notices.changed(*changed)

    def _channel(self) -> None:
        self._look_around()
        self._stop.wait(AGAIN)

    def _look_around(self) -> None:
        """Tell of the roster where it differs from what was told last."""
        try:
            found = self.desk.roster()
        except SwarmError as error:
            if error.temporary:
                return
            raise
        if found != self._roster:
            self._roster = found
            self.notices.changed(TOOLS, ROSTER)
