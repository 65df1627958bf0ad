"""A command as a teammate (``--exec CMD``): each accepted task is one run of it.

The run starts after the acceptance is stored, and a task that is found active without a run,
as after a crash, has failed: so no task is ever run twice.
"""

import shlex
import time
from collections.abc import Callable, Collection, Mapping

from swarm.errors import UsageError
from swarm.events import CONTENT_WORDS, Event, shorten
from swarm.mamoru.child import CAP
from swarm.mamoru.forward import NEVER, Forwarder, Tell, told
from swarm.mamoru.run import Run, cannot_start
from swarm.mamoru.state import Active

WATCH = 0.05  # seconds between two looks at running commands
UPDATES = 2.0  # seconds between two task_updates of one run
ENDING = 0.5  # seconds that commands have when the guardian ends
INTERRUPTED = "interrupted: the guardian was restarted"


class Exec(Forwarder):
    """Runs ``command`` (words as a shell would part them, but no shell) for each task.

    ``folder``: where an agent's outputs are kept, made if missing.  ``environ``: what the
    command's environment has beside the guardian's own and SWARM_TASK, SWARM_FROM,
    SWARM_SUBJECT, SWARM_DETAIL and SWARM_AGENT.  ``words``: the limit of a content.  ``grace``:
    seconds between the signals that end a cancelled run.  ``updates``: seconds between two
    updates.  ``cap``: bytes of output that are kept.  ``giver``: the user who put a message into
    an agent's inbox, where only a file of his may be its detail.
    """

    def __init__(
        self,
        command: str,
        tell: Tell,
        folder: Callable[[str], str],
        environ: Mapping[str, str],
        *,
        words: float = CONTENT_WORDS,
        grace: float = 5.0,
        updates: float = UPDATES,
        cap: int = CAP,
        giver: Callable[[str, str], int] | None = None,
    ) -> None:
        super().__init__(tell)
        self.argv = parted(command)
        self._folder = folder
        self._environ = environ
        self._words = words
        self._grace = grace
        self._updates = updates
        self._cap = cap
        self._giver = giver
        self._runs: dict[str, Run] = {}
        self._accepted: dict[str, Event] = {}
        self._said: dict[str, list[Event]] = {}

    def forward(self, agent: str, event: Event, reason: str) -> bool:
        """A task accepted is taken; anything else is told, and left unread."""
        if event.kind == "task_req" and reason in ("", "again"):
            return False
        self.tell(agent, f"not for the command: {told(event)}")
        return True

    def committed(self, agent: str, event: Event, reason: str) -> None:
        """Start the run; after the one before it has ended, where that was cancelled."""
        if event.kind == "task_req" and not reason:
            self._accepted[agent] = event
            self._start(agent)

    def interrupt(self, agent: str, task: str) -> None:
        """The task was cancelled: so is its run."""
        accepted, run = self._accepted.get(agent), self._runs.get(agent)
        if accepted and accepted.key == task:
            del self._accepted[agent]
        if run and run.task == task:
            run.cancel()

    def says(self, agent: str, active: Active | None) -> list[Event]:
        """Updates and results.  A task that ended by another's word ends its run."""
        for task in self._at_work(agent):
            if active is None or task != active.task:
                self.interrupt(agent, task)
        self._check(agent)
        said = self._said.pop(agent, [])
        if active and not said and not self._at_work(agent):
            said = [Event(kind="task_fail", content=INTERRUPTED, task=active.task)]
            said[0].origin = f"result:{active.ref}:{agent}" if active.ref else ""
        return said

    def ready(self) -> Collection[str]:
        """Those with an update or a result to send."""
        for agent in list(self._runs):
            self._check(agent)
        return list(self._said)

    def patience(self) -> float:
        """While commands run they are looked at often, so a result goes out at once."""
        return WATCH if self._runs else NEVER

    def end(self) -> None:
        """End all runs; ``says`` then tells that their tasks were interrupted."""
        self._accepted.clear()
        for agent, run in list(self._runs.items()):
            self._check(agent)
            run.child.terminate()
        end = time.monotonic() + ENDING
        for run in self._runs.values():
            run.child.kill(max(0.0, end - time.monotonic()))
        self._runs.clear()

    def _at_work(self, agent: str) -> list[str]:
        """The tasks whose run is at work, or waits for one that is being ended."""
        run, accepted = self._runs.get(agent), self._accepted.get(agent)
        running = [run.task] if run and run.wanted else []
        return running + ([accepted.key] if accepted else [])

    def _start(self, agent: str) -> None:
        """Start the run that is next, unless one is still ending."""
        if agent in self._runs or agent not in self._accepted:
            return
        event = self._accepted.pop(agent)
        giver = self._giver(agent, event.id) if self._giver else None
        try:
            self._runs[agent] = Run(
                agent, event, self.argv, self._folder(agent), self._environ, self._grace,
                self._cap, giver,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            self._say(agent, cannot_start(self.argv[0], event, agent, error))

    def _check(self, agent: str) -> None:
        """Take what a run has to say; start the next when it has ended."""
        run = self._runs.get(agent)
        if run is None:
            return
        ended = run.child.poll()
        update = run.update(0.0 if ended else self._updates)
        if update:
            self._say(agent, update)
        if ended:
            del self._runs[agent]
            result, note = run.result()
            if result:
                self._say(agent, result)
            if note:
                self.tell(agent, note)
            self._start(agent)

    def _say(self, agent: str, event: Event) -> None:
        content, _ = shorten(event.content, self._words)
        self._said.setdefault(agent, []).append(event.replace(content=content))


def parted(command: str) -> list[str]:
    """The words of a command line; UsageError if it has none, or a quote is not closed."""
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command cannot be read: {error}", code="bad-command") from None
    if not argv:
        raise UsageError("the command is empty", "name a program", code="bad-command")
    return argv
