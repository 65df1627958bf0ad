"""A mailbox whose owner lives on a channel says so."""

from pathlib import Path

import pytest

from swarm.errors import Conflict
from swarm.mailbox import guests
from swarm.mailbox.layout import Root
from swarm.transport.mail import MailStore


def test_a_guest_is_known_by_a_hidden_file(tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    root = Root(str(tmp_path), sync=False)
    guests.welcome(root, "pia", "ops", "0b5c-6a7e")
    guests.welcome(root, "pia", "ops", "0b5c-6a7e")
    assert (tmp_path / "pia/.guest").read_text() == "channel: ops\nsession: 0b5c-6a7e\n"
    [found] = guests.guests(root)
    assert (found.id, found.channel, found.session) == ("pia", "ops", "0b5c-6a7e")


def test_nobody_here_guards_a_guest(tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "bob/inbox").mkdir(parents=True)
    root = Root(str(tmp_path), sync=False)
    guests.welcome(root, "pia", "ops", "0b5c-6a7e")
    store = MailStore(root, watching=False)
    assert store.agents() == ["bob"]
    with pytest.raises(Conflict, match="lives on a channel"):
        store.open("pia")
