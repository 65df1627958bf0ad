"""What an event is: as payload, as mail, on the way out and on the way in."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.errors import UsageError
from swarm.events import (
    AUTOMATIC,
    CONTENT_CHARS,
    CONTENT_WORDS,
    EVENTS,
    FOLLOW_UPS,
    Event,
    check_out,
    from_message,
    from_payload,
    headers,
    payload,
    shorten,
    words,
)
from swarm.message import format_message, parse

line = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=40).filter(
    lambda text: text.strip() == text
)
maybe = st.just("") | line
shared = {
    "kind": st.sampled_from(EVENTS),
    "content": line,
    "intent": maybe,
    "detail": maybe,
    "need_reply": st.booleans(),
    "retry": st.sampled_from(["", "queue", "block"]),
    "retry_of": maybe,
    "origin": maybe,
    "via": maybe,
}
named = {"sender": line, "to": line, "task": maybe, "ref": maybe, "id": line}
proper = st.builds(Event, **shared, **named, at=st.integers(0, 2**32).map(float))


def mail(text: str, name: str = "01_x_abcd.txt", at: float = 5.0, opener: str = "") -> Event:
    return from_message(parse(text.encode()), name, at, opener)


class TestPayload:
    def test_s_five_keys_are_always_there_and_ours_only_when_set(self) -> None:
        assert payload(Event(kind="ping", content="é")) == (
            '{"event":"ping","intent":null,"need_reply":false,"content":"é","detail":null}'
        )
        extra = json.loads(payload(Event(kind="ping", retry="queue", via="b", origin="ack:1")))
        assert set(extra) - {"event", "intent", "need_reply", "content", "detail"} == {
            "retry",
            "via",
            "origin",
        }

    @given(proper)
    def test_what_was_written_is_read_back(self, event: Event) -> None:
        row = {name: getattr(event, name) for name in ("sender", "to", "task", "ref", "id", "at")}
        assert from_payload(payload(event), **row) == event

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "no json",
            "[]",
            "null",
            "3",
            '"text"',
            "{}",
            '{"event":"ping"}',
            '{"content":"x"}',
            '{"event":"","content":"x"}',
            '{"event":7,"content":"x"}',
            '{"event":"ping","content":["x"]}',
            "[" * 100_000,
            "1" * 5000,
            b"\xff\xfe",
            None,
            17,
            1.5,
        ],
        ids=lambda text: repr(text)[:30],
    )
    def test_what_is_no_event_has_a_problem_and_raises_nothing(self, text: object) -> None:
        event = from_payload(text, sender="a", id="7")
        assert event.problem and event.id == "7" and len(event.problem) <= 200

    def test_a_payload_over_1_mib_is_not_decoded(self) -> None:
        big = json.dumps({"event": "ping", "content": "x" * 50_000_000})
        assert "1 MiB" in from_payload(big).problem

    @pytest.mark.parametrize("odd", [5, [], {}, True, None])
    def test_an_optional_key_of_a_wrong_type_counts_as_unset(self, odd: object) -> None:
        keys = dict.fromkeys(("intent", "detail", "retry", "origin", "via", "thread"), odd)
        event = from_payload(json.dumps({"event": "ping", "content": "x", **keys}))
        assert event == Event(kind="ping", content="x")

    @pytest.mark.parametrize("odd", ["true", 1, None, []])
    def test_need_reply_is_only_what_json_calls_true(self, odd: object) -> None:
        text = json.dumps({"event": "ping", "content": "x", "need_reply": odd})
        assert from_payload(text).need_reply is False

    def test_an_unknown_event_is_kept_for_a_mind(self) -> None:
        event = from_payload('{"event":"hug","content":"x"}')
        assert (event.kind, event.problem) == ("hug", "")

    def test_lone_surrogates_are_replaced_both_ways(self) -> None:
        assert from_payload('{"event":"p\\ud800","content":"\\udfff x"}').content == "\ufffd x"
        assert json.loads(payload(Event(kind="ping", content="a\ud800b")))["content"] == "a\ufffdb"
        assert from_payload('{"event":"p","content":"\\ud83d\\ude00"}').content == "\U0001f600"

    @given(st.text() | st.binary())
    def test_reading_never_raises(self, text: str | bytes) -> None:
        event = from_payload(text)
        event.content.encode()
        event.problem.encode()

    def test_a_request_that_does_not_name_itself_is_its_own_task(self) -> None:
        assert Event(kind="task_req", id="42").key == "42"
        assert Event(kind="task_update", id="42").key == ""


class TestWords:
    @pytest.mark.parametrize(
        ("text", "count"),
        [
            ("", 0),
            ("  ", 0),
            ("a b", 2),
            (" a\t\nb ", 2),
            ("a\u00a0b", 2),
            ("a\ufeffb", 2),
            ("a\u0085b", 1),
            ("a\x1cb", 1),
            ("a\u3000b\u2028c", 3),
        ],
    )
    def test_words_are_counted_as_the_known_client_does(self, text: str, count: int) -> None:
        assert words(text) == count

    @given(st.text(max_size=2000), st.integers(1, 30))
    def test_a_shortened_text_may_be_sent(self, text: str, limit: int) -> None:
        content, rest = shorten(text, limit)
        if content:
            check_out(Event(kind="broadcast", content=content), limit)
        assert rest or content == text.strip()

    def test_the_first_words_are_kept(self) -> None:
        assert shorten("a b c d", 3) == ("a b c", True)
        assert shorten(" a b c\n", 3) == ("a b c", False)
        assert shorten("a\nb") == ("a b", True)
        assert shorten("x" * 600 + " y") == ("x" * 500, True)


class TestOut:
    GOOD = Event(kind="task_req", sender="a", to="b", content="do it")

    def refused(self, limit: float = CONTENT_WORDS, **changes: Any) -> str:
        with pytest.raises(UsageError) as caught:
            check_out(self.GOOD.replace(**changes), limit)
        return caught.value.code

    @pytest.mark.parametrize("kind", sorted(AUTOMATIC))
    def test_a_reserved_event_is_refused(self, kind: str) -> None:
        assert self.refused(kind=kind) == "reserved-event"

    @pytest.mark.parametrize("kind", ["", "hug", "TASK_REQ", "\x1b[2J"])
    def test_an_unknown_event_is_refused(self, kind: str) -> None:
        assert self.refused(kind=kind) == "unknown-event"

    def test_20_words_pass_and_21_do_not(self) -> None:
        check_out(self.GOOD.replace(content="w " * CONTENT_WORDS))
        assert self.refused(content="w " * 21) == "content-too-long"

    @pytest.mark.parametrize("limit", [1, 2.5, 50])
    def test_a_persona_sets_another_limit(self, limit: float) -> None:
        check_out(self.GOOD.replace(content="w " * int(limit)), limit)
        assert self.refused(limit, content="w " * (int(limit) + 1)) == "content-too-long"

    def test_500_characters_hold_beside_the_words(self) -> None:
        check_out(self.GOOD.replace(content="x" * CONTENT_CHARS))
        assert self.refused(content="x" * (CONTENT_CHARS + 1)) == "content-too-long"

    def test_a_request_has_a_recipient_who_is_somebody_else(self) -> None:
        assert self.refused(to="") == "no-recipient"
        assert self.refused(to="a") == "to-self"

    @pytest.mark.parametrize("kind", sorted(FOLLOW_UPS - AUTOMATIC))
    def test_what_follows_up_names_a_task(self, kind: str) -> None:
        assert self.refused(kind=kind) == "no-task"
        check_out(self.GOOD.replace(kind=kind, task="7"))

    @pytest.mark.parametrize("bad", ["a\nb", "\x1b[2J", "a\udcffb", "a\tb"])
    @pytest.mark.parametrize("name", ["content", "intent", "detail"])
    def test_each_text_is_one_line_without_controls(self, name: str, bad: str) -> None:
        assert self.refused(**{name: bad}) == "bad-value"

    @pytest.mark.parametrize("name", ["task", "to", "ref"])
    def test_whom_and_what_it_is_about_is_as_odd_as_others_named_it(self, name: str) -> None:
        check_out(self.GOOD.replace(**{name: "a\nb\0"}))

    def test_an_empty_content_or_an_unknown_retry_is_refused(self) -> None:
        assert self.refused(content=" ") == "no-content"
        assert self.refused(retry="soon") == "bad-value"


class TestMail:
    @given(proper, st.binary(max_size=50))
    def test_what_was_mailed_is_read_back(self, event: Event, body: bytes) -> None:
        data = format_message(headers(event), body)
        assert from_message(parse(data), event.id, 0.0, "x") == event.replace(body=body)

    @given(st.builds(Event, **dict.fromkeys(shared, st.text(max_size=9)), sender=line, to=line))
    def test_any_event_that_was_read_can_be_mailed(self, event: Event) -> None:
        event.need_reply = True
        format_message(headers(event.replace(kind=event.kind.strip() or "x", at=1e300)), b"")

    @pytest.mark.parametrize(
        ("kind", "status"),
        [
            ("task_req", ""),
            ("task_ack", "ack"),
            ("task_reject", "error"),
            ("task_clarify", ""),
            ("task_clarify_res", ""),
            ("task_update", ""),
            ("task_done", "done"),
            ("task_fail", "error"),
            ("task_cancel", "cancelled"),
            ("task_cancel_ack", "ack"),
            ("ping", ""),
            ("pong", "ack"),
            ("broadcast", ""),
            ("info_only", ""),
        ],
    )
    def test_status_is_the_nearest_word(self, kind: str, status: str) -> None:
        assert dict(headers(Event(kind=kind)))["Status"] == status

    @pytest.mark.parametrize(
        ("thread", "opener", "sender", "status", "kind"),
        [
            ("", "", "a", "", "info_only"),
            ("", "a", "b", "done", "info_only"),
            ("T", "", "a", "", "task_req"),
            ("T", "", "a", "sent", "task_req"),
            ("T", "a", "b", "ack", "task_ack"),
            ("T", "a", "b", "done", "task_done"),
            ("T", "a", "b", "error", "task_fail"),
            ("T", "a", "b", "", "task_update"),
            ("T", "a", "b", "Done", "task_done"),
            ("T", "a", "a", "cancelled", "task_cancel"),
            ("T", "a", "a", "", "task_clarify_res"),
            ("T", "a", "b", "cancelled", "task_fail"),
            ("T", "", "a", "ack", "task_ack"),
            ("T", "", "a", "done", "task_done"),
        ],
    )
    def test_plain_mail_is_read_as_an_event(
        self, thread: str, opener: str, sender: str, status: str, kind: str
    ) -> None:
        head = f"To: me\nFrom: {sender}\nSubject: s\nThread: {thread}\nStatus: {status}\n---\n"
        assert mail(head, opener=opener).kind == kind

    def test_an_event_header_is_taken_as_it_is(self) -> None:
        head = "To: b\nFrom: a\nSubject: s\nThread: T\nStatus: done\nEvent: task_clarify\n---\n"
        assert mail(head, opener="a").kind == "task_clarify"

    def test_a_malformed_mail_says_what_it_lacks_and_is_not_lost(self) -> None:
        event = mail("just text")
        assert (event.problem, event.content) == (
            "malformed: lacks To, From, Subject, ---",
            "just text",
        )
        assert mail("", "07_y_beef.txt").content == "07_y_beef.txt"

    @pytest.mark.parametrize(
        ("date", "at"),
        [
            ("1970-01-01T00:01:00Z", 60.0),
            ("1970-01-01T01:01:00+01:00", 60.0),
            ("1970-01-01T00:01:00", 60.0),
            ("yesterday", 5.0),
            ("", 5.0),
        ],
    )
    def test_a_date_counts_where_it_can_be_read(self, date: str, at: float) -> None:
        event = mail(f"To: b\nFrom: a\nSubject: s\nDate: {date}\n---\n")
        assert event.at == at

    @given(st.binary(max_size=200))
    def test_any_bytes_are_some_event(self, data: bytes) -> None:
        assert from_message(parse(data), "01_x_abcd.txt", 1.0, "").content


@given(st.text())
def test_the_key_of_a_mail_is_one_that_its_answer_carries(thread: str) -> None:
    event = mail(f"To: b\nFrom: a\nSubject: s\nThread: {thread}\n---\n".replace("\udc00", ""))
    answer = dict(headers(Event(kind="task_ack", to="a", sender="b", content="x", task=event.task)))
    assert answer["Thread"] == event.task
