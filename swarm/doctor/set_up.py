"""What is set up for harnesses around this tree: whether it can work, and whether it does.

Looks at the files of the project that holds the tree, and at the user's own where they name
swarm; never at another project's.
"""

import os
import time

from swarm.ages import age
from swarm.doctor.finding import Finding
from swarm.harness import sessions
from swarm.harness.session import FOLDER
from swarm.install import program
from swarm.install.apply import states
from swarm.install.harnesses import NAMES, File, files
from swarm.install.places import Places
from swarm.mailbox.layout import Root
from swarm.status import WAITING_AFTER, overview
from swarm.transport.pulse import guardings

PATIENCE = 600  # so long after its set-up a harness may not have been started anew
SAYS = {
    "missing command": "names a swarm that cannot be started",
    "older": "is not as this swarm sets it up",
}
STARTED = {"codex": "; Codex runs hooks only once you trust them in /hooks"}


def examine(root: Root) -> list[Finding]:
    """Findings on set-ups, and on agents with mail whom nothing here wakes."""
    places = [
        Places("project", os.path.dirname(root.path), os.environ),
        Places("user", os.path.expanduser("~"), os.environ),
    ]
    found: list[Finding] = []
    hooked = False
    for at in places:
        for name in NAMES:
            told, hooks = _harness(root, name, at)
            found += told
            hooked |= hooks
    seen = os.path.isdir(f"{root.path}/{FOLDER}")
    return found + (_unwoken(root) if hooked or seen else [])


def _harness(root: Root, name: str, at: Places) -> tuple[list[Finding], bool]:
    """What is to be said of one harness, and whether its hooks are set up."""
    found, hooks = [], False
    for file in files(name, at):
        shown = os.path.relpath(file.path, root.path) if not at.user else file.path
        for part, state in states(file, program.words()).items():
            if state in SAYS:
                way = f"swarm install {name}{' --user' if at.user else ''}"
                found.append(Finding("warn", shown, f"{part} of {name} {SAYS[state]}", way))
            if state == "unreadable" and _names_us(file.path):
                text = f"it cannot be told whether {part} of {name} is set up"
                found.append(Finding("warn", shown, text, f"mend it, then swarm install {name}"))
            if (part, state) == ("mcp", "set up") and not program.serves():
                text = f"mcp of {name} needs packages that are not installed here"
                found.append(Finding("warn", shown, text, program.EXTRA))
            if part == "hooks" and state not in ("", "another's", "unreadable"):
                hooks = True
                found += [] if at.user else _never_ran(root, name, file, shown)
    return found, hooks


def _names_us(path: str) -> bool:
    if not os.path.isfile(path):  # a pipe would not end
        return False
    try:
        with open(path, "rb") as file:
            return b"swarm" in file.read()
    except OSError:
        return False


def _never_ran(root: Root, name: str, file: File, shown: str) -> list[Finding]:
    """That no session of this harness ever called a hook here."""
    if sessions.names_of(root, name) or time.time() - os.stat(file.path).st_mtime < PATIENCE:
        return []
    way = f"start it anew in this project{STARTED.get(name, '')}"
    return [Finding("warn", shown, f"hooks of {name} are set up but have never run", way)]


def _unwoken(root: Root) -> list[Finding]:
    """Agents at work with old unread mail, and nothing that would tell them."""
    now, found = time.time(), []
    guarded = {one for trace in guardings(root.path, now) if trace.lives for one in trace.agents}
    for state in overview(root, now)[0]:
        if state.state != "active" or state.via or (state.oldest or 0) <= WAITING_AFTER:
            continue
        if state.id in guarded or sessions.others(root, state.id):
            continue
        text = (
            f"{state.unread} unread, the oldest for {age(state.oldest or 0)}, and nobody is woken"
        )
        way = f"start its session again, or swarm mamoru --as {state.id}"
        found.append(Finding("warn", f"{state.id}/inbox", text, way))
    return found
