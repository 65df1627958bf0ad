"""All readers of one tree: the same bytes lie there as a file, and each must tell the same.

The command, the library, the tools of MCP, the guardian, the bridge and the doctor read it, as
they do when they are called by somebody.
"""

import os
from typing import Any

from place import ME, Tree, tree

from swarm import doctor, events, names
from swarm.bridge import crossing, plan
from swarm.bridge.census import Census
from swarm.bridge.mail_side import MailSide
from swarm.cli import render
from swarm.doctor.finding import Finding
from swarm.harness.notice import short_id
from swarm.mailbox import inbox, registry
from swarm.mailbox.find import find
from swarm.mcp.answers import HEADERS_MOST, brief
from swarm.mcp.mail_desk import BODY_SHOWN
from swarm.mcp.tools import ROSTER_MOST, roster_text
from swarm.status import overview
from swarm.transport.mail_files import Letters
from swarm.transport.mail_roster import Registry, from_mail

FILE, AGENT, TOKEN = "01_a-subject_aaaa.txt", "amy", "0123abcd"
PLAIN = b"To: bob\nFrom: alice\nSubject: s\n---\n"
KEYS = ("file", "from", "subject", "to", "thread", "status", "path", "flags")


def message(data: bytes) -> None:
    """Listing, reading, conversations, tools and the row of the bridge tell one thing."""
    here = tree()
    path = f"{here.root.inbox(ME)}/{FILE}"
    with here.holding({path: data}):
        said, shown = _command(here, data)
        _conversation(here, said)
        _tools(here, said, shown)
        _row(here, said, path, data)
        folder = doctor.folders.look(here.root, f"{ME}/inbox")
        found = doctor.mail.examine(here.root, ME, folder, [FILE])
        assert _told(found, folder.inside(FILE)) == bool(said["flags"])


def _command(here: Tree, data: bytes) -> tuple[Any, Any]:
    """What the listing tells, and what is read."""
    (item,) = inbox.unread(here.root, ME)[0]
    said = item.record(here.root)
    (shown,) = here.told("read", FILE, "--peek")["messages"]
    assert here.told("unread")["messages"] == [said] == [{k: shown[k] for k in KEYS}]
    assert here.run("read", FILE, "--peek")[1] == data
    assert item.message and [list(h) for h in item.message.headers] == shown["headers"]
    row = [FILE, said["from"], said["subject"], *([",".join(item.flags)] if item.flags else [])]
    assert here.run("unread")[1] == render.encode(
        "\t".join(render.shown(str(cell)) for cell in row) + "\n"
    )
    return said, shown


def _conversation(here: Tree, said: Any) -> None:
    key = said["thread"]
    counted = [{"thread": key, "count": 1, "last_subject": said["subject"]}] if key else []
    assert here.told("threads")["threads"] == counted
    assert here.tool("thread")["threads"] == [
        {**one, "thread": brief(key), "last_subject": brief(said["subject"])} for one in counted
    ]
    if key:
        assert here.told("thread", "--", key)["messages"] == [said]
        assert here.told("unread", f"--thread={key}")["messages"] == [said]
        assert len(here.tool("thread", thread=key)["messages"]) == 1
    if said["subject"]:
        assert here.told("search", "--", said["subject"])["messages"] == [said]
    if said["from"]:
        assert here.told("unread", f"--from={said['from']}")["messages"] == [said]


def _tools(here: Tree, said: Any, shown: Any) -> None:
    short = {k: brief(v) if k in ("from", "subject", "to", "thread", "status") else v
             for k, v in said.items()}  # fmt: skip
    assert here.tool("check_inbox")["messages"] == [short]
    (read,) = here.tool("read_message", peek=True)["messages"]
    assert {key: read[key] for key in KEYS} == short
    headers = [[brief(name), brief(value)] for name, value in shown["headers"]]
    assert read["headers"] == headers[:HEADERS_MOST]
    if len(shown["body"].encode()) < BODY_SHOWN:
        assert read["body"] == shown["body"]
    assert here.resource("swarm://inbox")["messages"] == [short]


def _row(here: Tree, said: Any, path: str, data: bytes) -> None:
    """The guardian's event, the bridge's, and the row that comes of it."""
    letters = Letters(here.root, ME)
    letter = letters.read(path)
    assert letter
    event = letters.event(letter)
    assert bool(event.problem) == bool(said["flags"]), event.problem
    assert (event.sender, event.to) == (said["from"], said["to"])
    assert event.content == (said["subject"] or FILE)
    assert event.task == events.one_line(said["thread"]) and data.endswith(event.body)
    side = MailSide(here.root, TOKEN, [], {}, True)
    side.look(None)
    (found,) = side.fresh(10)
    (row,) = plan.files_to_rows([found], TOKEN, {}, {})
    assert (row.event.sender, row.event.to, row.event.thread) == (event.sender, ME, event.task) or (
        row.event.kind == "broadcast" and not row.event.to
    )
    assert row.event.content == events.shorten(event.content)[0]
    if not event.problem:
        most = crossing.LINE_MAX
        assert (row.event.kind, row.event.intent) == (event.kind[:most], event.intent[:most])
    stored = events.from_payload(events.payload(row.event), sender=row.event.sender)
    assert (stored.kind, stored.content, stored.thread) == (
        (row.event.kind, row.event.content, row.event.thread)
        if stored.kind else ("", stored.content, stored.thread)
    )  # fmt: skip


def _told(found: list[Finding], path: str) -> bool:
    """Whether the doctor finds something wrong there."""
    return any(one.path == path and one.level != "ok" for one in found)


# --- one entry ---------------------------------------------------------------------------------


def entry(data: bytes) -> None:
    """The command, the overview, the rosters of guardian, tools and bridge tell one thing."""
    here = tree()
    with here.holding({here.root.entry(AGENT): data}):
        one = registry.entry(here.root, AGENT)
        (said,) = [found for found in here.told("agents")["agents"] if found["id"] == AGENT]
        for key in ("status", "role", "task", "archetype", "via", "problems"):
            assert said[key] == getattr(one, key), key
        (state,) = [found for found in overview(here.root, 0.0)[0] if found.id == AGENT]
        assert (state.state, state.task, state.via) == (one.status or "?", one.task, one.via)
        assert ("damaged" in state.flags) == bool(one.problems)
        _rosters(here, one)
        leaving = {found["id"] for found in here.told("cleanup", "--dry-run")["removed"]}
        assert (AGENT in leaving) == (one.status in registry.FINISHED)
        found = doctor.entries.examine(here.root, False)
        assert _told(found, f"dir/{AGENT}.txt") == bool(one.problems)


def _rosters(here: Tree, one: registry.Entry) -> None:
    what = ": ".join(filter(None, (one.role, one.task)))
    mate = Registry(here.root).mates()[AGENT]
    assert (mate.status, mate.description) == (from_mail(one.status), what)
    resident = Census(here.root, {}).people("", {})[1][AGENT]
    assert (resident.status, resident.description) == (mate.status, what)
    there = [] if mate.status == "inactive" else [(AGENT, mate.status, what)]
    assert here.tools.desk.roster() == there
    listed = here.resource("swarm://roster")["agents"]
    assert [tuple(found.values()) for found in listed] == there
    assert here.tools.roster() == roster_text(there, ROSTER_MOST)


# --- many names --------------------------------------------------------------------------------


def listing(data: bytes) -> None:
    """Whatever lies in an inbox, all listings show the same of it, and each name is found."""
    here = tree()
    there = {os.fsdecode(part) for part in data.split(b"\0")[:8] if _can_be(part)}
    with here.holding({f"{here.root.inbox(ME)}/{name}": PLAIN for name in there}):
        found = [item.file for item in inbox.unread(here.root, ME)[0]]
        _listings(here, found)
        wired = [one["file"] for one in here.tool("check_inbox")["messages"]]
        every = here.tool("read_message", all=True, peek=True)["messages"]
        assert [one["file"] for one in every] == wired
        shown = [names.visible(name) for name in found]
        for name, tool in zip(found, wired, strict=True):
            if tool == name or (shown.count(tool) == 1 and tool not in found):
                _found(here, name, tool, found)


def _can_be(name: bytes) -> bool:
    return 0 < len(name) < 256 and b"/" not in name and name not in (b".", b"..", b".read")


def _listings(here: Tree, found: list[str]) -> None:
    assert [one["file"] for one in here.told("unread")["messages"]] == found
    lines = here.run("unread", "-0")[1].split(b"\0")[:-1]
    assert [os.fsdecode(line.rsplit(b"\t", 2)[0]) for line in lines] == found
    assert here.told("unread", "--count")["count"] == len(found)
    (state,) = [one for one in overview(here.root, 0.0)[0] if one.id == ME]
    assert state.unread == len(found)
    shown = here.told("read", "--all", "--peek")["messages"]
    assert [one["file"] for one in shown] == found
    side = MailSide(here.root, TOKEN, [], {}, True)
    side.look(None)
    assert sorted(letter.name for letter in side.fresh(100)) == sorted(found)
    doctor.boxes.examine(here.root, ME, False)


def _found(here: Tree, name: str, tool: str, all_of_them: list[str]) -> None:
    """By each name that somebody is shown."""
    path = f"{here.root.inbox(ME)}/{name}"
    for said in (name, tool, path, f"{ME}/inbox/{name}", short_id(name, all_of_them)):
        assert not said or find(here.root, ME, said) == path, (said, name)
    (one,) = here.tool("read_message", message=tool, peek=True)["messages"]
    assert one["file"] == tool
