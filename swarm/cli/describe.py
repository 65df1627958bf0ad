"""What the app tells of itself: the fast parser's grammar, and ``swarm describe``.

``grammar.py`` is written by ``python -m swarm.cli.describe``, ``words.py``, which completion reads,
by ``python -m swarm.cli.describe words``.
"""

import sys
from collections.abc import Iterator
from typing import Any, get_type_hints

import typer

from swarm.cli import commands, run, task  # noqa: F401 - run registers all commands
from swarm.cli.app import app
from swarm.cli.main import HOOKS


def grammar() -> dict[str, Any]:
    """What the fast parser accepts, read off the app: mail and tasks, which are called so often."""
    found: dict[str, Any] = {}
    for name, command, callback in [*_commands(app), *_commands(task.task, "task ")]:
        if (" " in name or name == "mcp" or name in HOOKS or hasattr(commands, name)) and (
            told := _told(command, callback)
        ):
            found[name] = told
    return found


def _commands(group: typer.Typer, before: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Each command's name, what typer makes of it, and the function that it was made of."""
    made = typer.main.get_group(group).commands
    for one in group.registered_commands:
        if one.callback:
            name = one.name or one.callback.__name__
            yield before + name, made[name], one.callback


def _told(command: Any, callback: Any) -> Any:
    """Flags, fixed arguments, the list that takes the rest, how many it needs, defaults.

    None for a command with a required flag, which typer alone checks.
    """
    hints = get_type_hints(callback)
    flags: dict[str, tuple[str, str]] = {}
    fixed, rest, least = [], "", 0
    defaults: dict[str, Any] = {"root": None, "as_": None}
    for param in command.params:
        if param.name == "help":
            continue
        if param.param_type_name == "argument" and param.nargs == -1:
            rest, least = param.name, int(param.required)
            continue
        if param.param_type_name == "argument":
            fixed.append((param.name, param.required))
        elif param.required:
            return None
        else:
            flags.update({opt: (param.name, _kind(param, hints[param.name])) for opt in param.opts})
        defaults[param.name] = [] if getattr(param, "multiple", False) else param.default
    return flags, fixed, rest, least, defaults


def _kind(param: Any, hint: Any) -> str:
    if param.is_flag:
        return "flag"
    if param.multiple:
        return "many"
    return {int | None: "int", float | None: "float"}.get(hint, "text")


MESSAGE = ["file", "from", "subject", "to", "thread", "status", "path", "flags"]
EVENT = ["event", "from", "to", "content", "task", "ref", "id", "at", "detail", "body"]
TASK = [
    "task", "state", "requester", "worker", "content", "since", "last_at", "last_word", "detail",
    "overdue", "attempt",
]  # fmt: skip
# What ``--json`` shows, by ``LIST of COMMAND``, else by the name of the list; of a list without
# fields the items are words.  A test compares it with real answers.
FIELDS = {
    "messages": MESSAGE,
    "messages of read": [*MESSAGE, "headers", "body"],
    "messages of sent": [*MESSAGE, "read"],
    "messages of team history": [
        "id", "at", "from", "to", "task", "ref", "event", "intent", "content", "detail", "problem",
    ],
    "delivered": ["path", "to", "file"],
    "agents": ["id", "status", "role", "task", "archetype", "problems", "via"],
    "agents of register": ["id"],
    "agents of update": ["id"],
    "agents of whoami": ["id", "source", "why", "sessions"],
    "agents of unregister": ["id"],
    "agents of status": [
        "id", "state", "unread", "oldest", "task", "seen", "flags", "guardian", "open", "overdue",
        "asked", "via",
    ],
    "agents of roster": ["id", "name", "status", "description"],
    "agents of team join": ["id", "name", "cursor"],
    "agents of team leave": ["id"],
    "agents of team roster": ["id", "name", "status", "seen", "description"],
    "problems": ["kind", "agent", "text"],
    "threads": ["thread", "count", "last_subject"],
    "archived": ["path"],
    "marked": ["file", "status"],
    "created": [],
    "created of team create": ["path"],
    "channels": ["channel", "path"],
    "removed": ["id", "reason"],
    "removed of team prune": ["id"],
    "found": ["harness", "scope", "part", "state", "path"],
    "files": ["harness", "action", "path", "parts", "diff"],
    "findings": ["level", "path", "text", "fix"],
    "missing": ["action", "about", "how"],
    "nudges": ["agent", "done", "reason", "text", "unread"],
    "trace": ["at", "kind", "text", "path"],
    "up": ["process"],
    "down": ["process"],
    "watch": ["event", "path"],
    "tasks": TASK,
    "tasks of task request": ["task", "to"],
    "tasks of task show": [*TASK, "events"],
    "tasks of task wait": [*TASK, "events"],
    "sent": EVENT,
    "events": EVENT,
}  # fmt: skip
EXITS = {
    0: "done",
    1: "failed, or no under --exit-code",
    2: "usage, no agent given, or a value that cannot be written",
    3: "no mail root found",
    4: "unknown agent, message or thread",
    5: "conflict: registered, claimed or taken",
    6: "it exists but cannot be read",
    75: "temporary: try again",
    124: "the wait timed out",
    130: "interrupted",
    141: "the reader of the pipe went away",
}


def description() -> dict[str, Any]:
    """The app for programs: commands with their parameters, fields of answers, exit codes."""
    group = typer.main.get_command(app)
    return {
        "commands": [_command(name, command) for name, command in _all(group)],
        "fields": FIELDS,
        "exits": [{"exit": code, "meaning": meaning} for code, meaning in EXITS.items()],
    }


def _all(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its full name, those of groups too."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _all(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _command(name: str, command: Any) -> dict[str, Any]:
    params = [param for param in command.params if param.name != "help"]
    return {
        "name": name,
        "help": (command.help or "").strip(),
        "arguments": [_parameter(p) for p in params if p.param_type_name == "argument"],
        "flags": [
            {"flags": p.opts, **_parameter(p)} for p in params if p.param_type_name == "option"
        ],
    }


def _parameter(param: Any) -> dict[str, Any]:
    takes_value = not getattr(param, "is_flag", False)
    return {
        "value": (param.metavar or param.name) if takes_value else None,
        "required": param.required,
        "many": param.nargs == -1 or bool(getattr(param, "multiple", False)),
        "help": getattr(param, "help", None) or "",
    }


def grammar_source() -> str:
    """The text of grammar.py."""
    head = (
        '"""Generated from the typer app by ``python -m swarm.cli.describe``; do not edit."""\n\n'
    )
    lines = "".join(f"    {name!r}: {value!r},\n" for name, value in grammar().items())
    marks = "# ruff: noqa\n# fmt: off\nfrom swarm.cli.parse import Grammar\n\n"
    return f"{head}{marks}GRAMMAR: Grammar = {{\n{lines}}}\n"


def words_source() -> str:
    """The text of words.py: each command's help in a line, its flags with what each takes, and
    its arguments."""
    head = (
        '"""Generated from the typer app by ``python -m swarm.cli.describe words``; do not edit."""'
    )
    lines = "".join(
        f"    {name!r}: {_words(command)!r},\n"
        for name, command in _all(typer.main.get_command(app))
    )
    marks = "# ruff: noqa\n# fmt: off\nfrom swarm.cli.complete import Words\n\n"
    return f"{head}\n\n{marks}WORDS: Words = {{\n{lines}}}\n"


def _words(command: Any) -> tuple[str, dict[str, str], list[str]]:
    flags, arguments = {"--help": ""}, []
    for param in command.params:
        if param.param_type_name == "argument":
            arguments.append(param.name + ("*" if param.nargs == -1 else ""))
        elif param.name != "help":
            takes = "" if param.is_flag else param.name
            flags.update(dict.fromkeys(param.opts, takes))
    return (command.help or "").strip().split("\n")[0], flags, arguments


if __name__ == "__main__":
    sys.stdout.write(words_source() if sys.argv[1:] == ["words"] else grammar_source())
