"""Who is there on one side is there on the other."""

from dataclasses import replace

from swarm.bridge.actions import (
    Beat,
    Enter,
    Flaw,
    Lodger,
    Part,
    Register,
    Resident,
    Restatus,
    Session,
    Touch,
    Unregister,
    Welcome,
)
from swarm.bridge.people import People, people
from swarm.bridge.who import Who

BOB = Resident(description="tester: tests", status="available")
ROW = Session(session="bob", name="bob", description="tester: tests", status="available", seen=0.0, ours="bob")  # fmt: skip
PIA = Session(session="0b5c", name="Pia", description="plans", status="available", seen=0.0)
LODGER = Lodger(status="paused")


def here(
    residents: dict[str, Resident] | None = None,
    rows: tuple[Session, ...] = (),
    guests: tuple[tuple[str, str], ...] = (),
    lodgers: dict[str, Lodger] | None = None,
    **more: object,
) -> People:
    who = Who([(row.ours, row.session) for row in rows if row.ours], guests)
    sessions = {row.session: row for row in rows}
    return People(
        who=who, residents=residents or {}, lodgers=lodgers or {}, sessions=sessions, **more
    )  # type: ignore[arg-type]


def test_a_new_resident_joins_and_one_without_an_entry_only_has_a_row() -> None:
    assert list(people(here({"bob": BOB}))) == [Enter("bob", "bob", BOB, "available", True)]
    silent = replace(BOB, entry=False)
    assert list(people(here({"bob": silent}))) == [Enter("bob", "bob", silent, "available", False)]


def test_nothing_is_done_about_a_resident_that_is_as_its_row_says() -> None:
    assert list(people(here({"bob": BOB}, (ROW,)))) == []


def test_a_change_of_an_entry_changes_the_row_without_a_word() -> None:
    busy = replace(BOB, status="busy")
    assert list(people(here({"bob": busy}, (ROW,)))) == [Enter("bob", "bob", busy, "busy", False)]


def test_a_row_that_others_marked_inactive_is_left_until_the_entry_changes() -> None:
    marked, told = replace(ROW, status="inactive"), {"bob": (BOB.description, "available")}
    assert list(people(here({"bob": BOB}, (marked,), told=told))) == []
    busy = replace(BOB, status="busy")
    assert list(people(here({"bob": busy}, (marked,), told=told))) != []


def test_who_is_unregistered_or_gone_has_left_once() -> None:
    gone = replace(BOB, entry=False)
    for residents in ({"bob": gone}, {}):
        assert list(people(here(residents, (ROW,)))) == [Part("bob", "bob")]
        assert list(people(here(residents, (replace(ROW, left=True),)))) == []


def test_who_comes_back_joins_again() -> None:
    [found] = people(here({"bob": BOB}, (replace(ROW, left=True),)))
    assert isinstance(found, Enter) and found.joined


def test_signs_of_life_cross_every_few_seconds() -> None:
    alive = replace(BOB, seen=100.5)
    assert list(people(here({"bob": alive}, (replace(ROW, seen=90.0),)))) == [Beat("bob", 100.5)]
    assert list(people(here({"bob": alive}, (replace(ROW, seen=98.0),)))) == []
    seen = replace(PIA, seen=100.0)
    guest = (("pia", "0b5c"),)
    assert list(people(here({}, (seen,), guest, {"pia": LODGER}))) == [Touch("pia", 100.0)]


def test_a_guest_gets_a_mailbox_and_an_entry() -> None:
    assert list(people(here({}, (PIA,)))) == [
        Welcome("pia", "0b5c"),
        Register("pia", PIA, "paused"),
    ]


def test_a_guest_s_status_is_written_into_its_entry() -> None:
    busy, guest = replace(PIA, status="busy"), (("pia", "0b5c"),)
    assert list(people(here({}, (busy,), guest, {"pia": LODGER}))) == [Restatus("pia", "active")]
    waiting = here({}, (busy,), guest, {"pia": LODGER}, waiting=frozenset(("0b5c",)))
    assert list(people(waiting)) == []


def test_a_guest_that_fell_silent_is_in_error_and_one_that_left_has_no_entry() -> None:
    silent, guest = replace(PIA, status="inactive"), (("pia", "0b5c"),)
    [found] = people(here({}, (silent,), guest, {"pia": LODGER}))
    assert isinstance(found, Restatus) and found.status == "error" and found.note
    gone = here({}, (silent,), guest, {"pia": LODGER}, gone=frozenset(("0b5c",)))
    assert list(people(gone)) == [Unregister("pia")]
    assert list(people(here({}, (silent,), guest))) == []


def test_an_id_on_both_sides_is_told_to_be_two() -> None:
    carl = replace(PIA, session="carl", name="carl", swarm=True)
    found = list(people(here({"carl": BOB}, (carl,))))
    assert [type(one) for one in found] == [Enter, Flaw, Welcome, Register]
    assert isinstance(found[0], Enter) and found[0].session == "mail-carl"
    assert isinstance(found[2], Welcome) and found[2].agent == "carl-carl"


def test_a_mailbox_without_an_entry_is_the_guest_s_whom_swarm_calls_the_same() -> None:
    carl = replace(PIA, session="carl", name="carl", swarm=True)
    box = replace(BOB, entry=False)
    assert list(people(here({"carl": box}, (carl,)))) == [
        Welcome("carl", "carl"), Register("carl", carl, "paused"),
    ]  # fmt: skip
