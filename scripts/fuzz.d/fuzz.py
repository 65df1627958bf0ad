"""Runs the fuzzer on the targets, one process each; see scripts/fuzz."""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = ["swarm"]


def options() -> argparse.Namespace:
    """The command line."""
    words = argparse.ArgumentParser(prog="scripts/fuzz")
    words.add_argument("targets", nargs="*", metavar="TARGET", help="all; a wrong word names them")
    words.add_argument("--runs", type=int, default=100_000, help="inputs for each (100000)")
    words.add_argument("--seed", type=int, default=random.randrange(10**6), help="for the draws")
    words.add_argument("--inside", help=argparse.SUPPRESS)
    return words.parse_known_args()[0]


def inside(target: str) -> None:
    """The process that is being fuzzed; ends with libFuzzer's own exit code."""
    import atheris

    with atheris.instrument_imports(include=MODULES):
        from place import prepare
        from targets import READERS, TARGETS

    if target in READERS:
        prepare()
    flags = [word for word in sys.argv if word.startswith("-") and not word.startswith("--")]
    corpus = [word for word in sys.argv[1:] if word.startswith("/")]

    def kept(data: bytes) -> None:
        """Ended by an exception: its input stays, whatever the fuzzer itself comes to."""
        try:
            TARGETS[target](data)
        except BaseException:
            Path(f"crash-{target}-{sha256(data).hexdigest()[:16]}").write_bytes(data)
            raise

    atheris.Setup([sys.argv[0], *flags, *corpus], kept)
    atheris.Fuzz()


def fuzz(target: str, runs: int, seed: int, corpus: str) -> bool:
    """One target; whether nothing was found."""
    from targets import SEEDS, WORDS

    os.mkdir(corpus)
    for number, data in enumerate(SEEDS[target]):
        Path(corpus, f"seed{number}").write_bytes(data)
    words = Path(f"{corpus}.words")
    quoted = ("".join(f"\\x{byte:02x}" for byte in word) for word in WORDS)
    words.write_text("".join(f'"{word}"\n' for word in quoted))
    argv = [sys.executable, __file__, "--inside", target, f"-runs={runs}", f"-seed={seed}",
            "-max_len=2000", "-timeout=10", f"-dict={words}", "-print_final_stats=1",
            corpus]  # fmt: skip
    start = time.monotonic()
    env = {**os.environ, "TMPDIR": os.path.dirname(corpus)}  # the fuzzer tidies nothing up
    done = subprocess.run(argv, env=env, capture_output=True, text=True, errors="replace")
    seconds = time.monotonic() - start
    said = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    count = int(said[1]) if said else 0
    well = done.returncode == 0
    print(f"{target}: {count:,} inputs, {count / seconds:,.0f} a second, seed {seed}:",
          "nothing found" if well else f"exit {done.returncode}", flush=True)  # fmt: skip
    if not well:
        print(done.stdout[-1000:], done.stderr[-3000:])
    return well


def main() -> int:
    given = options()
    sys.path.insert(0, str(HERE))
    if given.inside:
        inside(given.inside)
    from targets import TARGETS

    if unknown := set(given.targets) - set(TARGETS):
        print(f"fuzz: no target {min(unknown)!r}: {', '.join(TARGETS)}", file=sys.stderr)
        return 2
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    well = True
    for target in given.targets or TARGETS:
        with tempfile.TemporaryDirectory(prefix="swarm-fuzz-", dir=memory) as folder:
            well &= fuzz(target, given.runs, given.seed, f"{folder}/corpus")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
