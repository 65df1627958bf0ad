"""What a listing says of messages in the plainest form, many at once.  Pure.

The plainest: headers of our own, as we write them.  To parse each in full is most of what a
long listing would cost; here all first lines of messages alike are cut at once, then all second
ones, and so on.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

RULE = b"\n---\n"
REQUIRED = frozenset(("To: ", "From: ", "Subject: "))
KNOWN = frozenset(("Thread: ", "Status: ", "Detail: ", "Ref: ", "Event: ", "Intent: ", "Date: "))
KNOWN |= {"Need-Reply: ", "Via: ", "Retry: ", "Retry-Of: ", "Origin: ", *REQUIRED}
WANTED = ("To: ", "From: ", "Subject: ", "Thread: ", "Status: ", "Date: ")
# So many kinds of message in one call; whoever makes more has them parsed.
KINDS_MAX = 32

Values = tuple[str, ...]


def values(beginnings: "Sequence[bytes]") -> "list[Values | None]":
    """The six values wanted of each message, '' for a header it lacks; None for one less plain.

    ``beginnings``: at least the header of each.
    """
    heads = _heads(beginnings)
    found: list[Values | None] = [None] * len(beginnings)
    groups = _by_length(heads)
    kinds = 0
    while groups and kinds < KINDS_MAX:
        group = groups.pop()
        kind = _kind(heads[group[0]])
        if not kind:
            groups += [group[1:]] if group[1:] else []
            continue
        kinds += 1
        lines = "\n".join([heads[at] for at in group]).split("\n")
        columns = dict.fromkeys(WANTED, [""] * len(group))
        for place, name in enumerate(kind):
            column = lines[place :: len(kind)]
            cut = "\n".join(["", *column]).split(f"\n{name}")
            if len(cut) <= len(group):  # not every line begins so
                groups += _parted(group, column, name)
                break
            columns[name] = cut[1:]
        else:
            rows = zip(*map(columns.__getitem__, WANTED), strict=True)
            for at, row in zip(group, rows, strict=True):
                found[at] = row
    return found


def _heads(beginnings: "Sequence[bytes]") -> list[str]:
    """The header of each as text, without its last line end; '' where it is not plain."""
    # No header has the rule within it or begins another's: so they are decoded as one.
    joined = RULE.join([data[: max(data.find(RULE), 0)] for data in beginnings])
    text = joined.decode("utf-8", "replace")
    heads = text.split(RULE.decode())
    return heads if _trimmed(text) else [head if _trimmed(head) else "" for head in heads]


def _kind(head: str) -> list[str]:
    """The names of the headers, each with what stands before the value; [] for no plain message."""
    kind = ["".join(line.partition(": ")[:2]) for line in head.split("\n")]
    known = REQUIRED.issubset(kind) and KNOWN.issuperset(kind)
    return kind if known and len(set(kind)) == len(kind) else []


def _trimmed(head: str) -> bool:
    """Whether lines end in LF alone, and no value has anything around it to be trimmed."""
    odd = "\r" in head or "\t" in head or ":  " in head or " \n" in head or head.endswith(" ")
    return not odd


def _by_length(heads: list[str]) -> list[list[int]]:
    """Which messages have as many header lines, as places in the list."""
    groups: dict[int, list[int]] = {}
    for at, head in enumerate(heads):
        groups.setdefault(head.count("\n"), []).append(at)
    return list(groups.values())


def _parted(group: list[int], column: list[str], name: str) -> list[list[int]]:
    """Those whose line in this column begins with a name, as the first one's does, and the rest."""
    parts: tuple[list[int], list[int]] = ([], [])
    for at, line in zip(group, column, strict=True):
        parts[not line.startswith(name)].append(at)
    return list(parts)
