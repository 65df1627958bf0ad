"""Names: who may be called what, how messages are ordered, and what a subject becomes."""

import re
from ast import literal_eval

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swarm import names
from swarm.errors import UsageError

AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}(?<!\.)")
MESSAGE = re.compile(r"([0-9]{2,})_([a-z0-9-]{1,40})_([0-9a-f]{4,})\.txt")
slugs = st.from_regex(r"[a-z0-9-]{1,40}", fullmatch=True)
tokens = st.from_regex(r"[0-9a-f]{4,16}", fullmatch=True)
ours = st.builds(names.message_name, st.integers(0, names.NUMBER_MAX), slugs, tokens)
near_ids = st.text("aZ9._-/", max_size=4) | st.from_regex(AGENT, fullmatch=True)
near_names = st.text("019_ax-.²", max_size=9).map(lambda text: text + ".txt") | ours


@given(near_ids)
@example("")
@example("a.")
@example(".a")
@example("a\n")
@example("a b")
@example("é")
@example("a" * 64)
@example("a" * 65)
@example("٣")
def test_an_id_is_what_the_contract_says_and_not_reserved(text: str) -> None:
    expected = bool(AGENT.fullmatch(text)) and text.lower() not in ("dir", "all")
    assert names.is_id(text) == expected
    if expected:
        assert names.check_id(text) == text
    else:
        with pytest.raises(UsageError) as caught:
            names.check_id(text)
        assert (caught.value.code, caught.value.exit) == ("bad-id", 2)


@pytest.mark.parametrize("text", ["dir", "DIR", "all", "All"])
def test_a_reserved_word_is_called_that(text: str) -> None:
    with pytest.raises(UsageError, match="reserved"):
        names.check_id(text)


@given(st.text() | st.text(min_size=78, max_size=90))
def test_text_in_an_error_is_one_short_line_in_quotes(text: str) -> None:
    shown = names.shown(text)
    assert shown.isprintable()
    assert literal_eval(shown) == (text if len(text) <= 80 else text[:77] + "...")


@pytest.mark.parametrize(
    ("name", "mail"),
    [("01_a_aaaa.txt", True), ("x.txt", True), (".x.txt", False), ("x.txt~", False), ("x", False)],
)
def test_mail_is_named_txt_without_a_leading_dot(name: str, mail: bool) -> None:
    assert names.is_message_name(name) == mail


@given(st.integers(0, names.NUMBER_MAX), slugs, tokens)
def test_a_name_is_taken_apart_as_it_was_put_together(number: int, slug: str, token: str) -> None:
    name = names.message_name(number, slug, token)
    assert MESSAGE.fullmatch(name) and names.split_name(name) == (number, slug, token)


@given(near_names)
@example("1_a_aaaa.txt")
@example("01_a_aaa.txt")
@example("01_A_aaaa.txt")
@example("\u0660\u0661_a_aaaa.txt")
@example(f"01_{'a' * 41}_aaaa.txt")
def test_only_names_of_our_form_are_taken_apart(name: str) -> None:
    found = MESSAGE.fullmatch(name)
    assert names.split_name(name) == (found and (int(found[1]), found[2], found[3]))


def test_order_is_by_leading_number_and_without_one_last() -> None:
    ordered = ["5.txt", "09_b.txt", "9_a.txt", "99_a.txt", "100_a.txt", "a.txt", "²_x.txt"]
    assert sorted(reversed(ordered), key=names.order) == ordered


@given(st.lists(near_names))
def test_order_is_total_so_that_no_two_listings_differ(found: list[str]) -> None:
    assert sorted(found, key=names.order) == sorted(found[::-1], key=names.order)


def test_a_leading_number_longer_than_python_converts_is_still_one() -> None:
    assert names.leading_number("9" * 5000 + ".txt") == int("9" * 4000)
    assert names.leading_number("x1.txt") is None


@given(st.lists(near_names))
@example(["99_a_aaaa.txt", "100_a_aaaa.txt", "100_b_bbbb.txt"])
@example(["999999_a_aaaa.txt"])
def test_the_next_number_is_above_all_of_our_own(found: list[str]) -> None:
    own = [int(parts[1]) for name in found if (parts := MESSAGE.fullmatch(name))]
    counted = [number for number in own if number <= names.NUMBER_MAX]
    expected = min(max(counted, default=0) + 1, names.NUMBER_MAX)
    assert names.next_number(found) == expected


def test_dates_put_in_front_by_hand_do_not_count() -> None:
    assert names.next_number(["20260101_note_aaaa.txt", "07_a_aaaa.txt", "50.txt"]) == 8


@given(st.text())
@example("---")
@example("日本語")
@example("-" * 39 + "a-b")
def test_a_slug_fits_into_a_file_name(subject: str) -> None:
    slug = names.slug(subject)
    assert re.fullmatch(r"[a-z0-9-]{1,40}", slug) and slug.strip("-") == slug


@pytest.mark.parametrize(
    ("subject", "slug"),
    [("build is red", "build-is-red"), ("Ünïcode!", "unicode"), ("../../etc", "etc"),
     ("a -- b", "a-b"), ("", "message"), ("日本語", "message"), ("x" * 99, "x" * 40)],
)  # fmt: skip
def test_a_slug_is_readable(subject: str, slug: str) -> None:
    assert names.slug(subject) == slug


def test_a_thread_key_keeps_its_prefix() -> None:
    assert names.thread_key("review", "4f2a") == "review-4f2a"


@pytest.mark.parametrize(
    ("wanted", "meant"), [("Carl", "carl"), ("karl", "carl"), ("allice", "alice"), ("zzz", "")]
)
def test_the_id_that_was_meant(wanted: str, meant: str) -> None:
    assert names.closest(wanted, ["alice", "carl"]) == meant


@given(st.integers(1, 2**63 - 1))
def test_the_thread_of_a_task_tells_its_number(number: int) -> None:
    assert names.task_number("ops", names.task_thread("ops", number)) == number
    assert names.task_number("other", names.task_thread("ops", number)) == 0


def test_threads_of_others_are_no_tasks_of_the_channel() -> None:
    for thread in (
        "",
        "task-ops",
        "task-ops-",
        "task-ops-x",
        "task-ops-01",
        "review-7",
        "task-ops-²",
    ):
        assert names.task_number("ops", thread) == 0
