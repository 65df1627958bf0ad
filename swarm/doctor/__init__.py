"""What is wrong in a mail tree, also what listings cannot show; mends only what is safe.

The command is ``swarm doctor`` (contract 4).  Each finding stands for itself: one bad thing
hides no other, unless that one cannot be got at.
"""

import os

from swarm.doctor import (
    boxes,
    bridges,
    channels,
    entries,
    folders,
    guardians,
    set_up,
    sharing,
    strays,
)
from swarm.doctor.finding import LEVELS, Finding
from swarm.errors import SwarmError
from swarm.mailbox import layout
from swarm.mailbox.layout import Root

__all__ = ["Finding", "examine"]


def examine(root: Root, fix: bool = False, team_home: str = "") -> list[Finding]:
    """All that is to be said of a mail tree, worst first (contract 4, ``doctor``).

    And of the channels in the team home, if one is given.

    With ``fix`` missing folders are made and old left-overs removed; what was mended is ``ok``.
    Never raises for what is in the tree; Temporary where this process may open no more files.
    """
    tree = folders.look(root, ".", "fail")
    if not os.path.isdir(f"{root.path}/."):  # gone, no folder, or not to be entered
        return tree.found or [Finding("fail", ".", "is missing", "make one with swarm init")]
    found = [*tree.found, *entries.examine(root, fix), *strays.examine(root, tree, fix)]
    found += sharing.examine(root)
    found += guardians.examine(root, fix)
    found += bridges.examine(root, fix)
    found += set_up.examine(root)
    for agent in _agents(root):
        found += boxes.examine(root, agent, fix)
    if team_home:
        found += channels.examine(team_home)
    return sorted(found, key=lambda finding: LEVELS.index(finding.level))


def _agents(root: Root) -> list[str]:
    """Everybody who can be seen: with one of the two folders locked, those in the other."""
    found: set[str] = set()
    for listed in (layout.registered, layout.boxes):
        try:
            found.update(listed(root))
        except SwarmError:  # told of where the folder itself is looked at
            continue
    return sorted(found)
