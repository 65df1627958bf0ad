"""Receipts: an empty file named like the message, made once and never in the wrong place."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from swarm.errors import Unreadable
from swarm.mailbox import receipts
from swarm.mailbox.layout import Root

from .mail import put, unread


def test_a_receipt_is_an_empty_file_of_the_messages_name(root: Root) -> None:
    put(root, "01.txt")
    assert unread(root) == ["01.txt"] and not receipts.has(root, "bob", "01.txt")
    receipts.write(root, "bob", "01.txt")
    assert unread(root) == [] and receipts.has(root, "bob", "01.txt")
    assert Path(root.receipts("bob"), "01.txt").read_bytes() == b""


def test_a_receipt_that_is_there_is_left_alone(root: Root) -> None:
    path = Path(root.receipts("bob"), "01.txt")
    path.write_text("by hand")
    os.utime(path, (1000, 1000))
    receipts.write(root, "bob", "01.txt")
    assert path.read_text() == "by hand" and path.stat().st_mtime == 1000


def test_a_missing_folder_is_made(root: Root) -> None:
    os.rmdir(root.receipts("bob"))
    receipts.write(root, "bob", "01.txt")
    assert receipts.has(root, "bob", "01.txt")


def test_many_may_write_the_same_one(root: Root) -> None:
    os.rmdir(root.receipts("bob"))
    failed: list[BaseException] = []

    def work() -> None:
        try:
            receipts.write(root, "bob", "01.txt")
        except BaseException as error:
            failed.append(error)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failed == [] and os.listdir(root.receipts("bob")) == ["01.txt"]


@pytest.mark.parametrize(
    "make", [lambda path: os.symlink("nowhere", path), lambda path: Path(path).touch()], ids=["link", "file"]
)  # fmt: skip
def test_where_no_folder_is_the_receipt_fails_by_name(
    root: Root, make: Callable[[str], None]
) -> None:
    os.rmdir(root.receipts("bob"))
    make(root.receipts("bob"))
    with pytest.raises(Unreadable, match=r"bob/inbox/\.read"):
        receipts.write(root, "bob", "01.txt")
    assert not os.path.exists(f"{root.inbox('bob')}/nowhere")
