"""Sending: checked first, whole or not at all, never over another file."""

import errno
import os
import threading
from pathlib import Path

import pytest

from swarm import message
from swarm.errors import SwarmError, Temporary, Unknown, Unreadable, UsageError
from swarm.mailbox import delivery, disk, letter, templates
from swarm.mailbox.layout import Root

from ..rights import bound, mode
from .mail import files, put


def read(root: Root, path: str) -> message.Message:
    return message.parse(Path(root.path, path).read_bytes())


def one(root: Root, *to: str) -> str:
    return delivery.send(root, "alice", list(to) or ["bob"], "a b", b"x").delivered[0].path


def test_each_recipient_gets_a_message_of_its_own_and_the_sender_copies(team: Root) -> None:
    result = delivery.send(team, "alice", ["bob", "carl", "bob"], "s", b"x\0")
    assert [d.agent for d in result.delivered] == ["bob", "carl"] and not result.failed
    for made, number in zip(result.delivered, ("01_s_", "02_s_"), strict=True):
        assert made.path == f"{made.agent}/inbox/{made.name}" and made.name.startswith(number)
        assert read(team, made.path).get("to") == made.agent
        copy = Path(team.sent("alice"), made.name)
        assert copy.read_bytes() == Path(team.path, made.path).read_bytes()
        assert copy.stat().st_nlink == 1
    assert not [name for name in files(team) if disk.TEMP_PREFIX in name or "drafts" in name]


def test_a_message_says_what_it_was_given_and_when(
    team: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/usr")
    given = {"thread": "t", "status": "ack", "detail": "lib", "ref": "r"}
    path = delivery.send(team, "alice", ["bob"], "s: t", b"---\nx", **given).delivered[0].path
    found = read(team, path)
    assert {name: found.get(name) for name in ("from", "subject", *given)} == {
        "from": "alice", "subject": "s: t", **given, "detail": "/usr/lib",
    }  # fmt: skip
    assert found.get("date").endswith("Z") and found.body == b"---\nx" and not found.malformed


@pytest.mark.parametrize(
    ("to", "subject", "error"),
    [
        (["bob", "carll"], "s", Unknown), (["bob", "../carl"], "s", UsageError),
        (["bob"], "s\nStatus: done", UsageError), (["bob"], "", UsageError), ([], "s", UsageError),
        (["bob", "dave"], "s", Unreadable),
    ],
)  # fmt: skip
def test_all_is_checked_first(team: Root, to: list[str], subject: str, error: type) -> None:
    Path(team.entry("dave")).touch()
    Path(team.box("dave")).touch()
    before = files(team)
    with pytest.raises(error):
        delivery.send(team, "alice", to, subject, b"x")
    with pytest.raises(Unknown):
        delivery.send(team, "eve", ["bob"], "s", b"x")
    assert files(team) == before


def test_all_is_everybody_at_work_but_the_sender(team: Root) -> None:
    for agent, status in (("dave", "done"), ("eve", "error"), ("frank", "cancel"), ("gil", "?")):
        Path(team.entry(agent)).write_text(f"id: {agent}\nstatus: {status}\n")
    result = delivery.send(team, "alice", ["all", "dave"], "s", b"x")
    assert [d.agent for d in result.delivered] == ["dave", "bob", "carl", "gil"]


def test_all_skips_a_box_that_takes_no_mail_and_says_so(team: Root) -> None:
    Path(team.entry("eve")).write_text("id: eve\n")
    Path(team.box("eve")).write_text("")
    result = delivery.send(team, "alice", ["all"], "s", b"x")
    assert [d.agent for d in result.delivered] == ["bob", "carl"]
    assert [(type(error), "eve" in error.message) for error in result.failed] == [
        (Unreadable, True)
    ]


def test_all_that_is_nobody_is_an_error(team: Root) -> None:
    for agent in ("bob", "carl"):
        os.unlink(team.entry(agent))
    with pytest.raises(Unknown, match="nobody else"):
        delivery.send(team, "alice", ["all"], "s", b"x")


def test_missing_folders_of_a_known_agent_are_made(team: Root) -> None:
    Path(team.entry("dave")).write_text("id: dave\n")
    for part in ("sent", "drafts"):
        os.rmdir(f"{team.box('alice')}/{part}")
    path = one(team, "dave")
    assert read(team, path).body == b"x" and os.path.isdir(team.receipts("dave"))


def test_a_taken_name_is_drawn_again(team: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("inbox", "inbox/.read"):
        put(team, "01_a-b_0000.txt", b"kept", folder)
    monkeypatch.setattr(os, "urandom", bytes)
    assert one(team) == "bob/inbox/01_a-b_0000000000000000.txt"
    assert Path(team.inbox("bob"), "01_a-b_0000.txt").read_text() == "kept"


def test_a_receipt_alone_makes_a_name_taken(team: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    put(team, "01_a-b_0000.txt", b"", "inbox/.read")
    monkeypatch.setattr(os, "urandom", bytes)
    assert one(team) == "bob/inbox/01_a-b_0000000000000000.txt"


def test_numbers_go_up_by_what_was_sent(team: Root) -> None:
    Path(team.sent("alice"), "98_x_aaaa.txt").touch()
    assert [one(team).split("/")[2].partition("_")[0] for _ in range(3)] == ["99", "100", "101"]


@pytest.mark.parametrize("failing", [1, 2])
def test_a_full_disk_leaves_nothing(
    team: Root, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    real, calls, before = disk.write_all, [0], files(team)

    def full(fd: int, data: bytes) -> None:
        calls[0] += 1
        if calls[0] == failing:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(fd, data)

    monkeypatch.setattr(disk, "write_all", full)
    with pytest.raises(Temporary):
        one(team)
    assert files(team) == before


def test_once_somebody_has_it_the_others_are_still_served(team: Root) -> None:
    """A box that breaks between the check and its turn stops only itself."""
    Path(team.entry("dave")).touch()
    os.mkdir(team.box("dave"))
    real = delivery.deliver

    def breaking(one: letter.Letter, agent: str) -> letter.Delivered:
        if agent == "dave":
            Path(team.inbox("dave")).touch()
        return real(one, agent)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delivery, "deliver", breaking)
        result = delivery.send(team, "alice", ["bob", "dave", "carl"], "s", b"x")
    assert [d.agent for d in result.delivered] == ["bob", "carl"]
    assert [type(error) for error in result.failed] == [Unreadable]


def test_an_inbox_on_another_file_system(team: Root, tmp_path: Path) -> None:
    shm = Path("/dev/shm")
    if not shm.is_dir() or shm.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system here")
    far = Path(disk.write_temp(str(shm), b"", False))
    far.unlink()
    far.mkdir()
    try:
        os.rmdir(team.receipts("carl"))
        os.rmdir(team.inbox("carl"))
        os.symlink(far, team.inbox("carl"))
        path = one(team, "carl")
        assert read(team, path).body == b"x" and os.listdir(far) == [os.path.basename(path)]
        assert os.listdir(team.drafts("alice")) == []
    finally:
        for left in far.iterdir():
            left.unlink()
        far.rmdir()


def test_many_writers_lose_no_message(team: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the names they draw are few."""
    drawn = iter(range(10**9))
    monkeypatch.setattr(os, "urandom", lambda size: bytes([next(drawn) % 4] * size))
    failed: list[SwarmError] = []

    def work(sender: str) -> None:
        try:
            for _ in range(20):
                delivery.send(team, sender, ["bob"], "s", sender.encode())
        except SwarmError as error:
            failed.append(error)

    workers = [threading.Thread(target=work, args=(who,)) for who in ("alice", "carl") * 2]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    got = [path for path in files(team) if path.startswith("bob/inbox/")]
    assert failed == [] and len(got) == 80
    assert sorted(read(team, path).body for path in got) == [b"alice"] * 40 + [b"carl"] * 40


@pytest.mark.parametrize("name", ["message.txt", "reply.txt", "agent.txt", "ack.txt"])
def test_a_template_is_found(name: str) -> None:
    assert message.parse(templates.load_template(name)).headers


def test_a_missing_template_is_an_error() -> None:
    with pytest.raises(Unreadable, match=r"nosuch\.txt is missing"):
        templates.load_template("nosuch.txt")


def test_what_fails_after_the_delivery_is_told_beside_it(
    team: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(staged: str, folder: str, name: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(letter, "_publish_copy", full)
    result = delivery.send(team, "alice", ["bob", "carl"], "s", b"x")
    assert [d.agent for d in result.delivered] == ["bob", "carl"]
    for made, error in zip(result.delivered, result.failed, strict=True):
        assert error.temporary and "alice/sent" in error.message
        assert error.hint.startswith(f"{made.path} is delivered: do not send it again")
    assert sorted(files(team)) == sorted(
        [d.path for d in result.delivered] + [f"dir/{a}.txt" for a in ("alice", "bob", "carl")]
    )


def test_an_inbox_that_may_be_written_to_and_not_listed_takes_mail(team: Root) -> None:
    words = ("--root", team.path, "--as", "alice", "send", "bob", "-s", "s", "-m", "x")
    with mode(team.inbox("bob"), 0o300):
        done = bound(*words, SWARM_FSYNC="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert read(team, done.stdout.strip()).body == b"x\n"
