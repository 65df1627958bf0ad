"""Telling a session what is new, so that nothing is told twice."""

from swarm.harness.hook import Post
from swarm.harness.notice import SHOWN_MAX, Line, short_id, text
from swarm.harness.sessions import Locked
from swarm.mailbox import inbox
from swarm.mailbox.layout import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def tell(
    root: Root,
    name: str,
    agent: str,
    say: "Callable[[str], None]",
    speaker: str = "",
    first: str = "",
    again: bool = False,
) -> bool:
    """Say what is new to the session of that name; whether something was.

    Under the session's lock, so that of two hooks at one moment one speaks.  It is said before
    it is noted: who is killed in between has its answer thrown away, and says it again.
    ``again``: only what came after an earlier notice.
    """
    with Locked(root, name) as state:
        post = Post(root, agent)
        new = [] if again and not state.found.notices else post.fresh(state.found)
        lines, count = _lines(root, agent, new)
        if count or first:
            say(text(agent, lines, count, speaker, first))
        if new or first or state.new:
            post.note(state.found, new, bool(count))
            state.save()
        return bool(count or first)


def _lines(root: Root, agent: str, new: list[str]) -> tuple[list[Line], int]:
    """The lines of a notice, and of how many messages it is; only those shown are opened."""
    if not new:
        return [], 0
    folder = root.inbox(agent)
    found = inbox.message_names(root, folder)
    lines: list[Line] = []
    count = len(new)
    for name in new:
        if len(lines) == SHOWN_MAX:
            break
        item = inbox.load(root, agent, f"{folder}/{name}")
        if item is None:  # gone meanwhile, or no mail: a link, a folder
            count -= 1
        else:
            subject = "(cannot be read)" if item.unreadable else item.subject
            lines.append((short_id(name, found), item.sender, subject))
    return lines, count
