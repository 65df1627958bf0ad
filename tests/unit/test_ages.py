"""Ages as people write them, and as they are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.ages import age, parse_age
from swarm.errors import UsageError


@pytest.mark.parametrize(
    ("text", "seconds"), [("90m", 5400), ("1h", 3600), ("0s", 0), ("2d", 172800)]
)
def test_an_age_is_a_number_and_a_unit(text: str, seconds: int) -> None:
    assert parse_age(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "soon", "m", "-1h", "1.5h", "90", "²m", "1h ", "9" * 10 + "s"]
)
def test_anything_else_is_no_age(text: str) -> None:
    with pytest.raises(UsageError):
        parse_age(text)


@given(st.floats(-1e6, 1e9))
def test_an_age_is_shown_in_whole_units_never_negative_and_read_back(seconds: float) -> None:
    read = parse_age(age(seconds))
    assert 0 <= read <= max(seconds, 0) < 2 * max(read, 1)
