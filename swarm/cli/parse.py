"""The fast parser: what the typer app accepts, for calls that are plainly right.

Anything unusual (help, an unknown flag, a missing or odd value) yields None and goes to the
typer app, which alone owns help and error text.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# kinds: flag, text, many (repeatable text), int, float
Flags = dict[str, tuple[str, str]]
# command: (flags, fixed arguments, name of the list that takes the rest or "",
# how many it needs at least, defaults)
Grammar = dict[str, tuple[Flags, list[tuple[str, bool]], str, int, "dict[str, Any]"]]


def parse(argv: list[str], grammar: Grammar) -> "tuple[str, dict[str, Any]] | None":
    """(command, options) or None where the full parser should look."""
    at, shared = 0, {}
    while at + 1 < len(argv) and argv[at] in ("--root", "--as"):
        shared["root" if argv[at] == "--root" else "as_"] = argv[at + 1]
        at += 2
    command = next(
        (c for c in (argv[at : at + 1], argv[at : at + 2]) if " ".join(c) in grammar), []
    )
    if not command:
        return None
    flags, fixed, rest, least, defaults = grammar[" ".join(command)]
    words = _options(argv[at + len(command) :], flags, values := {**defaults, **shared})
    if words is None or len(words) < sum(needed for _, needed in fixed) + least:
        return None
    for name, _ in fixed:
        if words:
            values[name] = words.pop(0)
    if words and not rest:
        return None
    if rest:
        values[rest] = words
    return " ".join(command), values


def _options(argv: list[str], flags: Flags, values: "dict[str, Any]") -> list[str] | None:
    """Fill ``values`` from the flags; return the words that are none."""
    words: list[str] = []
    at, many = 0, set()
    while at < len(argv):
        word = argv[at]
        at += 1
        if word == "--":
            return words + argv[at:]
        if word[:1] != "-" or word == "-":
            words.append(word)
            continue
        if word not in flags:
            return None
        name, kind = flags[word]
        if kind == "flag":
            values[name] = True
            continue
        if at >= len(argv):
            return None
        value = argv[at]
        at += 1
        if kind == "many":
            values[name] = [*(values[name] if name in many else []), value]
            many.add(name)
        elif kind == "text":
            values[name] = value
        elif value.isascii() and value.isdigit() and len(value) < 10:
            values[name] = int(value) if kind == "int" else float(value)
        else:
            return None
    return words
