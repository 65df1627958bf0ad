"""Following the tree: every change is told once, whatever the file system's events say."""

import os
import queue
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from swarm.mailbox import archive, registry
from swarm.mailbox.delivery import send
from swarm.mailbox.layout import Root, make_box
from swarm.mailbox.watch import hints, watch

Told = "queue.SimpleQueue[tuple[str, str]]"


@pytest.fixture
def told(root: Root) -> Iterator[Told]:
    """What ``watch`` says once it listens: it has told of a receipt made for that."""
    found: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
    stop = threading.Event()
    thread = threading.Thread(target=lambda: [found.put(c) for c in watch(root, stop)])
    thread.start()
    try:
        probes = 0
        while found.empty():
            probes += 1
            Path(root.receipts("bob"), f"probe-{probes}.txt").touch()
            time.sleep(0.1)
        while found.get(timeout=10)[1] != f"bob/inbox/.read/probe-{probes}.txt":
            continue
        yield found
    finally:
        stop.set()
        thread.join()


def expect(told: Told, *wanted: tuple[str, str]) -> None:
    """These, once each and in this order, and soon."""
    assert [told.get(timeout=10) for _ in wanted] == list(wanted)


def test_a_message_is_followed_from_delivery_to_archive(root: Root, told: Told) -> None:
    make_box(root, "alice")
    name = send(root, "alice", ["bob"], "hello", b"x\n").delivered[0].name
    got = {told.get(timeout=10), told.get(timeout=10)}
    assert got == {("delivered", f"bob/inbox/{name}"), ("sent", f"alice/sent/{name}")}
    archive.archive(root, "bob", [name], all_read=False, delete=False)
    got = {told.get(timeout=10), told.get(timeout=10)}
    assert got == {("receipt", f"bob/inbox/.read/{name}"), ("archived", f"bob/sent/{name}")}


def test_registry_changes_are_told(root: Root, told: Told) -> None:
    registry.register(root, "carl", "r", "planner", "t")
    expect(told, ("registry", "dir/carl.txt"))
    registry.update(root, "carl", status="paused")
    expect(told, ("registry", "dir/carl.txt"))
    registry.unregister(root, "carl")
    expect(told, ("unregistered", "dir/carl.txt"))


def test_mail_that_is_taken_at_once_was_delivered_all_the_same(root: Root, told: Told) -> None:
    for number in range(20):
        name = f"{number:02d}_gone_aaaa.txt"
        Path(root.inbox("bob"), name).touch()
        os.rename(f"{root.inbox('bob')}/{name}", f"{root.sent('bob')}/{name}")
    got = [told.get(timeout=10) for _ in range(40)]
    assert sorted(kind for kind, _ in got) == ["archived"] * 20 + ["delivered"] * 20
    for kind in ("delivered", "archived"):
        assert [path for told_kind, path in got if told_kind == kind] == sorted(
            path for told_kind, path in got if told_kind == kind
        )


def test_a_mailbox_moved_in_whole_is_read_whole(root: Root, told: Told, tmp_path: Path) -> None:
    ready = Root(str(tmp_path / "elsewhere"))
    make_box(ready, "eve")
    for name in ("01_a_aaaa.txt", "02_b_bbbb.txt"):
        Path(ready.inbox("eve"), name).touch()
    os.rename(ready.box("eve"), root.box("eve"))
    expect(told, *[("delivered", f"eve/inbox/{n}") for n in ("01_a_aaaa.txt", "02_b_bbbb.txt")])


def test_a_mailbox_made_again_is_heard(root: Root, told: Told) -> None:
    shutil.rmtree(root.box("bob"))
    time.sleep(0.2)
    make_box(root, "bob")
    Path(root.inbox("bob"), "03_c_cccc.txt").touch()
    expect(told, ("delivered", "bob/inbox/03_c_cccc.txt"))


def test_clutter_and_links_to_above_say_nothing(root: Root, told: Told) -> None:
    os.symlink("..", f"{root.inbox('bob')}/loop")
    Path(root.inbox("bob"), ".hidden.txt").touch()
    Path(root.inbox("bob"), "note.md").touch()
    Path(root.inbox("bob"), "04_d_dddd.txt").touch()
    expect(told, ("delivered", "bob/inbox/04_d_dddd.txt"))


def test_changes_without_events_are_told_by_looking(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    def deaf(*_: object, **__: object) -> Iterator[set[tuple[watchfiles.Change, str]]]:
        Path(root.inbox("bob"), "05_e_eeee.txt").touch()
        yield set()  # a time-out: no event came

    monkeypatch.setattr(watchfiles, "watch", deaf)
    assert list(watch(root)) == [("delivered", "bob/inbox/05_e_eeee.txt")]


def test_a_guardians_sign_of_life_is_no_change(root: Root, told: Told) -> None:
    registry.register(root, "bob", "helper", "specialist", "waits")
    assert told.get(timeout=10) == ("registry", "dir/bob.txt")
    for _ in range(2):
        assert registry.beat(root, "bob")
        time.sleep(0.2)
    Path(root.entry("bob")).touch()
    assert told.get(timeout=10) == ("registry", "dir/bob.txt")
    time.sleep(0.3)
    assert told.empty()


def test_hints_name_whose_mail_changed(root: Root) -> None:
    for agent in ("eve", "amy"):
        make_box(root, agent)
    found: queue.SimpleQueue[set[str]] = queue.SimpleQueue()
    stop = threading.Event()
    thread = threading.Thread(target=lambda: [found.put(owners) for owners in hints(root, stop)])
    thread.start()
    try:
        assert found.get(timeout=10) == set()  # it listens
        Path(root.receipts("amy"), "01_x.txt").touch()
        Path(root.dir, "amy.txt").touch()
        send(root, "eve", ["bob"], "hello", b"")
        owners: set[str] = set()
        end = time.monotonic() + 10
        while not {"eve", "bob"} <= owners and time.monotonic() < end:
            owners |= found.get(timeout=10)
        assert {"eve", "bob"} <= owners <= {"", "eve", "bob"}
    finally:
        stop.set()
        thread.join()
