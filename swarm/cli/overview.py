"""``swarm status``: once, or live."""

import time

from swarm.ages import age
from swarm.cli import render
from swarm.status import PRIVATE, AgentState, Problem, channel_overview, overview

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from swarm.cli.call import Call

HEAD = ["id", "state", "unread", "oldest", "task", "seen", "guardian"]
LOAD = ["open", "asked"]
EVERY_S = 2.0


def once(call: "Call") -> None:
    """The overview as it is now; problems after the agents, each marked ``!``."""
    states, problems = _look(call)
    if call["json"]:
        render.json(_record(states, problems))
    elif call["zero"] or not render.terminal():
        render.lines([*_rows(call, states)[1], *_marked(problems)], bool(call["zero"]))
    else:
        render.table(*_rows(call, states))
        render.lines(_marked(problems))


def _look(call: "Call") -> "tuple[list[AgentState], list[Problem]]":
    """The overview of the mail tree, or of a channel; with ``--tasks`` what each has open."""
    now = time.time()
    if call["channel"] is None and not call["tasks"]:
        return overview(call.root, now)
    from swarm.cli import stores
    from swarm.workload import loads

    with stores.store(call) as store:
        if call["channel"] is None:
            states, problems = overview(call.root, now)
        else:
            states, problems = channel_overview(stores.channel_of(store), now)
        if call["tasks"]:
            timeout = stores.settings(call).task_timeout
            found = loads(store, [state.id for state in states], now, timeout)
            for state in states:
                state.load = found.get(state.id)
    return states, problems


def follow(call: "Call") -> None:
    """The same again and again: in place on a terminal, else one after the other."""
    if call["json"] or call["zero"] or not render.drawable():
        while True:
            once(call)
            time.sleep(EVERY_S)

    def frame() -> "tuple[list[str], list[list[str]], list[str]]":
        states, problems = _look(call)
        return *_rows(call, states), [problem.text for problem in problems]

    render.live(frame, EVERY_S)


def _rows(call: "Call", states: list[AgentState]) -> tuple[list[str], list[list[str]]]:
    """The names of the columns, and a row for each agent."""
    rows = [
        [s.id, s.state, _unread(s), _ago(s.oldest), s.task,
         _ago(s.seen), _ago(s.guardian), *(_load(s) if call["tasks"] else ()), s.via]
        for s in states
    ]  # fmt: skip
    return render.used([*HEAD, *(LOAD if call["tasks"] else ()), "via"], rows)


def _unread(state: AgentState) -> str:
    if state.unread is None:
        return "not readable" if PRIVATE in state.flags else "-"
    return str(state.unread)


def _load(state: AgentState) -> list[str]:
    """How many tasks are open, and the age of the oldest."""
    load = state.load
    if load is None:
        return ["?", "-"]
    overdue = f", {load.overdue} overdue" if load.overdue else ""
    return [f"{load.tasks}{overdue}", _ago(load.oldest)]


def _ago(seconds: float | None) -> str:
    return "-" if seconds is None else age(seconds)


def _marked(problems: list[Problem]) -> list[list[str]]:
    return [["!", problem.text] for problem in problems]


def _record(states: list[AgentState], problems: list[Problem]) -> "dict[str, Any]":
    agents = [
        {"id": s.id, "state": s.state, "unread": s.unread, "oldest": _seconds(s.oldest),
         "task": s.task, "seen": _seconds(s.seen), "flags": s.flags,
         "guardian": _seconds(s.guardian), **_loaded(s), "via": s.via}
        for s in states
    ]  # fmt: skip
    return {"agents": agents, "problems": [problem._asdict() for problem in problems]}


def _loaded(state: AgentState) -> "dict[str, Any]":
    load = state.load
    if load is None:
        return {"open": None, "overdue": None, "asked": None}
    return {"open": load.tasks, "overdue": load.overdue, "asked": _seconds(load.oldest)}


def _seconds(value: float | None) -> int | None:
    return None if value is None else int(value)
