"""A team home with a channel, and the other client of its file."""

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from swarm.team.channel import Channel
from swarm.team.place import Place

SPEC = importlib.util.spec_from_file_location("peer", Path(__file__).parents[2] / "peer.py")
assert SPEC and SPEC.loader
peer_module = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(peer_module)


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "team home")


@pytest.fixture
def place(home: str) -> Place:
    found = Place(home, "ops", sync=False)
    found.make()
    return found


@pytest.fixture
def opened(home: str) -> Iterator[Callable[..., Channel]]:
    """Opens the channel once more, as another process would."""
    made: list[Channel] = []

    def another(**options: Any) -> Channel:
        made.append(Channel.open(home, "ops", anew=True, sync=False, **options))
        return made[-1]

    yield another
    for channel in made:
        channel.close()


@pytest.fixture
def channel(opened: Callable[..., Channel]) -> Channel:
    """A channel in which alice and bob are."""
    made = opened()
    made.join("alice")
    made.join("bob", "Bob", "writes")
    return made


@pytest.fixture
def peer(channel: Channel) -> Iterator[Callable[..., Any]]:
    """Another client of the channel's file, joined as the session that is named."""
    made: list[Any] = []

    def another(session: str = "pi-1", join: bool = True, **options: Any) -> Any:
        client = peer_module.Peer(channel.place.database, session, "ops", **options)
        made.append(client)
        if join:
            client.join()
        return client

    yield another
    for client in made:
        client.db.close()


@pytest.fixture
def new_peer() -> Any:
    """The other client's class."""
    return peer_module.Peer
