"""Detail files of the channel as bodies of mail.

Only what lies in the channel's own folder is copied: a row may name any file of this machine,
and whoever runs the bridge can read more than who gets the mail.
"""

import os

from swarm.bridge.crossing import File
from swarm.message import BODY_MAX
from swarm.team.details import read, within


def with_text(file: File, folder: str) -> tuple[list[tuple[str, str]], bytes, str]:
    """Headers and body of a file, with the text of its detail; and what is wrong with that."""
    path = dict(file.lines).get("Detail", "")
    if not path or file.body:
        return file.lines, file.body, ""
    inner = within(path, folder)
    if not inner:
        return file.lines, file.body, _outside(path)
    try:
        text = read(folder, inner, BODY_MAX + 1)
    except OSError as error:
        return file.lines, file.body, f"its detail {path} cannot be read: {error.strerror}"
    if len(text) > BODY_MAX:
        return file.lines, file.body, f"its detail {path} is over 1 MiB: only its path is passed on"
    return file.lines, text, ""


def _outside(path: str) -> str:
    """Only a path that leads nowhere is worth a word."""
    if not os.path.isabs(path):
        return f"its detail {path!a} is no absolute path"
    return "" if os.path.isfile(path) else f"its detail {path} is no file here"
