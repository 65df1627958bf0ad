"""An input line is typed into only if it is there and empty, as far as the screen shows it."""

import pytest

from swarm.harness.prompt import is_empty, written

RULE = "\u2500" * 40
# As these programs drew them: the rows around the input line, the row of the cursor, and whether it shows.
SCREENS = {
    "Claude Code 2.1": (
        [f"\x1b[38;5;244m{RULE}", "\x1b[39m\u276f\xa0\x1b[7m", f"\x1b[0m\x1b[38;5;244m\x1b[49m{RULE}",
         "\x1b[39m  \x1b[38;5;246m?\x1b[39m \x1b[38;5;246mfor\x1b[39m \x1b[38;5;246mshortcuts"], 1, False),
    "Codex 0.171": (
        ["", "\x1b[1m\u203a\x1b[0m\x1b[39m\x1b[49m \x1b[2mAsk Codex to do anything\x1b[0m\x1b[39m\x1b[49m", "",
         "  \x1b[38;5;223mGPT-6.2-Sol default\x1b[39m \u00b7 \x1b[38;5;151m/proj\x1b[39m"], 1, True),
    "Gemini CLI 0.61": (
        [f"\x1b[2m\x1b[38;5;244m{RULE}", "\x1b[0m\x1b[39m\x1b[49m \x1b[38;5;248mShift+Tab to accept edits",
         "\x1b[39m\x1b[48;5;240m", " \x1b[38;5;183m> \x1b[7m\x1b[39m \x1b[0m\x1b[38;5;248m\x1b[48;5;240m Type your message or @path/to/file\x1b[39m",
         "", "\x1b[49m \x1b[38;5;248mworkspace (/directory)\x1b[39m"], 3, False),
    "OpenCode 1.18": (
        ["", "   \x1b[38;5;75m\u2503\x1b[38;5;15m\x1b[48;5;234m        \x1b[48;5;232m",
         "   \x1b[38;5;75m\u2503\x1b[38;5;15m\x1b[48;5;234m  \x1b[38;5;8mAsk anything\u2026 \"Fix a TODO\"\x1b[38;5;15m   \x1b[48;5;232m",
         "   \x1b[38;5;75m\u2503\x1b[38;5;15m", "   \x1b[38;5;75m\u2503\x1b[38;5;15m  \x1b[38;5;75mBuild\x1b[38;5;15m"], 2, True),
    "pi 0.74": (
        [f"\x1b[38;2;129;162;190m{RULE}", "\x1b[7m\x1b[39m \x1b[0m\x1b[39m\x1b[49m", f"\x1b[38;2;129;162;190m{RULE}",
         "\x1b[38;2;102;102;102m/proj"], 1, False),
}  # fmt: skip
DIALOGUES = {
    "Claude Code 2.1, a command for the shell": ([RULE, "! \x1b[7m", f"\x1b[0m{RULE}"], 1, False),
    "Codex 0.171, signing in": (["> 1. Sign in with ChatGPT", "", "  Press enter to continue"], 1, False),
    "Gemini CLI 0.61, trusting": (
        ["\u256d\u2500\u2500\u256e", "\u2502 \u25cf 1. Trust folder (proj) \u2502", "\u2570\u2500\u2500\u256f", ""], 3, False),
}  # fmt: skip
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
        (EDITOR, 2, False),
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
        ([*EDITOR[:3], "a dialogue"], 2, False),
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


@pytest.mark.parametrize("program", SCREENS)
def test_the_programs_that_are_known_are_read_rightly(program: str) -> None:
    rows, y, cursor = SCREENS[program]
    assert is_empty(rows, y, cursor)
    marks = (
        "\u276f\xa0",
        "Ask Codex to do anything",
        "\x1b[7m\x1b[39m \x1b[0m",
        "Ask anything\u2026",
    )
    (mark,) = (mark for mark in marks if mark in rows[y])
    begun = [row.replace(mark, f"{mark}\x1b[0mhalf") for row in rows]
    assert not is_empty(begun, y, cursor)


@pytest.mark.parametrize("dialogue", DIALOGUES)
def test_a_dialogue_of_theirs_is_never_answered(dialogue: str) -> None:
    assert not is_empty(*DIALOGUES[dialogue])


@pytest.mark.parametrize("row", ["\x1b", "\x1b[", "\x1b[;;m", "\x1b[38m", "\x1b[38;5m", "\x1b]0"])
def test_no_sequence_breaks_it(row: str) -> None:
    assert written([row, "\x1b[0mx"])[1] == "x"
