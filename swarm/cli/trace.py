"""The signatures of ``swarm trace`` and ``swarm nudge``."""

from typing import Annotated

import typer
from typer import Argument, Option

from swarm.cli import trace_commands as run
from swarm.cli.app import app, go
from swarm.cli.options import As, Channel, Json, Root, Zero


@app.command()
def trace(
    ctx: typer.Context,
    msg: Annotated[
        str, Argument(metavar="MSG", help="File name, stem, part or path; on a channel its number.")
    ],
    everywhere: Annotated[
        bool, Option("--everywhere", help="In all mailboxes, for the orchestrator.")
    ] = False,
    channel: Channel = None,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Where a message was and is, and why it has not been seen.

    Each line is a time, what it tells, and the file or row that this is read from.
    """
    go(ctx, locals(), run.trace)
