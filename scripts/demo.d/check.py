"""Counts the demo's mail by its files alone, without swarm.

Each message that an agent sent must lie once in its recipient's mailbox, byte for byte, have
a receipt, and be named once in the recipient's own log; and there must be nothing else.

    check.py MAIL LOGS
"""

import sys
from pathlib import Path

Box = tuple[str, str]  # an agent and the name of a message it received


def header(path: Path, name: str) -> str:
    """The value of a header, or ''."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line == "---":
            break
        if line.startswith(name + ": "):
            return line.partition(": ")[2]
    return ""


def problems(mail: Path, logs: Path) -> tuple[int, list[str]]:
    """How many messages were sent, and what is wrong."""
    agents = [box.name for box in mail.iterdir() if (box / "inbox").is_dir()]
    sent: dict[Box, bytes] = {}
    got: dict[Box, list[bytes]] = {}
    receipts: list[Box] = []
    read: list[Box] = []
    for agent in agents:
        box = mail / agent
        for path in [*box.glob("inbox/*.txt"), *box.glob("sent/*.txt")]:
            if path.parent.name == "sent" and header(path, "From") == agent:
                sent[header(path, "To"), path.name] = path.read_bytes()
            else:
                got.setdefault((agent, path.name), []).append(path.read_bytes())
        receipts += [(agent, path.name) for path in box.glob("inbox/.read/*")]
        if (logs / agent).is_file():
            read += [(agent, line) for line in (logs / agent).read_text().splitlines()]
    wrong = [f"left in drafts: {path}" for path in mail.glob("*/drafts/*")]
    wrong += [f"left half-written: {path}" for path in mail.glob("*/inbox/.*") if path.is_file()]
    for key in sorted({*sent, *got, *receipts, *read}):
        name = "/".join(key)
        if got.get(key) != [sent.get(key)]:
            wrong.append(f"sent {key in sent}, received {len(got.get(key, []))} times: {name}")
        if (receipts.count(key), read.count(key)) != (1, 1):
            wrong.append(f"{receipts.count(key)} receipts, {read.count(key)} times read: {name}")
    return len(sent), wrong


def main() -> None:
    """Say what is wrong and exit 1, or say that all is well."""
    count, wrong = problems(Path(sys.argv[1]), Path(sys.argv[2]))
    if wrong or not count:
        sys.exit("\n".join(["no: " + line for line in wrong] or ["no: nothing was sent"]))
    print(f"yes: {count} messages sent, each received whole, read once and receipted")


main()
