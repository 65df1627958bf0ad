"""A Date is read as ISO 8601, in UTC where it says nothing else."""

import pytest

from swarm.dates import dated


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:01:00Z", 60.0),
        ("1970-01-01T00:01:00", 60.0),
        ("1970-01-01T02:01:00.5+02:00", 60.5),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_date_is_epoch_seconds_or_nothing(text: str, seconds: float | None) -> None:
    assert dated(text) == seconds
