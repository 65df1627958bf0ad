"""Start here: the fast parser first, the typer app for the rest; one way out for errors."""

import gc
import os
import sys

from swarm.cli.grammar import GRAMMAR
from swarm.cli.parse import parse
from swarm.errors import SwarmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from typing import Any

    from swarm.cli.call import Call
else:
    import _signal  # the module without the enums, which cost a tenth of a start


# Set by the shell scripts of ``swarm --show-completion``.
COMPLETE = "_SWARM_COMPLETE"
HOOKS = ("hook", "whoami")
# So many new objects before a look for cycles among them: a long listing has none.
LISTED = 100_000


def main() -> None:
    """Run ``sys.argv``; the process ends here, without the interpreter's own tidying up."""
    keep_apart()
    argv = sys.argv[1:]
    if os.environ.get(COMPLETE, "").startswith("complete_") and not argv:
        from swarm.cli.complete import complete

        os._exit(complete(os.environ))
    try:
        code = _run(argv)
    except OSError as error:  # of a module that cannot be loaded: too many open files, say
        from swarm.cli import render
        from swarm.errors import from_os

        problem = from_os(error, "load", str(error.filename or "a part of swarm"))
        code = 0 if argv[:1] == ["hook"] else problem.exit
        if code:
            render.error(problem, "--json" in argv)
    os._exit(code)


def _run(argv: list[str]) -> int:
    found = parse(argv, GRAMMAR)
    if found:
        return guarded(_function(found[0]), found[1])
    from swarm.cli.run import run

    return run(argv)


def keep_apart() -> None:
    """Take the numbers of a closed input or output, lest a file get one and what is said go there.

    What is said still cannot be: a null device to read from takes nothing.
    """
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if fd else os.O_WRONLY)


def _function(command: str) -> "Callable[[Call], int | None]":
    """What a command runs, by its name and in its group's modules."""
    found: Callable[[Call], int | None]
    if command in HOOKS:
        from swarm.cli import hook_commands

        found = getattr(hook_commands, command)
        return found
    if command == "mcp":
        from swarm.cli import serve_commands

        return serve_commands.mcp
    if not command.startswith("task "):
        from swarm.cli import commands

        gc.set_threshold(LISTED)
        found = getattr(commands, command)
        return found
    from swarm.cli import task_commands, task_views

    name = command.removeprefix("task ")
    name = {"list": "list_", "update": "task_update"}.get(name, name)
    found = getattr(task_views if hasattr(task_views, name) else task_commands, name)
    return found


def guarded(command: "Callable[[Call], int | None]", options: "dict[str, Any]") -> int:
    """Run one command; turn every error into its line and exit code."""
    from swarm.cli.call import Call

    as_json = bool(options.get("json"))
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    try:
        return int(command(Call(options)) or 0)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
    except Exception as error:  # told to the user in one line; the trace on request
        problem = _problem(error, command.__name__, options)
        if not problem:
            raise
        from swarm.cli import render  # a hook, which mostly says nothing, starts without it

        render.error(problem, as_json)
        return problem.exit


def _problem(error: Exception, command: str, options: "dict[str, Any]") -> SwarmError | None:
    """What is to be told of it; None where its trace is asked for."""
    if isinstance(error, SwarmError):
        from swarm.cli.hints import placed

        error.hint = placed(error.hint, options.get("channel"))
        return error
    from swarm.cli.render import OutputFailed

    if isinstance(error, OutputFailed):
        return _unsaid(error.error, command)
    if os.environ.get("SWARM_DEBUG") == "1":
        return None
    if isinstance(error, OSError):
        from swarm.errors import from_os

        return from_os(error, "use", str(error.filename or "the output"))
    return SwarmError(f"internal error: {type(error).__name__}", "SWARM_DEBUG=1 shows where")


# Commands that have changed something before they say so.
CHANGING = frozenset(
    (
        "init",
        "register",
        "update",
        "unregister",
        "send",
        "reply",
        "archive",
        "mark",
        "cleanup",
        "request",
        "answer",
        "cancel",
        "task_update",
        "clarify",
        "done",
        "fail",
        "create",
        "join",
        "leave",
        "prune",
        "install",
    )
)


def _unsaid(error: OSError, command: str) -> SwarmError:
    """The error of an answer that could not be written; what was done is done."""
    from swarm.errors import unsaid

    problem = unsaid(error)
    if command in CHANGING:
        problem.hint = f"the {command} itself was done: look before you repeat it"
    return problem
