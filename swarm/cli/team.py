"""The signatures of ``swarm team …``."""

from typing import Annotated

import typer
from typer import Argument, Option

from swarm.cli import team_commands as run
from swarm.cli.app import app, go
from swarm.cli.options import As, Json, Root, Zero

team = typer.Typer(
    help="Channels of the team bus: team.db, shared with other clients.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(team, name="team")

Name = Annotated[str, Argument(metavar="CHANNEL", help="The channel's name.")]


@team.command()
def create(
    ctx: typer.Context,
    channel: Name,
    force: Annotated[bool, Option("--force", help="Also under agents that live.")] = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Make an empty channel; one of that name is wiped."""
    go(ctx, {**locals(), "zero": False}, run.create)


@team.command(name="list")
def list_(
    ctx: typer.Context, zero: Zero = False, json: Json = False, root: Root = None, as_: As = None
) -> None:
    """The channels there are."""
    go(ctx, locals(), run.list_)


@team.command()
def join(
    ctx: typer.Context,
    channel: Name,
    name: Annotated[str | None, Option("--name", metavar="N", help="What others call you.")] = None,
    description: Annotated[
        str | None, Option("--description", metavar="D", help="What you are for.")
    ] = None,
    persona: Annotated[
        str | None, Option("--persona", metavar="FILE", help="Both from a persona.yaml.")
    ] = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Enter a channel, made if need be.

    The session id is your agent id.  What is not given stays as it was; where your guardian runs
    already, all of it does.
    """
    go(ctx, {**locals(), "zero": False}, run.join)


@team.command()
def leave(
    ctx: typer.Context, channel: Name, json: Json = False, root: Root = None, as_: As = None
) -> None:
    """Tell the others that you are gone.

    A task in hand has failed by that.  Your row stays.
    """
    go(ctx, locals(), run.leave)


@team.command()
def roster(
    ctx: typer.Context,
    channel: Name,
    all: Annotated[bool, Option("--all", help="Inactive ones too.")] = False,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Who is on the channel."""
    go(ctx, locals(), run.roster)


@team.command()
def history(
    ctx: typer.Context,
    channel: Name,
    n: Annotated[int, Option("-n", metavar="N", help="How many; 20.")] = 20,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """The last messages of a channel, oldest first."""
    go(ctx, locals(), run.history)


@team.command()
def prune(
    ctx: typer.Context,
    channel: Name,
    name: Annotated[str | None, Option("--name", metavar="N", help="Only of that name.")] = None,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Remove inactive agents from the roster; their messages stay."""
    go(ctx, locals(), run.prune)
