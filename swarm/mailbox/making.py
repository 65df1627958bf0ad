"""A new mail tree, for one user or for the users of a group."""

import os

from swarm import names
from swarm.errors import Conflict, from_os
from swarm.mailbox import shared
from swarm.mailbox.layout import ORCHESTRATOR, Root, is_private, known, make_box, twin


def init(folder: str, agents: list[str], group: str | None = None) -> tuple[Root, list[str]]:
    """Make ``folder/mail`` with the orchestrator's and the agents' mailboxes; idempotent.

    Returns the root and the paths that were made.  All ids are checked before anything is.
    ``group``: of the users who share it.
    """
    root = Root(os.path.join(folder, "mail"))
    _check_new(root, agents)
    made: list[str] = []
    if group is not None:
        made = _make_shared(root, group)
        root = Root(root.path)  # it is shared from now on
    try:
        for path in (root.path, root.dir):
            if not os.path.isdir(path):
                os.makedirs(path, exist_ok=True)
                made.append(path)
    except OSError as error:
        raise from_os(error, "make", path) from None
    for agent in (ORCHESTRATOR, *agents):
        if agent != ORCHESTRATOR or not is_private(root, agent):
            made += make_box(root, agent)
    return root, made


def _make_shared(root: Root, group: str) -> list[str]:
    """Make what is common in a shared tree; Conflict where there is mail of another kind."""
    number = shared.group_id(group)
    if os.path.isdir(root.dir) and (known(root) or root.shared):
        there = os.stat(root.dir).st_gid if root.shared else -1
        if there != number:
            what = f"of another group (number {there})" if root.shared else "and not shared"
            raise Conflict(f"{root.path} is a mail tree already, {what}", "make a new one", "taken")
    os.makedirs(os.path.dirname(root.path), exist_ok=True)
    return shared.make_tree(root.path, number)


def _check_new(root: Root, agents: list[str]) -> None:
    """Refuse a tree within a tree, ids that are none, and ids that differ only in case."""
    above = os.path.dirname(root.path)
    while above != os.path.dirname(above):
        if os.path.basename(above) == "mail" and os.path.isdir(f"{above}/dir"):
            raise Conflict(f"{above} is a mail tree already", "init makes mail/ beside your files")
        above = os.path.dirname(above)
    lowered: dict[str, str] = {ORCHESTRATOR: ORCHESTRATOR}
    for agent in agents:
        names.check_id(agent)
        other = lowered.setdefault(agent.lower(), agent)
        if other == agent and os.path.isdir(root.dir):
            other = twin(root, agent) or agent
        if other != agent:
            raise Conflict(f"{agent} differs only in case from {other}", code="taken")
