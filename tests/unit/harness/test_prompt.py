"""An input line is typed into only if it is there and empty, as far as the screen shows it."""

import pytest

from swarm.harness.prompt import is_empty, written

BOX = ["╭──────────╮", "│ >        │", "╰──────────╯", "  ? for shortcuts"]
EDITOR = ["thinking", "──────────", "", "──────────", "~/project"]
BARRED = ["┃", "┃", "┃  Build  model"]


@pytest.mark.parametrize(
    ("rows", "y", "cursor"),
    [
        (["> "], 0, True),
        (["\u276f"], 0, True),
        (["old > text", "\x1b[1m\u203a\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m"], 1, True),
        (["> \x1b[7mT\x1b[27m\x1b[90mry this\x1b[39m"], 0, False),
        (["> Type your message or @path/to/file"], 0, False),
        (BOX, -1, False),
        (BOX, 1, True),
        (EDITOR, 2, True),
        (BARRED, 1, True),
        (["\x1b[2m> quoted\x1b[0m", "> "], 9, False),
    ],
)
def test_an_empty_input_line_is_known(rows: list[str], y: int, cursor: bool) -> None:
    assert is_empty(rows, y, cursor)


@pytest.mark.parametrize(
    ("rows", "y", "cursor"),
    [
        ([], 0, True),
        ([""], 0, True),
        (["", ""], 1, True),
        ([""], 0, False),
        (["> half a wor"], 0, True),
        (["> first line", ""], 1, True),  # of a text of several
        (["┃ first line", "┃"], 1, True),
        (["! "], 0, True),  # what follows is run
        (["$ "], 0, True),
        (["Password: "], 0, True),
        (["Do you want to proceed?", "\u276f 1. Yes", "  2. No"], -1, False),
        (["> ", *["output"] * 12], -1, False),  # far above the end
        (["> "], 5, True),  # the cursor is elsewhere
        (["> "], -1, True),
        (["> \x1b[2mfaint\x1b[0m and real"], 0, True),
        (["> \x1b[90mgrey\x1b[38;5;2m text"], 0, True),
    ],
)
def test_what_is_none_or_in_use_is_not(rows: list[str], y: int, cursor: bool) -> None:
    assert not is_empty(rows, y, cursor)


@pytest.mark.parametrize("row", ["\x1b", "\x1b[", "\x1b[;;m", "\x1b[38m", "\x1b[38;5m", "\x1b]0"])
def test_no_sequence_breaks_it(row: str) -> None:
    assert written(row + "\x1b[0mx").endswith("x")
