"""Where a session begins and where it ends."""

import os
import time

from swarm import disk
from swarm.harness import known, session, sessions
from swarm.harness.hook import Place, speaker
from swarm.harness.notice import plain
from swarm.harness.sessions import Locked
from swarm.harness.telling import tell
from swarm.mailbox.layout import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

OLD_S = 7 * 86400
HINT = (
    "[swarm] A mailroom for agents is here ({}). You have no name in it yet: "
    "swarm register NAME --role ROLE --archetype specialist --task TASK --keep"
)
TWIN = "[swarm] Another session ({}, {} ago) is {} too: one of you should take another name."


def start(place: Place, given: str | None, say: "Callable[[str], None]") -> None:
    """A context that knows nothing, be the session new or not: all unread mail is news to it."""
    _sweep(place.root, place.name)
    _export(place)
    _take_over(place)
    who = place.who(given)
    with Locked(place.root, place.name) as state:
        found = state.found
        found.told, found.notices, found.ended = [], 0, ""
        found.serves = who.agent if who else ""
        if not who and not found.hinted:
            say(HINT.format(plain(place.root.path)))
            found.hinted = 1
        state.save()
    if who:
        twins = sessions.others(place.root, who.agent, place.name)
        first = TWIN.format(twins[0].harness, _ago(twins[0].ago), who.agent) if twins else ""
        tell(place.root, place.name, who.agent, say, speaker(place, who), first)


def _ago(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _export(place: Place) -> None:
    """Have the commands of the agent know their session, where the harness lets us."""
    path = place.env.get(known.ENV_FILE) if place.harness == "claude" else ""
    if not path:
        return
    line = f"export {known.OWN}='{place.name}'\n".encode()
    fd = os.open(path, disk.OWN_FLAGS | os.O_RDWR | os.O_APPEND, 0o666)
    try:
        if line not in os.read(fd, 1 << 20):
            os.write(fd, line)
    finally:
        os.close(fd)


def _take_over(place: Place) -> None:
    """After ``/clear`` the same agent goes on in a session of another id: its name goes along.

    It is the session that ended so in the very process which runs this one.
    """
    if place.asked.reason != "clear" or (place.found and place.found.agent):
        return
    mark = f"clear {os.getppid()}"
    for name in sessions.names_of(place.root, place.harness):
        old = session.load(place.root, name)
        if old and old.agent and old.ended == mark and name != place.name:
            sessions.keep(place.root, place.name, old.agent)
            disk.remove(f"{place.root.path}/{session.FOLDER}/{name}")
            place.found = session.load(place.root, place.name)
            return


def end(place: Place) -> None:
    """The file of a session goes with it, but for a name that was kept: it may be resumed."""
    sessions.end_doorbell(place.root, place.name)
    if place.found is None:
        return
    with Locked(place.root, place.name) as state:
        if not state.found.agent:
            disk.remove(place.path)
            return
        state.found.told, state.found.notices = [], 0
        state.found.ended = f"{place.asked.reason or 'ended'} {os.getppid()}"
        state.save()


def _sweep(root: Root, own: str) -> None:
    """Remove the files of sessions that gave no sign for a week, but not one's own."""
    before = time.time() - OLD_S
    for name in sessions.names_of(root):
        path = f"{root.path}/{session.FOLDER}/{name}"
        try:
            if name != own and os.lstat(path).st_mtime < before and not sessions.has_doorbell(path):
                sessions.end_doorbell(root, name)
                disk.remove(path)
        except OSError:  # another is at the same, or it is not ours
            continue
