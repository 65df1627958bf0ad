"""The doctor and the overview: quiet about ordinary work, exact about the rest, never raising."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from swarm import status
from swarm.doctor import examine
from swarm.mailbox import archive, delivery, receipts, registry
from swarm.mailbox.disk import TEMP_PREFIX
from swarm.mailbox.layout import Root

PLAIN = "To: bob\nFrom: alice\nSubject: s\n---\nbody\n"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made = Root(str(tmp_path / "mail"), sync=False)
    os.makedirs(made.dir)
    for agent in ("alice", "bob"):
        registry.register(made, agent, "role", "specialist", "task")
    return made


def put(path: str, text: str = PLAIN, age: float = 0) -> str:
    Path(path).write_text(text)
    os.utime(path, (time.time() - age,) * 2)
    return path


def wrong(root: Root, fix: bool = False) -> dict[str, str]:
    """Level and path of all that is not ok."""
    return {found.path: found.level for found in examine(root, fix) if found.level != "ok"}


def test_ordinary_work_is_ok_a_line_for_each_mailbox_and_the_registry(root: Root) -> None:
    for _ in range(2):
        delivery.send(root, "alice", ["bob"], "s", b"x")
    one, two = sorted(os.listdir(root.inbox("bob")))[1:]
    for name in (one, two):
        os.utime(f"{root.inbox('bob')}/{name}", (time.time() - 100,) * 2)
        receipts.write(root, "bob", name)
        os.utime(f"{root.receipts('bob')}/{name}", (time.time() - 90,) * 2)
    archive.mark(root, "bob", one, "done")
    archive.archive(root, "bob", [two], False, False)
    put(f"{root.drafts('bob')}/.gitkeep", "")
    found = [(finding.level, finding.path) for finding in examine(root)]
    assert found == [("ok", "dir"), ("ok", "alice"), ("ok", "bob")]


def test_what_is_wrong_in_an_inbox(root: Root) -> None:
    inbox = root.inbox("bob")
    put(f"{inbox}/bad.txt", "x")
    put(f"{inbox}/carls.txt", PLAIN.replace("bob", "carl"))
    put(f"{inbox}/.a.swp")
    put(f"{inbox}/a.txt~")
    put(f"{root.drafts('bob')}/.tmp-9")
    put(f"{root.box('bob')}/stray.txt")
    os.mkfifo(f"{inbox}/pipe.txt")
    os.mkdir(f"{inbox}/folder.txt")
    os.symlink("bad.txt", f"{inbox}/link.txt")
    names = ("bad.txt", "carls.txt", ".a.swp", "a.txt~", "pipe.txt", "folder.txt", "link.txt")
    expected = {f"bob/inbox/{name}" for name in names} | {"bob/drafts/.tmp-9", "bob/stray.txt"}
    assert wrong(root) == dict.fromkeys(expected, "warn")
    assert wrong(root, fix=True) == wrong(root)


def test_a_receipt_older_than_what_it_hides(root: Root) -> None:
    for name, age in (("new.txt", 10), ("old.txt", 1000)):
        put(f"{root.inbox('bob')}/{name}", age=age)
        put(f"{root.receipts('bob')}/{name}", "", age=500)
    assert wrong(root) == {"bob/inbox/new.txt": "warn"}


def test_fix_makes_folders_and_removes_only_old_temporary_files_of_ours(root: Root) -> None:
    inbox = root.inbox("bob")
    shutil.rmtree(root.drafts("bob"))
    shutil.rmtree(root.box("alice"))
    gone = [put(f"{folder}/{TEMP_PREFIX}1.tmp", age=4000) for folder in (inbox, root.dir)]
    kept = [put(f"{inbox}/{TEMP_PREFIX}2.tmp", age=3000), put(f"{inbox}/.tmp-1.txt", age=9000)]
    os.mkdir(f"{inbox}/{TEMP_PREFIX}3.tmp")
    os.utime(f"{inbox}/{TEMP_PREFIX}3.tmp", (0, 0))
    before = wrong(root)
    assert set(before.values()) == {"warn"} and all(map(os.path.exists, gone))
    assert wrong(root, fix=True) == before
    assert not any(map(os.path.exists, gone)) and all(map(os.path.exists, kept))
    assert os.path.isdir(root.drafts("bob")) and os.path.isdir(root.receipts("alice"))
    assert set(wrong(root)) == {
        "bob/inbox/.tmp-1.txt", f"bob/inbox/{TEMP_PREFIX}2.tmp", f"bob/inbox/{TEMP_PREFIX}3.tmp",
    }  # fmt: skip


def test_registry_and_strays(root: Root) -> None:
    put(root.entry("bob"), "id: bob\n")
    put(f"{root.dir}/bad name.txt")
    put(f"{root.dir}/.bob.txt.swp")
    os.mkfifo(f"{root.dir}/pipe.txt")
    put(f"{root.path}/README.md")
    os.symlink("..", f"{root.path}/loop")
    paths = ("dir/bob.txt", "dir/bad name.txt", "dir/.bob.txt.swp", "dir/pipe.txt")
    assert wrong(root) == dict.fromkeys((*paths, "README.md", "loop"), "warn")


def a_file(path: str) -> None:
    Path(path).write_text("stranded")


def a_dangling_link(path: str) -> None:
    os.symlink("nowhere", path)


@pytest.mark.parametrize("make", [a_file, a_dangling_link])
@pytest.mark.parametrize(
    ("part", "level"),
    [("", "fail"), ("/inbox", "fail"), ("/inbox/.read", "warn"), ("/drafts", "warn"),
     ("/sent", "warn")],
)  # fmt: skip
def test_something_else_where_a_folder_belongs(
    root: Root, make: Callable[[str], None], part: str, level: str
) -> None:
    path = f"{root.path}/bob{part}"
    shutil.rmtree(path)
    make(path)
    for fix in (False, True):
        assert wrong(root, fix) == {f"bob{part}": level}
    assert os.path.lexists(path) and not os.path.isdir(path)
    states, _ = status.overview(root, time.time())
    assert [state.id for state in states] == ["alice", "bob"]


def test_a_missing_registry_is_a_finding(root: Root) -> None:
    shutil.rmtree(root.dir)
    assert wrong(root) == {"dir": "fail"}


def test_the_overview_names_what_is_wrong_worst_first(root: Root) -> None:
    now = time.time()
    put(f"{root.inbox('bob')}/01.txt", age=1200)
    put(root.entry("carl"), "id: carl\n")
    os.makedirs(root.box("dave"))
    put(root.inbox("dave"))
    states, problems = status.overview(root, now)
    assert [(state.id, state.unread) for state in states] == [
        ("alice", 0), ("bob", 1), ("carl", 0), ("dave", 0),
    ]  # fmt: skip
    assert states[1].oldest == pytest.approx(1200, abs=5)
    assert [text.split()[0].strip(":") for text in problems] == ["dave", "carl", "bob"]
