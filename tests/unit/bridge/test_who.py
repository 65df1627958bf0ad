"""Ids and sessions: alike where they can be, and never two for one."""

from hypothesis import given
from hypothesis import strategies as st

from swarm import names
from swarm.bridge.who import Who, id_for, session_for


def test_what_swarm_made_is_called_the_same_on_both_sides() -> None:
    assert id_for("carl", "Carl the Great", True, set()) == "carl"
    assert session_for("bob", set()) == "bob"


def test_another_client_s_agent_is_called_by_its_name() -> None:
    assert id_for("0b5c6a7e-1111", "Pia Ünïcorn", False, set()) == "pia-unicorn"
    assert id_for("0b5c6a7e-1111", "Pia", False, {"pia"}) == "pia-0b5c"
    assert id_for("0b5c6a7e-1111", "Pia", False, {"pia", "pia-0b5c"}) == "pia-0b5c6a7e"


def test_a_session_that_is_taken_leaves_the_resident_another() -> None:
    assert session_for("bob", {"bob"}) == "mail-bob"
    assert session_for("bob", {"bob", "mail-bob"}) == "mail-bob-2"


@given(st.lists(st.tuples(st.text(), st.text(), st.booleans()), max_size=12))
def test_every_guest_gets_an_id_that_nobody_has(guests: list[tuple[str, str, bool]]) -> None:
    taken: set[str] = {"pia", "guest"}
    for session, name, ours in guests:
        found = id_for(session, name, ours, taken)
        assert names.is_id(found) and found.lower() not in taken
        taken.add(found.lower())


def test_both_ways_are_known() -> None:
    who = Who([("bob", "mail-bob")], [("pia", "0b5c")])
    assert (who.session("bob"), who.id("mail-bob")) == ("mail-bob", "bob")
    assert (who.session("pia"), who.id("0b5c")) == ("0b5c", "pia")
    assert (who.session("nobody"), who.id("nobody")) == ("", "")
