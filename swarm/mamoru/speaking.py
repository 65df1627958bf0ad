"""What a command says for an agent, with or without a guardian that has it.

The machine decides as it would in the guardian; a guardian that runs hears of it afterwards.
"""

from collections.abc import Iterable

from swarm.errors import Unknown, UsageError
from swarm.events import FROM_WORKER, Event
from swarm.mamoru import loop
from swarm.mamoru.machine import step
from swarm.mamoru.signals import Action, Notify, Outbound, Received, Refuse, Roster, Send
from swarm.mamoru.state import DEFAULTS, Settings, State, recall
from swarm.mamoru.tasks import Task, fold
from swarm.transport.base import Store, Voice


def say(
    store: Store, me: str, event: Event, now: float, settings: Settings = DEFAULTS
) -> tuple[list[Event], list[str]]:
    """Send one message for an agent: what was stored, and notes for whoever called.

    A worker without a guardian takes up the request that it speaks of by speaking (our own
    decision).  UsageError or Unknown if the machine refuses it, with nothing stored.
    """
    voice = store.voice(me)
    said = voice.conversation()
    roster = Roster(store.roster(), now, settings.stale)
    state = recall(me, voice.status(), said, roster, settings, now)
    state, actions = _taken_up(state, event, said, now)
    state, more = step(state, Outbound(event), now)
    actions += more
    for action in actions:
        if isinstance(action, Refuse):
            raise loop.refused(action)
    return _store(voice, actions, settings)


def _store(
    voice: Voice, actions: list[Action], settings: Settings
) -> tuple[list[Event], list[str]]:
    stored = voice.apply(loop.outcome(actions, settings))
    for event in stored:
        if event.problem:
            raise Unknown(event.problem)
    return stored, [action.text for action in actions if isinstance(action, Notify)]


def _taken_up(
    state: State, event: Event, said: Iterable[Event], now: float
) -> tuple[State, list[Action]]:
    """The state after the request in question was accepted, if nobody has yet."""
    if event.kind not in FROM_WORKER or state.active:
        return state, []
    asked = [
        task
        for task in fold(said).values()
        if task.worker == state.me and task.state == "asked" and event.task in ("", task.key)
    ]
    if len(asked) > 1:
        keys = ", ".join(task.key for task in asked)
        raise UsageError(f"several tasks wait for you: {keys}", "name one", code="several-tasks")
    if not asked or asked[0].request is None:
        return state, []
    state, actions = step(state, Received(asked[0].request), now)
    return state, [action for action in actions if isinstance(action, Send)]


def tasks(store: Store, me: str) -> dict[str, Task]:
    """The tasks that the agent asked for or was asked for, by key, oldest first."""
    found = fold(store.voice(me).conversation())
    mine = {key: task for key, task in found.items() if me in (task.requester, task.worker)}
    return dict(sorted(mine.items(), key=lambda pair: pair[1].since))


def about(store: Store, me: str, key: str) -> tuple[list[Task], list[Event]]:
    """The tasks of a key or of its retries, and what was said in them; Unknown if there is none."""
    said = store.voice(me).conversation()
    found = [task for task in fold(said).values() if key in (task.key, task.retry_of)]
    if not found:
        hint = "swarm task list names those you have"
        raise Unknown(f"no task {key!r} of yours", hint, code="unknown-task")
    keys = {task.key for task in found}
    return found, [event for event in said if event.key in keys or event.task in keys]
