"""Runs writers and readers as real processes for a while, then accounts for every message."""

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait

from account import Account
from course import SWARM, Course
from readers import drain, read
from writers import by_command, by_hand, killed, library, write

SENDS = (by_command, killed, by_hand)


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long (60)")
    parser.add_argument("--writers", type=int, default=8, help="by every way to write in turn (8)")
    parser.add_argument("--readers", type=int, default=4, help="two to a mailbox (4)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="for the draws")
    return parser.parse_args()


def start(
    course: Course, writers: int, readers: int, pool: ThreadPoolExecutor
) -> list[Future[None]]:
    """A thread for every writer and reader, which looks after one process at a time."""
    begun = []
    for number in range(writers):
        kind = number % 4
        agent = f"writer{number}"
        if kind == 3:
            begun.append(pool.submit(library, course, agent))
        else:
            begun.append(pool.submit(write, course, agent, SENDS[kind]))
    for number in range(readers):
        box = course.boxes[number % len(course.boxes)]
        begun.append(pool.submit(read, course, f"reader{number}", box))
    return begun


def run(course: Course, given: argparse.Namespace) -> None:
    """Let them all work, then read what is left."""
    agents = [f"writer{number}" for number in range(given.writers)]
    init = [SWARM, "init", course.folder, "--agents", ",".join([*course.boxes, *agents])]
    subprocess.run(init, check=True, stdout=subprocess.DEVNULL)
    with ThreadPoolExecutor(given.writers + given.readers) as pool:
        try:
            begun = start(course, given.writers, given.readers, pool)
            wait(begun, timeout=given.seconds, return_when=FIRST_EXCEPTION)
        finally:
            course.stop.set()
    for one in begun:
        one.result()
    drain(course)


def figures(course: Course, given: argparse.Namespace, left: int) -> str:
    """What went on."""
    ledger = course.ledger
    writers, readers = len(ledger.killed_writers), len(ledger.killed_readers)
    return (
        f"{given.seconds:g} s, seed {given.seed}: "
        f"{len(ledger.sent)} sent by {given.writers} writers ({writers} killed), "
        f"{len(ledger.shown)} shown by {given.readers} readers ({readers} killed), "
        f"{left} left by the killed"
    )


def judge(course: Course, given: argparse.Namespace) -> bool:
    """Print the figures, and each case that breaks a rule; whether there is none."""
    account = Account(course)
    left = len(account.temporaries())
    problems = account.problems()
    wrong = ", ".join(f"{len(cases)} {rule}" for rule, cases in problems.items())
    print(f"{figures(course, given, left)}: {wrong}")
    for rule, cases in problems.items():
        for case in cases[:10]:
            print(f"soak: {rule}: {case}", file=sys.stderr)
    if not course.ledger.sent:
        print("soak: nothing was sent", file=sys.stderr)
    return bool(course.ledger.sent) and not any(problems.values())


def main() -> int:
    """The exit code; a tree with something wrong in it is kept."""
    given = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = tempfile.mkdtemp(prefix="swarm-soak-")
    boxes = [f"box{number}" for number in range(max(1, given.readers // 2))]
    course = Course(folder, boxes, given.seed)
    try:
        run(course, given)
        well = judge(course, given)
    except (KeyboardInterrupt, SystemExit) as stopped:
        shutil.rmtree(folder)
        return 130 if isinstance(stopped, KeyboardInterrupt) else 143
    if well:
        shutil.rmtree(folder)
        return 0
    print(f"soak: the mail is in {course.root}", file=sys.stderr)
    return 1


sys.exit(main())
