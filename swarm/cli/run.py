"""The full command line: the typer app with all its commands, its help and its usage errors.

What the fast parser does not take ends here.
"""

import io
import itertools
import sys
from typing import Any

import typer

from swarm.cli import mail  # noqa: F401 - in this order they register their commands

# isort: split
from swarm.cli import bridge, guard, hook, install, serve, task, team, trace, up  # noqa: F401
from swarm.cli.app import app
from swarm.errors import UsageError, unsaid

EXTRA = "Got unexpected extra argument(s) "
ClickException: type[Exception] = typer.BadParameter.__mro__[2]


def run(argv: list[str]) -> int:
    """Parse with typer and run; usage errors become one line and exit 2."""
    from swarm.cli import render

    if sys.stdout is None:  # closed by the caller, who wants to hear nothing
        sys.stdout = io.StringIO()
    try:
        result = typer.main.get_command(app).main(argv, "swarm", standalone_mode=False)
        sys.stdout.flush()
        return int(result or 0)
    except ClickException as error:
        return _usage(error, argv)
    except SystemExit as ended:
        # 0: a script for a shell was given; 143: a signal in a live view; else typer met a pipe
        # without reader.
        return ended.code if ended.code in (0, 143) else 141
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        return 141
    except OSError as error:  # of the help: commands tell of their own
        problem = unsaid(error)
        render.error(problem, "--json" in argv)
        return problem.exit


def _usage(error: Exception, argv: list[str]) -> int:
    """What typer says of a wrong call, in one line and a hint."""
    from swarm.cli import render

    message = str(getattr(error, "message", "") or error).rstrip(".")
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
        render.write(render.encode(message + ".\n"), 2)
        return 2
    context, param = getattr(error, "ctx", None), getattr(error, "param", None)
    hint = f"see '{context.command_path if context else _path(argv)} --help'"
    if type(error).__name__ == "MissingParameter" and param:
        text = f"{_named(param)} is missing"
    elif message.startswith(EXTRA):
        text = f"unexpected: {message.removeprefix(EXTRA).strip('()')}"
        hint = f"a text goes in quotes after -s or -m, an agent after --as; {hint}"
    else:
        named = f"{param.opts[0]}: " if param and param.opts[0] not in message else ""
        text = named + message[0].lower() + message[1:]
    render.error(UsageError(text, hint), "--json" in argv)
    return 2


def _path(argv: list[str]) -> str:
    """The command that was called, where typer does not tell: of an option without its value."""
    from swarm.cli.words import WORDS

    pairs = map(" ".join, itertools.pairwise(argv))
    called = next((word for word in (*pairs, *argv) if word in WORDS), "")
    return f"swarm {called}".rstrip()


def _named(param: Any) -> str:
    """An option by its flag, an argument as the help shows it."""
    return str(param.opts[0] if param.opts[0].startswith("-") else param.metavar)
