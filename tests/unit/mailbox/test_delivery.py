"""Sending: checked first, whole or not at all, never over another file."""

import os
from pathlib import Path

import pytest

from swarm import disk, message
from swarm.errors import Unknown, Unreadable, UsageError
from swarm.mailbox import delivery, letter
from swarm.mailbox.layout import Root

from .mail import files


def read(root: Root, path: str) -> message.Message:
    return message.parse(Path(root.path, path).read_bytes())


def one(root: Root, *to: str) -> str:
    return delivery.send(root, "alice", list(to) or ["bob"], "a b", b"x").delivered[0].path


def test_each_recipient_gets_a_message_of_its_own_and_the_sender_copies(team: Root) -> None:
    result = delivery.send(team, "alice", ["bob", "carl", "bob"], "s", b"x\0")
    assert [d.agent for d in result.delivered] == ["bob", "carl"] and not result.failed
    for made, number in zip(result.delivered, ("01_s_", "02_s_"), strict=True):
        assert made.path == f"{made.agent}/inbox/{made.name}" and made.name.startswith(number)
        assert read(team, made.path).get("to") == made.agent
        copy = Path(team.sent("alice"), made.name)
        assert copy.read_bytes() == Path(team.path, made.path).read_bytes()
        assert copy.stat().st_nlink == 1
    assert not [name for name in files(team) if disk.TEMP_PREFIX in name or "drafts" in name]


def test_a_message_says_what_it_was_given_and_when(
    team: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/usr")
    given = {"thread": "t", "status": "ack", "detail": "lib", "ref": "r"}
    path = delivery.send(team, "alice", ["bob"], "s: t", b"---\nx", **given).delivered[0].path
    found = read(team, path)
    assert {name: found.get(name) for name in ("from", "subject", *given)} == {
        "from": "alice", "subject": "s: t", **given, "detail": "/usr/lib",
    }  # fmt: skip
    assert found.get("date").endswith("Z") and found.body == b"---\nx" and not found.malformed


@pytest.mark.parametrize(
    ("to", "subject", "error"),
    [
        (["bob", "carll"], "s", Unknown), (["bob", "../carl"], "s", UsageError),
        (["bob"], "s\nStatus: done", UsageError), (["bob"], "", UsageError), ([], "s", UsageError),
        (["bob", "dave"], "s", Unreadable),
    ],
)  # fmt: skip
def test_all_is_checked_first(team: Root, to: list[str], subject: str, error: type) -> None:
    Path(team.entry("dave")).touch()
    Path(team.box("dave")).touch()
    before = files(team)
    with pytest.raises(error):
        delivery.send(team, "alice", to, subject, b"x")
    with pytest.raises(Unknown):
        delivery.send(team, "eve", ["bob"], "s", b"x")
    assert files(team) == before


def test_all_is_everybody_at_work_but_the_sender(team: Root) -> None:
    for agent, status in (("dave", "done"), ("eve", "error"), ("frank", "cancel"), ("gil", "?")):
        Path(team.entry(agent)).write_text(f"id: {agent}\nstatus: {status}\n")
    result = delivery.send(team, "alice", ["all", "dave"], "s", b"x")
    assert [d.agent for d in result.delivered] == ["dave", "bob", "carl", "gil"]


def test_all_skips_a_box_that_takes_no_mail_and_says_so(team: Root) -> None:
    Path(team.entry("eve")).write_text("id: eve\n")
    Path(team.box("eve")).write_text("")
    result = delivery.send(team, "alice", ["all"], "s", b"x")
    assert [d.agent for d in result.delivered] == ["bob", "carl"]
    assert [(type(error), "eve" in error.message) for error in result.failed] == [
        (Unreadable, True)
    ]


def test_all_that_is_nobody_is_an_error(team: Root) -> None:
    for agent in ("bob", "carl"):
        os.unlink(team.entry(agent))
    with pytest.raises(Unknown, match="nobody else"):
        delivery.send(team, "alice", ["all"], "s", b"x")


def test_numbers_go_up_by_what_was_sent(team: Root) -> None:
    Path(team.sent("alice"), "98_x_aaaa.txt").touch()
    assert [one(team).split("/")[2].partition("_")[0] for _ in range(3)] == ["99", "100", "101"]


def test_once_somebody_has_it_the_others_are_still_served(team: Root) -> None:
    """A box that breaks between the check and its turn stops only itself."""
    Path(team.entry("dave")).touch()
    os.mkdir(team.box("dave"))
    real = delivery.deliver

    def breaking(one: letter.Letter, agent: str) -> letter.Delivered:
        if agent == "dave":
            Path(team.inbox("dave")).touch()
        return real(one, agent)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delivery, "deliver", breaking)
        result = delivery.send(team, "alice", ["bob", "dave", "carl"], "s", b"x")
    assert [d.agent for d in result.delivered] == ["bob", "carl"]
    assert [type(error) for error in result.failed] == [Unreadable]
