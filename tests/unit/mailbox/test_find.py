"""Which message is meant: a name, its stem, a part that only one has, or a path."""

import os
from pathlib import Path

import pytest

from swarm import names
from swarm.errors import Unknown, Unreadable
from swarm.mailbox.find import find
from swarm.mailbox.layout import Root, make_box
from swarm.trace import trace

from .mail import put

BUILD, MORE, OLD = "01_build_aaaa.txt", "01_build_aaaa_more.txt", "02_old_bbbb.txt"


@pytest.fixture
def box(root: Root, monkeypatch: pytest.MonkeyPatch) -> Root:
    """Two messages in bob's inbox, one in sent; the working directory is the inbox."""
    put(root, BUILD)
    put(root, MORE)
    put(root, OLD, folder="sent")
    monkeypatch.chdir(root.inbox("bob"))
    return root


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (BUILD, f"inbox/{BUILD}"), ("01_build_aaaa", f"inbox/{BUILD}"), ("more", f"inbox/{MORE}"),
        (OLD, f"sent/{OLD}"), ("old", f"sent/{OLD}"), ("bbbb.txt", f"sent/{OLD}"),
        (f"bob/sent/{OLD}", f"sent/{OLD}"), (f"../sent/{OLD}", f"sent/{OLD}"),
        ("./01_build_aaaa", f"inbox/{BUILD}"), (f"bob/inbox/../inbox/{BUILD}", f"inbox/{BUILD}"),
    ],
)  # fmt: skip
def test_a_message_is_found(box: Root, wanted: str, found: str) -> None:
    assert find(box, "bob", wanted) == f"{box.box('bob')}/{found}"


def test_a_message_is_found_by_its_absolute_path_also_through_a_link(
    box: Root, tmp_path: Path
) -> None:
    (tmp_path / "alias").symlink_to(box.path)
    for root in (box.path, tmp_path / "alias"):
        assert find(box, "bob", f"{root}/bob/inbox/{BUILD}") == f"{box.inbox('bob')}/{BUILD}"


@pytest.mark.parametrize(
    "wanted",
    ["", ".", "..", "/", "nosuch", "*", ".read", ".txt", "a\0b", "\ud800", "dir/x", "more/",
     "alice/inbox/09_hers_cccc.txt", "09_hers", "x" * 5000, "/x" * 5000],
)  # fmt: skip
def test_what_is_no_message_of_ones_own_is_unknown(box: Root, wanted: str) -> None:
    make_box(box, "alice")
    Path(box.inbox("alice"), "09_hers_cccc.txt").touch()
    with pytest.raises(Unknown) as caught:
        find(box, "bob", wanted)
    assert caught.value.code == "unknown-message" and caught.value.message.isprintable()


def test_a_part_of_several_names_lists_them(box: Root) -> None:
    with pytest.raises(Unknown, match=f"{BUILD}, {MORE}") as caught:
        find(box, "bob", "build")
    assert caught.value.code == "ambiguous-message"


def test_a_whole_slug_or_hash_goes_before_a_part_of_others(box: Root) -> None:
    for name in ("03_re-hi_5a1e.txt", "04_hi_77c2.txt", "05_room-77c2_0b3d.txt"):
        put(box, name)
    for wanted in ("hi", "77c2", "hi_77c2"):
        assert find(box, "bob", wanted).endswith("/04_hi_77c2.txt")
        assert trace(box, "bob", wanted, 0).name == "04_hi_77c2.txt"
    with pytest.raises(Unknown, match="several names"):
        find(box, "bob", "77c")


@pytest.mark.parametrize("name", ["04_a\nb.txt", "04_\udcff.txt", "04_\u202e.txt", "04_\\.txt"])
def test_a_name_is_found_as_listings_show_it(box: Root, name: str) -> None:
    put(box, name)
    shown = names.visible(name)
    for wanted in (shown, shown[:-4], f"bob/inbox/{shown}"):
        assert find(box, "bob", wanted) == f"{box.inbox('bob')}/{name}"
        assert trace(box, "bob", wanted, 0).name == name


def test_two_names_that_look_alike_are_told_apart_or_named(box: Root) -> None:
    for name in ("04_a\nb.txt", "04_a\\nb.txt", "05_\x80.txt", "05_\udc80.txt"):
        put(box, name)
    for name in ("06_\n.txt", "06_\n.txt.txt"):
        put(box, name)
        assert find(box, "bob", r"06_\n.txt") == f"{box.inbox('bob')}/06_\n.txt"
    assert find(box, "bob", "04_a\\nb") == f"{box.inbox('bob')}/04_a\\nb.txt"
    with pytest.raises(Unknown, match="several names"):
        find(box, "bob", "05_\\x80")


def test_what_is_no_mail_makes_no_part_ambiguous(box: Root) -> None:
    os.mkdir("03_more_folder.txt")
    assert find(box, "bob", "more") == f"{box.inbox('bob')}/{MORE}"


def test_the_inbox_goes_before_sent(box: Root) -> None:
    put(box, BUILD, folder="sent")
    put(box, "09_more.txt", folder="sent")
    for wanted, name in ((BUILD, BUILD), ("01_build_aaaa", BUILD), ("more", MORE)):
        assert find(box, "bob", wanted) == f"{box.inbox('bob')}/{name}"
    assert find(box, "bob", f"bob/sent/{BUILD}") == f"{box.sent('bob')}/{BUILD}"


@pytest.mark.parametrize(
    "wanted", ["03_pipe.txt", "03_pipe", "pipe", "bob/inbox/03_pipe.txt", "./03_pipe"]
)
def test_what_is_no_regular_file_is_named_and_not_opened(box: Root, wanted: str) -> None:
    os.mkfifo("03_pipe.txt")
    with pytest.raises(Unreadable, match=r"03_pipe\.txt is no regular file"):
        find(box, "bob", wanted)


def test_control_characters_in_names_are_written_out(box: Root) -> None:
    for name in ("x\x1b[31m1.txt", "x\x1b[31m2.txt"):
        put(box, name)
    with pytest.raises(Unknown) as caught:
        find(box, "bob", "x\x1b")
    assert caught.value.message.isprintable() and "x1b[31m2.txt" in caught.value.message
