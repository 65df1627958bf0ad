"""The guardian inside the server: one agent's, in a thread of its own, for as long as it serves.

What needs thinking stays unread in the agent's inbox; on a channel, which has none, it is kept
here.  What the guardian itself has to say is told with the next look into the inbox.
"""

import threading
import time
from collections.abc import Callable

from swarm.errors import Conflict
from swarm.events import Event
from swarm.mamoru.forward import Forwarder
from swarm.mamoru.host import Host
from swarm.mcp.notices import Notices
from swarm.mcp.session import Session, log, one_line
from swarm.mcp.watcher import INBOX

AGAIN = 1.0
ENDING = 1.8
PATIENCE = 2.0  # more than a guardian's pause between two looks
LOOK = 0.005


class Handed(Forwarder):
    """Hands messages to ``keep``, and words to the notices."""

    def __init__(self, notices: Notices, keep: Callable[[Event], None] | None) -> None:
        super().__init__(lambda agent, text: log(f"{agent}: {text}"))
        self.notices = notices
        self.keep = keep

    def forward(self, agent: str, event: Event, reason: str) -> bool:
        """It stays unread, where there is an inbox."""
        if self.keep:
            self.keep(event)
        self.notices.changed(INBOX)
        return self.keep is None

    def notify(self, agent: str, text: str, task: str) -> None:
        """Say it with the next look into the inbox."""
        self.tell(agent, text)
        self.notices.say(text)
        self.notices.changed(INBOX)

    def stopped(self, agent: str, task: str) -> bool:
        """The agent sees the cancellation in its inbox, or hears of it."""
        if self.keep:
            self.notify(agent, f"task {task} is cancelled: stop", task)
        return self.keep is None


class Guard:
    """Guards the session's agent as soon as there is one and nobody else does."""

    def __init__(
        self, session: Session, notices: Notices, keep: Callable[[Event], None] | None
    ) -> None:
        self.session = session
        self.forwarder = Handed(notices, keep)
        self.notices = notices
        self._stopping = threading.Event()
        self._woken = threading.Event()
        self._host: Host | None = None
        self._told = ""
        self._waited: set[str] = set()  # for what is no guardian's business, once
        session.heed.append(self._anew)
        session.before_reading = self.wait_for
        self._thread = threading.Thread(target=self._run, name="guardian", daemon=True)

    def start(self) -> None:
        """Begin, in another thread."""
        self._thread.start()

    def stop(self) -> None:
        """End it, with what the agent's work has to say; within 2 s in any case."""
        self._stopping.set()
        self._woken.set()
        if self._host:
            self._host.stop()
        self._thread.join(ENDING)

    def wait_for(self, messages: list[str]) -> None:
        """Wait, not for long, until the guardian has seen them: what is read it leaves alone,
        and a request that the client read first would have no answer."""
        end = time.monotonic() + PATIENCE
        while unseen := [name for name in messages if not self._saw(name)]:
            if time.monotonic() > end:
                self._waited.update(unseen)
                return
            time.sleep(LOOK)

    def _saw(self, name: str) -> bool:
        host = self._host
        guardian = host.guardians.get(self.session.agent()) if host else None
        if guardian is None:  # not yet, or it may not be one
            return bool(self._told) or self._stopping.is_set()
        from swarm.transport.mail_agent import MailTransport

        assert isinstance(guardian.transport, MailTransport)
        return name in self._waited or guardian.transport.seen(name)

    def _anew(self) -> None:
        """The agent is another now: let go of the one before."""
        if self._host:
            self._host.stop()
        self._woken.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if self.session.agent():
                    self._guard(self.session.me)
            except Exception as error:  # told once; whoever holds the agent may let go of it
                self._tell(error)
            self._woken.wait(AGAIN)
            self._woken.clear()

    def _guard(self, agent: str) -> None:
        host = Host(
            self.session.store(watching=True), [agent], self.forwarder, self._note,
            self.session.settings(),
        )  # fmt: skip
        self._host = host
        if self._stopping.is_set() or self.session.agent() != agent:
            host.close()
        else:
            host.run()
            self._told = ""

    def _note(self, agent: str, text: str) -> None:
        log(f"{agent}: {text}" if agent else text)

    def _tell(self, error: Exception) -> None:
        text = one_line(error)
        if text == self._told:
            return
        self._told = text
        log(f"no guardian: {text}")
        if isinstance(error, Conflict):
            self.notices.say(f"no guardian here: {text}")
