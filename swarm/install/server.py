"""The entry of ``swarm mcp`` among the servers that a harness starts."""

from typing import Any

from swarm.errors import Refused
from swarm.install import program
from swarm.install.json_edit import drop, fills, find, insert, put, replace, root
from swarm.install.json_text import Node
from swarm.install.text import Text

REST = ["mcp"]


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
        if self._rest(entry) == REST and program.starts(self._program(entry)):
            return
        for key, value in self._wanted(words).items():
            entry = self._entry(doc)
            assert entry is not None
            part = entry.child(key)
            if part is None:
                insert(doc, entry, key, value)
            elif part.node.plain() != value:
                replace(doc, part, value)

    def remove(self, doc: Text) -> None:
        try:
            if self._entry(doc) is None:
                return
        except Refused:
            return  # another's, of the same name
        whole = root(doc)
        servers = whole.child(self.under) if whole else None
        part = servers.node.child("swarm") if servers else None
        assert whole is not None and servers is not None and part is not None
        alone = fills(doc, servers, part)
        drop(doc, *((whole, servers) if alone else (servers.node, part)))

    def state(self, doc: Text, words: list[str]) -> str:
        try:
            entry = self._entry(doc)
        except Refused:
            return "another's"
        if entry is None:
            return ""
        if not program.starts(self._program(entry)):
            return "missing command"
        return "set up" if self._rest(entry) == REST else "older"

    def _wanted(self, words: list[str]) -> dict[str, Any]:
        if self.joined:
            return {"type": "local", "command": [*words, *REST], "enabled": True}
        return {"command": words[0], "args": [*words[1:], *REST], **self.more}

    def _entry(self, doc: Text) -> Node | None:
        """Our entry; Refused where another has the name."""
        entry = find(doc, (self.under, "swarm"))
        if entry is not None and self._rest(entry)[:1] != REST:
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
