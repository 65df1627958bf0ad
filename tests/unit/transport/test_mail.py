"""Mail by hand, by command and by guardian in one mailbox."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from swarm.errors import NoRoot, SwarmError, Unknown
from swarm.events import Event
from swarm.mailbox import archive, delivery, inbox, receipts, registry
from swarm.mailbox.layout import Root
from swarm.transport import mail_files
from swarm.transport.base import Outcome
from swarm.transport.mail import MailStore

Drop = Callable[..., Path]
Mail = Callable[..., str]


def swarm(root: Root, agent: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "swarm", "--root", root.path, "--as", agent, *words],
        capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.stdout


# --- what plain mail means ---------------------------------------------------------------------


def test_plain_mail_is_read_as_the_event_it_stands_for(
    store: MailStore, drop: Drop, mail: Mail
) -> None:
    bob = store.open("bob")
    drop("bob", "01_a.txt", mail(Thread="t"), age=90)
    drop("bob", "02_b.txt", mail(subject="no thread"), age=80)
    drop("bob", "01_c.txt", mail(sender="eve", Thread="t"), age=70)
    drop("bob", "03_d.txt", mail(Thread="t"), age=60)
    drop("bob", "04_e.txt", mail(Thread="t", Status="cancelled"), age=50)
    assert [event.kind for event in bob.receive()] == [
        "task_req", "info_only", "task_update", "task_clarify_res", "task_cancel",
    ]  # fmt: skip


def test_answers_in_a_thread_that_we_opened(
    root: Root, store: MailStore, drop: Drop, mail: Mail
) -> None:
    amy = store.open("amy")
    delivery.send(root, "amy", ["bob"], "do it", b"", thread="t")
    words = ("ack", "", "done", "error")
    for number, status in enumerate(words):
        drop("amy", f"0{number}_x.txt", mail("amy", "bob", Thread="t", Status=status), age=-number)
    assert [event.kind for event in amy.receive()] == [
        "task_ack",
        "task_update",
        "task_done",
        "task_fail",
    ]


def test_whoever_opened_a_thread_is_known_after_a_restart(
    root: Root, store: MailStore, drop: Drop, mail: Mail
) -> None:
    drop("bob", "01_a.txt", mail(Thread="t"))
    receipts.write(root, "bob", "01_a.txt")
    archive.archive(root, "bob", ["01_a.txt"], False, False)
    drop("bob", "02_b.txt", mail(Thread="t"), age=50)
    assert [event.kind for event in store.open("bob").receive()] == ["task_clarify_res"]


def test_a_reply_by_hand_is_our_own_word(
    root: Root, store: MailStore, drop: Drop, mail: Mail
) -> None:
    drop("bob", "01_a.txt", mail(Thread="t"))
    bob = store.open("bob")
    (event,) = bob.receive()
    bob.commit(event, Outcome(keep=True))
    delivery.reply(root, "bob", "01_a.txt", b"", status="done")
    assert [(e.kind, e.task, e.ref) for e in bob.sent()] == [("task_done", "t", "01_a.txt")]


def test_order_is_by_date_then_file_time(store: MailStore, drop: Drop, mail: Mail) -> None:
    drop("bob", "01_c.txt", mail(subject="third"), age=10)
    drop("bob", "02_a.txt", mail(subject="first", Date="2001-01-01T00:00:00Z"), age=5)
    drop("bob", "zz.txt", mail(subject="second"), age=20)
    bob = store.open("bob")
    assert [event.content for event in bob.receive()] == ["first", "second", "third"]
    assert bob.receive()[0].at == pytest.approx(978307200)


def test_mail_of_one_second_stands_in_the_order_it_was_written(
    root: Root, store: MailStore
) -> None:
    for number in range(4):
        delivery.send(root, "amy" if number % 2 else "orchestrator", ["bob"], f"n{number}", b"")
        time.sleep(0.01)
    assert [event.content for event in store.open("bob").receive()] == ["n0", "n1", "n2", "n3"]


# --- what is wrong ------------------------------------------------------------------------------


def test_a_half_written_file_is_left_until_it_is_whole(
    store: MailStore, root: Root, mail: Mail
) -> None:
    bob = store.open("bob")
    path = Path(root.inbox("bob"), "01_x.txt")
    whole = mail(subject="slowly", body="text\n")
    path.write_text(whole[:20])
    assert bob.receive() == []
    assert store.wait(2) == {"bob"}
    path.write_text(whole)
    assert [event.content for event in bob.receive()] == ["slowly"]


def test_a_malformed_file_comes_when_it_stands_still(
    store: MailStore, root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_files, "SETTLED", 0.3)
    bob = store.open("bob")
    path = Path(root.inbox("bob"), "01_x.txt")
    path.write_text("just words")
    os.utime(path, (time.time() + 1e6,) * 2)  # a clock that is ahead
    assert bob.receive() == []
    time.sleep(0.4)
    (event,) = bob.receive()
    assert event.problem and event.content == "just words"


def test_a_half_written_file_that_is_gone_wakes_nobody(store: MailStore, root: Root) -> None:
    bob = store.open("bob")
    path = Path(root.inbox("bob"), "01_x.txt")
    path.write_text("just")
    assert bob.receive() == [] and bob._letters.unsettled
    path.unlink()
    assert bob.receive() == [] and not bob._letters.unsettled


def test_mail_for_somebody_else_is_flagged_not_lost(
    store: MailStore, drop: Drop, mail: Mail
) -> None:
    drop("bob", "01_x.txt", mail("eve", Thread="t"))
    (event,) = store.open("bob").receive()
    assert event.problem == "addressed to 'eve'" and event.content == "hello"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_hides_no_other(
    store: MailStore, drop: Drop, mail: Mail
) -> None:
    drop("bob", "01_x.txt", mail()).chmod(0)
    drop("bob", "02_x.txt", mail(subject="good"))
    assert {event.content for event in store.open("bob").receive()} >= {"good"}


def test_links_folders_and_pipes_are_no_mail(
    store: MailStore, root: Root, drop: Drop, mail: Mail
) -> None:
    box = Path(root.inbox("bob"))
    (box / "02_x.txt").symlink_to(drop("bob", "01_x.txt", mail()))
    (box / "03_x.txt").mkdir()
    os.mkfifo(box / "04_x.txt")
    assert [event.id for event in store.open("bob").receive()] == ["01_x.txt"]


def test_a_huge_body_is_there_in_full(store: MailStore, drop: Drop, mail: Mail) -> None:
    drop("bob", "01_x.txt", mail(body="x" * 500_000))
    bob = store.open("bob")
    assert [len(event.body) for event in bob.receive()] == [500_000]
    assert [event.body for event in bob.history()] == []


def test_a_recipient_whose_mailbox_is_broken_stops_nothing(
    store: MailStore, root: Root, drop: Drop, mail: Mail
) -> None:
    bob = store.open("bob")
    Path(root.path, "odd").mkdir()
    Path(root.path, "odd/inbox").write_text("a file")
    drop("bob", "01_x.txt", mail(sender="odd", Thread="t"))
    (event,) = bob.receive()
    (lost,) = bob.commit(
        event,
        Outcome(sends=[Event(kind="task_ack", to="odd", content="yes", task="t")], status="busy"),
    )
    assert "odd/inbox" in lost.problem and bob.receive() == [] and bob.status() == "busy"


def test_a_tree_that_is_gone_is_said_to_be(store: MailStore, root: Root) -> None:
    bob = store.open("bob")
    os.rename(root.path, root.path + "2")
    for call in (bob.receive, store.roster):
        with pytest.raises(NoRoot):
            call()
    os.rename(root.path + "2", root.path)
    assert bob.receive() == [] and "bob" in store.roster()


# --- receipts -----------------------------------------------------------------------------------


def test_unread_shows_only_what_needs_a_mind(
    store: MailStore, root: Root, drop: Drop, mail: Mail
) -> None:
    bob = store.open("bob")
    drop("bob", "01_ping.txt", mail(Event="ping"))
    drop("bob", "02_task.txt", mail(subject="do it", Thread="t"))
    ping, task = bob.receive()
    bob.commit(ping, Outcome(sends=[Event(kind="pong", to="amy", content="pong", ref=ping.id)]))
    bob.commit(
        task,
        Outcome(
            sends=[Event(kind="task_ack", to="amy", content="accepted", task="t", ref=task.id)],
            keep=True,
        ),
    )
    assert swarm(root, "bob", "unread") == "02_task.txt\tamy\tdo it\n"
    assert swarm(root, "bob", "read", "--next").endswith("---\n")
    assert swarm(root, "bob", "unread") == "" and bob.receive() == []


def test_a_message_that_its_agent_read_first_needs_no_guardian(
    store: MailStore, root: Root, drop: Drop, mail: Mail
) -> None:
    drop("bob", "01_x.txt", mail(Thread="t"))
    receipts.write(root, "bob", "01_x.txt")
    bob = store.open("bob")
    assert bob.receive() == [] and [event.id for event in bob.history()] == ["01_x.txt"]


def test_an_answer_goes_out_though_the_agent_read_the_message_meanwhile(
    store: MailStore, root: Root, drop: Drop, mail: Mail
) -> None:
    bob = store.open("bob")
    drop("bob", "01_x.txt", mail(Thread="t"))
    (event,) = bob.receive()
    receipts.write(root, "bob", "01_x.txt")
    (ack,) = bob.commit(
        event,
        Outcome(
            sends=[Event(kind="task_ack", to="amy", content="accepted", task="t")], status="busy"
        ),
    )
    assert not ack.problem and bob.status() == "busy"
    assert inbox.unread_names(root, "amy") == [ack.id]


def test_mv_delivers_and_takes_away(store: MailStore, root: Root, drop: Drop, mail: Mail) -> None:
    bob = store.open("bob")
    draft = drop("amy", "01_x.txt", mail(), folder="drafts")
    draft.rename(Path(root.inbox("bob"), "01_x.txt"))
    assert [event.id for event in bob.receive()] == ["01_x.txt"]
    Path(root.inbox("bob"), "01_x.txt").rename(Path(root.path, "away.txt"))
    assert bob.receive() == []


def test_sent_by_command_with_our_headers(store: MailStore, root: Root) -> None:
    amy, bob = store.open("amy"), store.open("bob")
    swarm(root, "amy", "send", "bob", "-s", "do it", "-m", "please", "-t", "t")
    (event,), (own,) = bob.receive(), amy.sent()
    assert event.kind == own.kind == "task_req" and event.body == b"please\n" and own.id == event.id


def test_an_answer_reads_as_mail(store: MailStore, root: Root, drop: Drop, mail: Mail) -> None:
    drop("bob", "01_x.txt", mail(Thread="t"))
    bob = store.open("bob")
    (event,) = bob.receive()
    (ack,) = bob.commit(
        event,
        Outcome(
            sends=[
                Event(kind="task_ack", to="amy", content="accepted", task="t", ref=event.id, at=1e9)
            ]
        ),
    )
    assert Path(root.inbox("amy"), ack.id).read_text() == (
        "To: amy\nFrom: bob\nSubject: accepted\nThread: t\nStatus: ack\nDate: 2001-09-09T01:46:40Z\n"
        "Ref: 01_x.txt\nEvent: task_ack\nOrigin: task_ack:01_x.txt:bob\n---\n"
    )


# --- the registry as a roster --------------------------------------------------------------------


def test_status_words_of_mail_and_of_the_bus(store: MailStore, root: Root) -> None:
    expected = {
        "active": "busy",
        "paused": "available",
        "done": "inactive",
        "error": "inactive",
        "cancel": "available",
    }
    for word, status in expected.items():
        registry.update(root, "bob", status=word)
        assert store.roster()["bob"].status == status, word


def test_an_error_is_not_written_over_by_done(store: MailStore, root: Root) -> None:
    bob = store.open("bob")
    registry.update(root, "bob", status="error")
    bob.apply(Outcome(status="inactive"))
    assert registry.entry(root, "bob").status == "error"
    bob.apply(Outcome(status="available"))
    assert registry.entry(root, "bob").status == "paused"


def test_an_agent_without_an_entry_can_be_guarded(store: MailStore, root: Root) -> None:
    side = store.open("orchestrator")
    side.apply(Outcome(status="busy"))
    store.beat(["orchestrator"])
    assert side.status() == "available" and "orchestrator" not in store.roster()
    assert not Path(root.entry("orchestrator")).exists()


def test_only_a_guardians_touch_is_a_sign_that_may_end(store: MailStore, root: Root) -> None:
    store.open("bob")
    Path(root.entry("amy")).touch()
    store.beat(["amy", "bob"])
    roster = store.roster()
    assert roster["amy"].seen == 0 and time.time() - roster["bob"].seen < 2


def test_a_status_set_by_us_keeps_the_sign_of_life(store: MailStore, root: Root) -> None:
    bob = store.open("bob")
    store.beat(["bob"])
    bob.apply(Outcome(status="busy"))
    assert store.roster()["bob"].seen > 0


def test_an_edit_in_place_is_seen_though_a_beat_follows(store: MailStore, root: Root) -> None:
    store.open("bob")
    store.roster()
    path = Path(root.entry("bob"))
    path.write_text(path.read_text().replace("paused", "active"))
    store.beat(["bob"])
    assert store.roster()["bob"].status == "busy"


def test_a_claim_is_taken_again_where_the_folder_was_replaced(store: MailStore, root: Root) -> None:
    bob = store.open("bob")
    os.rename(root.drafts("bob"), root.drafts("bob") + "-old")
    os.mkdir(root.drafts("bob"))
    bob._inbox.forget()
    bob.receive()
    other = MailStore(root, watching=False)
    with pytest.raises(Exception, match="guarded"):
        other.open("bob")


def test_the_mailbox_of_an_agent_that_is_gone_is_not_made_again(
    store: MailStore, root: Root
) -> None:
    bob = store.open("bob")
    os.unlink(root.entry("bob"))
    shutil.rmtree(root.box("bob"))
    with pytest.raises(Unknown):
        bob.receive()
    assert not os.path.exists(root.box("bob"))


@pytest.mark.parametrize("folder", ["inbox", "sent"])
def test_a_folder_that_could_not_be_listed_is_due_at_once(
    store: MailStore, root: Root, drop: Drop, mail: Mail, folder: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(mail_files, "SETTLED", 0.0)
    bob = store.open("bob")
    look = bob.sent if folder == "sent" else bob.receive
    assert look() == []
    drop("bob", "01_x_aaaa.txt", mail("amy", "bob") if folder == "sent" else mail(), folder)
    with monkeypatch.context() as broken, pytest.raises(SwarmError):
        broken.setattr(os, "listdir", refuse)
        broken.setattr(os, "scandir", refuse)
        look()
    assert [event.id for event in look()] == ["01_x_aaaa.txt"]


def refuse(path: str) -> None:
    raise PermissionError(13, "Permission denied", path)


@pytest.mark.parametrize("entry", [b"", b"id: bo", b"\0\xff" * 500, b"status: paused\n"])
def test_an_entry_that_does_not_say_whose_it_is_stays_as_it_is_k14(
    store: MailStore, root: Root, entry: bytes
) -> None:
    bob = store.open("bob")
    Path(root.entry("bob")).write_bytes(entry)
    bob.apply(Outcome(status="busy"))
    store.beat(["bob"])
    assert Path(root.entry("bob")).read_bytes() == entry and "bob" in store.roster()


def test_what_cannot_be_watched_is_looked_at(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    import watchfiles

    def fail(*_: Any, **__: Any) -> Any:
        raise OSError("no watches left")

    monkeypatch.setattr(watchfiles, "watch", fail)
    store = MailStore(root)
    bob = store.open("bob")
    store.wait(0.1)
    delivery.send(root, "amy", ["bob"], "hello", b"")
    begun = time.monotonic()
    while not bob.receive():
        assert store.wait(2) == {"bob"} and time.monotonic() - begun < 3
    while not (notes := store.notes()) and time.monotonic() - begun < 3:
        time.sleep(0.05)
    assert notes == ["the mail tree is not watched, only looked at: no watches left"]
    store.close()


def test_what_is_said_in_one_moment_keeps_its_order(root: Root, store: MailStore) -> None:
    voice = store.voice("bob")
    said = [
        Event(kind=kind, to="amy", task="t", at=1_700_000_000.25, content=kind)
        for kind in ("task_ack", "task_update", "task_done")
    ]
    voice.apply(Outcome(sends=said))
    for agent in ("amy", "bob"):
        kinds = [event.kind for event in store.voice(agent).conversation()]
        assert kinds == ["task_ack", "task_update", "task_done"]
