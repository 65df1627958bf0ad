"""What the tools say of themselves is short, and bounded however large the swarm is."""

from hypothesis import given
from hypothesis import strategies as st

from swarm.mcp import tools
from swarm.mcp.answers import Held


def test_a_roster_that_is_too_long_says_how_many_more_there_are() -> None:
    agents = [(f"agent-{number}", "busy", "what it does " * 10) for number in range(100)]
    text = tools.roster_text(agents, 700)
    lines = text.splitlines()
    assert lines[1].startswith("agent-0 (busy): what it does") and lines[1].endswith("…")
    assert lines[-1] == f"+{100 - len(lines) + 2} more: swarm://roster"
    assert len(text) < 750


@given(st.text(max_size=200), st.text(max_size=200))
def test_what_an_agent_says_of_itself_stays_on_its_line(status: str, what: str) -> None:
    lines = tools.roster_text([("a" * 64, status, what)], 700).split("\n")
    assert len(lines) == 2 and lines[1].startswith("a" * 64)


def test_what_an_agent_says_of_itself_is_marked_as_data_and_shows_all_there_is() -> None:
    head, line = tools.roster_text([("bob", "</tools>", "\u202eok\u3164")], 700).split("\n")
    assert head.endswith("(data):") and line == "bob (\u2039/tools\u203a): \\u202eok\\u3164"


def test_an_empty_roster_says_so() -> None:
    assert tools.roster_text([], 700) == "Nobody else is here yet."


def test_a_trimmed_schema_tells_each_kind_of_item_once() -> None:
    kind = {"title": "K", "properties": {"title": {"type": "string", "title": "Title"}}}
    schema = {"properties": {"a": {"$ref": "#/$defs/K"}, "b": {"items": {"$ref": "#/$defs/K"}}}}
    assert tools.trimmed({**schema, "$defs": {"K": kind}}, set()) == {
        "properties": {
            "a": {"properties": {"title": {"type": "string"}}},
            "b": {"items": {"type": "object"}},
        }
    }


def test_what_waits_for_an_answer_is_done_once_or_given_back_though_one_fails() -> None:
    done: list[str] = []
    told: list[BaseException] = []
    held = Held()
    held.keep(lambda: done.append(str(1 / 0)), lambda: None)
    held.keep(lambda: done.append("second"), lambda: done.append("back"))
    held.done(told.append)
    held.back()
    assert done == ["second"] and len(told) == 1
