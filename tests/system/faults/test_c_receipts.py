"""A receipt is for the message whose name has the same bytes, and for no other."""

import os
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .team import Team

COMPOSED, DECOMPOSED = "01_Résumé.txt", unicodedata.normalize("NFD", "01_Résumé.txt")
LIKE = [
    (COMPOSED, DECOMPOSED),
    (DECOMPOSED, COMPOSED),
    ("01_Plan_aaaa.txt", "01_plan_aaaa.txt"),
    ("01_ﬁx_aaaa.txt", "01_fix_aaaa.txt"),
    ("01_Straße.txt", "01_Strasse.txt"),
    ("01_a_aaaa.txt", "01_A_aaaa.txt"),
    ("01_a_aaaa.txt", " 01_a_aaaa.txt"),
    ("1_a_aaaa.txt", "01_a_aaaa.txt"),
]


def kept_apart(folder: Path, one: str, other: str) -> bool:
    """Whether this disk has both names at once (some have one for the two)."""
    (folder / one).touch()
    apart = not (folder / other).exists()
    (folder / one).unlink()
    return apart


@pytest.fixture(params=LIKE, ids=ascii)
def like(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Two names that only look alike."""
    if not kept_apart(tmp_path, *request.param):
        pytest.skip("one name for the file system")
    one, other = request.param
    return one, other


def names(team: Team) -> list[str]:
    return [os.fsdecode(row.split(b"\t")[0]) for row in team.ok("unread", "-0").split(b"\0")[:-1]]


def test_a_receipt_of_another_name_hides_nothing(team: Team, like: tuple[str, str]) -> None:
    message, receipt = like
    team.put(message, "x\n")
    (team.root / "bob/inbox/.read" / receipt).touch()
    assert names(team) == [message]
    assert team.json("unread")["messages"][0]["file"] == message
    assert team.ok("unread", "--count") == b"1\n"
    assert team.ok("read", "--next").endswith(b"\nx\n")
    assert team.receipts() == {message, receipt} and names(team) == []


def test_of_two_that_look_alike_the_one_that_is_named_is_read(
    team: Team, like: tuple[str, str]
) -> None:
    message, other = like
    team.put(message, "this\n")
    team.put(other, "that\n")
    assert sorted(names(team)) == sorted(like)
    assert team.ok("read", message).endswith(b"---\nthis\n")
    assert team.receipts() == {message} and names(team) == [other]
    assert team.lines("archive", message)
    assert names(team) == [other] and team.sent("bob").keys() == {message}
    assert team.ok("read", other).endswith(b"---\nthat\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("form", [COMPOSED, DECOMPOSED], ids=["composed", "decomposed"])
def test_a_name_is_the_same_in_every_locale(team: Team, encoding: str, form: str) -> None:
    team.put(form, "x\n")
    env = {"PYTHONIOENCODING": encoding, "LC_ALL": "C" if encoding == "ascii" else "C.UTF-8"}
    (row,) = team.ok("unread", "-0", **env).split(b"\0")[:-1]
    assert os.fsdecode(row.split(b"\t")[0]) == form
    assert team.ok("read", row.split(b"\t")[0], **env).endswith(b"\nx\n")
    assert team.receipts() == {form}


@settings(max_examples=15, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="/\0\t\n"), min_size=1, max_size=40))
def test_what_a_sync_tool_makes_of_a_name_is_another_message(text: str) -> None:
    forms = {unicodedata.normalize(form, f"1{text}.txt") for form in ("NFC", "NFD", "NFKC")}
    assume(all(len(form.encode()) < 250 and "/" not in form for form in forms))
    with tempfile.TemporaryDirectory() as folder:
        team = Team(Path(folder, "project"))
        for form in forms:
            team.put(form)
        assume(len(team.inbox("bob")) == len(forms))
        assert set(names(team)) == forms
        read = min(forms)
        team.ok("read", read)
        assert team.receipts() == {read} and set(names(team)) == forms - {read}
