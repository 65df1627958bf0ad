"""By hand and by command, mixed: one view of the same mail."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from .by_hand import SHELLS, Mail

AGENTS = ("alice", "bob", "carl")
THREADS = ("", "T-1", "T-10", "fix: a b")
ways = st.sampled_from(("hand", "command"))
agents = st.sampled_from(AGENTS)
subjects = st.sampled_from(("hello", "Re: a: b", "日本語", "100% [/red] $x", "-n", "x" * 90))
steps = st.one_of(
    st.tuples(st.just("send"), ways, agents, agents, subjects, st.sampled_from(THREADS)),
    st.tuples(st.just("receipt"), ways, agents),
    st.tuples(st.just("reply"), ways, agents, st.sampled_from(("", "ack", "done"))),
)


def unread(mail: Mail, agent: str) -> list[str]:
    """The unread messages of an agent, on which both views must agree."""
    by_hand = mail.hand(agent, "unread").splitlines()
    by_command = [line.split("\t")[0] for line in mail.command(agent, "unread").splitlines()]
    assert by_hand == by_command
    return by_hand


def take(mail: Mail, step: tuple[str, ...]) -> None:
    """One step, by hand or by command; it must have the effect that it says."""
    kind, way, agent, *rest = step
    if kind == "send":
        to, subject, thread = rest
        if way == "hand":
            path = mail.file(mail.hand(agent, "send", to, subject, thread))
        else:
            options = ["-t", thread] if thread else []
            path = mail.file(mail.command(agent, "send", to, f"-s{subject}", *options))
        assert path.name in unread(mail, to)
        assert (mail.root / agent / "sent" / path.name).read_bytes() == path.read_bytes()
        return
    waiting = unread(mail, agent)
    if not waiting:
        return
    name = waiting[-1]
    if kind == "receipt":
        mail.hand(agent, "receipt", name) if way == "hand" else mail.command(agent, "read", name)
        assert unread(mail, agent) == waiting[:-1]
    elif way == "hand":
        mail.hand(agent, "reply", name, *rest)
    else:
        options = ["--status", rest[0]] if rest[0] else []
        mail.command(agent, "reply", name, *options)


def views_agree(mail: Mail) -> None:
    """Both views show the same registry, mail, receipts and threads."""
    listed = [line.split("\t")[0] for line in mail.command("alice", "agents").splitlines()]
    assert sorted(listed) == sorted(AGENTS)
    for agent in AGENTS:
        unread(mail, agent)
        for line in mail.command(agent, "sent").splitlines():
            name, to, state = line.split("\t")[:3]
            assert (state == "read") == (mail.root / to / "inbox/.read" / name).exists()
        for thread in THREADS[1:]:
            box = mail.root / agent
            mine = [*box.glob("inbox/*.txt"), *box.glob("sent/*.txt")]
            head = f"\nThread: {thread}\n".encode()
            among = sorted(str(p.relative_to(mail.root)) for p in mine if head in p.read_bytes())
            code = 0 if among else 4
            by_hand = mail.hand(agent, "thread", thread, code=code).splitlines()
            by_command = mail.command(agent, "thread", thread, code=code)
            assert sorted(by_hand) == among
            # A message to oneself lies in inbox and in sent, and the command shows it once.
            names = {path.rpartition("/")[2] for path in among}
            assert len(by_command.splitlines()) == len(names)
            assert all(name in by_command for name in names)


@settings(max_examples=10, deadline=None)
@given(st.lists(ways, min_size=3, max_size=3), st.lists(steps, min_size=2, max_size=9))
def test_by_hand_and_by_command_in_any_order(
    entered: list[str], course: list[tuple[str, ...]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        mail = Mail(Path(folder), SHELLS[0])
        for agent, way in zip(AGENTS, entered, strict=True):
            if way == "hand":
                mail.enter(agent)
            else:
                options = ("--role", "r", "--archetype", "planner", "--task", "t")
                mail.command(agent, "register", *options)
        for step in course:
            take(mail, step)
        views_agree(mail)
