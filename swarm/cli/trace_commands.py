"""``swarm trace`` and ``swarm nudge``: what became of a message, and telling who has mail."""

import os
import time

from swarm import names
from swarm.cli import render
from swarm.cli.call import Call, show
from swarm.errors import UsageError
from swarm.events import moment
from swarm.mailbox import registry
from swarm.mailbox.layout import synced
from swarm.stopping import stopping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from swarm.harness.nudge import Nudge
    from swarm.trace.fact import Fact, Trace


def trace(call: Call) -> None:
    found = _row(call) if call["channel"] is not None else _message(call)

    def record(fact: "Fact") -> dict[str, object]:
        return {"at": moment(fact.at or 0) or None, "kind": fact.kind, "text": fact.text,
                "path": fact.path}  # fmt: skip

    rows = [[moment(f.at or 0) or "-", f.kind, f.text, f.path] for f in found.facts]
    more = {"file": found.name, "from": found.sender, "to": found.recipient, "seen": found.seen}
    items = [record(fact) for fact in found.facts]
    show(call, "trace", ["time", "what", "", "from"], rows, items, more)


def _message(call: Call) -> "Trace":
    from swarm.trace import trace as find

    return find(call.root, "" if call["everywhere"] else call.me, call["msg"], time.time())


def _row(call: Call) -> "Trace":
    from swarm.team.mirror import Mirror
    from swarm.team.place import home
    from swarm.trace.rows import trace as find

    with Mirror.open(home(os.environ), call["channel"], sync=synced(os.environ)) as channel:
        return find(channel, call["msg"], time.time())


LATER = 75  # as of what is temporary: try again


def nudge(call: Call) -> int:
    from swarm.harness import nudge as nudging

    ids = [names.check_id(agent) for agent in call["id"] or ()]
    if bool(ids) == call["all"]:
        raise UsageError("name agents, or say --all: one of them")
    for agent in ids:
        registry.entry(call.root, agent)  # Unknown where there is none
    programs = nudging.AGENTS | frozenset(call["program"] or ())
    if call["watch"]:
        from swarm.harness.nudging import follow

        for one in follow(call.root, ids, programs, call["dry_run"], stopping()):
            _nudged(call, [one])
        return 0
    agents = ids or nudging.with_target(call.root)
    if not agents:
        render.note("no entry names a pane: swarm update --tmux TARGET enters one's own")
    found = [nudging.nudge(call.root, agent, programs, call["dry_run"]) for agent in agents]
    _nudged(call, found)
    done = {one.done for one in found}
    return 1 if "no" in done else LATER if "later" in done else 0


def _nudged(call: Call, found: "list[Nudge]") -> None:
    rows = [[one.agent, one.done, str(one.unread), one.text] for one in found]
    head = ["agent", "done", "unread", "line, or why not"]
    show(call, "nudges", head, rows, [one._asdict() for one in found])
