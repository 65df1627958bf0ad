"""The signatures of ``swarm mamoru`` and ``swarm roster``."""

from typing import Annotated

import typer
from typer import Option

from swarm.cli import guard_commands, team_commands
from swarm.cli.app import app, go
from swarm.cli.options import As, Channel, Json, Root


@app.command()
def mamoru(
    ctx: typer.Context,
    agents: Annotated[
        list[str] | None, Option("--as", metavar="ID", help="Guard this agent; may be repeated.")
    ] = None,
    all: Annotated[bool, Option("--all", help="Guard everybody here.")] = False,
    exec: Annotated[
        str | None, Option("--exec", metavar="CMD", help="Run this for each task accepted.")
    ] = None,
    jsonl: Annotated[bool, Option("--jsonl", help="What needs thinking goes to stdout.")] = False,
    poll: Annotated[float, Option("--poll", metavar="S", help="Look at least so often.")] = 1.0,
    task_timeout: Annotated[
        float | None,
        Option(
            "--task-timeout",
            metavar="S",
            help="Silence that ends a task; SWARM_TASK_TIMEOUT, 1200.",
        ),
    ] = None,
    ping_timeout: Annotated[
        float | None, Option("--ping-timeout", metavar="S", help="Wait for a pong; 20.")
    ] = None,
    stale: Annotated[
        float | None, Option("--stale", metavar="S", help="Silence that makes a suspect; 60.")
    ] = None,
    leave: Annotated[bool, Option("--leave", help="Say goodbye at the end.")] = False,
    channel: Channel = None,
    json: Json = False,
    root: Root = None,
) -> None:
    """Guard agents: answer what needs no mind.

    Pass on the rest: by mail it stays unread in the inbox, unless --jsonl or --exec takes it; on a
    channel one of the two is needed.  Runs until Ctrl-C or SIGTERM; what it notices goes to stderr.
    """
    go(ctx, {**locals(), "as_": None}, guard_commands.mamoru)


@app.command()
def roster(
    ctx: typer.Context,
    channel: Channel = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Your teammates in words, as a tool's description has them."""
    go(ctx, locals(), team_commands.teammates)
