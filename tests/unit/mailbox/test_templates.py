"""Templates come with the package."""

import pytest

from swarm import message
from swarm.errors import Unreadable
from swarm.mailbox import templates


@pytest.mark.parametrize("name", ["message.txt", "reply.txt", "agent.txt", "ack.txt"])
def test_a_template_is_found(name: str) -> None:
    assert message.parse(templates.load_template(name)).headers


def test_a_missing_template_is_an_error() -> None:
    with pytest.raises(Unreadable, match=r"nosuch\.txt is missing"):
        templates.load_template("nosuch.txt")
