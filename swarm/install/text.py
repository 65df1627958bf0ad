"""A text under change that can say how to take each change back."""

import re

FIRST_INDENT = re.compile(r"\n([ \t]+)[^ \t\r\n]")


class Text:
    """``content`` after some splices; ``undo`` takes them back, the last one first."""

    __slots__ = ("content", "undo")

    def __init__(self, content: str) -> None:
        self.content = content
        self.undo: list[tuple[int, int, str]] = []

    def splice(self, start: int, end: int, new: str) -> None:
        """Put ``new`` where ``start`` to ``end`` was."""
        self.undo.append((start, len(new), self.content[start:end]))
        self.content = self.content[:start] + new + self.content[end:]

    @property
    def newline(self) -> str:
        return "\r\n" if "\r\n" in self.content else "\n"

    @property
    def unit(self) -> str:
        """One step of indentation as this text has it."""
        found = FIRST_INDENT.search(self.content)
        return found[1] if found else "  "

    def indent(self, at: int) -> str:
        """The blanks that begin the line on which ``at`` stands."""
        line = self.content[self.content.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]


def taken_back(content: str, undo: "list[tuple[int, int, str]]") -> str:
    """The text before those splices."""
    for start, length, old in reversed(undo):
        content = content[:start] + old + content[start + length :]
    return content
