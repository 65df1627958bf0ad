"""The table of rules as Markdown, and the life of a status as a diagram.  Pure."""

from collections.abc import Iterable

from swarm.mamoru.conditions import CONDITIONS
from swarm.mamoru.effects import EFFECTS
from swarm.mamoru.rules import CAUSES, RULES, SELF, SIDES, TIME, Rule

FIRST = {TIME: "cause", SELF: "cause"}


def tables() -> str:
    """One table a side, in the order in which rows are tried."""
    return "\n\n".join(f"### {title}\n\n{_table(side)}" for side, title in SIDES.items())


def _table(side: str) -> str:
    rows = [rule for rule in RULES if rule.side == side]
    head = f"| {FIRST.get(side, 'event')} | when | then | status | |"
    return "\n".join([head, "| --- | --- | --- | --- | --- |", *map(_row, rows)])


def _row(rule: Rule) -> str:
    event = "any" if rule.event == "*" else f"`{rule.event}`" if "_" in rule.event else rule.event
    return f"| {event} | {rule.when} | {rule.then or 'nothing'} | {rule.status} | {rule.source} |"


def phrases() -> str:
    """What the phrases of the tables mean, as lists."""
    conditions = ((name, condition.__doc__) for name, condition in CONDITIONS.items())
    effects = ((name, effect.__doc__) for name, effect in EFFECTS.items())
    return (
        f"**When**\n\n{_list(conditions)}\n\n**Then**\n\n{_list(effects)}\n\n"
        f"**Causes**\n\n{_list(CAUSES.items())}"
    )


def _list(pairs: Iterable[tuple[str, str | None]]) -> str:
    return "\n".join(f"- *{name}*: {' '.join((text or '').split())}" for name, text in pairs)


LIFE = {
    "available": ("busy", "inactive"),
    "busy": ("available", "inactive"),
    "inactive": ("available",),
}


def diagram() -> str:
    """The life of our own status, from the rows that change it."""
    lines = ["stateDiagram-v2", "    [*] --> available : joined"]
    for before, afters in LIFE.items():
        for after in afters:
            for label in _labels(before, after):
                lines.append(f"    {before} --> {after} : {label}")
    return "\n".join(["```mermaid", *lines, "```"])


def _labels(before: str, after: str) -> list[str]:
    """What leads from one status to the other: each side and event once."""
    found = [_label(rule) for rule in RULES if rule.status == after and _possible(rule, before)]
    return list(dict.fromkeys(found))


def _label(rule: Rule) -> str:
    intents = [c.removeprefix("intent ") for c in rule.conditions if c.startswith("intent ")]
    side = [] if rule.side in FIRST else [rule.side]
    return " ".join([rule.event, *intents, *side])


def _possible(rule: Rule, before: str) -> bool:
    """Whether a row can be taken in that status: a task is active only while we are busy."""
    if rule.event == "joined":
        return before == "inactive"
    if before == "inactive":
        return rule.side == SELF
    working = "for the active task", "about the active task", "a task is active"
    if any(phrase in rule.conditions for phrase in working):
        return before == "busy"
    return "we are available" not in rule.conditions or before == "available"


MARKS = {"tables": tables, "phrases": phrases, "diagram": diagram}


def fill(page: str) -> str:
    """The page with each part between ``<!-- name -->`` and ``<!-- end -->`` made anew."""
    for name, make in MARKS.items():
        start, end = f"<!-- {name} -->", "<!-- end -->"
        head, _, rest = page.partition(start)
        _, _, tail = rest.partition(end)
        page = f"{head}{start}\n\n{make()}\n\n{end}{tail}"
    return page
