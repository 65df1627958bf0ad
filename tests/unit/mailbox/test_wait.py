"""Waiting: at once if there is mail, soon after it comes, never for what cannot be read."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from swarm.mailbox.inbox import Item
from swarm.mailbox.layout import Root, make_box
from swarm.mailbox.wait import LOOK, wait

from ..rights import bound, mode
from .mail import PLAIN, put

SOON = LOOK * 0.9  # before it would look again of itself


@contextmanager
def meanwhile(do: Callable[[], object], after: float = 0.1) -> Iterator[None]:
    """Something that happens while the test waits."""
    timer = threading.Timer(after, do)
    timer.start()
    try:
        yield
    finally:
        timer.join()


def deliver(root: Root, agent: str = "bob", data: bytes = PLAIN) -> None:
    """As a writer does: whole, in one step."""
    make_box(root, agent)
    draft = f"{root.drafts(agent)}/.x"
    Path(draft).write_bytes(data)
    os.rename(draft, f"{root.inbox(agent)}/01.txt")


def timed(*given: object) -> tuple[list[str], float]:
    start = time.monotonic()
    items: list[Item] = wait(*given)  # type: ignore[arg-type]
    return [item.file for item in items], time.monotonic() - start


def test_mail_that_is_there_is_returned_at_once(root: Root) -> None:
    put(root, "01.txt")
    files, took = timed(root, "bob", None)
    assert files == ["01.txt"] and took < SOON


@pytest.mark.parametrize("timeout", [0, 0.05])
def test_without_mail_it_ends_in_time(root: Root, timeout: float) -> None:
    files, took = timed(root, "bob", timeout)
    assert files == [] and timeout <= took < timeout + 5
    assert timed(root, "nobody", timeout)[0] == []


def test_a_delivery_wakes(root: Root) -> None:
    with meanwhile(lambda: deliver(root)):
        files, took = timed(root, "bob", 5)
    assert files == ["01.txt"] and took < SOON


@pytest.mark.parametrize("agent", ["carl", "bob"])
def test_a_mailbox_that_is_made_or_made_again_meanwhile_wakes(root: Root, agent: str) -> None:
    def make() -> None:
        if agent == "bob":
            os.rename(root.box("bob"), root.box("old"))
        deliver(root, agent)

    with meanwhile(make):
        files, took = timed(root, agent, 5)
    assert files == ["01.txt"] and took < 3 * LOOK


def test_other_mail_does_not_end_the_wait(root: Root) -> None:
    put(root, "00.txt", PLAIN.replace(b"alice", b"carl"))
    assert timed(root, "bob", 0.05, "alice")[0] == [] == timed(root, "bob", 0, "", "u")[0]
    with meanwhile(lambda: deliver(root)):
        assert timed(root, "bob", 5, "alice", "t")[0] == ["01.txt"]


def test_what_is_written_in_two_steps_by_hand_is_shown_whole(root: Root) -> None:
    path = Path(root.inbox("bob"), "01.txt")

    def write() -> None:
        with open(path, "wb", buffering=0) as file:
            file.write(PLAIN[:9])
            time.sleep(0.01)
            file.write(PLAIN[9:])

    with meanwhile(write):
        (item,) = wait(root, "bob", 5)
    assert (item.flags, item.subject) == ([], "s")


def test_what_stays_malformed_is_shown_as_that(root: Root) -> None:
    with meanwhile(lambda: put(root, "01.txt", b"by hand\n")):
        (item,) = wait(root, "bob", 5)
    assert (item.flags, item.subject) == (["malformed"], "by hand")


@pytest.mark.parametrize("blocked", [set(), {signal.SIGIO}])
def test_the_signal_it_uses_is_as_it_was_before(root: Root, blocked: set[signal.Signals]) -> None:
    before = signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    try:
        with meanwhile(lambda: deliver(root)):
            wait(root, "bob", 5)
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == blocked
        assert signal.SIGIO not in signal.sigpending()
    finally:
        signal.sigtimedwait((signal.SIGIO,), 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_what_cannot_be_read_wakes_nobody(root: Root) -> None:
    words = ("--root", root.path, "--as", "bob", "wait", "--timeout", "20")
    with mode(put(root, "01.txt"), 0), meanwhile(lambda: put(root, "02.txt"), after=0.6):
        done = bound(*words)
    assert done.returncode == 6 and done.stdout.splitlines()[1].startswith("02.txt\t")


def test_what_cannot_be_read_is_named_on_time_out(root: Root) -> None:
    with mode(put(root, "01.txt"), 0):
        done = bound("--root", root.path, "--as", "bob", "wait", "--timeout", "0.1", "--json")
    assert (done.returncode, done.stdout) == (124, "")
    assert "cannot read bob/inbox/01.txt" in done.stderr and '"timeout"' in done.stderr
