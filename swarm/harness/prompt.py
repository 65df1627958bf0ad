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

    ``rows``: the screen with its escape sequences.  ``y``: the row of the cursor.  Programs that
    hide it (``cursor``) draw their own, and leave it where they like: there the last row with a
    mark is meant, or the cursor's, if it lies between two rules.
    """
    plain = written(rows)
    if cursor:
        return 0 <= y < len(plain) and (_is_box(plain, y) or _is_marked(plain[y]))
    shown = [at for at, row in enumerate(plain) if row]
    near = [row for at, row in enumerate(plain) if row and at > shown[-1] - NEAR]
    marked = [row for row in near if row.strip(BARS)[:1] in MARKS and row.strip(BARS)]
    return _is_marked(marked[-1]) if marked else _is_between(plain, y)


def _is_marked(row: str) -> bool:
    """A mark, and behind it nothing, or a hint."""
    said = row.strip(BARS)
    rest = said[1:].strip()
    return said[:1] in MARKS and bool(said) and (not rest or rest.startswith(HINTS))


def _is_box(rows: Sequence[str], y: int) -> bool:
    """Nothing, or a hint, beside a bar, and nothing above it; or nothing between two rules."""
    said = rows[y].strip(BARS)
    if rows[y].strip()[:1] in BARS.strip() and rows[y].strip():
        above = rows[y - 1] if y else ""
        return (not said or said.startswith(HINTS)) and not above.strip(BARS + RULES)
    return _is_between(rows, y)


def _is_between(rows: Sequence[str], y: int) -> bool:
    if not 0 < y < len(rows) - 1 or rows[y]:
        return False
    return all(row and not row.strip(RULES + " ") for row in (rows[y - 1], rows[y + 1]))


def written(rows: Sequence[str]) -> list[str]:
    """What is written in each row: without colours, and without what is dim or a drawn cursor."""
    style, found = Style(), []
    for row in rows:
        text, at = "", 0
        while at < len(row):
            if row[at] == "\x1b":
                codes, at = _codes(row, at + 1)
                style.take(codes)  # which goes on in the next row
            else:
                text += " " if style.faint or style.grey or style.reverse else row[at]
                at += 1
        found.append(text.rstrip())
    return found


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
        numbers = [int(code) if code.isdecimal() else 0 for code in codes]
        while numbers:
            code = numbers.pop(0)
            if code in (38, 48):
                count = {5: 2, 2: 4}.get(numbers[0] if numbers else 0, 0)
                colour, numbers = numbers[:count], numbers[count:]
                if code == 38:
                    self.grey = _is_grey(colour)
            else:
                self._one(code)

    def _one(self, code: int) -> None:
        if code == 0:
            self.faint = self.grey = self.reverse = False
        elif code in (1, 2, 22):
            self.faint = code == 2
        elif code in (7, 27):
            self.reverse = code == 7
        elif 30 <= code <= 39 or 90 <= code <= 97:
            self.grey = code == 90


def _is_grey(colour: list[int]) -> bool:
    """Whether a colour by number is grey, and not a bright one: so hints are written."""
    if colour[:1] == [5]:
        return colour[1:] == [8] or 235 <= sum(colour[1:]) <= 246
    red, green, blue = (*colour[1:], 0, 0, 0)[:3]
    return len(colour) == 4 and max(red, green, blue) - min(red, green, blue) < 16 and red < 150
