"""What a message is, read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.errors import UsageError
from swarm.message import (
    BODY_MAX,
    FALLBACK_WITHIN,
    HEADER_MAX,
    fill,
    format_message,
    parse,
    with_status,
)

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


@pytest.mark.parametrize(
    ("data", "missing"),
    [(GOOD, []), (b"To:\nSubject: s\n---\n", ["To", "From"]), (b"", ["To", "From", "Subject", "---"])],
)  # fmt: skip
def test_what_is_missing_is_named(data: bytes, missing: list[str]) -> None:
    assert parse(data).missing == missing
    assert parse(data).malformed == bool(missing)


@given(st.integers(0, len(GOOD)))
def test_a_part_of_a_file_knows_whether_its_header_has_ended(cut: int) -> None:
    part = parse(GOOD[:cut], whole=False)
    assert part.ended == (cut >= GOOD.index(b"---\n") + 4)
    assert parse(GOOD[:cut]).ended


def test_a_body_may_have_one_mebibyte_and_no_byte_more() -> None:
    headers = [("To", "bob"), ("From", "alice"), ("Subject", "s")]
    assert format_message(headers, b"x" * BODY_MAX).endswith(b"---\n" + b"x" * BODY_MAX)
    with pytest.raises(UsageError) as caught:
        format_message(headers, b"x" * (BODY_MAX + 1))
    assert caught.value.code == "body-too-large" and "--detail" in caught.value.hint


@pytest.mark.parametrize("absent", ["To", "From", "Subject"])
def test_nothing_is_written_without_a_required_header(absent: str) -> None:
    headers = [(name, " " if name == absent else "x") for name in ("To", "From", "Subject")]
    with pytest.raises(UsageError, match=absent):
        format_message(headers, b"")


def test_a_template_is_filled_and_what_has_no_value_is_left_out() -> None:
    template = b"To: $to\nFrom: $from\nThread: $thread\nStatus: ack\nX-Kept: yes\n---\n"
    filled = fill(template, {"to": "bob", "from": "$to", "status": "done"})
    assert filled == [("To", "bob"), ("From", "$to"), ("Status", "done"), ("X-Kept", "yes")]
    assert fill(template, {"to": "bob"})[1:] == [("Status", "ack"), ("X-Kept", "yes")]


@given(st.binary(max_size=120), st.sampled_from(["ack", "done"]))
def test_marking_changes_the_status_and_keeps_all_else(tail: bytes, status: str) -> None:
    data = GOOD + tail
    before, after = parse(data), parse(with_status(data, status))
    assert after.get("Status") == status and after.body == before.body
    assert [h for h in after.headers if h[0] != "Status"] == before.headers


def test_what_has_no_header_cannot_be_marked() -> None:
    with pytest.raises(UsageError) as caught:
        with_status(b"no header\n", "done")
    assert caught.value.code == "malformed-message"


def test_a_header_ends_after_one_mebibyte_at_the_latest() -> None:
    """What would be header after that is body, and the message malformed."""
    line = b"X: " + b"y" * 96 + b"\n"
    data = b"To: bob\n" + line * (HEADER_MAX // len(line) + 9) + GOOD
    message = parse(data)
    assert message.malformed and message.get("to") == "bob" and message.get("from") == ""
    assert data.endswith(message.body) and message.body.startswith(line)
    assert parse(data[: HEADER_MAX + 1], whole=False).ended


def test_what_stands_for_a_subject_ends_with_a_whole_character() -> None:
    blanks = FALLBACK_WITHIN - 5
    read = parse(b"X: y\n---\n" + b"\n" * blanks + "abcdé\n".encode())
    assert read.subject == "abcd"
