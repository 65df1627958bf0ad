"""The hook knows every way to change the disk, or says that it missed one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .command import CLEAN, HOOK, Fault

# What goes past os.open and the like, because it was bound before or is written in C.
PAST = ["open('x', 'w')", "posix.mkdir('x')", "posix.rename('y', 'x')", "posix.utime('y')"]
SEEN = ["os.mkdir('x')", "os.makedirs('x/z')", "os.rename('y', 'x')", "os.utime('y')"]
SEEN += ["os.open('x', os.O_CREAT)", "os.link('y', 'x')", "os.write(1, b'x')"]
NO_STEP = ["os.open('y', os.O_RDONLY)", "os.listdir()", "open('/dev/null', 'w')", "os.stat('y')"]


def steps(place: Path, code: str, fault: Fault | None = None) -> list[str]:
    """The steps of a line of Python that is run in a folder with a file y."""
    place.mkdir()
    (place / "y").touch()
    env = CLEAN | (fault or Fault()).environment(place, "")
    hooked = f"import os, posix, runpy; runpy.run_path({str(HOOK)!r}); {code}"
    argv = [sys.executable, "-c", hooked]
    subprocess.run(argv, cwd=place, env=env, stdout=subprocess.DEVNULL, check=not fault)
    log = Path(f"{place}.steps")
    return log.read_text().splitlines() if log.exists() else []


@pytest.mark.parametrize("code", PAST)
def test_a_change_that_is_no_step_is_told(tmp_path: Path, code: str) -> None:
    assert "missed" in steps(tmp_path / "tree", code)[0]


@pytest.mark.parametrize("code", SEEN)
def test_a_change_is_a_step(tmp_path: Path, code: str) -> None:
    found = steps(tmp_path / "tree", code)
    assert found and not [step for step in found if "missed" in step]


@pytest.mark.parametrize("code", NO_STEP)
def test_what_changes_nothing_is_no_step(tmp_path: Path, code: str) -> None:
    assert steps(tmp_path / "tree", code) == []


@pytest.mark.parametrize(("kind", "left"), [("before", b""), ("within", b"a"), ("after", b"ab")])
def test_a_kill_is_before_within_or_after_the_call(tmp_path: Path, kind: str, left: bytes) -> None:
    code = "os.write(os.open('y', os.O_CREAT | os.O_WRONLY), b'ab'); os.mkdir('x')"
    assert steps(tmp_path / "tree", code, Fault(2, kind)) == ["open", "write"]
    assert (tmp_path / "tree/y").read_bytes() == left
    assert os.listdir(tmp_path / "tree") == ["y"]
