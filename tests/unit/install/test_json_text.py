"""A JSON text is read with its positions, and what is none is refused by line."""

import json

import pytest
from hypothesis import given, settings

from swarm.errors import Refused
from swarm.install.json_text import Node, parse

from .documents import VALUES, texts


def node(text: str) -> Node:
    found = parse(text)
    assert found is not None
    return found


@given(VALUES)
def test_a_strict_text_means_what_json_says(value: object) -> None:
    for indent in (None, 2):
        assert node(json.dumps({"hooks": value, "z": value}, indent=indent)).plain() == {
            "hooks": value,
            "z": value,
        }


@settings(max_examples=60)
@given(texts())
def test_every_part_stands_where_it_is_said_to(text: str) -> None:
    whole = node(text)
    for part in whole.parts:
        assert text[part.start :].startswith(('"', json.dumps(part.key)))
        assert text[part.comma : part.comma + 1] == ("," if part.comma >= 0 else "")
        assert node(text[part.node.start : part.node.end]).plain() == part.node.plain()


def test_comments_and_trailing_commas_are_read_over() -> None:
    text = '// a\n{"hooks": [1, /* "x": */ 2,], // b\n "z": {"//": "/*",},}\n// end'
    assert node(text).plain() == {"hooks": [1, 2], "z": {"//": "/*"}}


def test_of_a_repeated_name_the_last_counts() -> None:
    part = node('{"hooks": 1, "hooks": 2}').child("hooks")
    assert part and part.node.value == 2


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "// only a comment\n"])
def test_a_blank_text_is_nothing(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1\n"b": 2}', 2),
        ("{,}", 1),
        ('{"a"\n}', 2),
        ('{"hooks": [1 2]}', 1),
        ("{'a': 1}", 1),
        ('{"a": 1}\n\n}', 3),
        ('{"a": "\\q"}', 1),
        ('{"a": 01}', 1),
        ("[", 1),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(Refused, match=f"is not JSON: line {line} cannot be read"):
        parse(text)


def test_what_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(Refused, match="nested too deeply"):
        parse('{"hooks": ' + "[" * 100_000)
