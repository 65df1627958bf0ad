"""Many guardians under a virtual clock: what must hold, holds, whatever goes wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

MAIN = Path(__file__).parents[2] / "scripts" / "simulate.d" / "simulate.py"
HISTORIES = int(os.environ.get("SWARM_HISTORIES", "3000"))
PARTS = 4


def play(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(MAIN), *arguments], capture_output=True, text=True, timeout=3600
    )


@pytest.mark.parametrize("part", range(PARTS))
def test_every_history_holds(part: int) -> None:
    count = max(1, HISTORIES // PARTS)
    run = play("--seed", str(part * count), "--histories", str(count))
    assert run.returncode == 0, run.stdout + run.stderr
