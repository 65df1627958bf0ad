"""Properties: whatever is said on both sides, both hold it once, in order, with equal tasks."""

import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swarm.bridge import words
from swarm.errors import SwarmError
from swarm.events import Event
from tests.unit.bridge.world import PEER, PEER_ID, World

RESIDENT = st.sampled_from(["alice", "bob"])
ANYBODY = st.sampled_from(["alice", "bob", "carl", PEER_ID])
WORDS = st.sampled_from(["one", "two words", "Ünï", "a b c d e f g h i j k l m n o p q r s t u v"])
THREAD = st.sampled_from(["", "t-1", "t-2"])
STATUS = st.sampled_from(["", "ack", "done", "error", "cancelled"])
KIND = st.sampled_from(["task_update", "task_clarify", "task_done", "task_fail", "info_only"])
NUMBER = st.integers(0, 30)

STEPS = st.one_of(
    st.tuples(st.just("mail"), RESIDENT, ANYBODY, WORDS, THREAD, STATUS),
    st.tuples(st.just("request"), st.sampled_from(["alice", "bob", "carl"]), ANYBODY, WORDS),
    st.tuples(st.just("answer"), st.sampled_from(["alice", "bob", "carl"]), KIND, WORDS),
    st.tuples(st.just("peer"), st.sampled_from(["alice", "bob", "carl"]), KIND, WORDS, NUMBER),
    st.tuples(st.just("peer asks"), st.sampled_from(["alice", "bob", "carl"]), WORDS),
    st.tuples(st.just("peer tells all"), WORDS),
    st.tuples(st.just("peer reads")),
    st.tuples(st.just("read"), RESIDENT, NUMBER),
    st.tuples(st.just("put away"), RESIDENT, NUMBER, st.booleans()),
    st.tuples(st.just("by hand"), ANYBODY, st.binary(max_size=30)),
    st.tuples(st.just("step")),
    st.tuples(st.just("restart")),
)


class History:
    """Performs steps, and remembers which files there were and what was deleted."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.deleted: set[str] = set()
        self.asked: list[int] = []
        self.sent: dict[str, list[str]] = {}
        self.count = 0

    def perform(self, step: tuple[object, ...]) -> None:
        name, *values = step
        do: Callable[..., None] = getattr(self, str(name).replace(" ", "_"))
        with suppress(SwarmError):  # what is refused is no part of the history
            do(*values)

    def mail(self, sender: str, to: str, subject: str, thread: str, status: str) -> None:
        if sender != to:
            key = self.world.mail(sender, to, subject, "body\n", thread=thread, status=status)
            self.sent.setdefault(sender, []).append(key)

    def request(self, sender: str, to: str, content: str) -> None:
        to = PEER if (sender, to) == ("carl", PEER_ID) else to
        self.world.say(sender, "task_req", to, " ".join(content.split()[:20]))

    def answer(self, sender: str, kind: str, content: str) -> None:
        self.world.say(sender, kind, "", " ".join(content.split()[:20]))

    def peer(self, to: str, kind: str, content: str, task: int) -> None:
        number = self.asked[task % len(self.asked)] if self.asked else None
        self.world.peer.send(kind, content, to, task=number)

    def peer_asks(self, to: str, content: str) -> None:
        self.asked.append(self.world.peer.send("task_req", content, to))

    def peer_tells_all(self, content: str) -> None:
        self.world.peer.send("broadcast", content)

    def peer_reads(self) -> None:
        self.world.peer.poll()

    def read(self, agent: str, which: int) -> None:
        there = self.world.inbox(agent)
        if there:
            self.world.read(agent, there[which % len(there)])

    def put_away(self, agent: str, which: int, delete: bool) -> None:
        there = self.world.inbox(agent)
        if there:
            name = there[which % len(there)]
            self.world.put_away(agent, name, delete)
            if delete:
                self.deleted.add(words.key(agent, name))

    def by_hand(self, agent: str, data: bytes) -> None:
        self.count += 1
        if not Path(self.world.root.inbox(agent)).is_dir():
            return  # nobody made a mailbox for a guest yet
        Path(self.world.root.inbox(agent), f"note-{self.count}.txt").write_bytes(data)

    def step(self) -> None:
        self.world.bridge.step()

    def restart(self) -> None:
        self.world.again()


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(STEPS, max_size=25))
def test_both_sides_hold_every_message_once_and_tasks_alike(
    steps: list[tuple[object, ...]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        history = History(world)
        for step in steps:
            history.perform(step)
        settle(world)
        assert world.bridge.missing() == []
        rows = world.rows()
        check_files(world, history, rows)
        check_rows(world, history, rows)
        check_tasks(world)
        world.mirror.close()
        world.carl.close()


def settle(world: World) -> None:
    """What is malformed counts as whole, as it does after a while."""
    with patch("swarm.transport.mail_files.Letters._grows", lambda *_: False):
        world.settle()


def files(world: World) -> set[str]:
    """The keys of all messages that somebody received, archived ones too."""
    found = set()
    for agent in ("alice", "bob", "carl", PEER_ID):
        found |= {words.key(agent, name) for name in world.inbox(agent)}
        folder = Path(world.root.sent(agent))
        for path in folder.glob("*.txt") if folder.is_dir() else ():
            if f"\nFrom: {agent}\n" not in path.read_text("utf-8", "replace"):
                found.add(words.key(agent, path.name))
    return found


def check_files(world: World, history: History, rows: list[Event]) -> None:
    """Each file of the tree has one row, in its sender's order."""
    token = world.bridge.pair.token
    causes = Counter(words.cause(token, event.origin) for event in rows if event.origin)
    numbers = {int(event.id) for event in rows}
    for key in files(world) | history.deleted:
        number = words.row_number(token, key.partition("/")[2])
        if number:
            assert number in numbers, key
        elif key not in history.deleted or causes[key]:
            assert causes[key] == 1, key
    assert all(count == 1 for cause, count in causes.items() if cause)
    place = {words.cause(token, event.origin): int(event.id) for event in rows}
    for keys in history.sent.values():  # each sender's own, in the order in which it sent them
        found = [place[key] for key in keys if key in place]
        assert found == sorted(found)


def check_rows(world: World, history: History, rows: list[Event]) -> None:
    """Each row of the channel has one file for each recipient; its number orders them."""
    token = world.bridge.pair.token
    there = files(world) | history.deleted
    for event in rows:
        if words.cause(token, event.origin):
            continue
        agent = PEER_ID if event.to == PEER else event.to
        found = [
            key for key in there if words.row_number(token, key.partition("/")[2]) == int(event.id)
        ]
        sender = PEER_ID if event.sender == PEER else event.sender
        everybody = {"alice", "bob", "carl", PEER_ID} - {sender}
        assert {key.partition("/")[0] for key in found} == ({agent} if agent else everybody)


def check_tasks(world: World) -> None:
    """A task has one state, whichever side tells it."""
    for agent in ("alice", "bob", "carl", PEER_ID):
        by_mail, by_row = world.tasks(agent)
        number = {task.ref: task for task in by_row.values()}
        for task in by_mail.values():
            row = world.bridge._mail.number(task.worker, task.ref) if task.ref else 0
            other = number.get(str(row))
            if row and other and task.request:
                assert (task.state, task.worker) == (
                    other.state, PEER_ID if other.worker == PEER else other.worker,
                ), (agent, task, other)  # fmt: skip
