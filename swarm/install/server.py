"""The entry of ``swarm mcp`` among the servers that a harness starts."""

from typing import Any

from swarm.errors import Refused
from swarm.install import program
from swarm.install.json_edit import drop, fills, find, insert, put, replace, root
from swarm.install.json_text import Node
from swarm.install.text import Text

REST = ["mcp"]


def serves(rest: list[str]) -> bool:
    """Whether these words for swarm start its server, with whatever options a user gave.

    Those that name the agent and the tree stand before the command.
    """
    at = 0
    while rest[at : at + 1] and rest[at].startswith("--"):
        at += 1 if "=" in rest[at] else 2
    return rest[at : at + 1] == REST


class Server:
    """``under``: the member that holds the servers.  ``joined``: command and arguments are one.

    ``more``: what else is said of ours where it is put in.
    """

    name = "mcp"

    def __init__(self, under: str = "mcpServers", joined: bool = False, **more: str) -> None:
        self.under = under
        self.joined = joined
        self.more = more

    def install(self, doc: Text, words: list[str]) -> None:
        entry = self._entry(doc)
        if entry is None:
            put(doc, (self.under, "swarm"), self._wanted(words))
            return
        if program.starts(self._program(entry)):
            return
        for key, value in self._command(words, self._rest(entry)).items():
            entry = self._entry(doc)
            assert entry is not None
            part = entry.child(key)
            if part is None:
                insert(doc, entry, key, value)
            elif part.node.plain() != value:
                replace(doc, part, value)

    def remove(self, doc: Text) -> None:
        whole = root(doc, make=False)  # raises where ours may stand and cannot be found
        try:
            if self._entry(doc) is None:
                return
        except Refused:
            return  # another's, of the same name
        servers = whole.child(self.under) if whole else None
        part = servers.node.child("swarm") if servers else None
        assert whole is not None and servers is not None and part is not None
        alone = fills(doc, servers, part)
        drop(doc, *((whole, servers) if alone else (servers.node, part)))

    def state(self, doc: Text, words: list[str]) -> str:
        root(doc, make=False)
        try:
            entry = self._entry(doc)
        except Refused:
            return "another's"
        if entry is None:
            return ""
        return "set up" if program.starts(self._program(entry)) else "missing command"

    def _wanted(self, words: list[str]) -> dict[str, Any]:
        if self.joined:
            return {"type": "local", **self._command(words, REST), "enabled": True}
        return {**self._command(words, REST), **self.more}

    def _command(self, words: list[str], rest: list[str]) -> dict[str, Any]:
        if self.joined:
            return {"command": [*words, *rest]}
        return {"command": words[0], "args": [*words[1:], *rest]}

    def _entry(self, doc: Text) -> Node | None:
        """Our entry; Refused where another has the name."""
        entry = find(doc, (self.under, "swarm"))
        if entry is not None and not serves(self._rest(entry)):
            raise Refused(f"has another's {self.under}.swarm")
        return entry

    def _words(self, entry: Node) -> list[str]:
        """The command and its arguments, however they are told apart."""
        plain = entry.plain()
        found = plain.get("command")
        listed = found if isinstance(found, list) else [found]
        args = plain.get("args")
        listed = [*listed, *(args if isinstance(args, list) else [])]
        return listed if all(isinstance(word, str) for word in listed) else []

    def _program(self, entry: Node) -> list[str]:
        return program.parted(self._words(entry))[0]

    def _rest(self, entry: Node) -> list[str]:
        return program.parted(self._words(entry))[1]
