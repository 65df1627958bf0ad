"""What the doctor says of the things in a mailbox."""

import os
import shutil

import pytest

from swarm.doctor import folders, mail
from swarm.mailbox import archive
from swarm.mailbox.layout import Root

from .tree import PLAIN, one, put, shell, wrong


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


@pytest.mark.parametrize("gone", ["inbox/01.txt", "inbox"])
def test_of_mail_that_is_gone_by_now_nothing_is_said(root: Root, gone: str) -> None:
    put(f"{root.inbox('bob')}/01.txt", "no header")
    seen = folders.look(root, "bob/inbox")
    os.rename(f"{root.box('bob')}/{gone}", f"{root.path}/elsewhere")
    assert mail.examine(root, "bob", seen, ["01.txt"]) == []


def test_a_malformed_message_is_named_with_what_it_lacks(root: Root) -> None:
    put(f"{root.inbox('bob')}/bad.txt", "To: bob\nSubject: s\n")
    found = one(root, "bob/inbox/bad.txt")
    assert found.text.startswith("malformed (lacks From, ---): ")
    assert found.fix == "add what it lacks with an editor, or archive it"


def test_archived_mail_is_put_away_whatever_is_wrong_with_it(root: Root) -> None:
    for name, text in (("a.txt", "x"), ("b.txt", PLAIN.replace("Subject", "About"))):
        put(f"{root.inbox('bob')}/{name}", text)
    assert len(wrong(root)) == 2
    archive.archive(root, "bob", ["a.txt", "b.txt"], False, False)
    assert wrong(root) == {}


def test_what_one_sent_oneself_is_named_where_it_is_malformed(root: Root) -> None:
    put(f"{root.sent('alice')}/a.txt", "From: alice\nSubject: s\n---\n")
    found = one(root, "alice/sent/a.txt")
    assert found.text == "malformed (lacks To): add what it lacks with an editor, or remove it"


def test_mail_of_another_is_sent_there_if_there_is_one(root: Root) -> None:
    put(f"{root.inbox('bob')}/its.txt", PLAIN.replace("bob", "alice"))
    found = one(root, "bob/inbox/its.txt")
    assert found.text.startswith("misaddressed (to 'alice'): ")
    assert found.fix == "mv -n bob/inbox/its.txt alice/inbox/, or answer its sender"
    shell(root, found.fix.partition(",")[0])
    assert wrong(root) == {} and os.path.isfile(f"{root.inbox('alice')}/its.txt")


@pytest.mark.parametrize("to", ["nobody", "../../x", "a\x1b[31m", "bob, alice"])
def test_mail_of_nobody_here_is_answered_or_corrected(root: Root, to: str) -> None:
    put(f"{root.inbox('bob')}/its.txt", PLAIN.replace("bob", to))
    found = one(root, "bob/inbox/its.txt")
    assert found.fix == "correct its To, or answer its sender"
    assert found.text.isprintable()


def test_a_receipt_older_than_what_it_hides_has_two_cures(root: Root) -> None:
    for name, age in (("its new.txt", 10), ("old.txt", 1000)):
        put(f"{root.inbox('bob')}/{name}", age=age)
        put(f"{root.receipts('bob')}/{name}", "", age=500)
    assert wrong(root) == {"bob/inbox/its new.txt": "warn"}
    fix = one(root, "bob/inbox/its new.txt").fix
    receipt = "'bob/inbox/.read/its new.txt'"
    assert fix == f"rm {receipt} to read it, or touch {receipt} if it was only edited since"
    shell(root, f"touch {receipt}")
    assert wrong(root) == {}


def test_what_is_no_file_is_no_receipt_for_everybody(root: Root) -> None:
    for name in ("folder.txt", "link.txt", "plain.txt"):
        put(f"{root.inbox('bob')}/{name}", age=10)
    os.mkdir(f"{root.receipts('bob')}/folder.txt")
    os.symlink("nowhere", f"{root.receipts('bob')}/link.txt")
    put(f"{root.receipts('bob')}/plain.txt", "")
    odd = {f"bob/inbox/.read/{kind}.txt": kind for kind in ("folder", "link")}
    assert wrong(root) == dict.fromkeys(odd, "warn")
    for shown, kind in odd.items():
        assert one(root, shown).text.startswith(f"a {kind}, so a receipt to some readers only")
        assert one(root, shown).fix == f"move it away, then touch {shown} if it was read"


def test_a_second_between_file_and_receipt_is_nothing(root: Root) -> None:
    put(f"{root.inbox('bob')}/a.txt", age=10)
    put(f"{root.receipts('bob')}/a.txt", "", age=10.9)
    assert wrong(root) == {}


def test_missing_folders_are_made_on_demand(root: Root) -> None:
    shutil.rmtree(root.inbox("bob"))
    shutil.rmtree(root.box("alice"))
    parts = ("inbox", "inbox/.read", "drafts", "sent")
    missing = {"bob/inbox", "bob/inbox/.read", *(f"alice/{part}" for part in parts)}
    assert wrong(root) == dict.fromkeys(missing, "warn")
    assert one(root, "bob/inbox").text == "is missing: swarm doctor --fix makes it"
    assert one(root, "bob/inbox", fix=True).text == "mended: was missing, now made"
    assert wrong(root) == {}
