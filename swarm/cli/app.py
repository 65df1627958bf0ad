"""The typer app that every command is registered on."""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer import Option

from swarm import __version__
from swarm.cli.call import Call
from swarm.cli.main import guarded
from swarm.cli.options import As, Root

Command = Callable[[Call], int | None]

app = typer.Typer(
    name="swarm",
    help="The mailroom for swarms of coding agents: mail in plain files.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"swarm {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, Option("--version", is_eager=True, callback=_version, help="The version.")
]


@app.callback()
def shared(ctx: typer.Context, root: Root = None, as_: As = None, version: Version = False) -> None:
    ctx.obj = {"root": root, "as_": as_}


def go(ctx: typer.Context, given: dict[str, Any], command: Command | None = None) -> None:
    """Run the command with these options, the shared ones from either place.

    Without one given, the Mail command of this name.
    """
    from swarm.cli import commands

    options = {key: value for key, value in given.items() if key != "ctx"}
    for key in ("root", "as_"):
        if options.get(key) is None:
            options[key] = ctx.obj[key]
    for key in ("msg", "to", "words"):
        if key in options and options[key] is None:
            options[key] = []
    raise typer.Exit(guarded(command or getattr(commands, str(ctx.info_name)), options))
