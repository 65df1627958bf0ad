"""Reading for good: one reader at a time, and the receipt only when that is done."""

import os
import subprocess
import sys

import pytest

from swarm.errors import Unreadable
from swarm.mailbox import reading, receipts
from swarm.mailbox.layout import Root

from .mail import PLAIN, put, unread

HOLD = """
import sys, time
from swarm.mailbox import reading
from swarm.mailbox.layout import Root
claim = reading.claim(Root(sys.argv[1]), "bob", sys.argv[2], False)
print(claim.item.file, flush=True)
time.sleep(60)
"""


def claim(root: Root, path: str, again: bool = False) -> reading.Claim:
    found = reading.claim(root, "bob", path, again)
    assert found is not None
    return found


def test_a_claim_holds_the_whole_message(root: Root) -> None:
    data = PLAIN + b"x" * 3_000_000 + b"\xff"
    with claim(root, put(root, "01.txt", data)) as held:
        assert held.data == data and held.message.body == data.partition(b"---\n")[2]
        assert (held.item.file, held.item.sender, held.item.flags) == ("01.txt", "alice", [])


def test_a_claimed_message_is_nobody_elses_but_may_be_looked_at(root: Root) -> None:
    path = put(root, "01.txt")
    with claim(root, path):
        assert reading.claim(root, "bob", path, True) is None
        seen = reading.look(root, "bob", path)
        assert seen is not None and seen.data == PLAIN
    assert unread(root) == ["01.txt"]


def test_a_claim_given_back_leaves_the_message_unread(root: Root) -> None:
    path = put(root, "01.txt")
    claim(root, path).close()
    with pytest.raises(RuntimeError), claim(root, path):
        raise RuntimeError
    assert unread(root) == ["01.txt"]
    claim(root, path).close()


def test_done_leaves_the_receipt_and_gives_the_message_back(root: Root) -> None:
    path = put(root, "01.txt")
    claim(root, path).done()
    assert unread(root) == [] and reading.claim(root, "bob", path, again=False) is None
    claim(root, path, again=True).close()


def test_the_message_is_given_back_where_the_receipt_cannot_be_written(root: Root) -> None:
    path = put(root, "01.txt")
    os.rmdir(root.receipts("bob"))
    os.symlink("nowhere", root.receipts("bob"))
    held = claim(root, path)
    with pytest.raises(Unreadable):
        held.done()
    claim(root, path).close()


def test_what_lies_in_sent_gets_no_receipt_and_is_never_misaddressed(root: Root) -> None:
    path = put(root, "01.txt", PLAIN.replace(b"bob", b"carl"), folder="sent")
    held = claim(root, path)
    held.done()
    assert held.item.flags == [] and not receipts.has(root, "bob", "01.txt")
    assert claim(root, put(root, "01.txt", PLAIN.replace(b"bob", b"carl"))).item.flags != []


def test_what_is_gone_is_none_and_what_cannot_be_read_is_an_error(root: Root) -> None:
    path = f"{root.inbox('bob')}/01.txt"
    assert reading.claim(root, "bob", path, True) is None is reading.look(root, "bob", path)
    for make in (os.mkdir, os.mkfifo, lambda where: os.symlink(__file__, where)):
        make(path)
        for read in (lambda: claim(root, path), lambda: reading.look(root, "bob", path)):
            with pytest.raises(Unreadable, match=r"bob/inbox/01\.txt"):
                read()
        os.rmdir(path) if os.path.isdir(path) else os.unlink(path)


def test_a_reader_that_dies_gives_its_message_back(root: Root) -> None:
    path = put(root, "01.txt")
    argv = [sys.executable, "-c", HOLD, root.path, path]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout and other.stdout.readline() == "01.txt\n"
        assert reading.claim(root, "bob", path, False) is None
        other.kill()
    assert unread(root) == ["01.txt"]
    claim(root, path).close()
