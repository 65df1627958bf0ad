"""Which store a command works on: mail files, or with ``--channel`` a channel of the team bus."""

import os
from contextlib import closing

from swarm import names
from swarm.cli.call import Call
from swarm.errors import UsageError
from swarm.mamoru.following import ALL
from swarm.mamoru.state import Settings
from swarm.transport.base import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from swarm.team.channel import Channel

TASK_TIMEOUT = "SWARM_TASK_TIMEOUT"


def synced() -> bool:
    """Whether what is written is synced to disk (contract 1)."""
    return os.environ.get("SWARM_FSYNC") != "0"


def channel(call: Call, anew: bool = False) -> "Channel":
    """The channel named; Unknown if there is none, unless it may be made ``anew``."""
    from swarm.team.channel import Channel
    from swarm.team.place import home

    return Channel.open(home(os.environ), call["channel"], anew=anew, sync=synced())


def store(call: Call, watching: bool = False) -> "closing[Store]":
    """The store, closed at the end.  ``watching``: whether anybody will wait in it."""
    if call["channel"] is not None:
        from swarm.transport.team import TeamStore

        return closing(TeamStore(channel(call)))
    from swarm.transport.mail import MailStore

    return closing(MailStore(call.root, watching))


def me(call: Call) -> str:
    """The agent who calls, known in the mail tree; a channel says itself whom it knows."""
    return call.me if call["channel"] is None else names.check_id(call.who())


def task_key(call: Call) -> str:
    """The task named, "" for none; a channel's history shows it as #7."""
    key = call["task"]
    if key == "":
        raise UsageError("the task's key is empty", ALL)
    return (key or "") if call["channel"] is None else (key or "").removeprefix("#")


def channel_of(store: Store) -> "Channel":
    """The channel of a store that is one."""
    from swarm.transport.team import TeamStore

    assert isinstance(store, TeamStore)
    return store.channel


def settings(call: Call) -> Settings:
    """The times a guardian keeps, by option or setting; a mail tree announces nothing."""
    given = {
        name: value
        for name in ("task_timeout", "ping_timeout", "stale")
        if (value := call.options.get(name)) is not None
    }
    if "task_timeout" not in given and (text := os.environ.get(TASK_TIMEOUT)):
        given["task_timeout"] = _seconds(text)
    return Settings(announce=call.options.get("channel") is not None, **given)


def _seconds(text: str) -> float:
    """What a guardian and the commands beside it read alike, so that they agree on overdue."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.01 <= value < 1e9:
        raise UsageError(f"{TASK_TIMEOUT} takes seconds from 0.01 up, not {names.shown(text)}")
    return value
