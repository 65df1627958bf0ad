"""What a bridge does, counted: opens, looks, transactions, how rows are found."""

import os
import re
import sys
import time
from pathlib import Path

import pytest

from swarm.mailbox import registry
from swarm.team import queries
from swarm.team.mirror import PAGE
from tests.unit.bridge.world import PEER_ID, World

MANY = 20
opened: list[str] = []


def note(event: str, args: tuple[object, ...]) -> None:
    if event == "open":
        opened.append(str(args[0]))


sys.addaudithook(note)


def talk(world: World) -> None:
    """Something of each kind: both ways, to all, archived, and a row for several files."""
    for number in range(5):
        world.mail("alice", "bob", f"mail {number}", "body\n", thread="t")
        world.mail("bob", PEER_ID, f"to a guest {number}")
        world.peer.send("info_only", f"row {number}", "alice")
    world.peer.send("broadcast", "lunch")
    for agent in ("alice", "bob"):
        text = f"To: {agent}\nFrom: carl\nSubject: all\nEvent: broadcast\nDate: {DATE}\n---\n"
        Path(world.root.inbox(agent), "77_all_carl.txt").write_text(text)
    world.settle()
    world.put_away("bob", world.inbox("bob")[0], False)
    world.settle()


DATE = "2026-01-02T03:04:05.5Z"


def list_all_again(world: World) -> None:
    for box in world.bridge._mail._boxes.values():
        for folder in box._folders:
            folder.forget()


@pytest.mark.parametrize("restart", [False, True])
def test_what_has_crossed_is_not_opened_again(world: World, restart: bool) -> None:
    talk(world)
    if restart:
        world.again()
    list_all_again(world)
    opened.clear()
    world.settle()
    assert [path for path in opened if re.search(r"/(inbox|sent)/.*\.txt$", path)] == []


def test_an_idle_pass_opens_nothing_and_looks_thrice_at_each_mailbox(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(MANY):
        registry.register(world.root, f"a{number}", "tester", "specialist", "tests", "paused")
    talk(world)
    time.sleep(0.1)  # until the folders' times are believed
    world.settle()
    looks = []
    for name in ("stat", "lstat", "listdir", "scandir"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, real=real, **k: looks.append(a) or real(*a, **k))
    opened.clear()
    assert world.bridge.step() == 0
    assert opened == []
    assert 3 * MANY < len(looks) < 3 * MANY + 40


def test_a_page_is_a_few_transactions_however_many_messages_it_has(world: World) -> None:
    for number in range(PAGE):
        world.mail("alice", "bob", f"mail {number}")
    before = world.mirror._database.writes
    world.bridge.step()
    assert len(world.rows()) == PAGE
    assert world.mirror._database.writes - before <= 3
    for number in range(PAGE):
        world.peer.send("info_only", f"row {number}", "alice")
    world.settle()
    assert world.mirror._database.writes - before <= 12


MESSAGES = [queries.EVERY.rows, queries.UNREAD.rows, queries.OPEN_REQUESTS.rows, queries.RAW]
VALUES = {"channel": "ops", "after": 5, "top": 9, "me": "x", "limit": 9, "thread": "t", "who": "x"}


def plan(world: World, sql: str) -> list[str]:
    values = {name: VALUES[name] for name in re.findall(r":(\w+)", sql)} or ["x"] * sql.count("?")
    found = world.mirror._database._db.execute(f"EXPLAIN QUERY PLAN {sql}", values)
    return [row[3] for row in found]


@pytest.mark.parametrize("sql", MESSAGES)
def test_a_poll_of_the_channel_is_a_search_by_primary_key(world: World, sql: str) -> None:
    (step,) = plan(world, sql)
    assert step.startswith("SEARCH messages USING INTEGER PRIMARY KEY")


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        (queries.ORIGINS, "swarm_origin"),
        (queries.BY_ORIGIN, "swarm_origin"),
        (queries.FIRST_OF, "swarm_thread"),
        (queries.REQUESTS_OF.rows, "swarm_request"),
    ],
)
def test_what_a_message_belongs_to_is_searched_by_an_index(
    world: World, sql: str, index: str
) -> None:
    (step,) = [step for step in plan(world, sql) if "messages" in step]
    assert step.startswith(f"SEARCH messages USING INDEX {index}")
    assert not [step for step in plan(world, sql) if "ORDER BY" in step]
