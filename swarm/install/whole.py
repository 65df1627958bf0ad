"""A file that is ours from its first line to its last."""

import json
import os

from swarm.errors import Refused
from swarm.install.text import Text

TEMPLATES = "templates"


class Whole:
    """``template``: its text.  ``mark``: what a file of ours has among its first lines.

    ``program``: what in the template stands for the words that start swarm.
    """

    def __init__(self, name: str, template: str, mark: str, program: str = "") -> None:
        self.name = name
        self.template = template
        self.mark = mark
        self.program = program

    def install(self, doc: Text, words: list[str]) -> None:
        wanted = self._wanted(words)
        if doc.content == wanted:
            return
        if doc.content.strip() and not self._ours(doc):
            raise Refused("is another's")
        doc.splice(0, len(doc.content), wanted)

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
        return "set up" if self._same(doc) else "older"

    def _ours(self, doc: Text) -> bool:
        return self.mark in "\n".join(doc.content.splitlines()[:5])

    def _same(self, doc: Text) -> bool:
        """Whether it is the template, but for the words that start swarm."""
        mine = self._wanted(["swarm"]).splitlines()
        theirs = doc.content.splitlines()
        begin = self.program.split("[")[0] if self.program else None
        return [line for line in mine if not begin or not line.startswith(begin)] == [
            line for line in theirs if not begin or not line.startswith(begin)
        ]

    def _wanted(self, words: list[str]) -> str:
        text = template(self.template)
        if not self.program:
            return text
        new = self.program.replace('["swarm"]', json.dumps(words, ensure_ascii=False))
        return text.replace(self.program, new)


def template(name: str) -> str:
    """A file of templates/, from the wheel or from the checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (package, os.path.dirname(package)):
        path = os.path.join(folder, TEMPLATES, name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8", newline="") as file:
                return file.read()
    raise FileNotFoundError(2, "no such template", name)
