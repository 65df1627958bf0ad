"""A record knows a text again after each step, done or not, and takes the steps back."""

import json
from pathlib import Path
from typing import Any

import pytest

from swarm.install.record import Record
from swarm.install.text import Text

STEP = {"before": "a", "after": "b", "undo": [[0, 1, ""]]}
GOOD = {"v": 1, "path": "/p", "clean": True, "folders": ["/f"], "steps": [STEP]}
DAMAGED: list[Any] = [
    [], 3, None, {**GOOD, "v": 2}, {**GOOD, "clean": "yes"}, {**GOOD, "folders": 7},
    {**GOOD, "folders": [None]}, {**GOOD, "steps": 5}, {**GOOD, "steps": [3]},
    {**GOOD, "steps": [{**STEP, "before": None}]}, {**GOOD, "steps": [{**STEP, "undo": 1}]},
    {**GOOD, "steps": [{**STEP, "undo": [["x", None, 3]]}]},
    {**GOOD, "steps": [{**STEP, "undo": [[0, 1]]}]},
]  # fmt: skip
A, B = "one\n", "one\ntwo\n"


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """Two steps from no file: A is written, then B."""
    made = Record(str(tmp_path), "/p/file")
    first, second = Text(""), Text(A)
    first.splice(0, 0, A)
    second.splice(4, 4, "two\n")
    made.add(None, first, True, ["/p"])
    made.add(A, second, True, [])
    return made


def again(record: Record) -> Record:
    return Record(str(Path(record.place).parent), record.path)


@pytest.mark.parametrize("content", [A, B])  # A: killed before the second step was done
def test_what_it_left_is_known_and_taken_back(record: Record, content: str) -> None:
    found = again(record)
    assert found.known(content) and found.take_back(Text(content)) is None
    assert found.folders == ["/p"]


def test_what_others_wrote_is_not_known(record: Record) -> None:
    assert not again(record).known("other") and not again(record).known(None)


def test_a_step_after_others_wrote_begins_anew(record: Record) -> None:
    found, text = again(record), Text("other")
    text.splice(0, 5, "ours")
    found.add("other", text, False, [])
    assert again(record).known("ours") and not again(record).known(B) and not again(record).clean
    assert again(record).folders == ["/p"]


@pytest.mark.parametrize("damaged", [*map(json.dumps, DAMAGED), "", "{", '{"steps":' + "[" * 90000])
def test_a_damaged_record_is_none(record: Record, damaged: str) -> None:
    Path(record.place).write_text(damaged)
    found = again(record)
    assert (found.steps, found.folders, found.known(B)) == ([], [], False)


def test_it_holds_nothing_of_the_file_but_what_was_replaced(record: Record) -> None:
    assert "one" not in Path(record.place).read_text()
