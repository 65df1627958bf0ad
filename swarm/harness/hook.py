"""One call of ``swarm hook``: what a harness's agent is told at one moment of its session."""

import os

from swarm.errors import NoRoot
from swarm.harness import known, session
from swarm.harness.session import Session
from swarm.mailbox import inbox
from swarm.mailbox.layout import Root, find_root, is_known, synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from swarm.harness.asked import Asked
    from swarm.identity import Identity


# So many notices on end, then silence until some mail is read: no loop comes from them.
MOST = 2


class Post:
    """An agent's unread mail, by name, and how many receipts there are."""

    __slots__ = ("_inbox", "agent", "receipts", "unread")

    def __init__(self, root: Root, agent: str) -> None:
        self.agent = agent
        self.unread, receipts = inbox.unread_and_receipts(root, agent)
        self.receipts = len(receipts)
        self._inbox = root.inbox(agent)

    def fresh(self, found: Session) -> list[str]:
        """What the session is to be told of now."""
        if not self.unread:
            return []
        if found.serves != self.agent:
            return self.unread
        told = set(found.told)
        new = [name for name in self.unread if name not in told]
        return new if found.notices < MOST or self._was_read(found) else []

    def _was_read(self, found: Session) -> bool:
        """Whether some mail was read since the last notice."""
        return self.receipts > found.receipts or self.left(found)

    def left(self, found: Session) -> bool:
        """Whether some that it was told of wait no more: another may come by the same name."""
        if found.serves != self.agent or set(found.told) <= set(self.unread):
            return False
        # An inbox that is away may come back as it was.
        return bool(self.unread) or os.path.isdir(self._inbox)

    def note(self, found: Session, new: list[str], given: bool) -> None:
        """Note that the session was told of these, or that there was nothing in them to tell."""
        other = found.serves != self.agent
        told = {*new, *([] if other else found.told)}
        if given or other:
            found.notices = given + (0 if other or self._was_read(found) else found.notices)
            found.receipts = self.receipts
        elif self._was_read(found):  # not 0: it was told, and may be kept going for what comes
            found.notices = min(found.notices, MOST - 1)
        found.serves = self.agent
        found.told = [name for name in self.unread if name in told]


class Place:
    """Where a hook is called: the tree, the session's file and what it says, the environment."""

    __slots__ = ("asked", "env", "found", "harness", "name", "root")

    def __init__(self, root: Root, harness: str, asked: "Asked", env: "Mapping[str, str]") -> None:
        self.root = root
        self.harness = harness
        self.asked = asked
        self.env = env
        # A program that names no session has one for each agent.
        self.name = session.file_name(harness, asked.session or env.get("SWARM_AGENT", ""))
        self.found = session.known(root, self.name) if self.name else None

    @property
    def path(self) -> str:
        """The session's file."""
        return f"{self.root.path}/{session.FOLDER}/{self.name}"

    def who(self, given: str | None) -> "Identity | None":
        """Who is asked for; None where no such agent is known."""
        from swarm.identity import who

        found = who(self.root, given, self.env, (self.name, self.found or Session()))
        return found if found.agent and is_known(self.root, found.agent) else None


def root_of(given: str, env: "Mapping[str, str]", asked: "Asked") -> Root:
    """The tree of the working directory, else of the folder that the session works in."""
    sync = synced(env)
    try:
        return find_root(given, env.get("SWARM_ROOT", ""), sync)
    except NoRoot:
        if given or env.get("SWARM_ROOT") or not asked.folder:
            raise
        os.chdir(asked.folder)  # for the name that is kept for a working tree too
        return find_root("", "", sync)


def hook(place: Place, moment: str, given: str | None, say: "Callable[[str], None]") -> None:
    """Say what is to be said at this moment, or nothing.  Raises what goes wrong."""
    if not moment or not place.name or place.asked.subagent or place.asked.broken_off:
        return
    if moment in (known.START, known.END):
        from swarm.harness.edges import end, start

        start(place, given, say) if moment == known.START else end(place)
    else:
        _at(place, given, say, moment == known.IDLE and place.asked.again)


def _at(place: Place, given: str | None, say: "Callable[[str], None]", again: bool) -> None:
    """In the middle of a session: silent, and nothing written, unless something is new."""
    who = place.who(given)
    if not who:
        return
    if place.found is not None:
        os.utime(place.path)  # a sign that hooks run, and that the session lives
        post = Post(place.root, who.agent)
        if not post.fresh(place.found) and not post.left(place.found):
            return
    from swarm.harness.telling import tell

    tell(place.root, place.name, who.agent, say, speaker(place, who), again=again)


def speaker(place: Place, who: "Identity") -> str:
    """How the agent's own commands have to name it; '' where they find that by themselves."""
    if who.source in ("SWARM_AGENT", "tree"):
        return ""
    knows = who.source == "session" and place.harness in (*known.SHELL, "opencode", "pi")
    return "" if knows else who.agent
