"""Sending: checked first, whole or not at all, never over another file."""

import errno
import os
from pathlib import Path

import pytest

from swarm import message
from swarm.errors import Conflict, Temporary, Unknown, Unreadable, UsageError
from swarm.mailbox import delivery, disk
from swarm.mailbox.layout import Root, make_box


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made = Root(str(tmp_path / "mail"), sync=False)
    os.makedirs(made.dir)
    for agent in ("alice", "bob", "carl"):
        make_box(made, agent)
        Path(made.entry(agent)).write_text(f"id: {agent}\nstatus: active\n")
    return made


def files(root: Root) -> list[str]:
    return sorted(str(p.relative_to(root.path)) for p in Path(root.path).rglob("*") if p.is_file())


def read(root: Root, path: str) -> message.Message:
    return message.parse(Path(root.path, path).read_bytes())


def one(root: Root, *to: str, key: str = "", subject: str = "a b") -> str:
    return (
        delivery.send(root, "alice", list(to) or ["bob"], subject, b"x", key=key).delivered[0].path
    )


def test_a_message_and_its_copy(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    result = delivery.send(root, "alice", ["bob", "carl", "bob"], "s", b"x", detail="lib", ref="r")
    assert [d.agent for d in result.delivered] == ["bob", "carl"] and not result.failed
    for made, number in zip(result.delivered, ("01_s_", "02_s_"), strict=True):
        assert made.name.startswith(number)
        found = read(root, made.path)
        assert (found.get("to"), found.get("detail"), found.get("ref")) == (
            made.agent, "/usr/lib", "r",
        )  # fmt: skip
        assert found.get("date").endswith("Z") and found.body == b"x"
        copy = Path(root.sent("alice"), made.name)
        assert copy.read_bytes() == Path(root.path, made.path).read_bytes()
        assert copy.stat().st_nlink == 1
    assert not [name for name in files(root) if disk.TEMP_PREFIX in name]


@pytest.mark.parametrize(
    ("to", "subject", "error"),
    [
        (["bob", "carll"], "s", Unknown),
        (["bob", "../carl"], "s", UsageError),
        (["bob"], "s\nStatus: done", UsageError),
        (["bob"], "", UsageError),
        ([], "s", UsageError),
    ],
)
def test_all_is_checked_first(root: Root, to: list[str], subject: str, error: type) -> None:
    before = files(root)
    with pytest.raises(error):
        delivery.send(root, "alice", to, subject, b"x")
    with pytest.raises(Unknown):
        delivery.send(root, "dave", ["bob"], "s", b"x")
    assert files(root) == before


def test_all_skips_a_box_that_takes_no_mail(root: Root) -> None:
    Path(root.entry("dave")).write_text("id: dave\nstatus: done\n")
    Path(root.entry("eve")).write_text("id: eve\n")
    Path(root.box("eve")).write_text("")
    result = delivery.send(root, "alice", ["all", "bob"], "s", b"x")
    assert [d.agent for d in result.delivered] == ["bob", "carl"]
    assert [type(error) for error in result.failed] == [Unreadable]
    for agent in ("bob", "carl", "eve"):
        os.unlink(root.entry(agent))
    with pytest.raises(Unknown):
        delivery.send(root, "alice", ["all"], "s", b"x")


def test_a_taken_name_is_drawn_again(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("inbox", "inbox/.read"):
        Path(root.box("bob"), folder, "01_a-b_0000.txt").write_text("kept")
    monkeypatch.setattr(os, "urandom", bytes)
    assert one(root) == "bob/inbox/01_a-b_0000000000000000.txt"
    assert Path(root.inbox("bob"), "01_a-b_0000.txt").read_text() == "kept"


def test_a_full_disk_leaves_nothing(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls, before = disk.write_all, [0], files(root)

    def full(fd: int, data: bytes) -> None:
        calls[0] += 1
        if calls[0] % 2 == 0:  # the copy
            raise OSError(errno.ENOSPC, "No space left on device")
        real(fd, data)

    monkeypatch.setattr(disk, "write_all", full)
    with pytest.raises(Temporary):
        one(root)
    assert files(root) == before


def test_another_file_system(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    real = disk.publish

    def far(source: str, target: str) -> bool:
        if os.path.dirname(source) == root.drafts("alice"):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return real(source, target)

    monkeypatch.setattr(disk, "publish", far)
    path = one(root)
    assert read(root, path).body == b"x" and not os.listdir(root.drafts("alice"))
    assert os.listdir(root.inbox("bob")) in ([".read", path[10:]], [path[10:], ".read"])


def test_a_key_makes_it_one_message(root: Root) -> None:
    path = one(root, key="k")
    name = path.rpartition("/")[2]
    os.unlink(f"{root.sent('alice')}/{name}")
    assert one(root, key="k", subject="other") == path
    assert read(root, f"alice/sent/{name}").body == b"x"
    Path(root.receipts("bob"), name).touch()
    os.rename(f"{root.path}/{path}", f"{root.sent('bob')}/{name}")
    assert one(root, key="k") == path and not os.path.exists(f"{root.path}/{path}")
    os.unlink(f"{root.sent('alice')}/{name}")
    assert one(root, key="k") == path and os.path.exists(f"{root.sent('alice')}/{name}")
    Path(root.path, path).write_text("To: bob\nFrom: carl\nSubject: s\n---\n")
    with pytest.raises(Conflict):
        one(root, key="k")


def test_a_reply(root: Root) -> None:
    put = Path(root.inbox("bob"), "01_x_aaaa.txt")
    put.write_text("To: bob\nFrom: alice\nSubject: a\tq\nThread: t\n---\n")
    made = delivery.reply(root, "bob", "01_x", b"y", also=["carl"], status="ack").delivered
    assert [d.agent for d in made] == ["alice", "carl"]
    found = read(root, made[0].path)
    assert [found.get(k) for k in ("subject", "thread", "status", "ref")] == [
        "Re: a q", "t", "ack", put.name,
    ]  # fmt: skip
    before = files(root)
    for sender in ("../carl", "all", "", "nobody"):
        put.write_text(f"To: bob\nFrom: {sender}\nSubject: s\n---\n")
        with pytest.raises((UsageError, Unknown)):
            delivery.reply(root, "bob", "01_x", b"y")
    assert files(root) == before
