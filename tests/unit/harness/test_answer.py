"""A notice in each harness's format: one JSON object in one line, whatever it says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.harness import known
from swarm.harness.answer import answer, string

CALLS = [
    (harness, event, moment)
    for harness, events in known.EVENTS.items()
    for event, moment in events.items()
    if moment != known.END
]


@given(st.text())
def test_any_text_is_a_string(said: str) -> None:
    quoted = string(said)
    assert json.loads(quoted) == said
    assert quoted.encode() and "\n" not in quoted


@pytest.mark.parametrize(("harness", "event", "moment"), CALLS)
def test_every_moment_has_its_form(harness: str, event: str, moment: str) -> None:
    """That it is the vendor's is tests/system/harness."""
    line = answer(harness, event, moment, "a notice")
    said = json.loads(line)
    assert "a notice" in line and "\n" not in line
    if moment == known.IDLE:
        assert "hookSpecificOutput" not in said
    assert len(line) - len("a notice") <= 100
