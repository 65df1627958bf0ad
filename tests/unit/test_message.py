"""What a message is, read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.errors import UsageError
from swarm.message import format_message, parse, with_status

GOOD = b"To: bob\nFrom: alice\nSubject: s\n---\nbody"
value = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=50).filter(
    lambda text: text.strip(" \t") == text
)


@given(st.binary(max_size=300))
def test_reading_never_fails_and_keeps_the_body(data: bytes) -> None:
    message = parse(data)
    assert data.endswith(message.body)


@given(value, value, value, st.binary(max_size=200))
def test_what_was_written_is_read_back(to: str, sender: str, subject: str, body: bytes) -> None:
    message = parse(format_message([("To", to), ("From", sender), ("Subject", subject)], body))
    assert not message.malformed
    assert [message.get(n) for n in ("to", "from", "subject")] == [to, sender, subject]
    assert message.body == body


@pytest.mark.parametrize("bad", ["a\nb", "a\rb", "\x1b[2J", "a\x7f", "a\tb", "\udcff", "\x85"])
def test_a_control_character_is_refused(bad: str) -> None:
    with pytest.raises(UsageError):
        format_message([("To", "bob"), ("From", "a"), ("Subject", f"x{bad}x")], b"")


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + GOOD,
        b"\n\r\n" + GOOD,
        b"---\n" + GOOD,
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.replace(b"Subject: s", b"Subject:\ts "),
        GOOD.replace(b"From", b"FROM"),
    ],
)
def test_other_editors_write_the_same_message(data: bytes) -> None:
    message = parse(data)
    assert not message.malformed
    assert (message.get("From"), message.subject, message.body) == ("alice", "s", b"body")


@pytest.mark.parametrize(
    "data", [b"", b"---\n", b"To: bob\nFrom: a\nSubject: x\n\nbody", b"\0" * 300, b"text\nmore"]
)
def test_a_damaged_message_is_malformed(data: bytes) -> None:
    assert parse(data).malformed


def test_the_first_of_a_repeated_header_counts() -> None:
    assert parse(b"Subject: one\nsubject: two\n---\n").get("SUBJECT") == "one"


def test_the_subject_falls_back_to_200_characters_of_the_first_line() -> None:
    assert parse(b"x" * 500).subject == "x" * 200


def test_only_the_status_changes() -> None:
    data = b"To: b\r\nstatus:  open \r\nSubject: Status: open\r\n---\r\nStatus: open\r\n"
    marked = with_status(data, "done")
    assert marked == data.replace(b"status:  open ", b"status: done")
    assert with_status(GOOD, "ack") == GOOD.replace(b"---", b"Status: ack\n---")
