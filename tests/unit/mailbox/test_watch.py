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
from swarm.mailbox.watch import watch

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


def test_a_message_to_oneself_is_sent_not_archived(root: Root, told: Told) -> None:
    name = send(root, "bob", ["bob"], "a note", b"x\n").delivered[0].name
    got = {told.get(timeout=10), told.get(timeout=10)}
    assert got == {("delivered", f"bob/inbox/{name}"), ("sent", f"bob/sent/{name}")}


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
    os.mkdir(ready.path)
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


@pytest.mark.parametrize("folder", ["bob", "bob/inbox", "dir"])
def test_what_was_moved_away_and_comes_back_is_nothing_new(
    root: Root, told: Told, tmp_path: Path, folder: str
) -> None:
    registry.register(root, "carl", "r", "planner", "t")
    expect(told, ("registry", "dir/carl.txt"))
    Path(root.inbox("bob"), "04_d_dddd.txt").touch()
    expect(told, ("delivered", "bob/inbox/04_d_dddd.txt"))
    os.rename(f"{root.path}/{folder}", tmp_path / "away")
    time.sleep(0.3)
    os.rename(tmp_path / "away", f"{root.path}/{folder}")
    time.sleep(0.3)
    Path(root.inbox("bob"), "05_e_eeee.txt").touch()
    expect(told, ("delivered", "bob/inbox/05_e_eeee.txt"))


def test_clutter_and_links_to_above_say_nothing(root: Root, told: Told) -> None:
    os.symlink("..", f"{root.inbox('bob')}/loop")
    Path(root.inbox("bob"), ".hidden.txt").touch()
    Path(root.inbox("bob"), "note.md").touch()
    Path(root.inbox("bob"), "04_d_dddd.txt").touch()
    expect(told, ("delivered", "bob/inbox/04_d_dddd.txt"))


def test_changes_are_told_by_looking_where_watching_fails(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    def deaf(*_: object, **__: object) -> Iterator[set[tuple[watchfiles.Change, str]]]:
        raise OSError("no events here")

    monkeypatch.setattr(watchfiles, "watch", deaf)
    stop = threading.Event()
    told = watch(root, stop)
    thread = threading.Timer(0.5, Path(root.inbox("bob"), "05_e_eeee.txt").touch)
    thread.start()
    assert next(told) == ("delivered", "bob/inbox/05_e_eeee.txt")
    stop.set()
    assert list(told) == []


def test_a_link_to_everywhere_is_not_followed(root: Root, told: Told) -> None:
    os.symlink("/", f"{root.path}/loop")
    Path(root.inbox("bob"), "06_f_ffff.txt").touch()
    expect(told, ("delivered", "bob/inbox/06_f_ffff.txt"))


def test_a_name_that_is_no_text_stops_nothing(root: Root, told: Told) -> None:
    Path(os.fsdecode(os.fsencode(root.inbox("bob")) + b"/.w\xff.swp")).touch()
    time.sleep(0.3)
    Path(root.inbox("bob"), "07_g_gggg.txt").touch()
    expect(told, ("delivered", "bob/inbox/07_g_gggg.txt"))


def test_a_folder_that_cannot_be_read_for_a_while_tells_nothing_false(
    root: Root, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.register(root, "carl", "r", "planner", "t")
    expect(told, ("registry", "dir/carl.txt"))
    scandir = os.scandir

    def locked(path: str) -> "os._ScandirIterator[str]":
        if path == root.dir:
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", locked)
    time.sleep(2.5)  # a full look falls into this
    monkeypatch.setattr(os, "scandir", scandir)
    Path(root.inbox("bob"), "08_h_hhhh.txt").touch()
    expect(told, ("delivered", "bob/inbox/08_h_hhhh.txt"))


def test_of_one_agent_and_the_registry_all_is_told_since_the_call(team: Root) -> None:
    changes = watch(team, None, "bob")
    send(team, "alice", ["carl"], "not for bob", b"x")
    name = send(team, "alice", ["bob"], "for bob", b"x").delivered[0].name
    registry.update(team, "alice", task="another")
    assert next(changes) == ("registry", "dir/alice.txt")
    assert next(changes) == ("delivered", f"bob/inbox/{name}")
    changes.close()  # type: ignore[attr-defined]
