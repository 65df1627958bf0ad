"""The table is what drives the machine, holds the seed's rows, and is what the page shows."""

from pathlib import Path

import pytest

import swarm
from swarm.events import EVENTS
from swarm.mamoru.conditions import CONDITIONS
from swarm.mamoru.effects import EFFECTS, find
from swarm.mamoru.machine import ROWS
from swarm.mamoru.render import diagram, fill
from swarm.mamoru.rules import CAUSES, OUTBOUND, RECEIVED, RULES, SELF, TIME
from swarm.mamoru.tasks import ANSWERS

PAGE = Path(swarm.__file__).parent.parent / "docs" / "guardian.md"

# The seed's tables, in its order: event, what must hold, what is done, our status after.
SEED = [
    (RECEIVED, "ping", "", "answer pong", ""),
    (RECEIVED, "task_req", "we are available", "answer task_ack, start the task, forward", "busy"),
    (RECEIVED, "task_req", "we are busy", "answer task_reject busy", ""),
    (
        RECEIVED,
        "task_cancel",
        "for the active task",
        "interrupt, answer task_cancel_ack",
        "available",
    ),
    (RECEIVED, "broadcast", "intent agent_join", "welcome", ""),
    (RECEIVED, "broadcast", "intent agent_leave", "part", ""),
    (RECEIVED, "broadcast", "intent agent_status_change", "update the roster", ""),
    (RECEIVED, "task_ack", "of a task we gave", "advance the task we gave", ""),
    (RECEIVED, "task_cancel_ack", "of a task we gave", "close the task we gave", ""),
    (RECEIVED, "task_clarify", "of a task we gave", "forward", ""),
    (RECEIVED, "task_clarify_res", "for the active task", "forward", ""),
    (RECEIVED, "task_reject", "of a task we gave", "forward", ""),
    (RECEIVED, "task_done", "of a task we gave", "forward", ""),
    (RECEIVED, "task_fail", "of a task we gave", "forward", ""),
    (OUTBOUND, "task_done", "about the active task", "send", "available"),
    (OUTBOUND, "task_fail", "about the active task", "send", "available"),
    (OUTBOUND, "task_update", "about the active task", "send", ""),
    (OUTBOUND, "task_clarify", "about the active task", "send", ""),
    (TIME, "task silent", "", "cancel what we gave", ""),
    (TIME, "cancel unanswered", "", "mark the worker inactive, give up the task", ""),
    (TIME, "ping unanswered", "", "mark the mate inactive", ""),
    (SELF, "marked inactive by others", "", "come back", ""),
]


@pytest.mark.parametrize(("side", "event", "when", "then", "status"), SEED)
def test_each_row_of_the_seed_is_there_S(
    side: str, event: str, when: str, then: str, status: str
) -> None:
    wanted = {phrase.strip() for phrase in then.split(",")}
    assert any(
        rule.when == when and wanted <= set(rule.effects) and rule.status == status
        for rule in RULES
        if (rule.side, rule.event, rule.source) == (side, event, "S")
    )


def test_every_event_has_a_row_without_conditions() -> None:
    for event in EVENTS:
        assert not ROWS[RECEIVED].get(event, ROWS[RECEIVED]["*"])[-1].conditions


def test_no_row_stands_below_one_that_is_always_taken() -> None:
    for side in ROWS.values():
        for rows in side.values():
            always = [row for row in rows if not row.conditions]
            assert all(row.rule.event == "*" for row in always[1:])
            assert not always or all(r.rule.event == "*" for r in rows[rows.index(always[0]) + 1 :])


def test_every_phrase_is_used_and_explained() -> None:
    assert {phrase for rule in RULES for phrase in rule.conditions} == set(CONDITIONS)
    used = {find(phrase)[0] for rule in RULES for phrase in rule.effects}
    assert used == set(EFFECTS.values())
    assert all(function.__doc__ for function in (*CONDITIONS.values(), *EFFECTS.values()))
    assert {rule.event for rule in RULES if rule.side in (TIME, SELF)} == set(CAUSES)


def test_what_answers_a_request_or_a_cancel_is_what_the_rows_say() -> None:
    answers = {
        phrase.split()[1]
        for rule in RULES
        if rule.event in ("task_req", "task_cancel")
        for phrase in rule.effects
        if phrase.startswith("answer ")
    }
    assert answers == ANSWERS


def test_the_page_shows_the_table_as_it_is() -> None:
    text = PAGE.read_text()
    assert fill(text) == text, "run scripts/guardian-page"


def test_the_diagram_has_the_seeds_life_of_a_status() -> None:
    lines = diagram()
    for line in (
        "[*] --> available : joined",
        "available --> busy : task_req received",
        "busy --> available : task_done outbound",
        "busy --> available : task_fail outbound",
        "busy --> available : task_cancel received",
    ):
        assert f"    {line}\n" in lines
