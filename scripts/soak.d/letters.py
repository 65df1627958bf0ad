"""Letters that show whether they are whole: the first line has name, length and checksum."""

import hashlib
import random
import re

MARK = re.compile(rb"^soak (\S+) (\d+) ([0-9a-f]{64})\n", re.MULTILINE)
LINES = (
    b"---\n",
    b"To: somebody\n",
    b"\n",
    b"==== 1: x ====\n",
    "日本語\n".encode(),
    b"\x00\xff\r\n",
)


def make(name: str, chance: random.Random) -> bytes:
    """A letter of that name: mostly short, now and then longer than a pipe holds."""
    most = 3000 if chance.randrange(20) else 150_000
    text = b"".join(chance.choices(LINES, k=chance.randrange(40))) + b"x" * chance.randrange(most)
    checksum = hashlib.sha256(text).hexdigest()
    return f"soak {name} {len(text)} {checksum}\n".encode() + text


def find(data: bytes) -> list[tuple[str, bool]]:
    """The names of the letters in some text, in order, and whether each is whole."""
    found = []
    for mark in MARK.finditer(data):
        text = data[mark.end() : mark.end() + int(mark[2])]
        whole = hashlib.sha256(text).hexdigest() == mark[3].decode()
        found.append((mark[1].decode(), whole))
    return found
