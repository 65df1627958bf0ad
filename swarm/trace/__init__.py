"""Where a message was and is, and why it has not been seen: from evidence alone.

The command is ``swarm trace`` (docs/operations.md).  Each fact names the file or the row that
it is read from, and its time where one is written there; what nothing tells is said to be so.
"""

from swarm.mailbox.layout import Root
from swarm.trace import carried, files, reasons
from swarm.trace.fact import Fact, Trace, in_order
from swarm.trace.letter import find

__all__ = ["Fact", "Trace", "trace"]


def trace(root: Root, agent: str, wanted: str, now: float) -> Trace:
    """All there is to tell of a message in the agent's mail, or with '' in anybody's.

    Unknown (``unknown-message``, ``ambiguous-message``) where no one message is meant.
    """
    letter = find(root, agent, wanted)
    found = files.facts(root, letter)
    found += files.answers(root, agent, letter)
    crossed = carried.facts(root, letter, now)
    others = reasons.receipts(root, letter)  # a receipt that was another message's
    told = [fact.kind for fact in (*found, *crossed)]
    seen = "passed" in told or ("read" in told and not others)
    found += crossed + others
    if not seen:
        found += reasons.facts(root, letter, now)
    return Trace(letter.name, letter.sender, letter.box, seen, in_order(found))
