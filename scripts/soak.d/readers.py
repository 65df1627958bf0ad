"""Readers: several on each mailbox, some killed; all they show is entered."""

import random

from course import SWARM, Course, Done, Letter
from letters import find

WAYS = (("read", "--next"), ("read", "--next"), ("read", "--all"), ("archive", "--read"))


def read(course: Course, who: str, box: str) -> None:
    """One reader: reads, or puts away what was read, until the end."""
    chance = course.chance(who)
    while not course.stop.is_set():
        once(course, box, chance)


def once(course: Course, box: str, chance: random.Random) -> None:
    """One command; every fourth is killed at some moment."""
    words = chance.choice(WAYS)
    if chance.randrange(4) == 0:
        delay = chance.uniform(0.2, 1.5) * course.usual
        pids = course.ledger.killed_readers
        done = course.killed(box, SWARM, *words, data=b"", delay=delay, pids=pids)
    else:
        done = course.run(box, SWARM, *words)
    if words[0] == "read":
        enter(course, box, done)


def enter(course: Course, box: str, done: Done) -> None:
    """Enter the letters shown; only the last one of a killed reader may be cut short."""
    letters = find(done.out)
    well = done.code == 0
    if letters and not letters[-1][1] and not well:
        letters.pop()
    for name, whole in letters:
        course.ledger.shown.append((Letter(box, name), well))
        if not whole:
            course.ledger.torn.append(f"{box} was shown {name}")


def drain(course: Course) -> None:
    """Read what is left, so that every letter was shown to somebody."""
    for box in course.boxes:
        enter(course, box, course.run(box, SWARM, "read", "--all"))
        waiting = course.run(box, SWARM, "unread").out
        if waiting:
            course.ledger.failed.append(f"{box}: still unread: {waiting.decode()}")
