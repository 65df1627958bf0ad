"""Accounts for the demo's tasks by the mail files alone, or by the channel's database.

Each task must have gone as one of the stories below, every message once; the lines counted must
be right; and `swarm task list` must say the same.

    accounts.py MAIL-OR-DATABASE LIST.json...
"""

import json
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

STORIES = Counter(
    {
        ("counter", "done", "req ack update done"): 2,  # asked for, and sent again
        ("counter", "rejected", "req reject"): 1,
        ("searcher", "cancelled", "req ack clarify clarify_res update cancel cancel_ack"): 1,
        ("frail", "failed", "req ack update cancel fail"): 1,  # given up by hasty's guardian
    }
)
ENDS = {"done": "done", "reject": "rejected", "cancel_ack": "cancelled", "fail": "failed"}
Said = tuple[str, str, str, str, str]  # task, event, to, content, text


@dataclass
class Task:
    """What the messages of one task tell, oldest first."""

    worker: str = ""
    asked: str = ""
    result: str = ""
    events: list[str] = field(default_factory=list)

    def story(self) -> tuple[str, str, str]:
        """As in STORIES."""
        return self.worker, ENDS.get(self.events[-1], "open"), " ".join(self.events)


def by_mail(root: Path) -> tuple[list[Said], list[str]]:
    """The task messages by their dates, and what is wrong with the tree."""
    found: list[tuple[str, str, Said]] = []
    wrong = []
    inboxes, copies = [*root.glob("*/inbox/*.txt")], [*root.glob("*/sent/*.txt")]
    if len(inboxes) != len(copies):
        wrong.append(f"{len(copies)} messages sent, {len(inboxes)} received")
    for path in inboxes:
        head, _, text = path.read_text(encoding="utf-8").partition("---\n")
        header = dict(line.split(": ", 1) for line in head.splitlines())
        copy = root / header["From"] / "sent" / path.name
        if not copy.is_file() or copy.read_bytes() != path.read_bytes():
            wrong.append(f"its sender has no copy of {path.relative_to(root)}")
        if header["Event"] not in ("ping", "pong"):
            said = header["Thread"], header["Event"], header["To"], header["Subject"], text
            found.append((header["Date"], path.name, said))
    return [said for _, _, said in sorted(found)], wrong


def by_channel(path: Path) -> tuple[list[Said], list[str]]:
    """The task messages in their order, and whether the killed agent was not found inactive."""
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(
            "SELECT task_id, to_agent, payload FROM messages"
            " WHERE task_id IS NOT NULL ORDER BY message_id"
        ).fetchall()
        status = db.execute("SELECT status FROM agents WHERE session_id = 'frail'").fetchone()
    found = []
    for task, to, payload in rows:
        p = json.loads(payload)
        text = Path(p["detail"]).read_text(encoding="utf-8") if p["detail"] else ""
        found.append((str(task), p["event"], to, p["content"], text))
    return found, [] if status == ("inactive",) else [f"frail is {status}, not inactive"]


def tasks_of(messages: list[Said]) -> dict[str, Task]:
    """The tasks by key."""
    tasks: dict[str, Task] = {}
    for key, event, to, content, text in messages:
        task = tasks.setdefault(key, Task())
        task.events.append(event.removeprefix("task_"))
        if event == "task_req":
            task.worker, task.asked = to, text.strip()
        elif event == "task_done":
            task.result = content
    return tasks


def problems(tasks: dict[str, Task], listed: list[dict[str, str]]) -> list[str]:
    """What is wrong with the tasks themselves."""
    stories = Counter(task.story() for task in tasks.values())
    wrong = [f"{n} times, not told: {' '.join(s)}" for s, n in (STORIES - stories).items()]
    wrong += [f"{n} times too often: {' '.join(s)}" for s, n in (stories - STORIES).items()]
    for key, task in tasks.items():
        if task.story()[1] == "done":
            lines = Path(task.asked).read_bytes().count(b"\n")
            if task.result.split() != f"{lines} lines in {task.asked}".split():
                wrong.append(f"{key} has a wrong result: {task.result}")
    told = {task["task"]: (task["worker"], task["state"]) for task in listed}
    if told != {key: task.story()[:2] for key, task in tasks.items()}:
        wrong.append(f"the list of tasks says otherwise: {told}")
    return wrong


def main() -> None:
    """Say what is wrong and exit 1, or say that all is well."""
    place, *lists = map(Path, sys.argv[1:])
    listed = [task for path in lists for task in json.loads(path.read_text())["tasks"]]
    messages, wrong = by_mail(place) if place.is_dir() else by_channel(place)
    tasks = tasks_of(messages)
    wrong += problems(tasks, listed)
    if wrong:
        sys.exit("\n".join("no: " + line for line in wrong))
    ends = Counter(task.story()[1] for task in tasks.values())
    how = ", ".join(f"{ends[end]} {end}" for end in ENDS.values())
    print(f"yes: {len(tasks)} tasks of {len(messages)} messages: {how}")


main()
