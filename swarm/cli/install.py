"""The signature of ``swarm install``."""

from typing import Annotated

import typer
from typer import Argument, Option

from swarm.cli import install_commands
from swarm.cli.app import app, go
from swarm.cli.options import As, Json, Root


@app.command()
def install(
    ctx: typer.Context,
    harness: Annotated[
        list[str] | None,
        Argument(metavar="HARNESS", help="claude, codex, gemini, cursor, opencode, pi."),
    ] = None,
    project: Annotated[
        bool, Option("--project", help="In this project's files; so without either.")
    ] = False,
    user: Annotated[bool, Option("--user", help="In your own files, for every project.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would change.")] = False,
    uninstall: Annotated[bool, Option("--uninstall", help="Take it out again.")] = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Set up agents' programs, so that mail reaches them.

    Hooks, an MCP entry, the skill, and lines of instruction.
    Without a harness: what is found here, and what is set up.  What others wrote is kept.
    """
    go(ctx, locals(), install_commands.install)
