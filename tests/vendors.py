"""The types that vendors publish, and the compiler that says what does not fit them.

``scripts/vendor-types`` fetches both into .venv/npm; without npm or a registry tests skip.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NPM = Path(sys.prefix) / "npm"
LIST = Path(__file__).with_name("vendors.txt")
HAVE = (NPM / "vendors.txt").is_file() and (NPM / "vendors.txt").read_text() == LIST.read_text()
needs_types = pytest.mark.skipif(
    not (HAVE and shutil.which("node")),
    reason="no vendors' types in .venv/npm: scripts/vendor-types needs npm and its registry",
)
OPTIONS = [
    "--noEmit", "--strict", "--skipLibCheck", "--pretty", "false", "--target", "es2022",
    "--module", "nodenext", "--moduleResolution", "nodenext",
]  # fmt: skip
COMPLAINT = re.compile(r"^(\S+?)\((\d+),\d+\): error (TS\d+: .*)$")


def complaints(folder: Path, *files: str) -> list[tuple[str, int, str]]:
    """(file, line, what is wrong) of these TypeScript files in a folder of the test's own."""
    link = folder / "node_modules"
    if not link.exists():
        link.symlink_to(NPM / "node_modules")
    compiler = NPM / "node_modules/typescript/lib/tsc.js"
    done = subprocess.run(
        ["node", str(compiler), *OPTIONS, *files], cwd=folder, capture_output=True, text=True
    )
    lines = [line for line in done.stdout.splitlines() if line[:1] != " "]  # the rest explains
    found = [COMPLAINT.match(line) for line in lines]
    assert all(found) and bool(found) == bool(done.returncode), done.stdout + done.stderr
    return [(one[1], int(one[2]), one[3]) for one in found if one]
