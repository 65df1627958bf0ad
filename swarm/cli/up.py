"""The signatures of ``swarm up`` and ``swarm down``."""

from typing import Annotated

import typer
from typer import Option

from swarm.cli import up_commands
from swarm.cli.app import app, go
from swarm.cli.options import As, Json, Root


@app.command()
def up(
    ctx: typer.Context,
    channels: Annotated[
        list[str] | None,
        Option("--channel", metavar="NAME", help="Bridge this channel; may be repeated."),
    ] = None,
    detach: Annotated[
        bool, Option("-d", "--detach", help="Run in the background; what it says goes to .up.log.")
    ] = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Guard everybody here and bridge channels, in one process.

    Runs until Ctrl-C, SIGTERM or swarm down.
    """
    go(ctx, locals(), up_commands.up)


@app.command()
def down(ctx: typer.Context, json: Json = False, root: Root = None, as_: As = None) -> None:
    """End the process that swarm up began here."""
    go(ctx, locals(), up_commands.down)
