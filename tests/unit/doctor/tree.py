"""Putting things into a tree, and what the doctor says of it, also to one without root's rights."""

import json
import os
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from swarm.doctor import Finding, examine
from swarm.mailbox.layout import Root

PLAIN = "To: bob\nFrom: alice\nSubject: s\n---\nbody\n"
DROP = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
LOOK = """
import json, sys
from swarm.doctor import examine
from swarm.mailbox.layout import Root
found = examine(Root(sys.argv[1], sync=False), sys.argv[2] == "True")
print(json.dumps([(f.path, f.level, f.text, f.fix) for f in found]))
"""


def put(path: str, text: str = PLAIN, age: float = 0) -> str:
    Path(path).write_text(text)
    os.utime(path, (time.time() - age,) * 2)
    return path


def wrong(root: Root, fix: bool = False) -> dict[str, str]:
    """Level of all that is not ok, by path."""
    return {found.path: found.level for found in examine(root, fix) if found.level != "ok"}


def one(root: Root, path: str, fix: bool = False) -> Finding:
    """The only finding about a path."""
    (found,) = [found for found in examine(root, fix) if found.path == path]
    return found


@cache
def dropping() -> list[str] | None:
    """What to put before a command so that file modes bind it; None where that is impossible."""
    if os.geteuid():
        return []
    able = shutil.which("setpriv") and not subprocess.run([*DROP, "true"]).returncode
    return DROP if able else None


def bound(root: Root, fix: bool = False) -> dict[str, tuple[str, str, str]]:
    """Level, text and way out of all that is not ok, as seen by a process that modes bind."""
    drop = dropping()
    if drop is None:
        pytest.skip("root may do everything, and setpriv cannot take that away here")
    argv = [*drop, sys.executable, "-c", LOOK, root.path, str(fix)]
    done = subprocess.run(argv, capture_output=True, check=True, text=True)
    assert done.stderr == ""
    return {path: (*rest,) for path, *rest in json.loads(done.stdout) if rest[0] != "ok"}  # type: ignore[misc]


def shell(root: Root, command: str) -> None:
    """Do what a finding advises, in the root as its paths are relative to it."""
    subprocess.run(["sh", "-ec", command], cwd=root.path, check=True)
