"""The typer app: the one description of every command, its flags and its help.

``grammar.py`` is generated from it (``python -m swarm.cli.app``); what the fast parser does
not take ends here.
"""

import sys
from typing import Annotated, Any, get_type_hints

import typer
from typer import Argument, Option

from swarm.cli.main import guarded
from swarm.errors import UsageError

app = typer.Typer(
    name="swarm",
    help="The mailroom for swarms of coding agents: mail in plain files.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Root = Annotated[str | None, Option("--root", metavar="DIR", help="The mail root.")]
As = Annotated[str | None, Option("--as", metavar="ID", help="The agent who calls.")]
Json = Annotated[bool, Option("--json", help="One JSON object.")]
Zero = Annotated[bool, Option("-0", help="End records with NUL.")]
From = Annotated[str, Option("--from", metavar="ID", help="Only from this agent.")]
ThreadFilter = Annotated[str, Option("--thread", metavar="T", help="Only this thread.")]
Text = Annotated[str | None, Option("-m", "--message", metavar="BODY", help="The body.")]
File = Annotated[
    str | None, Option("-F", "--file", metavar="FILE", help="Body from a file, - is stdin.")
]
Subject = Annotated[str | None, Option("-s", "--subject", metavar="SUBJECT", help="The subject.")]
Thread = Annotated[str | None, Option("-t", "--thread", metavar="T", help="The thread.")]
NewThread = Annotated[str | None, Option("--new-thread", metavar="PREFIX", help="Start a thread.")]
Status = Annotated[str | None, Option("--status", metavar="S", help="The status.")]
Detail = Annotated[
    str | None, Option("--detail", metavar="PATH", help="A file with the long text.")
]
Key = Annotated[str | None, Option("--id", metavar="KEY", help="A retry with this key sends once.")]
Role = Annotated[str | None, Option("--role", metavar="R", help="Short role.")]
Task = Annotated[str | None, Option("--task", metavar="T", help="One line on the task.")]
Words = Annotated[
    list[str] | None, Argument(metavar="[MSG]...", help="File name, stem, part or path.")
]


@app.callback()
def shared(ctx: typer.Context, root: Root = None, as_: As = None) -> None:
    ctx.obj = {"root": root, "as_": as_}


def go(ctx: typer.Context, given: dict[str, Any]) -> None:
    """Run the command of this name with these options, the shared ones from either place."""
    options = {key: value for key, value in given.items() if key != "ctx"}
    for key in ("root", "as_"):
        if options.get(key) is None:
            options[key] = ctx.obj[key]
    for key in ("msg", "to", "words"):
        if key in options and options[key] is None:
            options[key] = []
    raise typer.Exit(guarded(str(ctx.info_name), options))


@app.command()
def init(
    ctx: typer.Context,
    dir: Annotated[str | None, Argument(metavar="[DIR]", help="Where to make mail/.")] = None,
    agents: Annotated[
        str | None, Option("--agents", metavar="A,B", help="Mailboxes for these too.")
    ] = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Make a mail tree; harmless to repeat."""
    go(ctx, locals())


@app.command()
def register(
    ctx: typer.Context,
    role: Annotated[str, Option("--role", metavar="R", help="Short role.")],
    archetype: Annotated[
        str,
        Option(
            "--archetype",
            metavar="A",
            help="specialist, surveyor, researcher, planner or interfacer.",
        ),
    ],
    task: Annotated[str, Option("--task", metavar="T", help="One line on the task.")],
    id: Annotated[
        str | None, Argument(metavar="[ID]", help="Default: SWARM_AGENT, else drawn.")
    ] = None,
    status: Status = None,
    replace: Annotated[bool, Option("--replace", help="Take over an entry.")] = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Join the swarm: an entry in the registry and a mailbox."""
    go(ctx, locals())


@app.command()
def update(
    ctx: typer.Context,
    status: Status = None,
    task: Task = None,
    role: Role = None,
    note: Annotated[
        str | None, Option("--note", metavar="TEXT", help="Free text below the entry.")
    ] = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Change your own entry."""
    go(ctx, locals())


@app.command()
def unregister(
    ctx: typer.Context,
    id: Annotated[str | None, Argument(metavar="[ID]", help="Default: yourself.")] = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Leave: remove the entry, keep the mail."""
    go(ctx, locals())


@app.command()
def agents(
    ctx: typer.Context, zero: Zero = False, json: Json = False, root: Root = None, as_: As = None
) -> None:
    """Who is registered."""
    go(ctx, locals())


@app.command()
def send(
    ctx: typer.Context,
    to: Annotated[list[str], Argument(metavar="TO...", help="Agents, or all.")],
    subject: Subject = None,
    message: Text = None,
    file: File = None,
    thread: Thread = None,
    new_thread: NewThread = None,
    status: Status = None,
    detail: Detail = None,
    key: Key = None,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Send a message; the body by -m, -F or a pipe (best for odd text: no shell reads it)."""
    go(ctx, locals())


@app.command()
def reply(
    ctx: typer.Context,
    msg: Annotated[str, Argument(metavar="MSG", help="The message to answer.")],
    to: Annotated[
        list[str] | None, Option("--also", metavar="ID", help="Further recipients.")
    ] = None,
    subject: Subject = None,
    message: Text = None,
    file: File = None,
    thread: Thread = None,
    new_thread: NewThread = None,
    status: Status = None,
    detail: Detail = None,
    key: Key = None,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Answer a message to its sender, in its thread."""
    go(ctx, locals())


@app.command()
def unread(
    ctx: typer.Context,
    n: Annotated[int | None, Option("-n", metavar="N", help="At most N.")] = None,
    from_: From = "",
    thread: ThreadFilter = "",
    count: Annotated[bool, Option("--count", help="Only how many.")] = False,
    exit_code: Annotated[bool, Option("--exit-code", help="0 if there is some, 1 if not.")] = False,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """List unread mail; changes nothing."""
    go(ctx, locals())


@app.command()
def read(
    ctx: typer.Context,
    msg: Words = None,
    next: Annotated[bool, Option("--next", help="The first unread.")] = False,
    all: Annotated[bool, Option("--all", help="All unread.")] = False,
    peek: Annotated[bool, Option("--peek", help="Leave no receipt.")] = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Show messages and mark them read once they are written out."""
    go(ctx, locals())


@app.command()
def sent(
    ctx: typer.Context, zero: Zero = False, json: Json = False, root: Root = None, as_: As = None
) -> None:
    """What you sent, and whether it was read."""
    go(ctx, locals())


@app.command()
def thread(
    ctx: typer.Context,
    id: Annotated[str, Argument(metavar="ID", help="The exact thread.")],
    everywhere: Annotated[bool, Option("--everywhere", help="In all mailboxes.")] = False,
    mermaid: Annotated[bool, Option("--mermaid", help="As a sequence diagram.")] = False,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """One conversation in time order."""
    go(ctx, locals())


@app.command()
def threads(
    ctx: typer.Context, zero: Zero = False, json: Json = False, root: Root = None, as_: As = None
) -> None:
    """Your conversations."""
    go(ctx, locals())


@app.command()
def search(
    ctx: typer.Context,
    words: Annotated[list[str], Argument(metavar="WORDS...", help="Literal text; all must occur.")],
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Find your mail, archived too."""
    go(ctx, locals())


@app.command()
def archive(
    ctx: typer.Context,
    msg: Words = None,
    read: Annotated[bool, Option("--read", help="All that is read.")] = False,
    delete: Annotated[bool, Option("--delete", help="Remove instead of keeping.")] = False,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Move mail from the inbox to sent/; the receipt stays."""
    go(ctx, locals())


@app.command()
def mark(
    ctx: typer.Context,
    msg: Annotated[str, Argument(metavar="MSG")],
    status: Annotated[
        str, Argument(metavar="STATUS", help="delivered, read, ack, done, cancelled or error.")
    ],
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Set the Status header of a message in your inbox."""
    go(ctx, locals())


@app.command()
def wait(
    ctx: typer.Context,
    timeout: Annotated[
        float | None, Option("--timeout", metavar="S", help="Seconds; 124 when over.")
    ] = None,
    from_: From = "",
    thread: ThreadFilter = "",
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Wait for mail; returns at once if there is some."""
    go(ctx, locals())


@app.command()
def watch(ctx: typer.Context, json: Json = False, root: Root = None, as_: As = None) -> None:
    """Follow deliveries, receipts and the registry live."""
    go(ctx, locals())


@app.command()
def status(
    ctx: typer.Context,
    watch: Annotated[bool, Option("--watch", help="Again every 2 s.")] = False,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Who works, who is stuck, what waits; problems worst first."""
    go(ctx, locals())


@app.command()
def doctor(
    ctx: typer.Context,
    fix: Annotated[bool, Option("--fix", help="Mend what is safe to mend.")] = False,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Say what is wrong in the tree."""
    go(ctx, locals())


@app.command()
def cleanup(
    ctx: typer.Context,
    stale: Annotated[
        str | None, Option("--stale", metavar="AGE", help="Also silent for AGE: 90m, 3h, 2d.")
    ] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show.")] = False,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Remove entries that are done, error or cancel; keeps the mail."""
    go(ctx, locals())


@app.command()
def describe(ctx: typer.Context, json: Json = False, root: Root = None, as_: As = None) -> None:
    """Every command, flag, field and exit code."""
    go(ctx, locals())


ClickException: type[Exception] = typer.BadParameter.__mro__[2]


def run(argv: list[str]) -> int:
    """Parse with typer and run; usage errors become one line and exit 2."""
    from swarm.cli import render

    try:
        result = typer.main.get_command(app).main(argv, "swarm", standalone_mode=False)
        return int(result or 0)
    except ClickException as error:
        message = str(getattr(error, "message", "") or error).rstrip(".")
        if not message:  # no arguments: typer has printed the help
            return 2
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "swarm"
        param = getattr(error, "param", None)
        named = f"{param.opts[0]}: " if param and param.opts[0] not in message else ""
        text = named + message[0].lower() + message[1:]
        render.error(UsageError(text, f"see '{path} --help'"), "--json" in argv)
        return 2
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        return 141


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
    head = '"""Generated from the typer app by ``python -m swarm.cli.app``; do not edit."""\n\n'
    lines = "".join(f"    {name!r}: {value!r},\n" for name, value in grammar().items())
    marks = "# ruff: noqa\n# fmt: off\nfrom swarm.cli.parse import Grammar\n\n"
    return f"{head}{marks}GRAMMAR: Grammar = {{\n{lines}}}\n"


if __name__ == "__main__":
    sys.stdout.write(grammar_source())
