"""The signatures of ``swarm task …``."""

from typing import Annotated

import typer
from typer import Argument, Option

from swarm.cli import task_commands as run
from swarm.cli import task_views
from swarm.cli.app import app, go
from swarm.cli.options import As, Channel, Detail, File, Json, Root, Subject, Text, Zero

task = typer.Typer(
    help="Ask for work, do it, and follow it, by mail or over a channel.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(task, name="task")

Own = Annotated[
    str | None, Argument(metavar="TASK", help="The task's key; default: the one in hand.")
]
Given = Annotated[str | None, Argument(metavar="TASK", help="The key; default: the only one.")]


@task.command()
def request(
    ctx: typer.Context,
    to: Annotated[str, Argument(metavar="TO", help="The agent who is to do it.")],
    subject: Subject = None,
    message: Text = None,
    file: File = None,
    detail: Detail = None,
    intent: Annotated[
        str | None, Option("--intent", metavar="I", help="What kind of work.")
    ] = None,
    queue: Annotated[bool, Option("--queue", help="If rejected, tell me and try again.")] = False,
    block: Annotated[bool, Option("--block", help="If rejected, try again silently.")] = False,
    channel: Channel = None,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Ask an agent for work; prints the task's key.

    A summary of over 20 words is cut, and goes whole into the text.
    """
    go(ctx, locals(), run.request)


@task.command()
def answer(
    ctx: typer.Context,
    task: Given = None,
    subject: Subject = None,
    message: Text = None,
    file: File = None,
    detail: Detail = None,
    channel: Channel = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Answer the question of a worker.  Prints nothing.

    Without TASK: the only open one that you gave, of several the only one that waits for you.
    """
    go(ctx, locals(), run.answer)


@task.command()
def cancel(
    ctx: typer.Context,
    task: Given = None,
    subject: Subject = None,
    channel: Channel = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Cancel a task you gave.  Prints nothing.  Without TASK: the only open one."""
    go(ctx, locals(), run.cancel)


@task.command()
def update(
    ctx: typer.Context,
    task: Own = None,
    subject: Subject = None,
    message: Text = None,
    file: File = None,
    detail: Detail = None,
    channel: Channel = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Say how far your task is.  That keeps it from timing out.  Prints nothing."""
    go(ctx, locals(), run.task_update)


@task.command()
def clarify(
    ctx: typer.Context,
    task: Own = None,
    subject: Subject = None,
    message: Text = None,
    file: File = None,
    detail: Detail = None,
    channel: Channel = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Ask the requester of your task a question.  Prints nothing."""
    go(ctx, locals(), run.clarify)


@task.command()
def done(
    ctx: typer.Context,
    task: Own = None,
    subject: Subject = None,
    message: Text = None,
    file: File = None,
    detail: Detail = None,
    channel: Channel = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Say that your task is done.

    The result in a few words, more by -m, -F or --detail.  Prints nothing.  Without TASK: the one
    you work on, else the only one that waits for you, which you accept by that.
    """
    go(ctx, locals(), run.done)


@task.command()
def fail(
    ctx: typer.Context,
    task: Own = None,
    subject: Subject = None,
    message: Text = None,
    file: File = None,
    detail: Detail = None,
    channel: Channel = None,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Say why your task cannot be done.  Prints nothing."""
    go(ctx, locals(), run.fail)


@task.command(name="list")
def list_(
    ctx: typer.Context,
    all: Annotated[bool, Option("--all", help="Those that ended too.")] = False,
    channel: Channel = None,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """What you asked of others and what is asked of you."""
    go(ctx, locals(), task_views.list_)


@task.command()
def show(
    ctx: typer.Context,
    task: Annotated[str, Argument(metavar="TASK", help="The task's key.")],
    mermaid: Annotated[bool, Option("--mermaid", help="As a sequence diagram.")] = False,
    channel: Channel = None,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """All that was said about one task."""
    go(ctx, locals(), task_views.show)


@task.command()
def wait(
    ctx: typer.Context,
    task: Annotated[str, Argument(metavar="TASK", help="The task's key.")],
    timeout: Annotated[
        float | None, Option("--timeout", metavar="S", help="Seconds; 124 when over.")
    ] = None,
    exit_code: Annotated[bool, Option("--exit-code", help="1 unless it was done.")] = False,
    channel: Channel = None,
    zero: Zero = False,
    json: Json = False,
    root: Root = None,
    as_: As = None,
) -> None:
    """Wait for a task's end, or a question to you; shows it then.

    A rejected one that your guardian tries again has no end yet.  Of a task that you work on:
    wait for the answer to your question.
    """
    go(ctx, locals(), task_views.wait)
