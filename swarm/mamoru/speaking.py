"""What a command says for an agent, with or without a guardian that has it.

The machine decides as it would in the guardian; a guardian that runs hears of it afterwards.
"""

from collections.abc import Iterable, Mapping

from swarm.errors import SwarmError, Unknown, UsageError
from swarm.events import FROM_WORKER, Event, shorten
from swarm.mamoru import loop
from swarm.mamoru.following import ALL, unknown
from swarm.mamoru.machine import step
from swarm.mamoru.signals import (
    Action,
    Mate,
    Notify,
    Outbound,
    Received,
    Refuse,
    Roster,
    Send,
    SetStatus,
)
from swarm.mamoru.state import DEFAULTS, Settings, State, recall
from swarm.mamoru.tasks import ENDS, Task, fold
from swarm.message import check_body, check_value
from swarm.transport.base import Outcome, Store, Voice

# What parts words in a summary, where a line break is as good as a blank.
SPACES = str.maketrans("\t\n\r", "   ")


def say(
    store: Store, me: str, event: Event, now: float, settings: Settings = DEFAULTS
) -> tuple[list[Event], list[str]]:
    """Send one message for an agent: what was stored, and notes for whoever called.

    A worker without a guardian takes up the request that it speaks of by speaking (our own
    decision).  UsageError or Unknown if the machine refuses it, with nothing stored.
    """
    voice = store.voice(me)
    said = voice.conversation()
    roster = Roster(_mates(store, event.to), now, settings.stale)
    state = recall(me, voice.status(), said, roster, settings, now, bare=True)
    own_word = state.status == "inactive" and not store.marks
    state, actions = _taken_up(state, event, said, now)
    state, more = step(state, Outbound(event), now)
    for action in more:
        if isinstance(action, Refuse):
            raise _refused(action, event, me, said)
    done = loop.outcome([*actions, *more], settings)
    if own_word:
        done.status = ""
    return _stored(voice, done), [action.text for action in more if isinstance(action, Notify)]


def composed(
    kind: str, summary: str, body: bytes, detail: str, channel: bool
) -> tuple[Event, bool]:
    """An event of one's own; a long summary goes whole into the body, and True says so (S).

    UsageError for what it cannot carry; a message of a ``channel`` has one longer text.
    """
    check_value("the summary", summary.translate(SPACES))
    content, cut = shorten(summary)
    cut = cut and content != " ".join(summary.split())
    if cut:
        body = check_body(_spilled(summary, body))
    if body and detail and channel:
        raise UsageError(
            "a message of a channel has one longer text, and its detail names it already",
            "leave out the body, and keep the summary short",
        )
    return Event(kind=kind, content=content, body=body, detail=detail), cut


def _spilled(summary: str, body: bytes) -> bytes:
    return summary.encode("utf-8", "surrogateescape") + b"\n" + (b"\n" + body if body else b"")


def _mates(store: Store, to: str) -> Mapping[str, Mate]:
    """The roster, with the recipient where it is known without an entry."""
    mates = store.roster()
    if to and to not in mates and store.knows(to):
        return {**mates, to: Mate(status="available")}
    return mates


def _stored(voice: Voice, done: Outcome) -> list[Event]:
    stored = voice.apply(done)
    for event in stored:
        if event.problem:
            raise Unknown(event.problem)
    return stored


def _taken_up(
    state: State, event: Event, said: Iterable[Event], now: float
) -> tuple[State, list[Action]]:
    """The state after the request in question was accepted, if nobody has yet.

    Who speaks is there, whatever the roster says, and has not forgotten the request, however
    old it is: only the requester gives it up.
    """
    if event.kind not in FROM_WORKER or state.active:
        return state, []
    asked = _asked(state.me, event, said)
    if len(asked) > 1:
        raise _several("wait for you", asked)
    if not asked or asked[0].request is None:
        return state, []
    state.status = "available"
    state, actions = step(state, Received(asked[0].request.replace(at=now)), now)
    return state, [action for action in actions if isinstance(action, (Send, SetStatus))]


def _asked(me: str, event: Event, said: Iterable[Event]) -> list[Task]:
    """The requests that the event may be the first answer to; a cancelled one can only end."""
    states = ("asked", "cancelling") if event.task and event.kind in ENDS else ("asked",)
    return [
        task
        for task in fold(said).values()
        if task.worker == me and task.state in states and event.task in ("", task.key)
    ]


def _refused(action: Refuse, event: Event, me: str, said: Iterable[Event]) -> SwarmError:
    """Why it is not sent, in the words of who called: a key nobody knows is another error."""
    mine = [task for task in fold(said).values() if me in (task.requester, task.worker)]
    if action.code == "no-task":
        return _no_task(event, [t for t in mine if t.open and t.requester == me])
    known = any(event.task in (task.key, task.retry_of) for task in mine)
    if event.task and not known and action.code in ("not-active", "not-given"):
        return unknown(event.task, [task.key for task in mine])
    return loop.refused(action)


def _no_task(event: Event, given: list[Task]) -> SwarmError:
    if event.kind in FROM_WORKER:
        return UsageError("no task waits for you", ALL, code="no-task")
    if given:
        return _several("that you gave are open", given)
    return UsageError("no task that you gave is open", ALL, code="no-task")


def _several(what: str, found: list[Task]) -> UsageError:
    keys = ", ".join(task.key for task in found[:10])
    return UsageError(f"several tasks {what}: {keys}", "name one", code="several-tasks")
