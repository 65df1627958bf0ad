"""A record counts only if it is whole and of this version; else nothing is known of the file."""

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


def written(store: Path, text: str) -> Record:
    Path(Record(str(store), "/p").place).write_text(text)
    return Record(str(store), "/p")


def test_what_was_written_is_read(tmp_path: Path) -> None:
    doc = Text("a")
    doc.splice(1, 1, "b")
    Record(str(tmp_path), "/p").add("a", doc, True, ["/f"])
    found = Record(str(tmp_path), "/p")
    assert found.known("ab") and found.take_back(doc) == "a" and found.folders == ["/f"]


@pytest.mark.parametrize("damaged", [*map(json.dumps, DAMAGED), "", "{", '{"steps":' + "[" * 90000])
def test_one_that_is_damaged_says_nothing(tmp_path: Path, damaged: str) -> None:
    assert written(tmp_path, json.dumps(GOOD)).steps
    found = written(tmp_path, damaged)
    assert (found.steps, found.folders, found.known("b")) == ([], [], False)
