"""``swarm bridge``: a mail tree and a channel as one conversation."""

import os

from swarm.bridge import running as bridging
from swarm.bridge.telling import told
from swarm.cli import render, stores
from swarm.cli.call import Call, show
from swarm.mailbox.layout import synced
from swarm.stopping import stopping

COLUMNS = ["action", "about", "how"]


def bridge(call: Call) -> None:
    from swarm.team.mirror import Mirror
    from swarm.team.place import home

    stores.check_channels(call.root, [call["channel"]])
    with Mirror.open(home(os.environ), call["channel"], sync=synced(os.environ)) as mirror:
        if call["dry_run"]:
            found = bridging.dry_run(call.root, mirror, _tell, call["rebuild"])
            rows = [list(told(action)) for action in found]
            show(
                call,
                "missing",
                COLUMNS,
                rows,
                [dict(zip(COLUMNS, row, strict=True)) for row in rows],
            )
        elif call["once"]:
            bridging.once(call.root, mirror, _tell, call["rebuild"])
            show(call, "missing", COLUMNS, [], [])
        else:
            bridging.run(call.root, mirror, _tell, stopping(), call["rebuild"])


def _tell(about: str, text: str) -> None:
    render.remark(text)
