"""The signatures of what an agent's own program calls, and of ``whoami``."""

from typing import Annotated

import typer
from typer import Argument, Option

from swarm.cli import hook_commands as run
from swarm.cli.app import app, go
from swarm.cli.options import As, Json, Root


@app.command()
def hook(
    ctx: typer.Context,
    harness: Annotated[
        str,
        Argument(metavar="HARNESS", help="claude, codex, gemini, cursor, opencode or pi."),
    ],
    event: Annotated[str, Argument(metavar="EVENT", help="The harness's name of the event.")],
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Tell an agent's program of new mail; it calls this itself.

    Silence, and exit 0, where nothing is new or anything is in the way.
    """
    go(ctx, locals(), run.hook)


@app.command()
def whoami(
    ctx: typer.Context,
    keep: Annotated[
        str | None,
        Option("--keep", metavar="ID", help="Be this agent in this session, or working tree."),
    ] = None,
    forget: Annotated[bool, Option("--forget", help="Keep no name here any more.")] = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Which agent you are here, and why."""
    go(ctx, locals(), run.whoami)
