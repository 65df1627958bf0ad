"""Names: agent ids, message file names, order, thread keys.  Pure: no file is touched.

An id is ``[A-Za-z0-9][A-Za-z0-9._-]{0,63}`` not ending in a dot (contract 1); ``re`` is not
used because importing it costs half the budget of a hot command.
"""

from swarm.errors import UsageError

ALNUM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
ID_CHARS = ALNUM | frozenset("._-")
SLUG_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
HEX_CHARS = frozenset("0123456789abcdef")
RESERVED_IDS = frozenset(("dir", "all"))
ID_MAX = 64
SLUG_MAX = 40
# Numbers beyond this are dates or the like, put there by hand: not part of our counting.
NUMBER_MAX = 999_999
# Characters that turn text around or end lines for some viewers, though no controls.
UNSEEN = frozenset(
    "\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)


def is_id(text: str) -> bool:
    """Whether ``text`` is an agent id (contract 1); reserved words are not."""
    return (
        0 < len(text) <= ID_MAX
        and text[0] in ALNUM
        and text[-1] != "."
        and ID_CHARS.issuperset(text)
        and text.lower() not in RESERVED_IDS
    )


def check_id(text: str) -> str:
    """Return ``text`` if it is an agent id; raise UsageError that says why if not."""
    if is_id(text):
        return text
    if text.lower() in RESERVED_IDS:
        raise UsageError(f"{shown(text)} is a reserved word, not an agent id", code="bad-id")
    raise UsageError(
        f"{shown(text)} is not an agent id",
        "letters, digits, '.', '_' and '-'; 1 to 64 of them; a letter or digit first, no '.' last",
        code="bad-id",
    )


def shown(text: str) -> str:
    """``text`` as it may stand in one line of an error: quoted, escaped, cut at 80."""
    return repr(text if len(text) <= 80 else text[:77] + "...")


def visible(text: str, keep: str = "") -> str:
    """Text with control characters written out (``\\x1b``), those in ``keep`` excepted."""
    if text.isprintable():
        return text
    return "".join(_written_out(c) if c not in keep else c for c in text)


def _written_out(char: str) -> str:
    code = ord(char)
    if code < 32 or 127 <= code <= 159:
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, f"\\x{code:02x}")
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if 0xE0000 <= code <= 0xE007F:  # tags: letters that nobody sees
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if char in UNSEEN or 0xD800 <= code <= 0xDFFF else char


def plain(text: str) -> str:
    """Any text as one line that everything can hold and nothing strips; ``named`` undoes it."""
    if text.isprintable() and "\\" not in text and text == text.strip():
        return text
    edges = (0, len(text) - 1)
    return "".join(
        f"\\u{ord(char):04x}" if _is_odd(char) or (char == " " and place in edges) else char
        for place, char in enumerate(text)
    )


def _is_odd(char: str) -> bool:
    return char == "\\" or (not char.isprintable() and char <= "\uffff")


def named(text: str) -> str:
    """What ``plain`` made such a line of."""
    head, *rest = text.split("\\u")
    return head + "".join(map(_char, rest))


def _char(text: str) -> str:
    try:
        return chr(int(text[:4], 16)) + text[4:]
    except ValueError:  # not made by plain
        return "\\u" + text


def is_message_name(name: str) -> bool:
    """Whether a directory entry may be mail by its name: ``*.txt``, no leading dot."""
    return name.endswith(".txt") and not name.startswith(".")


def leading_number(name: str) -> int | None:
    """The number a file name begins with, or None."""
    digits = 0
    for char in name:
        if char not in "0123456789":
            break
        digits += 1
    return int(name[: min(digits, 4000)]) if digits else None


def order(name: str) -> tuple[int, int, str]:
    """Sort key of messages: by leading number, then name; without a number last."""
    number = leading_number(name)
    return (1, 0, name) if number is None else (0, number, name)


def split_name(name: str) -> tuple[int, str, str] | None:
    """(number, slug, hash) of a name of the form ``NN_slug_hash.txt``, else None."""
    parts = name[:-4].split("_") if name.endswith(".txt") else []
    if len(parts) != 3:
        return None
    number, slug, token = parts
    if not (len(number) >= 2 and number.isascii() and number.isdigit()):
        return None
    if not (0 < len(slug) <= SLUG_MAX and SLUG_CHARS.issuperset(slug)):
        return None
    if not (len(token) >= 4 and HEX_CHARS.issuperset(token)):
        return None
    return int(number[:4000]), slug, token


def called(found: list[str], wanted: str) -> list[str]:
    """Of file names those that are called so: by the whole name or its stem, or by one of the
    two as listings show it, which two may share."""
    both = (wanted, f"{wanted}.txt")
    for said in both:
        if said in found:
            return [said]
    alike = ([one for one in found if visible(one) == said] for said in both)
    return next(filter(None, alike), []) if "\\" in wanted else []


def meant(found: list[str], part: str) -> list[str]:
    """Of names that hold this part, those whose whole slug or hash it is, if there are any."""
    whole = [name for name in found if f"_{part}_" in f"_{name.removesuffix('.txt')}_"]
    return whole or found


def message_name(number: int, slug: str, token: str) -> str:
    """``NN_slug_hash.txt``: at least two digits, so that ``ls`` sorts the first 99."""
    return f"{number:02d}_{slug}_{token}.txt"


def next_number(names: list[str]) -> int:
    """One more than the highest number among names of our own form."""
    highest, digits, text = 0, 1, "0"
    for name in names:
        head = name.partition("_")[0]
        size = len(head)
        if size < digits or (size == digits and head <= text) or size > 6:
            continue  # a higher number has more digits, or sorts after it
        if head.isascii() and head.isdigit() and int(head) > highest and split_name(name):
            highest = int(head)
            text = str(highest)
            digits = len(text)
    return highest + 1 if highest < NUMBER_MAX else NUMBER_MAX


def slug(subject: str) -> str:
    """The subject as a part of a file name: ``[a-z0-9-]{1,40}``, "message" if nothing is left."""
    text = subject[:400]
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    kept = "".join(c if c in SLUG_CHARS else " " for c in text.lower())
    joined = "-".join(part.strip("-") for part in kept.split() if part.strip("-"))
    return joined[:SLUG_MAX].strip("-") or "message"


def thread_key(prefix: str, token: str) -> str:
    """A new thread's key from a readable prefix, e.g. ``review-4f2a`` (seed M)."""
    return f"{prefix}-{token}"


def task_thread(channel: str, number: int) -> str:
    """The key in mail of a task that was asked for on a channel (our own decision)."""
    return f"task-{channel}-{number}"


def task_number(channel: str, thread: str) -> int:
    """The number of a task in such a key, 0 if it is another."""
    head, _, digits = thread.rpartition("-")
    if head != f"task-{channel}" or not (digits.isascii() and digits.isdigit()):
        return 0
    return int(digits) if len(digits) < 20 and digits[0] != "0" else 0


def closest(wanted: str, known: list[str]) -> str:
    """The known id that ``wanted`` was most likely meant to be, or ''."""
    for name in known:
        if name.lower() == wanted.lower():
            return name
    from difflib import get_close_matches

    found = get_close_matches(wanted, known, 1, 0.6)
    return found[0] if found else ""
