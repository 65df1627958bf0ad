"""amy, bob and carl at work: over what a test names, or over both in turn."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from .desk import KINDS, Desk


@pytest.fixture(params=KINDS)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    with closing(Desk(request.param, tmp_path)) as made:
        yield made


@pytest.fixture
def mail(tmp_path: Path) -> Iterator[Desk]:
    with closing(Desk("mail", tmp_path)) as made:
        yield made


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[Desk]:
    with closing(Desk("channel", tmp_path)) as made:
        yield made
