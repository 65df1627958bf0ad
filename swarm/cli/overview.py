"""``swarm status``: once, or live."""

import time

from swarm.cli import render
from swarm.mailbox.registry import age
from swarm.status import AgentState, Problem, overview

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from swarm.cli.call import Call

HEAD = ["id", "state", "unread", "oldest", "task", "seen"]
EVERY_S = 2.0


def once(call: "Call") -> None:
    """The overview as it is now; problems after the agents, each marked ``!``."""
    states, problems = overview(call.root, time.time())
    if call["json"]:
        render.json(_record(states, problems))
    elif call["zero"] or not render.terminal():
        render.lines([*_rows(states), *_marked(problems)], bool(call["zero"]))
    else:
        render.table(HEAD, _rows(states))
        render.lines(_marked(problems))


def follow(call: "Call") -> None:
    """The same again and again: in place on a terminal, else one after the other."""
    if call["json"] or call["zero"] or not render.drawable():
        while True:
            once(call)
            time.sleep(EVERY_S)

    def frame() -> "tuple[list[str], list[list[str]], list[str]]":
        states, problems = overview(call.root, time.time())
        return HEAD, _rows(states), [problem.text for problem in problems]

    render.live(frame, EVERY_S)


def _rows(states: list[AgentState]) -> list[list[str]]:
    return [[s.id, s.state, str(s.unread), _ago(s.oldest), s.task, _ago(s.seen)] for s in states]


def _ago(seconds: float | None) -> str:
    return "-" if seconds is None else age(seconds)


def _marked(problems: list[Problem]) -> list[list[str]]:
    return [["!", problem.text] for problem in problems]


def _record(states: list[AgentState], problems: list[Problem]) -> "dict[str, Any]":
    agents = [
        {"id": s.id, "state": s.state, "unread": s.unread, "oldest": _seconds(s.oldest),
         "task": s.task, "seen": _seconds(s.seen), "flags": s.flags}
        for s in states
    ]  # fmt: skip
    return {"agents": agents, "problems": [problem._asdict() for problem in problems]}


def _seconds(value: float | None) -> int | None:
    return None if value is None else int(value)
