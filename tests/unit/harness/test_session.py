"""What is known of a session: one small file, which nothing odd in it can make wrong."""

from hypothesis import given
from hypothesis import strategies as st

from swarm.harness import session
from swarm.harness.session import Session


def all_of(one: Session) -> list[object]:
    return [getattr(one, name) for name in Session.__slots__]


NAMES = st.text(st.characters(exclude_characters="\0/"), min_size=1, max_size=30)


@given(st.lists(NAMES), st.integers(0, 99), st.sampled_from(["", "bob"]))
def test_what_is_written_is_read_again(told: list[str], count: int, agent: str) -> None:
    one = Session()
    one.told, one.notices, one.receipts, one.agent = told, count, 2 * count, agent
    assert all_of(session.parse(session.format_session(one))) == all_of(one)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_session(data: bytes) -> None:
    one = session.parse(data)
    assert one.notices >= 0 and one.receipts >= 0


def test_what_a_killed_writer_left_of_an_older_text_says_nothing() -> None:
    """A context that begins was told of nothing, whatever the one before was."""
    older, newer = Session(), Session()
    older.told = [f"{n}_x_aaaa.txt" for n in range(10)]
    new = session.format_session(newer)
    assert session.parse(new + session.format_session(older)[len(new) :]).told == []


def test_of_a_line_given_twice_the_first_counts() -> None:
    one = session.parse(b"agent: bob\nserves: no id!\nnotices: x\nagent: alice\ntold: cut of")
    assert (one.agent, one.serves, one.notices, one.told) == ("bob", "", 0, [])


@given(st.text(max_size=200))
def test_any_id_of_a_session_is_one_plain_name_or_none(text: str) -> None:
    name = session.file_name("claude", text)
    assert name == "" or (name.startswith("claude-") and len(name) <= session.NAME_MAX)
    assert session.PLAIN | {"="} >= set(name)


@given(st.text(max_size=20), st.text(max_size=20))
def test_two_sessions_never_have_one_file(one: str, other: str) -> None:
    if one != other:
        first, second = (session.file_name("claude", text) for text in (one, other))
        assert first != second or not first


def test_the_environment_names_the_session() -> None:
    assert session.here({}) == []
    assert session.here({"CODEX_THREAD_ID": "t/1"}) == [("CODEX_THREAD_ID", "codex-t=2f1")]
    both = {"SWARM_SESSION": "claude-s1", "CLAUDE_CODE_SESSION_ID": "s1"}
    assert session.here(both) == [("SWARM_SESSION", "claude-s1")]
    assert session.here({"SWARM_SESSION": "pi-abc"}) == [("SWARM_SESSION", "pi-abc")]
    assert session.here({"SWARM_SESSION": "pi-a=2f"}) == [("SWARM_SESSION", "pi-a=2f")]
    for odd in ("claude", "claude-", "other-x", "claude-../x", "pi-" + 200 * "x"):
        assert session.here({"SWARM_SESSION": odd}) == []
