"""How a thing of one side is called on the other.  Pure.

Every name is drawn from what it names, so that a repeat finds what is there (design decision 3).
The token is eight hex digits that belong to one pair of a tree and a channel.
"""

from swarm import names

TOKEN_DIGITS = 8
# So begins what a row came from where that is several files.
SHARED = "*"


def file_name(token: str, number: int, content: str) -> str:
    """The file of a row in an inbox: its number, its words, the pair."""
    return names.message_name(number, names.slug(content), token)


def row_number(token: str, name: str) -> int:
    """The row whose file has that name, 0 if it is no mirrored one."""
    if not name.endswith(f"_{token}.txt"):
        return 0
    parts = names.split_name(name)
    return parts[0] if parts else 0


def key(agent: str, name: str) -> str:
    """One message file of the tree, wherever in its owner's mailbox it lies by now."""
    return f"{agent}/{name}"


def origin(token: str, cause: str) -> str:
    """What a row carries that was mirrored: the key of the file, or the number it had before."""
    return f"{token}/{names.plain(cause)}"


def cause(token: str, text: str) -> str:
    """What stands in such an origin, "" in one of another pair."""
    head, slash, rest = text.partition("/")
    return names.named(rest) if slash and head == token else ""


def split_key(text: str) -> tuple[str, str]:
    """Owner and file name of a key; two empty ones for what is none."""
    agent, _, name = text.partition("/")
    return (agent, name) if names.is_id(agent) and names.is_message_name(name) else ("", "")
