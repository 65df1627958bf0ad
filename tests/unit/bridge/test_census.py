"""Who of the mail tree is a guest, and who lives there."""

import os
import time
from pathlib import Path

import pytest

from swarm.bridge.actions import Resident
from swarm.bridge.census import Census
from swarm.errors import Temporary
from swarm.mailbox import guests, layout
from swarm.mailbox.layout import Root, make_box
from swarm.transport.mail_files import TICKS


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "dir").mkdir()
    return Root(str(tmp_path), sync=False)


def claim(root: Root, agent: str, channel: str) -> None:
    Path(root.entry(agent)).write_text(f"id: {agent}\nvia: {channel}\nsession: of-{agent}\n")


def test_who_lives_in_the_tree_is_who_is_no_guest_from_any_channel(root: Root) -> None:
    make_box(root, "bob")
    guests.welcome(root, "pia", "ops", "of-pia")
    guests.welcome(root, "rex", "dev", "of-rex")
    claim(root, "tom", "dev")
    assert Census(root, {}).people("ops", {})[1].keys() == {"bob", "tom"}
    os.makedirs(f"{root.path}/.bridge/dev")  # there is a bridge to where tom says he is from
    here, residents = Census(root, {}).people("ops", {})
    assert here == {"pia": "of-pia"}
    assert residents == {"bob": Resident(entry=False)}


def test_a_tree_that_could_not_be_listed_is_listed_again(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Root) -> list[str]:
        raise Temporary("too many open files")

    make_box(root, "bob")
    census = Census(root, {})
    with monkeypatch.context() as broken:
        broken.setattr(layout, "known", fail)
        for _ in range(2):  # the second when the times of the folders can be believed
            with pytest.raises(Temporary):
                census.known()
            time.sleep(TICKS)
    assert census.known() == ["bob"]
