"""The scripts that measure, in their shortest form: they run, and tell what they are there to tell."""

import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


def run(*words: str) -> str:
    done = subprocess.run(
        [str(SCRIPTS / words[0]), *words[1:]], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_scale_tells_how_each_command_grows_and_draws_it(tmp_path: Path) -> None:
    out = run("scale", "--least", "--runs", "1", "--plots", str(tmp_path))
    rows = [line for line in out.splitlines() if line.startswith("| `swarm ")]
    plots = [ElementTree.parse(path).getroot() for path in tmp_path.glob("*.svg")]
    lines = [one for plot in plots for one in plot.iter() if one.tag.endswith("polyline")]
    assert len(rows) == 18 and len(lines) == 2 * len(rows)
    assert all(row.count(" ms, ") == 3 for row in rows)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount an image")
def test_nothing_that_was_acknowledged_is_missing_after_a_cut_of_the_power() -> None:
    out = run("powercut", "--cuts", "1", "--seed", "3")
    assert out.splitlines()[-1].endswith("things acknowledged before the last: 0 lost or torn")


def test_bench_tells_its_parts_to_who_asks() -> None:
    assert "mail|team|guardian" in run("bench", "--help")
