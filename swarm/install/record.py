"""What was done to a file, kept so that it can be taken back to the byte.

One record a file, in the user's state folder.  It holds no content of the file but the few
characters that were replaced, and the sums by which a text is known again.
"""

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from swarm import disk
from swarm.install.text import Text

ABSENT = "absent"
VERSION = 1


def folder(env: Mapping[str, str], home: str) -> str:
    """Where the records are: ``$XDG_STATE_HOME/swarm/install``."""
    named = env.get("XDG_STATE_HOME", "")
    state = named if os.path.isabs(named) else os.path.join(home, ".local", "state")
    return os.path.join(state, "swarm", "install")


def mark(content: str | None) -> str:
    """The sum by which a text is known again."""
    return ABSENT if content is None else sha256(content.encode()).hexdigest()


class Record:
    """Of one file: each step with its sums and splices, and the folders made for it.

    ``clean``: nothing of ours was in the file before the first step, so that taking the steps
    back leaves nothing of ours.
    """

    def __init__(self, store: str, path: str) -> None:
        self.path = path
        self.place = os.path.join(store, sha256(os.fsencode(path)).hexdigest()[:32] + ".json")
        self.steps: list[dict[str, Any]] = []
        self.folders: list[str] = []
        self.clean = True
        self._load()

    def _load(self) -> None:
        try:
            found = json.loads(disk.read(self.place))
        except (OSError, ValueError, RecursionError):
            return
        if _is_record(found):  # else it is undone by what is found in the file
            self.steps, self.folders, self.clean = found["steps"], found["folders"], found["clean"]

    def known(self, content: str | None) -> bool:
        """Whether the file is as we left it; what was recorded but not done is forgotten."""
        sum_ = mark(content)
        for at in range(len(self.steps), 0, -1):
            if self.steps[at - 1]["after"] == sum_:
                del self.steps[at:]
                return True
        if self.steps and self.steps[0]["before"] == sum_:
            self.steps = []
        return False

    def take_back(self, text: Text) -> str | None:
        """Undo every step in the text; what it is then, None where there was no file."""
        for step in reversed(self.steps):
            for start, length, old in reversed(step["undo"]):
                text.splice(start, start + length, old)
        return None if self.steps[0]["before"] == ABSENT else text.content

    def add(self, before: str | None, after: Text, clean: bool, folders: list[str]) -> None:
        """Note a step that is about to be made."""
        if not self.known(before):
            self.steps, self.clean = [], clean
        self.steps.append(
            {"before": mark(before), "after": mark(after.content), "undo": after.undo}
        )
        self.folders += [one for one in folders if one not in self.folders]
        self._save()

    def _save(self) -> None:
        text = {
            "v": VERSION,
            "path": self.path,
            "clean": self.clean,
            "folders": self.folders,
            "steps": self.steps,
        }
        disk.replace(self.place, json.dumps(text).encode(), sync=True)

    def forget(self) -> None:
        disk.remove(self.place)


def _is_record(found: Any) -> bool:
    """Whether it is all that a record of this version says: others write files, and disks fail."""
    return (
        isinstance(found, dict)
        and found.get("v") == VERSION
        and isinstance(found.get("clean"), bool)
        and isinstance(found.get("folders"), list)
        and all(isinstance(folder, str) for folder in found["folders"])
        and isinstance(found.get("steps"), list)
        and all(map(_is_step, found["steps"]))
    )


def _is_step(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and isinstance(found.get("before"), str)
        and isinstance(found.get("after"), str)
        and isinstance(found.get("undo"), list)
        and all(
            isinstance(one, list) and list(map(type, one)) == [int, int, str]
            for one in found["undo"]
        )
    )
