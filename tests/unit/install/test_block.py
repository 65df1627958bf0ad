"""The lines between the marks go in once, are brought up to date, and come out alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.errors import Refused
from swarm.install.block import BEGIN, END, LINES, Block
from swarm.install.text import Text, taken_back


@given(st.text("a \n#\r<", max_size=12))
def test_what_others_wrote_stays(text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\r\n")
    doc = Text(text)
    Block().install(doc, ["swarm"])
    assert doc.content.startswith(text) and taken_back(doc.content, doc.undo) == text
    once = doc.content
    Block().install(doc, ["swarm"])
    assert doc.content == once
    Block().remove(doc)
    assert doc.content.rstrip("\r\n") == text.rstrip("\r\n")


def test_it_is_short_and_set_off_by_an_empty_line() -> None:
    assert len(LINES) <= 8 and max(map(len, LINES)) <= 100
    doc = Text("# A\n")
    Block().install(doc, ["swarm"])
    assert doc.content == "\n".join(["# A", "", *LINES, ""])


def test_older_lines_are_replaced_where_they_stand() -> None:
    doc = Text(f"a\n\n{BEGIN}\nold\n{END}\n\nb\n")
    assert Block().state(doc, []) == "older"
    Block().install(doc, [])
    assert doc.content == "\n".join(["a", "", *LINES, "", "b", ""])
    Block().remove(doc)
    assert doc.content == "a\n\nb\n"


def test_a_mark_without_its_end_is_refused() -> None:
    with pytest.raises(Refused):
        Block().install(Text(f"{BEGIN}\n"), [])
