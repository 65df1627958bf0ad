"""Telling a session what is new, so that nothing is told twice."""

import os
import time

from swarm.harness.hook import Post
from swarm.harness.notice import SHOWN_MAX, Line, short_id, text
from swarm.harness.sessions import Locked
from swarm.mailbox import inbox
from swarm.mailbox.layout import Root
from swarm.mailbox.wait import SETTLE

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
    it is noted: who is killed in between has its answer thrown away, and says it again.  What
    there is no room to note is not said: it would be said for ever.
    ``again``: only what came after an earlier notice.
    """
    with Locked(root, name) as state:
        post = Post(root, agent)
        new = [] if again and not state.found.notices else post.fresh(state.found)
        lines, none, gone = _lines(root, agent, new)
        count = len(new) - none - len(gone)
        if new or first or state.new or post.left(state.found):
            post.note(state.found, [name for name in new if name not in gone], count > 0)
            state.reserve()
        if count or first:
            say(text(agent, lines, count, speaker, first))
        state.save()
        return bool(count or first)


def _lines(root: Root, agent: str, new: list[str]) -> tuple[list[Line], int, list[str]]:
    """The lines of a notice, how many of these are no mail, and those gone meanwhile.

    Only those shown are opened.
    """
    lines: list[Line] = []
    none, gone = 0, []
    folder = root.inbox(agent)
    found = inbox.message_names(root, folder) if new else []
    for name in new:
        if len(lines) == SHOWN_MAX:
            break
        item = _whole(root, agent, f"{folder}/{name}")
        if item is not None:
            subject = "(cannot be read)" if item.unreadable else item.subject
            lines.append((short_id(name, found), item.sender, subject))
        elif os.path.lexists(f"{folder}/{name}"):  # a link, a folder
            none += 1
        else:  # it may come back, as what is being edited does
            gone.append(name)
    return lines, none, gone


def _whole(root: Root, agent: str, path: str) -> "inbox.Item | None":
    """A message; one that seems caught while somebody writes it by hand is looked at again."""
    item = inbox.load(root, agent, path)
    if item and "malformed" in item.flags and _is_young(path):
        time.sleep(SETTLE)
        item = inbox.load(root, agent, path)
    return item


def _is_young(path: str) -> bool:
    try:
        return abs(time.time() - os.lstat(path).st_mtime) < 2 * SETTLE
    except FileNotFoundError:
        return True
