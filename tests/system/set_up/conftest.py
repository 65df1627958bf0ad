from pathlib import Path

import pytest

from .site import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)
