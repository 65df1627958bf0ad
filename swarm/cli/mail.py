"""The signatures of the Mail commands: what each takes, and its help."""

from typing import Annotated

import typer
from typer import Argument, Option

from swarm.cli.app import app, go
from swarm.cli.options import (
    As,
    Channel,
    Detail,
    File,
    From,
    Json,
    Key,
    NewThread,
    Role,
    Root,
    Status,
    Subject,
    Task,
    Text,
    Thread,
    ThreadFilter,
    Tmux,
    Words,
    Zero,
)


@app.command()
def init(
    ctx: typer.Context,
    dir: Annotated[str | None, Argument(metavar="DIR", help="Where to make mail/.")] = None,
    agents: Annotated[
        str | None, Option("--agents", metavar="A,B", help="Mailboxes for these too.")
    ] = None,
    shared: Annotated[
        str | None,
        Option("--shared", metavar="GROUP", help="For the users of a group, each with own mail."),
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
        str | None, Argument(metavar="ID", help="Default: SWARM_AGENT, else drawn.")
    ] = None,
    status: Status = None,
    replace: Annotated[bool, Option("--replace", help="Take over an entry.")] = False,
    keep: Annotated[
        bool, Option("--keep", help="Be it here without saying so, in this session or tree.")
    ] = False,
    tmux: Tmux = None,
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
        str | None, Option("--note", metavar="TEXT", help="Free text added below the entry.")
    ] = None,
    tmux: Tmux = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Change your own entry."""
    go(ctx, locals())


@app.command()
def unregister(
    ctx: typer.Context,
    id: Annotated[str | None, Argument(metavar="ID", help="Default: yourself.")] = None,
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
    to: Annotated[list[str], Argument(metavar="TO", help="Agents, or all.")],
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
    """Send a message, the body by -m, -F or a pipe.

    A file or a pipe is best for odd text: no shell reads it.  With --id KEY a retry sends
    nothing twice.
    """
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
    from_: From = None,
    thread: ThreadFilter = None,
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
    brief: Annotated[
        bool, Option("--brief", help="A header in one line, as short as can be.")
    ] = False,
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
    words: Annotated[list[str], Argument(metavar="WORDS", help="Literal text; all must occur.")],
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Find your mail, archived too; upper and lower case are alike."""
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
    msg: Annotated[str, Argument(metavar="MSG", help="File name, stem, part or path.")],
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
    from_: From = None,
    thread: ThreadFilter = None,
    hook: Annotated[
        bool, Option("--hook", help="As a harness's doorbell: exit 2 and a notice on stderr.")
    ] = False,
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
    tasks: Annotated[bool, Option("--tasks", help="What each has open: reads all mail.")] = False,
    channel: Channel = None,
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
    """Say what is wrong in the tree, and the way out."""
    go(ctx, locals())


@app.command()
def cleanup(
    ctx: typer.Context,
    stale: Annotated[
        str | None, Option("--stale", metavar="AGE", help="And those silent for AGE: 90m, 3h, 2d.")
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
