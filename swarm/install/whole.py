"""A file that is ours from its first line to its last."""

import json

from swarm.errors import Refused
from swarm.install import program
from swarm.install.text import Text
from swarm.mailbox.templates import load_template


class Whole:
    """``template``: its text.  ``mark``: what a file of ours has among its first lines.

    ``words``: what in the template stands for the words that start swarm.
    """

    def __init__(self, name: str, template: str, mark: str, words: str = "") -> None:
        self.name = name
        self.template = template
        self.mark = mark
        self.words = words

    def install(self, doc: Text, words: list[str]) -> None:
        if self._same(doc) and self._starts(doc):
            return
        if doc.content.strip() and not self._ours(doc):
            raise Refused("is another's")
        doc.splice(0, len(doc.content), self._wanted(words))

    def remove(self, doc: Text) -> None:
        """Only a file as this swarm writes it: what others changed in it is theirs."""
        if not doc.content or not self._ours(doc):
            return
        if not self._same(doc):
            raise Refused("was changed since, or is another version's")
        doc.splice(0, len(doc.content), "")

    def state(self, doc: Text, words: list[str]) -> str:
        if not doc.content.strip():
            return ""
        if not self._ours(doc):
            return "another's"
        if not self._starts(doc):
            return "missing command"
        return "set up" if self._same(doc) else "older"

    def _ours(self, doc: Text) -> bool:
        return self.mark in "\n".join(doc.content.splitlines()[:5])

    def _same(self, doc: Text) -> bool:
        """Whether it is the template, but for the words that start swarm."""
        mine, theirs = _template(self.template).splitlines(), doc.content.splitlines()
        return [*map(self._blind, mine)] == [*map(self._blind, theirs)]

    def _blind(self, line: str) -> str:
        begin = self.words.split("[")[0]
        return begin if begin and line.startswith(begin) else line

    def _starts(self, doc: Text) -> bool:
        """Whether the words in it start a program; a file without such words needs none."""
        begin = self.words.split("[")[0]
        found = [line for line in doc.content.splitlines() if begin and line.startswith(begin)]
        try:
            return all(program.starts(json.loads(line.removeprefix(begin))) for line in found)
        except (ValueError, TypeError):
            return False

    def _wanted(self, words: list[str]) -> str:
        text = _template(self.template)
        if not self.words:
            return text
        new = self.words.replace('["swarm"]', json.dumps(words, ensure_ascii=False))
        return text.replace(self.words, new)


def _template(name: str) -> str:
    return load_template(name).decode()
