"""The adapter reads what swarm.message reads."""

import frontmatter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.errors import UsageError
from swarm.front_matter import MailHandler
from swarm.message import format_message, parse

word = st.text(st.characters(exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=20)


@given(word, word, word, st.text(st.characters(exclude_categories=["Cs"]), max_size=99))
def test_split_and_load_equal_parse(to: str, sender: str, subject: str, body: str) -> None:
    text = format_message(
        [("To", to), ("From", sender), ("Subject", subject)], body.encode()
    ).decode()
    handler = MailHandler()
    head, rest = handler.split(text)
    message = parse(text.encode())
    assert handler.load(head) == dict(message.headers)
    assert rest.encode() == message.body


def test_values_stay_text_through_the_library() -> None:
    text = "To: 007\nFrom: no\nSubject: Re: a: b\n---\nbody\n---\nmore"
    metadata, body = frontmatter.parse(text, handler=MailHandler())
    assert metadata == {"To": "007", "From": "no", "Subject": "Re: a: b"}
    assert body == "body\n---\nmore"
    post = frontmatter.Post(body, **metadata)
    assert frontmatter.dumps(post, handler=MailHandler()) == text


@pytest.mark.parametrize(
    ("text", "ours"),
    [("To: bob\n---\n", True), ("---\n---\n", False), ("To: bob\n", False), ("text\n---\n", False)],
)
def test_only_a_header_that_ends_is_taken_for_a_message(text: str, ours: bool) -> None:
    assert MailHandler().detect(text) == ours


def test_what_is_no_message_is_not_written() -> None:
    for metadata in ({"To": "bob", "From": "a"}, {"To": "b", "From": "a", "Subject": "x\ny"}):
        with pytest.raises(UsageError):
            frontmatter.dumps(frontmatter.Post("body", **metadata), handler=MailHandler())
