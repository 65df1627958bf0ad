"""``swarm team`` and ``swarm roster``: channels made, joined, left, looked at, by hand."""

import json
import signal

import pytest

from .desk import Desk, Done

ODD = 'B\x1bob\n"x"'


@pytest.fixture
def desk(channel: Desk) -> Desk:
    """amy, bob and carl are in the channel ops."""
    return channel


@pytest.fixture
def bare(mail: Desk) -> Desk:
    """A team home without any channel."""
    return mail


def team(desk: Desk, agent: str, *words: str) -> Done:
    return desk.run("--as", agent, "team", *words)


def rows(done: Done) -> list[list[str]]:
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_a_channel_from_its_making_to_its_end(bare: Desk) -> None:
    made = team(bare, "amy", "create", "dev")
    assert made.stdout == f"{bare.place}/dev/team.db\n"
    assert team(bare, "amy", "join", "dev", "--description", "plans").stdout == "amy\n"
    joined = json.loads(team(bare, "bob", "join", "dev", "--name", "Bob", "--json").stdout)
    assert joined == {"agents": [{"id": "bob", "name": "Bob", "cursor": 1}], "v": 1}
    key = bare.ok("--as", "amy", "task", "request", "Bob", "-s", "x", "--channel", "dev")
    assert [row[:3] + row[4:] for row in rows(team(bare, "", "roster", "dev"))] == [
        ["amy", "amy", "available", "plans"],
        ["bob", "Bob", "available", ""],
    ]
    assert team(bare, "bob", "leave", "dev").stdout == ""
    said = rows(team(bare, "", "history", "dev", "-n", "3"))
    assert [row[2:] for row in said] == [
        ["Bob", "all", "-", "broadcast", "Bob has joined the channel"],
        ["amy", "Bob", f"#{key}", "task_req", "x"],
        ["Bob", "all", "-", "broadcast", "Bob has left the channel"],
    ]
    assert [row[0] for row in rows(team(bare, "", "roster", "dev"))] == ["amy"]
    assert len(rows(team(bare, "", "roster", "dev", "--all"))) == 2
    assert team(bare, "", "prune", "dev").stdout == "bob\n"
    assert len(rows(team(bare, "", "roster", "dev", "--all"))) == 1


def test_the_channels_are_listed_and_one_made_anew_is_said_to_be_emptied(bare: Desk) -> None:
    assert bare.ok("team", "list") == ""
    bare.ok("team", "create", "dev")
    again = bare.run("team", "create", "dev")
    assert again.returncode == 0 and "its messages and files are removed" in again.stderr
    assert bare.ok("team", "list") == f"dev\t{bare.place}/dev/team.db"
    assert "did you mean dev?" in bare.run("team", "history", "dve").stderr


def test_agents_that_live_are_not_wiped_unless_forced(desk: Desk) -> None:
    done = team(desk, "", "create", "ops", "--json")
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert (done.returncode, error["code"]) == (5, "agents-alive") and "bob" in error["message"]
    assert len(rows(team(desk, "", "roster", "ops"))) == 3
    forced = json.loads(team(desk, "", "create", "ops", "--force", "--json").stdout)
    assert forced == {"created": [{"path": f"{desk.place}/ops/team.db"}], "v": 1}
    assert rows(team(desk, "", "roster", "ops")) == []


def test_who_joins_again_keeps_what_is_not_given_anew(desk: Desk) -> None:
    team(desk, "bob", "join", "ops", "--name", "Bob", "--description", "builds")
    team(desk, "bob", "leave", "ops")
    team(desk, "bob", "join", "ops")
    (bob,) = [row for row in rows(team(desk, "", "roster", "ops")) if row[0] == "bob"]
    assert [bob[1], bob[2], bob[4]] == ["Bob", "available", "builds"]


def test_who_leaves_fails_the_task_in_hand(desk: Desk) -> None:
    key = desk.ask("amy", "bob")
    desk.say("bob", "update", "-s", "at it")
    (bob,) = [row for row in rows(team(desk, "", "roster", "ops")) if row[0] == "bob"]
    assert bob[2] == "busy"
    left = json.loads(team(desk, "bob", "leave", "ops", "--json").stdout)
    assert left == {"agents": [{"id": "bob"}], "v": 1}
    assert desk.kinds("amy", f"#{key}") == []
    assert desk.kinds("amy", key) == ["task_req", "task_ack", "task_update", "task_fail"]


def test_who_joined_is_not_announced_again_by_its_guardian(desk: Desk) -> None:
    desk.ok("--as", "zoe", "team", "join", "ops")
    desk.guard("zoe")
    said = desk.ok("team", "history", "ops")
    assert said.count("zoe has joined the channel") == 1


def test_where_a_guardian_has_the_agent_joining_is_no_news(desk: Desk) -> None:
    guard = desk.guard("bob")
    done = team(desk, "bob", "join", "ops", "--name", "Other")
    assert (done.returncode, done.stdout) == (0, "bob\n") and "is there already" in done.stderr
    assert guard.end(signal.SIGTERM) == 0
    assert [row[1] for row in rows(team(desk, "", "roster", "ops"))] == ["amy", "bob", "carl"]


def test_a_persona_names_the_agent(bare: Desk) -> None:
    persona = bare.place / "p.yaml"
    persona.write_text("name: Eve\ndescription: tests things\nthinkingLevel: off\n")
    team(bare, "eve", "join", "dev", "--persona", "p.yaml")
    assert rows(team(bare, "", "roster", "dev"))[0][1] == "Eve"
    persona.write_text("name: [\n")
    broken = team(bare, "eve", "join", "dev", "--persona", "p.yaml")
    assert broken.returncode == 2 and "Traceback" not in broken.stderr
    assert team(bare, "eve", "join", "dev", "--persona", "none.yaml").returncode == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("roster nope", 4), ("history nope", 4), ("prune nope", 4), ("leave nope", 4),
        ("create ../x", 2), ("join .x", 2), ("history ops -n 0", 2), ("leave ops", 4),
    ],
)  # fmt: skip
def test_what_is_not_there_or_is_no_name(desk: Desk, words: str, code: int) -> None:
    done = team(desk, "dan", *words.split())
    assert (done.returncode, done.stdout) == (code, "") and done.stderr.startswith("swarm: ")


def test_what_is_no_database_is_left_alone(bare: Desk) -> None:
    (bare.place / "odd").mkdir()
    file = bare.place / "odd/team.db"
    file.write_text("this is no database, " * 99)
    for words in ("create odd", "join odd", "roster odd"):
        assert team(bare, "amy", *words.split()).returncode == 6
    assert file.read_text().startswith("this is no database")


def test_names_with_odd_characters_are_written_out(desk: Desk) -> None:
    team(desk, "bob", "join", "ops", "--name", ODD, "--description", "d\te")
    shown = rows(team(desk, "", "roster", "ops"))[1]
    assert [shown[1], shown[4]] == [r'B\x1bob\n"x"', r"d\te"]
    assert rows(team(desk, "", "history", "ops"))[-1][2] == r'B\x1bob\n"x"'
    told = json.loads(team(desk, "", "roster", "ops", "--json").stdout)["agents"][1]
    assert (told["name"], told["description"]) == (ODD, "d\te")
    zero = team(desk, "", "roster", "ops", "-0").stdout.split("\0")
    assert len(zero) == 4 and zero[1].split("\t")[0] == "bob"


def test_a_history_of_any_length(desk: Desk) -> None:
    key = desk.ask("amy", "bob", "-s", "one\ttab")
    assert rows(team(desk, "", "history", "ops", "-n", "9" * 30)) != []
    (row,) = rows(team(desk, "", "history", "ops", "-n", "1"))
    assert row[4:] == [f"#{key}", "task_req", "one tab"]
    (told,) = json.loads(team(desk, "", "history", "ops", "--json").stdout)["messages"]
    assert (told["event"], told["from"], told["task"]) == ("task_req", "amy", key)
    assert desk.say("bob", "show", f"#{key}").count("task_req") == 1


def test_the_roster_in_words_leaves_out_oneself_and_who_has_gone(desk: Desk) -> None:
    team(desk, "bob", "join", "ops", "--description", "builds")
    team(desk, "carl", "leave", "ops")
    words = ("roster", "--channel", "ops")
    assert desk.ok("--as", "amy", *words).splitlines() == [
        "Available teammates:",
        '  - "bob" (session: bob) — available — builds',
    ]
    told = json.loads(desk.ok("--as", "amy", *words, "--json"))
    mate = {"id": "bob", "name": "bob", "status": "available", "description": "builds"}
    assert told == {"agents": [mate], "v": 1}


def test_the_roster_of_a_mail_tree_is_the_registry(bare: Desk) -> None:
    said = bare.ok("--as", "amy", "roster").splitlines()
    assert said[0] == "Available teammates:" and len(said) == 3
    assert said[1] == '  - "bob" (session: bob) — available — r: t'
    for agent in ("bob", "carl"):
        bare.ok("--as", agent, "update", "--status", "done")
    assert bare.ok("--as", "amy", "roster") == "No teammates are available."
