"""Which store a command works on: mail files, or with ``--channel`` a channel of the team bus."""

import os
from contextlib import closing

from swarm import names
from swarm.cli.call import Call
from swarm.errors import UsageError
from swarm.mailbox.layout import synced
from swarm.mamoru.following import ALL
from swarm.mamoru.state import Settings, from_env
from swarm.transport.base import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from swarm.mailbox.layout import Root
    from swarm.team.channel import Channel


def channel(call: Call, anew: bool = False) -> "Channel":
    """The channel named; Unknown if there is none, unless it may be made ``anew``."""
    from swarm.team.channel import Channel
    from swarm.team.place import home

    return Channel.open(home(os.environ), call["channel"], anew=anew, sync=synced(os.environ))


def check_channels(root: "Root", channels: list[str]) -> None:
    """Unknown where one to be bridged is not in the team home, with where it was before."""
    from swarm.bridge.pair import Ledger
    from swarm.team.place import Place, home, unknown_channel

    for name in channels:
        place = Place(home(os.environ), name)
        if place.exists():
            continue
        error = unknown_channel(place)
        before = Ledger(root, name).place()
        if before and before != place.folder:
            error.hint = f"it was bridged in {before}: set SWARM_TEAM_HOME to the folder around it"
        raise error


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
    return from_env(os.environ, call.options.get("channel") is not None, **given)
