"""The fast parser: takes what is plainly right, and leaves all else to the full one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.cli.parse import Grammar, parse

GRAMMAR: Grammar = {
    "list": (
        {"-n": ("n", "int"), "--wait": ("wait", "float"), "--long": ("long", "flag"),
         "-s": ("subject", "text"), "--subject": ("subject", "text"), "--also": ("also", "many"),
         "--as": ("as_", "text")},
        [], "", 0, {"root": None, "as_": None, "n": None, "long": False, "also": []},
    ),
    "copy": ({}, [("source", True), ("target", False)], "", 0, {"source": None, "target": None}),
    "send": ({}, [("first", True)], "rest", 2, {"first": None}),
}  # fmt: skip


def values(*argv: str) -> dict[str, object]:
    found = parse(list(argv), GRAMMAR)
    assert found is not None
    return found[1]


def test_a_command_gets_its_defaults_and_what_was_given() -> None:
    assert parse(["list"], GRAMMAR) == ("list", GRAMMAR["list"][4])
    given = values("--root", "mail", "list", "-n", "007", "--long", "--wait", "2", "-s", "--long")
    assert given == {
        "root": "mail", "as_": None, "n": 7, "long": True, "also": [], "wait": 2.0, "subject": "--long",
    }  # fmt: skip


def test_the_last_value_counts_and_those_of_a_list_are_all_kept() -> None:
    given = values("--as", "a", "list", "--as", "b", "-s", "x", "--subject", "y", "--also", "1", "--also", "2")  # fmt: skip
    assert (given["as_"], given["subject"], given["also"]) == ("b", "y", ["1", "2"])
    assert values("list")["also"] == []


def test_words_fill_the_arguments_in_order() -> None:
    assert values("copy", "a") == {"source": "a", "target": None}
    assert values("copy", "-", "b") == {"source": "-", "target": "b"}
    assert values("send", "a", "b", "--", "--long", "--") == {"first": "a", "rest": ["b", "--long", "--"]}  # fmt: skip


@pytest.mark.parametrize(
    "line",
    ["", "nosuch", "--help", "list --help", "list -h", "list --nosuch", "list -n", "list -n many",
     "list -n -1", "list -n 1.5", "list --wait 1e3", "list --wait inf", "list -n ²", "list -sx",
     "list -n=3", "list --subject=x", "list word", "copy", "copy a b c", "send a b", "--as list",
     "--as bob", "--json list", "list -n 9999999999", "lis"],
)  # fmt: skip
def test_anything_unusual_is_left_to_the_full_parser(line: str) -> None:
    assert parse(line.split(), GRAMMAR) is None


@given(st.lists(st.sampled_from(["list", "copy", "send", "a", "-n", "3", "--", "-", "--long"])))
def test_it_never_fails_and_keeps_no_state(argv: list[str]) -> None:
    before = list(argv)
    assert parse(argv, GRAMMAR) == parse(argv, GRAMMAR)
    assert argv == before and GRAMMAR["list"][4]["also"] == []
