"""The signature of ``swarm mcp``."""

from typing import Annotated

import typer
from typer import Option

from swarm.cli import serve_commands
from swarm.cli.app import app, go
from swarm.cli.options import As, Channel, Json, Root


@app.command()
def mcp(
    ctx: typer.Context,
    guard: Annotated[bool, Option("--guard", help="Guard the agent as long as it serves.")] = False,
    channel: Channel = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Serve an agent's mail to a client of MCP, on stdin and stdout.

    For a harness to start, not for a person.  Needs the extra mcp.
    """
    go(ctx, locals(), serve_commands.mcp)
