"""The hooks of a harness in its settings: put in, brought up to date, taken out."""

import shlex
from typing import Any

from swarm.install import program
from swarm.install.json_edit import drop, fills, find, insert, put, replace, root
from swarm.install.json_text import Node, Part
from swarm.install.text import Text

Found = tuple[str, list[Part]]
Wanted = dict[str, list[dict[str, Any]]]


class Hooks:
    """``wanted``: by event, what is set beside the command, and ``rest``, the command's words.

    ``flat``: the event lists its commands themselves, not groups of them.  ``top``: members that
    the file must have besides.
    """

    name = "hooks"

    def __init__(self, harness: str, wanted: Wanted, flat: bool = False, **top: Any) -> None:
        self.harness = harness
        self.wanted = wanted
        self.flat = flat
        self.top = top

    def install(self, doc: Text, words: list[str]) -> None:
        whole = root(doc)
        assert whole is not None
        for key, value in self.top.items():
            if whole.child(key) is None:
                put(doc, (key,), value)
        if find(doc, ("hooks",)) is None and self._ours(doc) == []:
            events = {
                event: [self._group(one, words) for one in ones]
                for event, ones in self.wanted.items()
            }
            put(doc, ("hooks",), events)
            return
        for event, ones in self.wanted.items():
            for one in ones:
                self._set(doc, event, one, words)
        self.remove(doc, keep=True)

    def remove(self, doc: Text, keep: bool = False) -> None:
        """Take our hooks out; with ``keep`` only those that are not wanted (any more)."""
        while (gone := self._unwanted(doc, keep)) is not None:
            drop(doc, *gone)

    def state(self, doc: Text, words: list[str]) -> str:
        found = self._ours(doc)
        if not found:
            return ""
        if not all(program.starts(_program(way[-1].node)) for _, way in found):
            return "missing command"
        after = Text(doc.content)
        self.install(after, words)
        return "set up" if after.content == doc.content else "older"

    def _set(self, doc: Text, event: str, one: dict[str, Any], words: list[str]) -> None:
        """Have this one hook in the file, in the place where it stands if it is there."""
        for where, way in self._ours(doc):
            hook = way[-1].node
            if where == event and _rest(hook) == one["rest"]:
                self._update(doc, hook, one, words)
                return
        listed = find(doc, ("hooks", event), "array")
        if listed is None:
            put(doc, ("hooks", event), [self._group(one, words)])
        else:
            insert(doc, listed, "", self._group(one, words))

    def _update(self, doc: Text, hook: Node, one: dict[str, Any], words: list[str]) -> None:
        wanted = self._entry(one, words)
        if program.starts(_program(hook)):
            del wanted["command"]  # what works is left alone: some trust a hook by its text
        for key, value in wanted.items():
            fresh = self._again(doc, hook)
            part = fresh.child(key)
            if part is None:
                insert(doc, fresh, key, value)
            elif part.node.plain() != value:
                replace(doc, part, value)

    def _again(self, doc: Text, hook: Node) -> Node:
        return next(w[-1].node for _, w in self._ours(doc) if w[-1].node.start == hook.start)

    def _ours(self, doc: Text) -> list[Found]:
        """Each hook of ours: its event, and the way to it from the whole on."""
        whole = root(doc, make=False)
        hooks = whole.child("hooks") if whole else None
        if whole is None or hooks is None or hooks.node.kind != "object":
            return []
        top = Part("", 0, whole)
        found = []
        for event in hooks.node.parts:
            if event is not hooks.node.child(event.key):
                continue  # named again below, which alone counts
            for group in event.node.parts if event.node.kind == "array" else []:
                listed = group.node.child("hooks")
                if self.flat:
                    found.append((event.key, [top, hooks, event, group]))
                elif listed:
                    found += [
                        (event.key, [top, hooks, event, group, listed, p])
                        for p in listed.node.parts
                    ]
        return [(event, way) for event, way in found if self._is_ours(way[-1].node)]

    def _is_ours(self, hook: Node) -> bool:
        return _rest(hook)[:2] in (["hook", self.harness], ["wait", "--hook"])

    def _unwanted(self, doc: Text, keep: bool) -> tuple[Node, Part] | None:
        """The outermost part that holds nothing but the first hook to go, and what holds it."""
        seen: list[tuple[str, list[str]]] = []
        for event, way in self._ours(doc):
            rest = _rest(way[-1].node)
            wanted = any(one["rest"] == rest for one in self.wanted.get(event, []))
            if keep and wanted and (event, rest) not in seen:
                seen.append((event, rest))
                continue
            last = len(way) - 1
            while last > 1 and (self._is_group(way, last) or fills(doc, way[last - 1], way[last])):
                last -= 1
            return way[last - 1].node, way[last]
        return None

    def _is_group(self, way: list[Part], at: int) -> bool:
        """Whether this is the list of a group: a group without it says nothing."""
        return not self.flat and at == 4

    def _entry(self, one: dict[str, Any], words: list[str]) -> dict[str, Any]:
        command = shlex.join([*words, *one["rest"]])
        kind = {} if self.flat else {"type": "command"}
        return {
            **kind,
            "command": command,
            **{k: v for k, v in one.items() if k != "rest"},
        }

    def _group(self, one: dict[str, Any], words: list[str]) -> dict[str, Any]:
        entry = self._entry(one, words)
        return entry if self.flat else {"hooks": [entry]}


def _command(hook: Node) -> list[str]:
    part = hook.child("command")
    value = part.node.value if part else None
    return program.split(value) if isinstance(value, str) else []


def _rest(hook: Node) -> list[str]:
    return program.parted(_command(hook))[1]


def _program(hook: Node) -> list[str]:
    return program.parted(_command(hook))[0]
