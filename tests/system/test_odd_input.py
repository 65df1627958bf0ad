"""Odd messages, entries and names in a real tree: whoever reads them tells the same.

What is compared is told in ``scripts/fuzz.d/agree.py``; ``scripts/fuzz`` goes on for millions.
"""

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FUZZ = Path(__file__).parents[2] / "scripts/fuzz.d"
EXAMPLES = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

values = st.sampled_from(
    [
        b"bob",
        b"alice",
        b"",
        b" t ",
        b"done",
        b"task_req",
        b"\xff",
        b"\xc2\xa0",
        b"a\x1bb",
        b"x" * 200,
    ]
)
header_names = [
    b"To",
    b"from",
    b"Subject",
    b"Thread",
    b"Status",
    b"Event",
    b"Date",
    b"X-Y",
    b"no name",
]
headers = st.builds(b"%s: %s\n".__mod__, st.tuples(st.sampled_from(header_names), values))
entry_names = [b"id", b"role", b"Archetype", b"task", b"status", b"via", b"no key"]
keys = st.builds(b"%s: %s\n".__mod__, st.tuples(st.sampled_from(entry_names), values))
rules = st.sampled_from([b"---\n", b"---\r\n", b"\n", b"\xef\xbb\xbf", b""])
bodies = st.binary(max_size=300) | st.lists(
    st.sampled_from([b"\n", b" \xc2\xa0", b"line\n"]), max_size=99
).map(b"".join)
parts = st.sampled_from(
    [b"01_", b"aaaa", b".txt", b"\xff", b"\n", b"\\xff", b"\\n", b" ", b"_", b"."]
)
file_names = st.lists(st.lists(parts, min_size=1, max_size=5).map(b"".join), max_size=6)


texts = st.text(max_size=9) | st.sampled_from(
    ["task_req", "broadcast", "\ud800", "a\nb", "", "x " * 30]
)
loose = texts | st.none() | st.booleans() | st.integers() | st.lists(texts, max_size=2)
payload_keys = [
    "event",
    "content",
    "intent",
    "detail",
    "need_reply",
    "thread",
    "origin",
    "retry",
    "x",
]
payloads = st.dictionaries(st.sampled_from(payload_keys), loose).map(
    lambda said: json.dumps(said).encode()
)


def joined(lines: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    some = st.lists(lines, max_size=6).map(b"".join)
    return st.tuples(rules, some, rules, bodies).map(b"".join)


@pytest.fixture(scope="module")
def targets() -> Iterator[Any]:
    """The targets, in a process whose limits are small while they run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FUZZ))
        place = importlib.import_module("place")
        for name, value in place.ENVIRONMENT.items():
            patch.setenv(name, value)
        for module, name, value in place.LIMITS:
            patch.setattr(module, name, value)
        patch.setenv("SWARM_TEAM_HOME", "")
        yield importlib.import_module("targets").TARGETS
        place.tree().close()


@EXAMPLES
@given(data=joined(headers))
def test_all_who_read_a_message_tell_the_same(targets: Any, data: bytes) -> None:
    targets["readers"](data)


@EXAMPLES
@given(data=joined(keys))
def test_all_who_read_an_entry_tell_the_same(targets: Any, data: bytes) -> None:
    targets["rosters"](data)


@EXAMPLES
@given(found=file_names)
def test_all_who_list_an_inbox_show_the_same_and_find_what_they_show(
    targets: Any, found: list[bytes]
) -> None:
    targets["listings"](b"\0".join(found))


@EXAMPLES
@given(data=payloads | st.binary(max_size=80))
def test_all_who_read_a_channel_tell_the_same(targets: Any, data: bytes) -> None:
    targets["rows"](data)
