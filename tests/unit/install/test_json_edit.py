"""Members go in and come out in the style of the text, and nothing else changes."""

import pytest

from swarm.errors import Refused
from swarm.install.json_edit import drop, find, put, root
from swarm.install.text import Text


def added(text: str, path: tuple[str, ...] = ("b",), value: object = 1) -> str:
    doc = Text(text)
    put(doc, path, value)
    return doc.content


def dropped(text: str, *path: str) -> str:
    doc = Text(text)
    holder = find(doc, path[:-1])
    part = holder.child(path[-1]) if holder else None
    assert holder and part
    drop(doc, holder, part)
    return doc.content


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "b": 1\n}\n'),
        ("{}", '{\n  "b": 1\n}'),
        ("{}\n", '{\n  "b": 1\n}\n'),
        ('{"a":2}', '{"a":2,"b":1}'),
        ('{"a": 2}\n', '{"a": 2, "b": 1}\n'),
        ('{"a": 2,}', '{"a": 2, "b": 1,}'),
        ('{\n\t"a": 2\n}', '{\n\t"a": 2,\n\t"b": 1\n}'),
        ('{\r\n    "a": 2\r\n}', '{\r\n    "a": 2,\r\n    "b": 1\r\n}'),
        ('{\n "a": 2, // two\n}', '{\n "a": 2, // two\n "b": 1,\n}'),
        ('{\n "a": 2 // two\n}', '{\n "a": 2, // two\n "b": 1\n}'),
        ('{\n  // none yet\n}', '{\n  // none yet\n  "b": 1\n}'),
        ('{\n "a": 2 }', '{\n "a": 2,\n "b": 1\n}'),
        ('\ufeff{"a":{"b":9}}', '\ufeff{"a":{"b":9},"b":1}'),
    ],
)  # fmt: skip
def test_a_member_is_put_in_as_its_neighbours_are_written(before: str, after: str) -> None:
    assert added(before) == after


def test_what_leads_to_a_member_is_made() -> None:
    assert added("{}", ("mcp", "x"), {}) == '{\n  "mcp": {\n    "x": {}\n  }\n}'
    assert added('{\n  "mcp": {}\n}', ("mcp", "x")) == '{\n  "mcp": {\n    "x": 1\n  }\n}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1, "b": 2, "c": 3}', '{"a": 1, "c": 3}'),
        ('{"b": 2, "c": 3}', '{"c": 3}'),
        ('{"a": 1, "b": 2}', '{"a": 1}'),
        ('{"b": 2}', "{}"),
        ('{\n  "a": 1,\n  "b": 2\n}', '{\n  "a": 1\n}'),
        ('{\r\n  "b": 2,\r\n  "c": 3\r\n}', '{\r\n  "c": 3\r\n}'),
        ('{ // c\n  "b": 2, "c": 3\n}', '{ // c\n  "c": 3\n}'),
        ('{\n  "a": 1, // one\n  "b": 2, // two\n}', '{\n  "a": 1, // one // two\n}'),
        ('{"a": 1, // one\n "b": 2}', '{"a": 1 // one\n }'),
        ('{\n  "b": 2 /* mine */ , "c": 3\n}', '{\n  /* mine */  "c": 3\n}'),
    ],
)
def test_a_member_is_taken_out_with_its_comma_and_no_comment_of_others(
    before: str, after: str
) -> None:
    assert dropped(before, "b") == after


def test_what_stands_in_the_way_is_refused() -> None:
    for text in ("[]", "1", '{"mcp": 1}', '{"mcp": null}'):
        with pytest.raises(Refused):
            find(Text(text), ("mcp", "x"))
    with pytest.raises(Refused, match="no JSON object"):
        root(Text("[]"))
