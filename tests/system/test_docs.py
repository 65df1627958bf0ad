"""Every command shown in README and docs runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2]
PAGES = [HOME / "README.md", *sorted((HOME / "docs").glob("*.md"))]


def blocks(page: Path) -> str:
    parts = page.read_text().split("```sh\n")[1:]
    return "".join(part.split("```")[0] for part in parts)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: p.name)
def test_the_commands_of_a_page_run_top_to_bottom(page: Path, tmp_path: Path) -> None:
    env = {
        **os.environ,
        "PATH": f"{sys.prefix}/bin:{os.environ['PATH']}",
        "SWARM_HOME": str(HOME),
        "HOME": str(tmp_path),
    }
    script = f"set -eu\n{blocks(page)}"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, env=env, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_each_test_that_the_security_page_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (HOME / "docs/security.md").read_text())
    assert named
    for path, test in named:
        assert f"def {test}(" in (HOME / path).read_text(), path
