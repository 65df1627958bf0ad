"""Sends letters by the library, one process for all, until stdin is closed.

library.py ROOT AGENT SEED BOX…       prints each letter's name and path
"""

import random
import select
import sys

from letters import make

from swarm.mailbox.delivery import send
from swarm.mailbox.layout import Root


def main() -> None:
    """Now and then a letter, so that the other writers have a share."""
    path, agent, seed, *boxes = sys.argv[1:]
    root = Root(path)
    chance = random.Random(f"{seed} {agent}")
    number = 0
    while not select.select([sys.stdin], [], [], chance.uniform(0, 0.06))[0]:
        number += 1
        name = f"{agent}-{number}"
        result = send(root, agent, [chance.choice(boxes)], f"letter {name}", make(name, chance))
        print(name, result.delivered[0].path, flush=True)


main()
