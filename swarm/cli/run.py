"""The full command line: the typer app with all its commands, its help and its usage errors.

What the fast parser does not take ends here.
"""

import io
import sys

import typer

from swarm.cli import bridge, guard, mail, task, team  # noqa: F401 - they register their commands
from swarm.cli.app import app
from swarm.errors import UsageError, from_os

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
        message = str(getattr(error, "message", "") or error).rstrip(".")
        if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
            render.write(render.encode(message + ".\n"), 2)
            return 2
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "swarm"
        param = getattr(error, "param", None)
        named = f"{param.opts[0]}: " if param and param.opts[0] not in message else ""
        text = named + message[0].lower() + message[1:]
        render.error(UsageError(text, f"see '{path} --help'"), "--json" in argv)
        return 2
    except SystemExit as ended:  # a signal in a live view; else typer met a pipe without reader
        return ended.code if ended.code == 143 else 141
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        return 141
    except OSError as error:  # of the help: commands tell of their own
        problem = from_os(error, "write to", "the output")
        render.error(problem, "--json" in argv)
        return problem.exit
