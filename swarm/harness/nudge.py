"""Telling an agent in a terminal that it has mail, by one line typed into its tmux pane.

The pane is named by the line ``tmux`` of its entry.  Only the number of unread messages and the
agent's own id are typed: sender and subject are others' text.  What an agent was told of is kept
in ``mail/.nudges/ID``, locked while somebody nudges.
"""

import os
import time
from typing import NamedTuple

from swarm import disk, names
from swarm.errors import SwarmError, from_os
from swarm.harness import prompt, tmux
from swarm.mailbox import inbox, registry
from swarm.mailbox.layout import Root, registered

FOLDER = ".nudges"
EVERY = 60.0  # seconds between two lines to one agent at the least
FLAGS = disk.OWN_FLAGS | os.O_RDWR
# Coding agents by the name of their program; some are run by another program.
AGENTS = frozenset(
    ("claude", "codex", "gemini", "cursor-agent", "opencode", "pi", "grok", "aider", "amp",
     "copilot", "crush", "goose", "qwen", "node", "bun", "deno")
)  # fmt: skip
# A shell would run what is typed, and nobody can see whether a line is begun there.
SHELLS = frozenset(
    ("sh", "bash", "zsh", "fish", "dash", "ash", "ksh", "mksh", "tcsh", "csh", "nu", "pwsh",
     "xonsh", "elvish", "busybox", "su", "sudo", "ssh", "login", "tmux", "screen")
)  # fmt: skip


class Nudge(NamedTuple):
    """What was done about an agent: ``typed``, ``ready`` (a dry run), ``nothing`` (no new mail),
    ``later`` (it may be possible soon) or ``no``; ``reason``: a word for why not, ``text`` it
    in words, ``unread``: how many messages wait."""

    agent: str
    done: str
    reason: str
    text: str
    unread: int


def with_target(root: Root) -> list[str]:
    """The agents whose entries name a pane."""
    return [agent for agent in registered(root) if _target(root, agent)]


def _target(root: Root, agent: str) -> str:
    return registry.entry(root, agent).fields.get("tmux", "")


def nudge(root: Root, agent: str, programs: frozenset[str] = AGENTS, dry: bool = False) -> Nudge:
    """Nudge one agent if there is unread mail that it was not told of, and its pane waits."""
    try:
        return _nudge(root, agent, programs, dry)
    except OSError as error:
        problem = from_os(error, "write to", f"{root.path}/{FOLDER}/{agent}")
    except SwarmError as error:  # told as this agent's: it keeps nobody else from being nudged
        problem = error
    done = "later" if problem.temporary else "no"
    return Nudge(agent, done, problem.code, problem.message, 0)


def _nudge(root: Root, agent: str, programs: frozenset[str], dry: bool) -> Nudge:
    target = _target(root, agent)
    unread = inbox.unread_names(root, agent)
    if not unread:
        return Nudge(agent, "nothing", "read", "nothing unread", 0)
    if not target:
        way = f"no pane is known: swarm --as {agent} update --tmux TARGET"
        return Nudge(agent, "no", "no-target", way, len(unread))
    return _under_lock(root, agent, target, unread, programs, dry)


def _under_lock(
    root: Root, agent: str, target: str, unread: list[str], programs: frozenset[str], dry: bool
) -> Nudge:
    fd = _open(f"{root.path}/{FOLDER}/{agent}")
    try:
        if not disk.try_lock(fd):
            text = "another process nudges it right now"
            return Nudge(agent, "later", "busy", text, len(unread))
        at, told = _read(fd)
        if told.issuperset(unread):
            return Nudge(agent, "nothing", "told", "nothing that it was not told of", len(unread))
        past = time.time() - at
        if 0 <= past < EVERY:
            text = f"told {int(past)} s ago: again after {int(EVERY - past) + 1} s"
            return Nudge(agent, "later", "soon", text, len(unread))
        found = _type(agent, target, len(unread), programs, dry)
        if found.done == "typed":
            _write(fd, unread)
        return found
    finally:
        os.close(fd)


def _type(agent: str, target: str, unread: int, programs: frozenset[str], dry: bool) -> Nudge:
    line = f"swarm: {unread} unread for {agent}; run: swarm --as {agent} read --next"
    try:
        pane = tmux.look(target)
        why = refusal(pane, programs)
        if why:
            return Nudge(agent, *why, unread)
        if dry:
            return Nudge(agent, "ready", "", line, unread)
        tmux.enter(target, pane, line)
    except tmux.Gone as error:
        return Nudge(agent, "no", "pane-gone", error.message, unread)
    return Nudge(agent, "typed", "", line, unread)


def refusal(pane: tmux.Pane, programs: frozenset[str] = AGENTS) -> tuple[str, str, str] | None:
    """(``no`` or ``later``, a word, why) if nothing may be typed into a pane; None if it may."""
    program = pane.command.lstrip("-")
    shown = names.shown(program)
    if pane.dead:
        return "no", "pane-dead", "its program has ended"
    if program in SHELLS and program not in programs:
        return "no", "shell", f"{shown} would run what is typed"
    # The program of Claude Code is named by its version.
    if program not in programs and not (program and set(program) <= set("0123456789.")):
        return "no", "program", f"{shown} is no agent that is known: name it by --program"
    if pane.synchronized:
        return "later", "synchronized", "what is typed there goes to other panes too"
    if pane.in_mode or pane.input_off:
        return "later", "copy-mode", "the pane is in a mode in which it takes no input"
    if not prompt.is_empty(pane.rows, pane.y, pane.cursor):
        return "later", "input", "its input line is in use, or not to be seen"
    return None


def _open(path: str) -> int:
    try:
        return os.open(path, FLAGS, 0o666)
    except FileNotFoundError:
        folder = os.path.dirname(path)
        disk.make_folders(os.path.dirname(folder), folder)
        return os.open(path, FLAGS, 0o666)


def told(root: Root, agent: str) -> tuple[float, set[str]]:
    """When an agent was last nudged, and the messages that it was told of; 0.0 if never."""
    try:
        fd = disk.open_regular(f"{root.path}/{FOLDER}/{agent}")
    except OSError:
        return 0.0, set()
    try:
        return _read(fd)
    finally:
        os.close(fd)


def _read(fd: int) -> tuple[float, set[str]]:
    """What cannot be read as a time is never; a name that was cut short is nobody's."""
    lines = disk.read_fd(fd).decode("utf-8", "surrogateescape").split("\n")
    try:
        at = float(lines[0].removeprefix("at: "))
    except ValueError:
        at = 0.0
    return at, {names.named(line[6:]) for line in lines[1:] if line.startswith("told: ")}


def _write(fd: int, unread: list[str]) -> None:
    lines = [f"at: {time.time():.3f}\n", *(f"told: {names.plain(name)}\n" for name in unread)]
    data = "".join(lines).encode("utf-8", "surrogateescape")
    os.lseek(fd, 0, os.SEEK_SET)
    disk.write_all(fd, data)
    os.truncate(fd, len(data))
