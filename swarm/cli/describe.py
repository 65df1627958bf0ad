"""What the app tells of itself: the fast parser's grammar, and ``swarm describe``.

``grammar.py`` is written by ``python -m swarm.cli.describe``.
"""

import sys
from typing import Any, get_type_hints

import typer

from swarm.cli import mail  # noqa: F401 - registers its commands
from swarm.cli.app import app


def grammar() -> dict[str, Any]:
    """What the fast parser accepts, read off the app."""
    found: dict[str, Any] = {}
    callbacks = {c.callback.__name__: c.callback for c in app.registered_commands if c.callback}
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        hints = get_type_hints(callbacks[name])
        flags: dict[str, tuple[str, str]] = {}
        fixed, rest, least, needed = [], "", 0, False
        defaults: dict[str, Any] = {"root": None, "as_": None}
        for param in command.params:
            if param.name == "help":
                continue
            if param.param_type_name == "argument" and param.nargs == -1:
                rest, least = param.name, int(param.required)
                continue
            if param.param_type_name == "argument":
                fixed.append((param.name, param.required))
            else:
                needed = needed or param.required
                flags.update(
                    {opt: (param.name, _kind(param, hints[param.name])) for opt in param.opts}
                )
            defaults[param.name] = [] if getattr(param, "multiple", False) else param.default
        if not needed:  # a required flag is checked by typer alone
            found[name] = (flags, fixed, rest, least, defaults)
    return found


def _kind(param: Any, hint: Any) -> str:
    if param.is_flag:
        return "flag"
    if param.multiple:
        return "many"
    return {int | None: "int", float | None: "float"}.get(hint, "text")


def description() -> dict[str, Any]:
    """The app for programs: commands with flags, message fields, exit codes."""
    from swarm import errors

    commands = [
        {
            "name": name,
            "help": command.help or "",
            "flags": [p.opts for p in command.params if p.param_type_name == "option"],
            "arguments": [p.name for p in command.params if p.param_type_name == "argument"],
        }
        for name, command in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
    ]
    kinds: list[type[errors.SwarmError]] = [
        errors.SwarmError,
        *errors.SwarmError.__subclasses__(),
    ]
    return {
        "commands": commands,
        "fields": ["file", "from", "subject", "to", "thread", "status", "path", "flags", "body"],
        "exits": {kind.code: kind.exit for kind in kinds},
    }


def grammar_source() -> str:
    """The text of grammar.py."""
    head = (
        '"""Generated from the typer app by ``python -m swarm.cli.describe``; do not edit."""\n\n'
    )
    lines = "".join(f"    {name!r}: {value!r},\n" for name, value in grammar().items())
    marks = "# ruff: noqa\n# fmt: off\nfrom swarm.cli.parse import Grammar\n\n"
    return f"{head}{marks}GRAMMAR: Grammar = {{\n{lines}}}\n"


if __name__ == "__main__":
    sys.stdout.write(grammar_source())
