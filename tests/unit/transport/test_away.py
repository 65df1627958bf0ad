"""A guardian whose folders are away, or not to be looked into, for a while."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from swarm.events import Event
from swarm.mailbox import delivery, inbox, receipts, registry
from swarm.mailbox.layout import Root
from swarm.mamoru.forward import Forwarder
from swarm.mamoru.host import Host
from swarm.mamoru.state import Settings
from swarm.transport import mail_agent, mail_claim
from swarm.transport.mail import MailStore
from tests.unit.rights import bound_here, mode

REQUEST = {"Event": "task_req"}


class Noted(Forwarder):
    """Notes what is forwarded; ``keep``: whether it stays unread."""

    def __init__(self, keep: bool) -> None:
        super().__init__(lambda _, text: self.told.append(text))
        self.keep = keep
        self.told: list[str] = []
        self.got: list[tuple[str, str]] = []

    def forward(self, agent: str, event: Event, reason: str) -> bool:
        self.got.append((event.kind, event.content))
        return self.keep


class Guarded:
    """bob's guardian, which looks at his folders in each turn."""

    def __init__(self, root: Root, store: MailStore, keep: bool) -> None:
        self.root = root
        self.noted = Noted(keep)
        tell = self.noted.tell
        self.host = Host(store, ["bob"], self.noted, tell, Settings(announce=False), poll=0.0)
        self.host.open_named()
        self.turn()

    def turn(self) -> None:
        self.host.troubles.open.clear()
        if bob := self.host.guardians.get("bob"):
            bob.transport._inbox.forget()  # type: ignore[attr-defined]
        self.host.turn(None)

    def ask(self, subject: str) -> str:
        return delivery.send(
            self.root, "amy", ["bob"], subject, b"", thread=subject, more=REQUEST
        ).delivered[0].name  # fmt: skip

    def answers(self) -> list[str]:
        return sorted(inbox.message_names(self.root, self.root.inbox("amy")))


@contextmanager
def away(path: str, instead: bool = False) -> Iterator[None]:
    """A folder that stands under another name for a while; ``instead``: an empty one there."""
    os.rename(path, f"{path}.away")
    if instead:
        os.makedirs(path)
    try:
        yield
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.rename(f"{path}.away", path)


@pytest.fixture(params=[True, False], ids=["kept", "taken"])
def bob(request: pytest.FixtureRequest, root: Root, store: MailStore) -> Guarded:
    """With a request that he read by hand before, and one and a word since."""
    old = delivery.send(root, "amy", ["bob"], "old", b"", thread="old", more=REQUEST)
    receipts.write(root, "bob", old.delivered[0].name)
    found = Guarded(root, store, request.param)
    found.ask("new")
    delivery.send(root, "amy", ["bob"], "word", b"")
    found.turn()
    assert len(found.noted.got) == 2
    return found


@pytest.mark.parametrize("part", ["", "/inbox", "/inbox/.read", "/sent"])
def test_what_was_done_is_not_done_again_when_a_folder_was_away(bob: Guarded, part: str) -> None:
    before = list(bob.noted.got), bob.answers()
    for instead in (False, True):
        with away(bob.root.box("bob") + part, instead and part != "/inbox/.read"):
            bob.turn()
            bob.turn()
        bob.turn()
    assert (bob.noted.got, bob.answers()) == before
    bob.ask("another")
    bob.turn()
    assert len(bob.noted.got) + len(bob.answers()) > 3


@pytest.mark.parametrize("part", ["", "/inbox", "/inbox/.read", "/sent"])
def test_what_was_done_is_not_done_again_when_a_folder_could_not_be_looked_into(
    bob: Guarded, part: str
) -> None:
    before = list(bob.noted.got), bob.answers()
    with bound_here(), mode(bob.root.box("bob") + part, 0o000):
        bob.turn()
    bob.turn()
    assert (bob.noted.got, bob.answers()) == before


def test_receipts_that_do_not_come_back_are_begun_anew(
    bob: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_agent, "AWAY", 0.0)
    shutil.rmtree(bob.root.receipts("bob"))
    for _ in range(3):
        bob.turn()
    assert os.path.isdir(bob.root.receipts("bob"))
    assert ("task_req", "old") in bob.noted.got or len(bob.answers()) == 2


def test_what_was_done_in_an_inbox_is_forgotten_long_after_that_was_replaced(
    bob: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_agent, "REPLACED", -1.0)
    shutil.rmtree(bob.root.inbox("bob"))
    os.makedirs(bob.root.receipts("bob"))
    bob.turn()
    assert not bob.host.guardians["bob"].transport._done  # type: ignore[attr-defined]


@pytest.mark.parametrize("keep", [True, False])
def test_a_request_that_could_not_be_read_for_a_while_is_answered_then(
    root: Root, store: MailStore, keep: bool
) -> None:
    bob = Guarded(root, store, keep)
    name = bob.ask("new")
    with bound_here(), mode(f"{root.inbox('bob')}/{name}", 0o000):
        for _ in range(2):
            bob.turn()
        assert inbox.unread_names(root, "bob") == [name]
        assert bob.noted.got == [("", name)]
    bob.turn()
    assert bob.noted.got[1:] == [("task_req", "new")]
    assert len(bob.answers()) == 1
    assert inbox.unread_names(root, "bob") == [name] * keep


@pytest.mark.parametrize("part", ["inbox/.read", "sent"])
def test_a_guardian_begins_only_where_it_can_tell_what_is_new(
    root: Root, store: MailStore, part: str
) -> None:
    old = delivery.send(root, "amy", ["bob"], "old", b"", thread="old", more=REQUEST)
    receipts.write(root, "bob", old.delivered[0].name)
    noted = Noted(True)
    host = Host(store, None, noted, noted.tell, Settings(announce=False), poll=0.0)
    with bound_here(), mode(f"{root.box('bob')}/{part}", 0o000):
        for _ in range(2):
            host.turn(None)
    host.troubles.open.clear()
    host.turn(None)
    assert not noted.got
    assert not inbox.message_names(root, root.inbox("amy"))


@pytest.mark.parametrize("anew", [False, True])
def test_who_has_finished_accepts_nothing_while_its_entry_cannot_be_read(
    root: Root, store: MailStore, anew: bool
) -> None:
    registry.update(root, "bob", status="done")
    noted = Noted(True)
    host = Host(store, None, noted, noted.tell, Settings(announce=False), poll=0.0)
    if not anew:
        host.turn(None)
        host.turn(None)
    with bound_here(), mode(root.entry("bob"), 0o000):
        store._entries._folder.forget()
        store._entries._marks.pop("bob", None)
        for _ in range(2):
            host._next_look = 0.0
            host.turn(None)
        delivery.send(root, "amy", ["bob"], "new", b"", thread="new", more=REQUEST)
        host.turn(None)
    for _ in range(2):
        host.troubles.open.clear()
        host._next_find = 0.0
        host.turn(None)
    assert registry.entry(root, "bob").status == "done"
    [answer] = inbox.message_names(root, root.inbox("amy"))
    assert "not-available" in answer
    assert store.roster()["bob"].status == "inactive"


def test_what_a_guardian_holds_is_still_its_own_when_the_folder_comes_back(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim, drafts = mail_claim.MailClaim(root, "bob"), root.drafts("bob")
    os.rename(drafts, f"{drafts}.away")
    comes_back = partial(os.rename, f"{drafts}.away", drafts)
    monkeypatch.setattr(mail_claim, "make_box", lambda *_: comes_back())
    claim.check()
    assert mail_claim.is_claimed(root, "bob")
    claim.release()
    assert not mail_claim.is_claimed(root, "bob")


@pytest.mark.parametrize("make", [os.mkdir, lambda path: os.symlink("amy.txt", path)])
def test_who_has_something_else_in_place_of_an_entry_is_guarded(
    root: Root, store: MailStore, make: Callable[[str], None]
) -> None:
    os.unlink(root.entry("bob"))
    make(root.entry("bob"))
    bob = Guarded(root, store, True)
    bob.ask("new")
    bob.turn()
    assert bob.noted.got == [("task_req", "new")]
