"""Runs the whole cast under faults, then accounts for all they were told; see scripts/torture."""

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from cast import ACTS, play, prepare, servants
from faults import ANYWHERE, ON_A_DISK, Fault
from stage import Stage
from verdict import Account

Problems = dict[str, list[str]]
NAMES = ", ".join((*ANYWHERE, *ON_A_DISK))
REST = 2.0  # most seconds between two faults


def options() -> argparse.Namespace:
    """The command line."""
    words = argparse.ArgumentParser(prog="scripts/torture", description=__doc__)
    words.add_argument("--minutes", type=float, default=5, help="how long the faults go on (5)")
    words.add_argument("--seed", type=int, default=random.randrange(10**6), help="for the draws")
    words.add_argument("--only", type=named, help="of these, with commas between: " + NAMES)
    words.add_argument("--keep", action="store_true", help="leave the folder there")
    return words.parse_args()


def named(text: str) -> list[str]:
    """Names of faults: with one mistyped nothing would be tried, and all would seem well."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in (*ANYWHERE, *ON_A_DISK):
            raise argparse.ArgumentTypeError(f"no fault {name!r}: {NAMES}")
    return names


def chosen(stage: Stage, only: list[str] | None) -> dict[str, Fault]:
    """The faults that can be made here."""
    found = {**ANYWHERE, **(ON_A_DISK if stage.mounted else {})}
    if not stage.mounted:
        print("no file system could be mounted: without", ", ".join(ON_A_DISK))
    made = {name: found[name] for name in only or found if name in found}
    if not made:
        sys.exit("torture: none of these faults can be made here")
    return made


def hurt(stage: Stage, faults: dict[str, Fault], who: int) -> None:
    """One source of faults, one after the other."""
    draw = stage.chance(f"faults {who}")
    while not stage.over.wait(draw.uniform(0.1, REST)):
        name = draw.choice(sorted(faults))
        with stage.held:
            free = name not in stage.now
            stage.now.add(name)
        if free:
            stage.ledger.faults[name] += 1
            faults[name](stage, draw)
            stage.now.discard(name)


def torture(
    stage: Stage, seconds: float, faults: dict[str, Fault]
) -> tuple[dict[str, list[str]], float]:
    """The play, what it broke, and the seconds in which it came to rest."""
    prepare(stage)
    serving = servants(stage)
    try:
        act(stage, seconds, faults)
        account = Account(stage)
        rest = account.settle()
        account.drain()
    finally:  # also when it is interrupted: they would be started again for ever
        for servant in serving:
            servant.retire.set()
        for servant in serving:
            servant.end()
    return account.problems(), rest


def act(stage: Stage, seconds: float, faults: dict[str, Fault]) -> None:
    """The play under faults, for so long."""
    threads = [threading.Thread(target=play, args=(stage, *one)) for one in ACTS]
    threads += [threading.Thread(target=hurt, args=(stage, faults, who)) for who in range(2)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(seconds)
    finally:
        stage.over.set()
        for thread in threads:
            thread.join()


def main() -> int:
    given = options()
    print(f"seed {given.seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    stage = Stage(folder, given.seed, given.minutes)
    try:
        problems, rest = torture(stage, given.minutes * 60, chosen(stage, given.only))
        return report(stage, problems, rest)
    finally:
        if given.keep:
            print(f"kept: {folder}")
        else:
            stage.close()
            subprocess.run(["rm", "-rf", str(folder)], check=False)


def ends(account: Account) -> str:
    """How the tasks ended."""
    counts = Counter(state for _, state, _ in account.states())
    return ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))


def report(stage: Stage, problems: Problems, rest: float) -> int:
    """The figures, and every case that breaks a rule."""
    ledger = stage.ledger
    faults = ", ".join(f"{count} {name}" for name, count in sorted(ledger.faults.items()))
    codes = ", ".join(f"{count} of {code}" for code, count in sorted(ledger.codes.items()))
    print(f"faults: {faults}")
    print(f"exit codes: {codes}")
    print(f"tasks: {ends(Account(stage))}")
    print(
        f"{len(ledger.sent)} letters, {len(ledger.rows)} rows and {len(ledger.tasks)} tasks"
        f" acknowledged; at rest after {rest:.0f} s:",
        ", ".join(f"{len(cases)} {rule}" for rule, cases in problems.items()),
    )
    for rule, cases in problems.items():
        for case in cases[:20]:
            print(f"  {rule}: {case}")
    return 1 if any(problems.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
