"""The overview: everybody by id, and what needs a hand, worst first."""

import os
import time
from pathlib import Path

import pytest

from swarm.bridge.pair import Ledger
from swarm.mailbox import receipts, registry
from swarm.mailbox.layout import Root, make_box
from swarm.status import KINDS, SILENT_AFTER, WAITING_AFTER, AgentState, Problem, overview
from swarm.transport.pulse import FOLDER, Pulse

PLAIN = "To: bob\nFrom: alice\nSubject: s\n---\nbody\n"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """alice and bob are registered and were heard of just now."""
    made = Root(str(tmp_path / "mail"), sync=False)
    os.makedirs(made.dir)
    for agent in ("alice", "bob"):
        registry.register(made, agent, "role", "specialist", f"task of {agent}")
        heard(made.entry(agent))
    return made


def heard(path: str, age: float = 0) -> None:
    os.utime(path, (time.time() - age,) * 2)


def put(root: Root, agent: str, name: str, age: float = 0) -> None:
    path = f"{root.inbox(agent)}/{name}"
    Path(path).write_text(PLAIN)
    heard(path, age)


def state(root: Root, agent: str) -> AgentState:
    (found,) = [found for found in overview(root, time.time())[0] if found.id == agent]
    return found


def problems(root: Root) -> list[tuple[str, str]]:
    return [(problem.kind, problem.agent) for problem in overview(root, time.time())[1]]


def broken(root: Root) -> None:
    """One agent for each kind of problem; z-waiting has two."""
    make_box(root, "y-unreadable")
    os.rename(root.inbox("y-unreadable"), root.inbox("y-unreadable") + "-gone")
    Path(root.inbox("y-unreadable")).touch()
    for agent in ("a-clock", "b-silent", "c-silent", "x-error", "z-waiting"):
        registry.register(root, agent, "role", "planner", "lost")
    registry.update(root, "x-error", status="error")
    Path(root.entry("d-damaged")).write_text("id: d-damaged\n")
    heard(root.entry("a-clock"), -3600)
    os.makedirs(f"{root.path}/{FOLDER}")
    Path(root.path, FOLDER, "1-ab").write_text("e-unguarded\n")
    Path(root.path, ".up").write_text("1\n")
    for agent in ("b-silent", "c-silent", "z-waiting"):
        heard(root.entry(agent), SILENT_AFTER + 60)
    put(root, "z-waiting", "01.txt", 7200)


def test_who_is_guarded_and_which_guardian_was_killed(root: Root) -> None:
    trace = Pulse(root.path)
    trace.beat(["bob"])
    Path(root.path, FOLDER, "1-ab").write_text("alice\n")
    assert state(root, "bob").guardian is not None and state(root, "alice").guardian is None
    assert problems(root) == [("guardian", "alice")]
    trace.end()
    assert state(root, "bob").guardian is None


def test_nothing_needs_a_hand_while_everybody_works(root: Root) -> None:
    put(root, "bob", "01.txt", WAITING_AFTER - 60)
    heard(root.entry("bob"), SILENT_AFTER - 60)
    assert problems(root) == []


def test_what_needs_a_hand_is_told_worst_kind_first_and_then_by_agent(root: Root) -> None:
    broken(root)
    assert problems(root) == [
        ("unreadable", "y-unreadable"), ("error", "x-error"), ("damaged", "d-damaged"),
        ("guardian", "e-unguarded"), ("bridge", ""), ("waiting", "z-waiting"),
        ("silent", "b-silent"), ("silent", "c-silent"), ("silent", "z-waiting"), ("clock", "a-clock"),
    ]  # fmt: skip
    assert list(dict.fromkeys(kind for kind, _ in problems(root))) == list(KINDS)
    assert all(isinstance(problem, Problem) for problem in overview(root, time.time())[1])


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("unreadable", "y-unreadable: y-unreadable/inbox is a file, not a folder"),
        ("error", "x-error is in error: lost"),
        ("damaged", "d-damaged: its entry is damaged: no role, no archetype, no task, no status"),
        ("guardian", "e-unguarded: the guardian was killed (last pass 0s ago)"),
        ("bridge", "swarm up was killed: start it again"),
        ("waiting", "z-waiting has 1 unread, the oldest for 2h"),
        ("silent", "b-silent is active but silent for 16m"),
        ("clock", "a-clock: its last sign of life lies in the future"),
    ],
)  # fmt: skip
def test_a_problem_says_who_and_what_in_one_line(root: Root, kind: str, text: str) -> None:
    broken(root)
    assert text in [
        problem.text for problem in overview(root, time.time())[1] if problem.kind == kind
    ]


def test_everybody_known_is_listed_by_id_whatever_is_wrong(root: Root) -> None:
    broken(root)
    make_box(root, "orchestrator")
    ids = [found.id for found in overview(root, time.time())[0]]
    assert ids == sorted(ids) and len(ids) == 10
    flags = {found.id: found.flags for found in overview(root, time.time())[0] if found.flags}
    assert flags == {
        "y-unreadable": ["unreadable"], "d-damaged": ["damaged"], "a-clock": ["clock"],
    }  # fmt: skip


def test_a_state_tells_what_the_agent_does_and_what_waits_for_it(root: Root) -> None:
    for name, age in (("01.txt", 50), ("02.txt", 300), ("03.txt", 900)):
        put(root, "bob", name, age)
    receipts.write(root, "bob", "03.txt")
    os.mkfifo(f"{root.inbox('bob')}/04.txt")
    bob = state(root, "bob")
    assert (bob.state, bob.task, bob.unread, bob.flags) == ("active", "task of bob", 2, [])
    assert bob.oldest == pytest.approx(300, abs=10)
    assert (state(root, "alice").unread, state(root, "alice").oldest) == (0, None)


def test_a_mailbox_without_entry_has_no_state_and_was_never_heard_of(root: Root) -> None:
    make_box(root, "carl")
    carl = state(root, "carl")
    assert (carl.state, carl.task, carl.seen) == ("-", "", None)


@pytest.mark.parametrize("sign", ["entry", "receipt", "sent"])
def test_an_entry_a_receipt_or_mail_sent_is_a_sign_of_life(root: Root, sign: str) -> None:
    heard(root.entry("bob"), 7200)
    assert problems(root) == [("silent", "bob")]
    if sign == "entry":
        heard(root.entry("bob"), 100)
    elif sign == "receipt":
        receipts.write(root, "bob", "01.txt")
        heard(root.receipts("bob"), 100)
    else:
        Path(root.sent("bob"), "01.txt").touch()
        heard(root.sent("bob"), 100)
    assert problems(root) == [] and state(root, "bob").seen == pytest.approx(100, abs=10)


@pytest.mark.parametrize("status", ["paused", "done", "cancel"])
def test_only_the_active_are_silent(root: Root, status: str) -> None:
    registry.update(root, "bob", status=status)
    heard(root.entry("bob"), 7200)
    assert problems(root) == []


def test_a_guest_may_leave_its_mail_and_is_said_to_be_silent_not_in_error(root: Root) -> None:
    Path(root.entry("bob")).write_text(
        "id: bob\nrole: r\narchetype: specialist\ntask: -\nstatus: error\nvia: ops\nsession: b\n"
    )
    put(root, "bob", "01_a_0001.txt", age=WAITING_AFTER + 1)
    (found,) = overview(root, time.time())[1]
    assert found.text == "bob of ops is silent: its row on the channel says inactive"
    assert state(root, "bob").via == "ops"


def test_the_guardian_of_a_guest_is_seen_on_its_channel(root: Root, tmp_path: Path) -> None:
    channel = tmp_path / "ops"
    channel.mkdir()
    Ledger(root, "ops").remember("0" * 8, str(channel))
    Path(root.entry("bob")).write_text(
        "id: bob\nrole: r\narchetype: specialist\ntask: -\nstatus: paused\nvia: ops\nsession: b-1\n"
    )
    trace = Pulse(str(channel))
    trace.beat(["b-1"])
    assert state(root, "bob").guardian is not None
    assert state(root, "alice").guardian is None


def test_ages_are_never_negative(root: Root) -> None:
    put(root, "bob", "01.txt", -30)
    heard(root.entry("bob"), -30)
    bob = state(root, "bob")
    assert (bob.oldest, bob.seen, bob.flags) == (0, 0, [])


def test_without_a_registry_or_mailboxes_it_is_empty(tmp_path: Path) -> None:
    os.makedirs(tmp_path / "mail/dir")
    assert overview(Root(str(tmp_path / "mail")), 0) == ([], [])
