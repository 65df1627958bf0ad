"""What a trace is made of."""

from typing import NamedTuple

# Facts without a time of their own come after those with one, in this order.
LAST = ("task", "unread", "why", "unknown")


class Fact(NamedTuple):
    """One thing that is known, and from where.

    ``at``: the time written there, in epoch seconds; None where there is none.  ``kind``: a
    word; ``why`` is a reason why it may not have been seen, ``unknown`` what nothing tells.
    ``path``: the file, relative to the root, or the row of a channel.
    """

    at: float | None
    kind: str
    text: str
    path: str


class Trace(NamedTuple):
    """A message by its file's name or its row, from whom to whom, and the facts in time order."""

    name: str
    sender: str
    recipient: str
    seen: bool
    facts: list[Fact]


def in_order(facts: list[Fact]) -> list[Fact]:
    """By time; what has none after that, reasons and what is unknown last."""

    def key(fact: Fact) -> tuple[int, float]:
        if fact.kind in LAST:
            return 2 + LAST.index(fact.kind), fact.at or 0.0
        return (1, 0.0) if fact.at is None else (0, fact.at)

    return sorted(facts, key=key)
