"""Which store a command works on: mail files, or with ``--channel`` a channel of the team bus."""

import os
from contextlib import closing

from swarm.cli.call import Call
from swarm.mamoru.state import Settings
from swarm.transport.base import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from swarm.team.channel import Channel


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


def channel_of(store: Store) -> "Channel":
    """The channel of a store that is one."""
    from swarm.transport.team import TeamStore

    assert isinstance(store, TeamStore)
    return store.channel


def settings(call: Call) -> Settings:
    """The times a guardian keeps, as far as they were given; a mail tree announces nothing."""
    given = {
        name: call.options.get(name)
        for name in ("task_timeout", "ping_timeout", "stale")
        if call.options.get(name) is not None
    }
    return Settings(announce=call["channel"] is not None, **given)  # type: ignore[arg-type]
