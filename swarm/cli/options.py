"""Options that several commands share, each described once."""

from typing import Annotated

from typer import Argument, Option

Root = Annotated[str | None, Option("--root", metavar="DIR", help="The mail root.")]
As = Annotated[str | None, Option("--as", metavar="ID", help="The agent who calls.")]
Json = Annotated[bool, Option("--json", help="One JSON object.")]
Zero = Annotated[bool, Option("-0", help="End records with NUL.")]
From = Annotated[str | None, Option("--from", metavar="ID", help="Only from this agent.")]
ThreadFilter = Annotated[str | None, Option("--thread", metavar="T", help="Only this thread.")]
Text = Annotated[str | None, Option("-m", "--message", metavar="BODY", help="The body.")]
File = Annotated[
    str | None, Option("-F", "--file", metavar="FILE", help="Body from a file, - is a pipe.")
]
Subject = Annotated[str | None, Option("-s", "--subject", metavar="SUBJECT", help="The subject.")]
Thread = Annotated[str | None, Option("-t", "--thread", metavar="T", help="The thread.")]
NewThread = Annotated[str | None, Option("--new-thread", metavar="PREFIX", help="Start a thread.")]
Status = Annotated[str | None, Option("--status", metavar="S", help="The status.")]
Detail = Annotated[
    str | None, Option("--detail", metavar="PATH", help="A file with the long text.")
]
Key = Annotated[str | None, Option("--id", metavar="KEY", help="A retry with this key sends once.")]
Channel = Annotated[
    str | None, Option("--channel", metavar="NAME", help="A channel of the team bus, not mail.")
]
Tmux = Annotated[
    str | None,
    Option("--tmux", metavar="TARGET", help="The tmux pane that swarm nudge types into."),
]
Role = Annotated[str | None, Option("--role", metavar="R", help="Short role.")]
Task = Annotated[str | None, Option("--task", metavar="T", help="One line on the task.")]
Words = Annotated[list[str] | None, Argument(metavar="MSG", help="File name, stem, part or path.")]
