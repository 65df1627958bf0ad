"""The guardian inside the server: nothing is read past it."""

from pathlib import Path

import pytest

from swarm.mailbox import making, receipts, registry
from swarm.mailbox.layout import Root
from swarm.mcp import guard
from swarm.mcp.answers import Held
from swarm.mcp.guard import Guard
from swarm.mcp.mail_desk import MailDesk
from swarm.mcp.notices import Notices
from swarm.mcp.session import Session
from swarm.mcp.tasks import send


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made, _ = making.init(str(tmp_path), [])
    for agent in ("alice", "bob"):
        registry.register(made, agent, "helper", "specialist", "waits")
    return made


def session(root: Root, agent: str) -> Session:
    return Session(agent, root.path, None, {"SWARM_FSYNC": "0"})


def read(desk: MailDesk) -> list[str]:
    held = Held()
    found = desk.read("", False, False, held)["messages"]
    held.done(lambda error: pytest.fail(str(error)))
    return [one["subject"] for one in found]


def test_a_request_that_is_read_at_once_was_seen_by_the_guardian(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had a receipt and no acknowledgement: nobody knew of the task."""
    monkeypatch.setattr(guard, "PATIENCE", 60)  # the machine may be busy
    alice = session(root, "alice")
    guarded = Guard(alice, Notices(), None)
    send(session(root, "bob"), "task_req", "alice", "do it", "", "")
    guarded.start()
    try:
        assert read(MailDesk(alice)) == ["do it"]
        (answer,) = Path(root.inbox("bob")).glob("*.txt")
        assert "Event: task_ack" in answer.read_text()
    finally:
        guarded.stop()


def test_a_guardian_that_never_sees_a_message_does_not_keep_it_from_being_read(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "PATIENCE", 0.05)
    alice = session(root, "alice")
    Guard(alice, Notices(), None)  # never begins
    Path(root.inbox("alice"), "01_a_aaaa.txt").write_text("From: bob\nSubject: s\n---\n")
    assert read(MailDesk(alice)) == ["s"]
    assert receipts.has(root, "alice", "01_a_aaaa.txt")
