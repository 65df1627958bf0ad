"""mail.example is a sound mail tree and tells the story that it should; templates/ parse."""

import json
import os
import re
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from .. import forks

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "mail.example"
TEMPLATES = ROOT / "templates"
AGENTS = ["heron-51bc", "monkey-a3f7", "orchestrator", "otter-0d92"]
HEADERS = ["To", "From", "Subject", "Thread", "Status", "Ref", "Detail", "Date"]


def headers(path: Path) -> dict[str, str]:
    """The headers of a message written by the rules."""
    head, separator, _ = path.read_text().partition("\n---\n")
    assert separator
    return dict(line.split(": ", 1) for line in head.split("\n"))


def sent() -> dict[str, Path]:
    """What the agents sent: their own copies, by file name."""
    found = {}
    for path in EXAMPLE.glob("*/sent/*.txt"):
        if headers(path)["From"] == path.parts[-3]:
            assert path.name not in found
            found[path.name] = path
    return found


def received(copy: Path) -> Path:
    """The recipient's file of a sent copy, in the inbox or archived."""
    box = EXAMPLE / headers(copy)["To"]
    places = [box / "inbox" / copy.name, box / "sent" / copy.name]
    (place,) = [path for path in places if path.exists()]
    return place


def receipt(path: Path) -> Path:
    return path.parents[1] / "inbox" / ".read" / path.name


def swarm(root: Path, *args: str, agent: str = "orchestrator") -> str:
    env = {**os.environ, "SWARM_TEAM_HOME": "/no/channels"}
    done = forks.run(("--root", str(root), "--as", agent, *args), ".", env)
    assert done.returncode == 0, (args, done)
    return done.stdout.decode()


def test_four_agents_have_an_entry_and_a_whole_mailbox() -> None:
    assert sorted(path.stem for path in (EXAMPLE / "dir").iterdir()) == AGENTS
    assert sorted(path.name for path in EXAMPLE.iterdir()) == sorted(["dir", *AGENTS])
    states = {}
    for agent in AGENTS:
        lines = (EXAMPLE / "dir" / f"{agent}.txt").read_text().splitlines()
        entry = dict(line.split(": ", 1) for line in lines)
        assert list(entry) == ["id", "role", "archetype", "task", "status"]
        assert entry["id"] == agent
        states[agent] = entry["status"]
        for folder in ("inbox/.read", "drafts", "sent"):
            assert list((EXAMPLE / agent / folder).iterdir())  # or git would drop it
    assert states["otter-0d92"] == "paused"
    assert states["monkey-a3f7"] == "done"


def test_every_message_has_its_sent_copy_byte_for_byte() -> None:
    copies = sent()
    files = [path for path in EXAMPLE.glob("*/*/*.txt") if path.parts[-2] in ("inbox", "sent")]
    assert len(copies) == 12
    assert len(files) == 2 * len(copies)
    for copy in copies.values():
        assert received(copy).read_bytes() == copy.read_bytes()
        assert re.fullmatch(r"[0-9]{2}_[a-z0-9-]{1,40}_[0-9a-f]{4}\.txt", copy.name)
        assert [name for name in HEADERS if name in headers(copy)] == list(headers(copy))


def test_all_but_one_message_is_read_and_one_is_archived() -> None:
    places = [received(copy) for copy in sent().values()]
    (unread,) = [path for path in places if not receipt(path).exists()]
    assert headers(unread)["From"] == "otter-0d92"
    (archived,) = [path for path in places if path.parent.name == "sent"]
    assert archived.parts[-3] == "monkey-a3f7"
    receipts = list(EXAMPLE.glob("*/inbox/.read/*"))
    assert len(receipts) == len(places) - 1
    assert all(path.stat().st_size == 0 for path in receipts)


def test_the_conversation_runs_from_request_to_result() -> None:
    def when(path: Path) -> datetime:
        return datetime.fromisoformat(headers(path)["Date"])

    course = sorted(sent().values(), key=when)
    assert len({when(path) for path in course}) == len(course)
    talk = [headers(path) for path in course if headers(path).get("Thread") == "export-7c1d"]
    assert [(m["From"].split("-")[0], m.get("Status", "")) for m in talk] == [
        ("orchestrator", ""),
        ("monkey", "ack"),
        ("monkey", ""),
        ("orchestrator", ""),
        ("monkey", "done"),
    ]
    for path in course:
        if "Ref" in headers(path):
            answered = sent()[headers(path)["Ref"]]
            assert when(answered) < when(path)
            assert headers(answered)["From"] == headers(path)["To"]
            assert headers(answered)["Thread"] == headers(path)["Thread"]
    (aside,) = [headers(path) for path in course if "Thread" not in headers(path)]
    assert (aside["From"], aside["To"]) == ("heron-51bc", "monkey-a3f7")


def test_the_doctor_has_nothing_to_say() -> None:
    said = swarm(EXAMPLE, "doctor")
    assert not re.search(r"(?m)^(warn|fail)", said), said


def test_a_fresh_clone_is_as_sound(tmp_path: Path) -> None:
    """git writes files in the order of their names, receipts just before their messages."""
    for path in sorted(EXAMPLE.rglob("*")):
        copy = tmp_path / "mail" / path.relative_to(EXAMPLE)
        if path.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    said = swarm(tmp_path / "mail", "doctor")
    assert not re.search(r"(?m)^(warn|fail)", said), said
    assert sorted(p.relative_to(tmp_path / "mail") for p in (tmp_path / "mail").rglob("*")) == [
        path.relative_to(EXAMPLE) for path in sorted(EXAMPLE.rglob("*"))
    ]


def test_the_commands_tell_the_same_story() -> None:
    for agent in AGENTS:
        want = ["orchestrator"] if agent == "orchestrator" else []
        unread = json.loads(swarm(EXAMPLE, "unread", "--json", agent=agent))["messages"]
        assert [message["to"] for message in unread] == want
    thread = json.loads(swarm(EXAMPLE, "thread", "export-7c1d", "--everywhere", "--json"))
    assert [m["status"] or "" for m in thread["messages"]] == ["", "ack", "", "", "done"]
    states = dict(line.split("\t")[:2] for line in swarm(EXAMPLE, "agents").splitlines())
    assert states["otter-0d92"] == "paused"


@pytest.mark.parametrize("name", ["message", "reply", "ack", "done", "error"])
def test_a_message_template_is_header_lines_and_a_body(name: str) -> None:
    lines = (TEMPLATES / f"{name}.txt").read_text().splitlines()
    assert lines[-2:] == ["---", "$body"]
    fields = [line.split(": ", 1) for line in lines[:-2]]
    names = [field for field, _ in fields]
    assert names == [field for field in HEADERS if field in names]
    assert names == [field for field in HEADERS if field != "Ref" or name != "message"]
    for field, value in fields:
        fixed = name in ("ack", "done", "error") and field == "Status"
        assert value == (name if fixed else f"${field.lower()}")


def test_the_entry_template_has_the_five_fields() -> None:
    lines = (TEMPLATES / "agent.txt").read_text().splitlines()
    fields = ["id", "role", "archetype", "task", "status"]
    assert lines == [f"{field}: ${field}" for field in fields]
