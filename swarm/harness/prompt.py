"""Whether an agent's program waits for input, as far as its screen shows it.  Pure.

Known programs draw a line with a mark at its start, a box, or two rules around it; a hint
that stands in an empty line is dim.  What looks like none of that is not typed into.
"""

from collections.abc import Sequence

# Not "!" or "$": what is typed behind these is run.
MARKS = frozenset((">", "\u276f", "\u203a", "\u00bb"))
# What stands in an empty line of programs that do not draw it dim.
HINTS = ("Type your message", "Ask anything")
BARS = "│┃║|▏▎▍▌▐╎┆┊╹╻ \u00a0"
RULES = "─━═╌┄┈╭╮╰╯┌┐└┘├┤▀▄▁▔╺╸╼╾-"
NEAR = 12  # rows from the last one that shows something in which an input line is looked for
DIM = frozenset(("2", "90"))
REVERSE = "7"


def is_empty(rows: Sequence[str], y: int, cursor: bool) -> bool:
    """Whether nothing is typed in the input line, and there is one.

    ``rows``: the screen with its escape sequences.  ``y``: the row of the cursor, if the
    program shows one; where it draws its own, the last row with a mark is meant.
    """
    if cursor:
        return 0 <= y < len(rows) and _is_empty([written(row) for row in rows], y)
    plain = [written(row) for row in rows]
    shown = [at for at, row in enumerate(plain) if row.strip()]
    near = [at for at in shown if shown and at > shown[-1] - NEAR]
    marked = [at for at in near if plain[at].strip(BARS)[:1] in MARKS]
    return bool(marked) and _is_empty(plain, marked[-1])


def _is_empty(rows: Sequence[str], y: int) -> bool:
    """A mark alone; or between bars or under a rule nothing, and above it nothing either."""
    said = rows[y].strip(BARS)
    if said:
        rest = said[1:].strip()
        return said[0] in MARKS and (not rest or rest.startswith(HINTS))
    above = rows[y - 1] if y else ""
    if above.strip(BARS + RULES):
        return False
    return bool(rows[y].strip() or above.strip())


def written(row: str) -> str:
    """What is written in a row: without colours, and without what is dim or a drawn cursor."""
    found, style, at = [], Style(), 0
    while at < len(row):
        if row[at] == "\x1b":
            codes, at = _codes(row, at + 1)
            style.take(codes)
        else:
            found.append(" " if style.faint or style.grey or style.reverse else row[at])
            at += 1
    return "".join(found).rstrip()


def _codes(row: str, at: int) -> tuple[list[str], int]:
    """The numbers of a style, [] of any other sequence; and where it ends."""
    if row[at : at + 1] != "[":
        return [], at + 1
    end = at + 1
    while end < len(row) and not row[end].isalpha():
        end += 1
    style = row[end : end + 1] == "m"
    return (row[at + 1 : end] or "0").split(";") if style else [], end + 1


class Style:
    """How the next characters are drawn, as far as it matters here."""

    def __init__(self) -> None:
        self.faint = self.grey = self.reverse = False

    def take(self, codes: list[str]) -> None:
        """Go on with the numbers of one sequence; a colour by number takes those after it."""
        at = 0
        while at < len(codes):
            code = int(codes[at]) if codes[at].isdecimal() else 0
            if code in (38, 48):
                at += {"5": 2, "2": 4}.get("".join(codes[at + 1 : at + 2]), 0)
            self._one(code)
            at += 1

    def _one(self, code: int) -> None:
        if code == 0:
            self.faint = self.grey = self.reverse = False
        elif code in (1, 2, 22):
            self.faint = code == 2
        elif code in (7, 27):
            self.reverse = code == 7
        elif 30 <= code <= 39 or 90 <= code <= 97:
            self.grey = code == 90
