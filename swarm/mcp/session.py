"""Who is served, and where its mail is; both may become known only while the server runs."""

import os
from collections.abc import Callable, Mapping

from swarm import identity, names
from swarm.errors import NoRoot, SwarmError, Unknown, UsageError
from swarm.harness.known import SHELL
from swarm.mailbox import layout
from swarm.mailbox.layout import Root
from swarm.mamoru.state import Settings, from_env
from swarm.transport.base import Store

REGISTER = "call the register tool, or start the server with --as ID or SWARM_AGENT"


class Session:
    """One client's: an agent of a mail tree, or with ``channel`` of a channel."""

    def __init__(
        self,
        given: str | None,
        root: str | None,
        channel: str | None,
        env: Mapping[str, str],
    ) -> None:
        self._given = given
        self._named_root = root
        self.channel = channel
        self.env = env
        self._root: Root | None = None
        self._agent = self._why = ""
        self.heed: list[Callable[[], None]] = []
        self.before_reading: Callable[[list[str]], None] = lambda names: None

    @property
    def sync(self) -> bool:
        """Whether what is written is synced to disk (contract 1)."""
        return layout.synced(self.env)

    @property
    def root(self) -> Root:
        """The mail root, found once; NoRoot as long as there is none."""
        if self._root is None:
            if self._named_root == "":
                raise UsageError("--root is empty")
            env = self.env.get("SWARM_ROOT", "")
            self._root = layout.find_root(self._named_root or "", env, self.sync)
        return self._root

    def agent(self) -> str:
        """The agent's id, '' while none is known: whoever keeps a name later is found then."""
        if not self._agent and (found := self._who()):
            self.become(found)
        return self._agent

    def hear_of(self, thread: object) -> None:
        """Of which session a call is: Codex says so with each, and nothing in the environment."""
        if not self._agent and isinstance(thread, str):
            self.env = {**self.env, SHELL["codex"]: thread}

    def _who(self) -> str:
        try:
            found = identity.who(self.root, self._given, self.env)
            self._why = f"{found.detail}; " if found.two else ""
            return found.agent
        except NoRoot:  # a channel may be all there is
            return self._given or self.env.get("SWARM_AGENT", "")

    @property
    def me(self) -> str:
        """The agent served, known where its mail is; SwarmError else."""
        agent = self.agent()
        if not agent:
            raise UsageError("no agent given", f"{self._why}{REGISTER}", code="no-agent")
        if self.channel is not None:
            return names.check_id(agent)
        try:
            return layout.check_mine(self.root, agent)
        except Unknown as error:
            raise Unknown(error.message, f"{error.hint}; {REGISTER}", code=error.code) from None

    def become(self, agent: str) -> None:
        """Serve that agent from now on; those in ``heed`` hear of it."""
        if agent == self._agent:
            return
        self._agent = agent
        for call in self.heed:
            call()

    def store(self, watching: bool = False) -> Store:
        """Where the agent's events lie; the caller closes it."""
        if self.channel is None:
            from swarm.transport.mail import MailStore

            return MailStore(self.root, watching)
        from swarm.team.channel import Channel
        from swarm.team.place import home
        from swarm.transport.team import TeamStore

        return TeamStore(Channel.open(home(self.env), self.channel, sync=self.sync))

    def settings(self) -> Settings:
        """The times that a guardian keeps."""
        return from_env(self.env, self.channel is not None)


def log(text: str) -> None:
    """One line for whoever reads what the server says beside the protocol."""
    try:
        os.write(2, f"swarm mcp: {names.visible(text)}\n".encode("utf-8", "replace"))
    except OSError:
        return


def one_line(error: BaseException) -> str:
    """An error in one line, with its hint."""
    if isinstance(error, SwarmError):
        return f"{error.message} ({error.hint})" if error.hint else error.message
    return f"{type(error).__name__}: {error}"
