"""No poll reads more than it returns: each is a search, and the plan says by what."""

import re

import pytest

from swarm.team import queries
from swarm.team.channel import Channel

VALUES = {
    "channel": "ops",
    "after": 5,
    "top": 9,
    "me": "bob",
    "limit": 200,
    "before": 9,
    "task": 3,
    "sender": "x",
    "id": 7,
}


def plan(channel: Channel, sql: str) -> list[str]:
    values = {name: VALUES[name] for name in re.findall(r":(\w+)", sql)} or ["x"] * sql.count("?")
    return [row[3] for row in channel._database._db.execute(f"EXPLAIN QUERY PLAN {sql}", values)]


@pytest.mark.parametrize("sql", [queries.UNREAD.rows, queries.UNREAD.ids, queries.HISTORY.rows, queries.BROADCASTS_AFTER.rows,
                                 queries.TASKS_OF.rows, queries.SENT.rows, queries.SENT.ids, queries.PARTIES, queries.SENDERS_AFTER, queries.ONE,
                                 queries.MESSAGE_EXISTS, queries.NUMBER_TASK])  # fmt: skip
def test_messages_are_searched_by_primary_key(channel: Channel, sql: str) -> None:
    steps = [step for step in plan(channel, sql) if "messages" in step]
    assert steps and all(
        step.startswith("SEARCH messages USING INTEGER PRIMARY KEY") for step in steps
    )
    assert not [step for step in plan(channel, sql) if "ORDER BY" in step]


def test_the_newest_message_is_found_without_a_scan(channel: Channel) -> None:
    assert plan(channel, queries.NEWEST) == ["SEARCH messages"]


@pytest.mark.parametrize("sql", [queries.CURSOR, queries.ADVANCE, queries.AGENT_EXISTS, queries.AGENT_STATUS, queries.SET_STATUS, queries.BEAT])  # fmt: skip
def test_agents_and_cursors_are_searched_by_their_keys(channel: Channel, sql: str) -> None:
    assert all(
        step.startswith("SEARCH") and "sqlite_autoindex" in step for step in plan(channel, sql)
    )


def test_a_task_is_searched_by_its_number(channel: Channel) -> None:
    steps = [step for step in plan(channel, queries.TASK.rows) if "messages" in step]
    assert len(steps) == 2 and "PRIMARY KEY" in steps[0]
    assert steps[1].startswith("SEARCH messages USING INDEX swarm_task")


def test_an_origin_is_searched_by_our_index(channel: Channel) -> None:
    (step,) = plan(channel, queries.BY_ORIGIN)
    assert step.startswith("SEARCH messages USING INDEX swarm_origin")
