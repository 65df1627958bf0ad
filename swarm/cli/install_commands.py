"""``swarm install``: harnesses are told of swarm, in their own files."""

import os
from typing import Any

from swarm.cli import render
from swarm.cli.call import Call, show
from swarm.errors import NoRoot, Refused, UsageError
from swarm.install import difference, found, places, program, record
from swarm.install.apply import Job
from swarm.install.change import Change
from swarm.install.harnesses import NAMES, NOTES, PROJECT_NOTES
from swarm.install.places import Places


def install(call: Call) -> int:
    names = list(dict.fromkeys(call["harness"] or []))
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise UsageError(f"no harness {unknown[0]}", f"one of {', '.join(NAMES)}")
    if call["project"] and call["user"]:
        raise UsageError("--project or --user, not both")
    if names:
        return _set_up(call, names)
    if call["uninstall"] or call["dry_run"]:
        raise UsageError("no harness given", f"name some of {', '.join(NAMES)}")
    _found(call)
    return 0


def _found(call: Call) -> None:
    home = _home()
    scopes = [] if call["project"] else [Places("user", home, os.environ)]
    if not call["user"]:
        try:
            scopes.insert(0, Places("project", _project(call), os.environ))
        except NoRoot:
            render.note("no project here: neither a mail tree nor a git tree")
    head = ["harness", "scope", "part", "state", "path"]
    rows = found.look(scopes, program.words())
    cells = [[row.harness, row.scope or "-", row.part, row.state, row.path] for row in rows]
    show(call, "found", head, cells, [dict(zip(head, cell, strict=True)) for cell in cells])


def _set_up(call: Call, names: list[str]) -> int:
    home = _home()
    scope = "user" if call["user"] else "project"
    at = Places(scope, home if call["user"] else _project(call), os.environ)
    words = program.words()
    if words != ["swarm"] and not call["uninstall"]:
        render.note(f"no swarm on PATH that is this one: entries name {words[0]}")
    diffs: dict[str, list[str]] = {}

    def tell(change: Change) -> None:
        diffs[change.path] = difference.lines(change, private=at.user)
        if not call["json"]:
            _tell(diffs[change.path], 1 if call["dry_run"] else 2)

    job = Job(at, words, record.folder(os.environ, home), call["dry_run"], tell)
    changes = job.uninstall(names) if call["uninstall"] else job.install(names)
    notes = [] if call["uninstall"] else _notes(names, changes, at.user)
    _report(call, changes, diffs, notes)
    errors = [change.error for change in changes if change.error]
    for error in errors:
        render.error(error, call["json"])
    for text in notes if not call["json"] else ():
        render.note(text)
    return max((error.exit for error in errors), default=0)


def _notes(names: list[str], changes: list[Change], user: bool) -> list[str]:
    """What the user has to do besides."""
    told = NOTES if user else {**NOTES, **PROJECT_NOTES}
    found = [told[name] for name in names if name in told]
    if any("mcp" in change.parts for change in changes) and not program.serves():
        found.append(f"swarm mcp needs its extra: {program.EXTRA}")
    return found


def _tell(lines: list[str], fd: int) -> None:
    if lines:
        render.write(
            render.encode("".join(f"{render.shown(line, keep=chr(9))}\n" for line in lines)), fd
        )


def _report(
    call: Call, changes: list[Change], diffs: dict[str, list[str]], notes: list[str]
) -> None:
    head = ["harness", "action", "path", "parts"]
    cells = [[one.harness, one.action, one.path, ",".join(one.parts)] for one in changes]
    items: list[Any] = [
        {
            "harness": one.harness,
            "action": one.action,
            "path": one.path,
            "parts": one.parts,
            "diff": diffs[one.path],
        }
        for one in changes
    ]
    if not call["dry_run"] or call["json"]:
        show(call, "files", head, cells, items, {"notes": notes})


def _home() -> str:
    """The home; one that is no place (an empty word would be the top of the disk) is refused."""
    if not os.path.isabs(os.environ.get("HOME", "/")):
        raise UsageError("HOME is not an absolute path", "set HOME, or unset it")
    return os.path.expanduser("~")


def _project(call: Call) -> str:
    """The project's folder: where the given root lies, else found from here upwards."""
    if call.options.get("root"):
        return os.path.dirname(call.root.path)
    try:
        return places.project(os.getcwd())
    except Refused:
        raise NoRoot(
            "no project here: neither mail/ nor a git tree",
            "make one with swarm init, or use --user",
        ) from None
