"""One call: its options with the root and the agent they name, its body, its answer."""

import errno
import os

from swarm import names
from swarm.errors import NoRoot, SwarmError, Unknown, Unreadable, UsageError
from swarm.mailbox import layout

NO_BODY = ("no body", "give it with -m or -F, or pipe it in")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Call:
    """The options of one call, with the root and the agent they name."""

    __slots__ = ("_root", "options")

    def __init__(self, options: "dict[str, Any]") -> None:
        self.options = options
        self._root: layout.Root | None = None

    def __getitem__(self, name: str) -> "Any":
        return self.options[name]

    @property
    def root(self) -> layout.Root:
        """The mail root, found once."""
        if self._root is None:
            env = os.environ
            given = self.options.get("root")
            if given == "":
                raise UsageError("--root is empty")
            self._root = layout.find_root(
                given or "", env.get("SWARM_ROOT", ""), layout.synced(env)
            )
        return self._root

    @property
    def me(self) -> str:
        """The known agent who calls; UsageError if none is given."""
        try:
            return layout.check_mine(self.root, self.who())
        except Unknown as error:
            hint = f"{error.hint}; swarm register enters you"
            raise Unknown(error.message, hint, code=error.code) from None

    def who(self) -> str:
        """The id given by ``--as`` or SWARM_AGENT, else the one that is kept; not checked."""
        given = self.options.get("as_")
        name = os.environ.get("SWARM_AGENT", "") if given is None else given
        return str(name) if name or given is not None else self._kept()

    def _kept(self) -> str:
        from swarm.identity import who

        hint = "name one with --as or SWARM_AGENT, or keep one: swarm whoami --keep ID"
        try:
            found = who(self.root, None, os.environ)
        except NoRoot:  # none is needed on a channel
            found = None
        if found and found.agent:
            return found.agent
        if found and found.two:
            hint = f"name one with --as or SWARM_AGENT: {found.detail}"
        raise UsageError("no agent given", hint, code="no-agent")


def show(
    call: Call,
    key: str,
    head: list[str],
    rows: list[list[str]],
    items: "list[Any]",
    more: "dict[str, Any] | None" = None,
) -> None:
    """A listing for people, for pipes, or for programs; ``more``: what these get beside it."""
    from swarm.cli import render

    if call["json"]:
        render.json({key: items, **(more or {})})
    elif call.options.get("zero") or not render.terminal():
        render.lines(rows, bool(call.options.get("zero")))
    elif rows:
        render.table(head, rows)


def detail(call: Call) -> str:
    """The path of the long text as given; it may be written later, so that it is absent is told."""
    path = call.options.get("detail") or ""
    if path and not os.path.exists(path):
        from swarm.cli import render

        render.note(f"{names.shown(path)}: nothing is there yet, and the message names it")
    return path


def body(call: Call) -> bytes:
    given = [name for name in ("message", "file") if call[name] is not None]
    if len(given) > 1:
        raise UsageError("the body comes from -m or from -F, not from both")
    if call["message"] is not None:
        try:
            text = str(call["message"]).encode()
        except UnicodeEncodeError:
            text = os.fsencode(call["message"])
        return text if text.endswith(b"\n") else text + b"\n"
    try:
        if call["file"] is not None and call["file"] != "-":
            return _from_file(call["file"])
        if call["file"] is None and os.isatty(0):
            raise UsageError(*NO_BODY)
        return _limited(0)
    except OSError as error:
        if error.errno == errno.EBADF:  # stdin was closed, as some harnesses do
            raise UsageError(*NO_BODY) from None
        pipe = call["file"] in (None, "-")
        source = "the pipe" if pipe else names.shown(call["file"])
        what = f"cannot read the body from {source}: {error.strerror}"
        hint = "give the text with -m, or a file that can be read with -F"
        raise Unreadable(what, hint, code="bad-body") from None


def _from_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return _limited(file.fileno())
    except FileNotFoundError:
        raise UsageError(f"no file {names.shown(path)} for the body", code="bad-body") from None


def _limited(fd: int) -> bytes:
    from swarm.cli.render import patiently
    from swarm.message import BODY_MAX, check_body

    parts, size = [], 0
    while size <= BODY_MAX and (part := patiently(os.read, fd, 1 << 20)):
        parts.append(part)
        size += len(part)
    return check_body(b"".join(parts))


def failed(errors: list[SwarmError], call: Call) -> int:
    """Tell what went wrong beside what was done; the exit code for it."""
    from swarm.cli import render

    for error in errors:
        render.error(error, call["json"])
    return max((error.exit for error in errors), default=0)
