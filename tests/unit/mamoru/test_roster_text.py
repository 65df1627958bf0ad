"""The live roster in words, as S shows it."""

from swarm.mamoru.roster_text import teammates
from swarm.mamoru.signals import Mate

NOBODY = "No teammates are available.\n"


def mate(status: str = "available", name: str = "", description: str = "") -> Mate:
    return Mate(status=status, name=name, description=description)


def test_a_line_for_each_that_is_not_inactive() -> None:
    mates = {
        "abc": mate("available", "Planner", "plans things"),
        "def": mate("busy", "Tester"),
        "ghi": mate("inactive", "Gone", "was here"),
    }
    assert teammates(mates) == (
        "Available teammates:\n"
        '  - "Planner" (session: abc) — available — plans things\n'
        '  - "Tester" (session: def) — busy\n'
    )


def test_nobody() -> None:
    assert teammates({}) == teammates({"a": mate("inactive")}) == NOBODY


def test_without_a_name_it_is_called_by_its_id() -> None:
    assert '"abc" (session: abc)' in teammates({"abc": mate()})


def test_no_name_makes_a_line_of_its_own() -> None:
    text = teammates({"a": mate(name='A\n  - "B"', description="x\r\ny\x1b[31m")})
    assert len(text.splitlines()) == 2 and "\x1b" not in text
