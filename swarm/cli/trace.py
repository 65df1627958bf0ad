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


@app.command()
def nudge(
    ctx: typer.Context,
    id: Annotated[list[str] | None, Argument(metavar="ID", help="The agents.")] = None,
    all: Annotated[bool, Option("--all", help="Everybody whose entry names a pane.")] = False,
    watch: Annotated[bool, Option("--watch", help="Go on, as mail comes, until Ctrl-C.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only say what would be typed.")] = False,
    program: Annotated[
        list[str] | None,
        Option("--program", metavar="NAME", help="An agent's program that is not known."),
    ] = None,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Tell agents in tmux panes of unread mail, by one typed line.

    The pane is the line tmux of the entry. At most a line a minute, only for mail that the agent
    was not told of, and only into an agent's empty input line.
    """
    go(ctx, locals(), run.nudge)
