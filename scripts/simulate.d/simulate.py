"""Plays histories and prints the short story of the first that breaks an invariant."""

import argparse
import gc
import sys
import time

from checks import Broken
from world import World


def tell(seed: int) -> None:
    """Play one seed again and print what happened."""
    world = World(seed, show=True)
    try:
        world.run()
        print("holds")
    except Broken as broken:
        print(f"seed {seed}, {'mail' if world.bus.mail else 'channel'}: {broken}")
    print("\n".join(world.lines[-80:]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first history")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--show", action="store_true", help="tell the history of --seed")
    chosen = parser.parse_args()
    if chosen.show:
        tell(chosen.seed)
        return 0
    gc.disable()  # each world is one heap of cycles: collected now and then, not all the time
    start, worked = time.perf_counter(), time.process_time()
    seed = chosen.seed
    while seed < chosen.seed + chosen.histories and time.perf_counter() - start < chosen.seconds:
        try:
            World(seed).run()
        except Exception as error:
            if not isinstance(error, Broken):
                raise
            tell(seed)
            return 1
        seed += 1
        if seed % 200 == 0:
            gc.collect()
    count, spent = seed - chosen.seed, time.process_time() - worked
    print(f"{count} histories hold, {count / spent:.0f} a second of the processor")
    return 0


if __name__ == "__main__":
    sys.exit(main())
