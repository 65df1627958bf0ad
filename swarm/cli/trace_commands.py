"""``swarm trace`` and ``swarm nudge``: what became of a message, and telling who has mail."""

import os
import time

from swarm.cli import stores
from swarm.cli.call import Call, show
from swarm.events import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
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

    with Mirror.open(home(os.environ), call["channel"], sync=stores.synced()) as channel:
        return find(channel, call["msg"], time.time())
