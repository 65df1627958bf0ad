"""Messages put into bob's mailbox by hand, and what is unread there."""

import os
import time
from pathlib import Path

from swarm.mailbox import inbox
from swarm.mailbox.layout import Root

PLAIN = b"To: bob\nFrom: alice\nSubject: s\nThread: t\n---\nbody\n"


def put(root: Root, name: str, data: bytes = PLAIN, folder: str = "inbox", age: float = 0) -> str:
    """Write a file in a folder of bob's; its path."""
    path = f"{root.box('bob')}/{folder}/{name}"
    Path(path).write_bytes(data)
    if age:
        os.utime(path, (time.time() - age,) * 2)
    return path


def unread(root: Root) -> list[str]:
    """The names of bob's unread messages, as listed."""
    return [item.file for item in inbox.unread(root, "bob")[0]]


def files(root: Root) -> list[str]:
    """Every file of the tree, relative to the root."""
    return sorted(str(p.relative_to(root.path)) for p in Path(root.path).rglob("*") if p.is_file())
