"""Who was told of it: sessions of a harness by a notice, a terminal by a nudge."""

from swarm.events import moment
from swarm.harness import nudge, session, sessions
from swarm.mailbox.layout import Root
from swarm.trace import files
from swarm.trace.fact import Fact
from swarm.trace.letter import Letter


def facts(root: Root, letter: Letter) -> list[Fact]:
    """Notices given, and that no session of the recipient's lives that could be given one."""
    box, found = letter.box, _nudged(root, letter)
    live = {other.name for other in sessions.others(root, box)}
    for name in sorted(sessions.names_of(root)):
        state = session.load(root, name)
        if state is None or state.owner != box:
            continue
        path = f"{session.FOLDER}/{name}"
        seen = files.stat(root, path)
        at = seen and seen.st_mtime
        if letter.name in state.told:
            text = f"session {name} was told of it; this is the time of its last hook"
            found.append(Fact(at, "noticed", text, path))
        elif name in live:
            text = f"session {name} was not told of it; this is the time of its last hook"
            found.append(Fact(at, "session", text, path))
    if not live:
        text = f"no session of a harness that works for {box} was heard of lately"
        found.append(Fact(None, "why", text, f"{session.FOLDER}/"))
    return found


def _nudged(root: Root, letter: Letter) -> list[Fact]:
    at, told = nudge.told(root, letter.box)
    path = f"{nudge.FOLDER}/{letter.box}"
    if letter.name in told:
        return [Fact(at or None, "nudged", "by a line typed into its tmux pane, or before", path)]
    if at:
        text = f"not nudged for it; the last line was typed at {moment(at)}"
        return [Fact(None, "why", text, path)]
    return []
