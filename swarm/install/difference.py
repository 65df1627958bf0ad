"""What a change does to a file, in lines."""

import difflib

from swarm.install.change import Change
from swarm.install.text import Text, taken_back

CONTEXT, LONGEST = 2, 500


def lines(change: Change, private: bool) -> list[str]:
    """A unified diff; of a private file, or one of very long lines, only what is put in or out."""
    before, after = change.before or "", change.after or ""
    if before == after:
        return []
    old, new = before.splitlines(), after.splitlines()
    head = [f"--- {change.path}", f"+++ {change.path}"]
    long = max(map(len, [*old, *new]), default=0) > LONGEST
    if not private and not long:
        found = difflib.unified_diff(old, new, change.path, change.path, n=CONTEXT, lineterm="")
        return list(found) or [*head, "\\ only the ends of lines differ"]
    return [*head, *_splices(change.text)]


def _splices(text: Text) -> list[str]:
    found: list[list[str]] = []
    content = text.content
    for start, length, old in reversed(text.undo):
        new = content[start : start + length]
        content = taken_back(content, [(start, length, old)])
        if old.strip(", \t\r\n") or new.strip(", \t\r\n"):
            at = content.count("\n", 0, start) + 1
            gone = [f"-{line}" for line in old.strip("\r\n").splitlines()]
            come = [f"+{line}" for line in new.strip("\r\n").splitlines()]
            found.insert(0, [f"@@ line {at} @@", *gone, *come])
    return [line for hunk in found for line in hunk]
