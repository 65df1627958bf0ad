"""What is told of plain messages without parsing each is what parsing tells."""

from hypothesis import given, settings
from hypothesis import strategies as st

from swarm import message
from swarm.mailbox import inbox, plain
from swarm.mailbox.layout import Root

from .mail import PLAIN, put

NAMES = [b"To", b"From", b"Subject", b"Thread", b"Status", b"Date", b"Ref", b"to", b"X-Y", b"\xff"]
VALUES = [
    b"bob", b"alice", b"carl", b"t", b" two", b"t ", b"\tx", b"a: b", b"a:b", b"", b"\xff", b"x\r",
    b"\xc2\xa0", b"x\x0cy",
]  # fmt: skip
ODD = [
    b"---\n",
    b"---\r\n",
    b"--- \n",
    b"no header\n",
    b"\n",
    b"Ref:\n",
    b"---",
    b"To\n",
    b"\n---\n",
]


def line(name: bytes) -> st.SearchStrategy[bytes]:
    return st.sampled_from(VALUES).map(lambda value: name + b": " + value + b"\n")


lines = st.sampled_from(NAMES).flatmap(line) | st.sampled_from(ODD)
required = st.tuples(line(b"To"), line(b"From"), line(b"Subject"))
messages = st.builds(
    lambda first, more, body: b"".join([*first, *more, b"---\n", *body]),
    required | st.lists(lines), st.lists(lines, max_size=2), st.lists(lines, max_size=2),
)  # fmt: skip


@settings(max_examples=400)
@given(st.lists(messages, max_size=5))
def test_of_any_message_it_tells_what_parsing_tells_or_nothing(found: list[bytes]) -> None:
    for data, told in zip(found, plain.values(found), strict=True):
        one = message.parse(data)
        parsed = [one.get(name.removesuffix(": ")) for name in plain.WANTED]
        assert told is None or (list(told) == parsed and not one.malformed)


ALIKE = [PLAIN, PLAIN.replace(b"s\n", b"a: b\n"), PLAIN.replace(b"body", b"---\nTo: eve\n---")]
OTHERS = [PLAIN.replace(b"---", b"Status: ack\n---"), PLAIN.replace(b"Thread", b"Ref")]
NOT_PLAIN = [b"", b"To: bob\n", b"\n---\n", PLAIN.replace(b"s\n", b"s \n"), b"To: eve\n" + PLAIN]


def test_plain_messages_of_any_kind_are_told() -> None:
    assert None not in plain.values([*ALIKE, *OTHERS, *ALIKE])


def test_one_that_is_not_plain_keeps_none_beside_it_from_being_told() -> None:
    told = plain.values([*NOT_PLAIN, *ALIKE, *NOT_PLAIN, *OTHERS])
    assert [row is not None for row in told] == [False] * 5 + [True] * 3 + [False] * 5 + [True] * 2


def test_who_makes_too_many_kinds_has_them_parsed() -> None:
    names = [f"{name[:-2]}" for name in sorted(plain.KNOWN - plain.REQUIRED)]
    pairs = [(one, other) for one in names for other in names if one != other]
    kinds = [PLAIN.replace(b"Thread: t", f"{a}: x\n{b}: y".encode()) for a, b in pairs]
    assert 0 < sum(row is not None for row in plain.values(kinds)) < len(kinds)


def test_a_listing_tells_of_plain_and_other_messages_in_their_order(root: Root) -> None:
    for number, data in enumerate([*ALIKE, *NOT_PLAIN, *OTHERS]):
        put(root, f"{number:02d}.txt", data)
    told = inbox.unread(root, "bob")[0]
    parsed = [inbox.load(root, "bob", item.path) for item in told]
    assert [item.record(root) for item in told] == [one.record(root) for one in parsed if one]
    assert [item.file for item in told] == [f"{number:02d}.txt" for number in range(10)]
    for item, one in zip(told, parsed, strict=True):
        assert item.message and one and one.message
        assert item.message.headers == one.message.headers
