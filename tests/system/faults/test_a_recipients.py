"""The tree is the same wherever one stands, and no word of a call is passed over."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from swarm import names

from .team import AGENTS, Team

BELOW = ["src", "src/deep/er", "mail", "mail/bob/inbox", "mail/dir"]


@pytest.fixture
def project(team: Team) -> Team:
    """A project with folders, and one message for bob."""
    (team.place / "src/deep/er").mkdir(parents=True)
    team.put("01_hello_aaaa.txt", Thread="T")
    return team


# One tree


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("words", ["unread", "thread T"])
def test_a_listing_from_below_finds_the_same_root(project: Team, below: str, words: str) -> None:
    before = project.everything()
    wanted = project.ok(*words.split())
    found = project.ok(*words.split(), cwd=project.place / below, SWARM_ROOT="")
    assert found == wanted and found
    assert project.everything() == before


@pytest.mark.parametrize("below", BELOW)
def test_a_message_from_below_goes_to_the_same_inbox(project: Team, below: str) -> None:
    folders = {path for path, data in project.everything().items() if data is None}
    send = ("send", "carl", "-s", "hi", "-m", "x")
    (path,) = project.lines(*send, cwd=project.place / below, SWARM_ROOT="")
    assert project.inbox("carl").keys() == {os.path.basename(path)}
    assert {path for path, data in project.everything().items() if data is None} == folders


@pytest.mark.parametrize("below", ["src", "src/deep/er", "mail/bob"])
@pytest.mark.parametrize("given", ["--root", "SWARM_ROOT"])
def test_a_relative_root_is_taken_from_where_one_stands(
    project: Team, below: str, given: str
) -> None:
    folder = project.place / below
    before = project.everything()
    for root, code in ((os.path.relpath(project.root, folder), 0), ("mail", 3), (".", 3)):
        flags = ("--root", root) if given == "--root" else ()
        env = {"SWARM_ROOT": root} if given == "SWARM_ROOT" else {"SWARM_ROOT": ""}
        done = project.run(*flags, "unread", cwd=folder, **env)
        assert done.returncode == code, done
        assert bool(done.stdout) == (code == 0)
    assert project.everything() == before


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from([".", "src/..", "src/deep/../..", "", "mail/.."]), max_size=4))
def test_a_root_may_be_spelt_in_any_way(detours: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        team = Team(Path(folder, "project"))
        (team.place / "src/deep").mkdir(parents=True)
        before = set(team.everything())
        root = "/".join([".", *detours, "mail"])
        (sent,) = team.lines("--root", root, "send", "carl", "-s", "hi", "-m", "x")
        assert (team.root / sent).is_file()
        made = set(team.everything()) - before
        assert made == {str(team.root / sent), str(team.root / "bob/sent" / Path(sent).name)}


# Every word counts


NO_WORDS = ("unread", "sent", "threads", "agents", "wait", "status", "watch", "describe", "doctor")
REGISTER = ["--role", "r", "--archetype", "planner", "--task", "t"]
TOO_MANY = [
    (["send", "carl", "please look at build 12"], 2),
    (["send", "carl", "please look at build 12", "-s", "s", "-m", "m"], 2),
    (["send", "carl", "-s", "s", "-m", "m", "please", "look"], 4),
    (["send", "carl", "-s", "s", "-m", "m", "--", "please look"], 2),
    (["send", "carl", "-s", "please", "look", "-m", "m"], 4),
    (["reply", "01", "please", "look"], 2),
    (["reply", "01", "-m", "m", "thank you"], 2),
    (["register", "dora", "emil", *REGISTER], 2),
    (["register", "dora", *REGISTER, "and more"], 2),
    (["update", "--status", "done", "now"], 2),
    (["unregister", "bob", "carl"], 2),
    (["init", "new", "dora"], 2),
    (["mark", "01", "done", "really"], 2),
    (["read", "01", "nosuch"], 4),
    (["read", "--next", "01"], 2),
    (["archive", "01", "nosuch"], 4),
    (["archive", "--read", "01"], 2),
    (["cleanup", "bob"], 2),
    (["thread", "T", "word"], 2),
    *(([command, "word"], 2) for command in NO_WORDS),
]


@pytest.mark.parametrize("part", [0, 1])
def test_a_word_too_many_is_refused_and_nothing_is_done(project: Team, part: int) -> None:
    project.enter("bob")
    before = project.everything()
    calls = TOO_MANY[part::2]
    answers = project.often([words for words, _ in calls])
    for (words, code), done in zip(calls, answers, strict=True):
        assert (done.returncode, done.stdout) == (code, b""), (words, done)
        assert done.stderr.startswith(b"swarm: "), (words, done)
    assert project.everything() == before


@pytest.mark.parametrize(
    ("words", "body"),
    [
        (["carl", "-s", "s", "-m", "look at 12"], b"look at 12\n"),
        (["-m", "look at 12", "-s", "s", "carl"], b"look at 12\n"),
        (["-s", "s", "carl", "alice", "-m", "look at 12"], b"look at 12\n"),
        (["-s", "s", "-m", "-m", "--", "carl"], b"-m\n"),
    ],
)
def test_words_are_recipients_wherever_they_stand(
    project: Team, words: list[str], body: bytes
) -> None:
    paths = project.lines("send", *words)
    assert {path.split("/")[0] for path in paths} == {"carl", "alice"} & set(words)
    assert all((project.root / path).read_bytes().endswith(b"---\n" + body) for path in paths)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1))
@example(["please look"])
def test_no_text_among_the_recipients_is_ever_dropped(words: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        team = Team(Path(folder, "project"))
        done = team.run("send", "-s", "s", "-m", "m", "carl", "--", *words)
        known = all(word in AGENTS for word in words)
        unknown = 4 if all(names.is_id(word) for word in words) else 2
        assert done.returncode == (0 if known else unknown), done
        assert bool(team.inbox("carl")) == known
