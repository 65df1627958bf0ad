"""The signature of ``swarm bridge``."""

from typing import Annotated

import typer
from typer import Option

from swarm.cli import bridge_commands
from swarm.cli.app import app, go
from swarm.cli.options import As, Json, Root


@app.command()
def bridge(
    ctx: typer.Context,
    channel: Annotated[
        str, Option("--channel", metavar="NAME", help="The channel of the team bus.")
    ],
    once: Annotated[bool, Option("--once", help="Carry over what is missing, and end.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only say what is missing.")] = False,
    rebuild: Annotated[
        bool, Option("--rebuild", help="Copy the conversation into a side that lost it.")
    ] = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Carry mail and a channel of the team bus as one conversation.

    Runs until Ctrl-C or SIGTERM; a second one for the same two stands by.
    """
    go(ctx, locals(), bridge_commands.bridge)
