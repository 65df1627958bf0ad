"""Measures how commands grow; see scripts/scale."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from plot import Points, svg

BIN = os.path.join(sys.prefix, "bin", "swarm")
ENV = {
    **{name: value for name, value in os.environ.items() if not name.startswith("SWARM_")},
    "SWARM_AGENT": "agent-0",
    "SWARM_FSYNC": "0",
}
FEW = 20
# Runs a command; prints its seconds and its peak memory in MiB.
MEASURED = """import resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdin=-3, stdout=-3).returncode
spent = time.perf_counter() - start
print(code, spent, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"""
ENTRY = "id: {0}\nrole: r\narchetype: planner\ntask: t\nstatus: active\n"
Figures = dict[str, dict[int, tuple[float, float]]]  # by command and size: seconds, MiB


def fill(agent: str, count: int, unread: int = FEW, threads: int = 50, entry: bool = True) -> None:
    """A mailbox with so many messages, of which the last are unread."""
    box = f"mail/{agent}/inbox"
    for folder in ("inbox/.read", "drafts", "sent"):
        os.makedirs(f"mail/{agent}/{folder}", exist_ok=True)
    for number in range(count):
        name = f"{number + 1:02d}_some-subject_{number:06x}.txt"
        head = f"To: {agent}\nFrom: agent-1\nSubject: some subject {number}\n"
        text = f"{head}Thread: T{number % threads}\n---\nThe body of message {number}.\n".encode()
        fd = os.open(f"{box}/{name}", os.O_CREAT | os.O_WRONLY)
        os.write(fd, text)
        os.close(fd)
        if number < count - unread:
            os.close(os.open(f"{box}/.read/{name}", os.O_CREAT | os.O_WRONLY))
    if entry:
        os.makedirs("mail/dir", exist_ok=True)
        Path(f"mail/dir/{agent}.txt").write_text(ENTRY.format(agent))


def messages(size: int) -> None:
    """So many messages over 1,000 mailboxes."""
    boxes = min(1000, size)
    for number in range(boxes):
        fill(f"agent-{number}", size // boxes, min(FEW, size // boxes // 2))


def agents(size: int) -> None:
    """So many agents, with ten messages each."""
    for number in range(max(size, 2)):
        fill(f"agent-{number}", 10, 1)


def mailbox(size: int) -> None:
    """One mailbox with so many messages, all but a few of them read."""
    fill("agent-0", size)
    fill("agent-1", 0)


def thread(size: int) -> None:
    """A thread of so many, in a mailbox with nothing else."""
    fill("agent-0", size, threads=1)
    fill("agent-1", 0)


Scene = tuple[str, Callable[[int], None], int, list[str]]  # the largest size
SCENES: list[Scene] = [
    ("messages in 1,000 mailboxes", messages, 1_000_000,
     ["unread", "send agent-1 -s hello -m x", "status", "search nowhere-to-be-found", "doctor"]),
    ("agents", agents, 10_000,
     ["unread", "send agent-1 -s hello -m x", "agents", "status", "threads"]),
    ("received in one mailbox", mailbox, 100_000,
     ["unread", "unread --count", "send agent-1 -s hello -m x", "read --next --peek", "threads"]),
    ("messages of one thread", thread, 10_000,
     ["thread T0", "threads", "search body"]),
]  # fmt: skip


def measured(command: str, runs: int) -> tuple[float, float]:
    """The median seconds and the peak memory of a command."""
    argv = [sys.executable, "-c", MEASURED, BIN, *command.split()]
    times, peak = [], 0.0
    for _ in range(runs):
        said = subprocess.run(argv, env=ENV, stdout=subprocess.PIPE, check=True).stdout.split()
        if said[0] not in (b"0", b"1"):
            raise SystemExit(f"{command}: exit {said[0].decode()}")
        times.append(float(said[1]))
        peak = max(peak, float(said[2]))
    return statistics.median(times), peak


def scene(fill_with: Callable[[int], None], sizes: tuple[int, ...], commands: list[str], runs: int
) -> Figures:  # fmt: skip
    """The figures of all commands at all sizes."""
    found: Figures = {command: {} for command in commands}
    for size in sizes:
        shutil.rmtree("mail", ignore_errors=True)
        fill_with(size)
        for command in commands:
            if runs > 1:
                measured(command, 1)  # the listing is in the kernel's memory from here on
            found[command][size] = measured(command, runs)
    return found


def table(what: str, sizes: tuple[int, ...], figures: Figures) -> None:
    """Milliseconds and MiB, and how much slower the last size is than the one before it."""
    print(f"\n| {what} |", " | ".join(f"{size:,}" for size in sizes), "| last x10 |")
    print("| --- |", " | ".join("---" for _ in sizes), "| --- |")
    for command, by_size in figures.items():
        cells = [f"{by_size[s][0] * 1000:.0f} ms, {by_size[s][1]:.0f} MiB" for s in sizes]
        growth = by_size[sizes[-1]][0] / by_size[sizes[-2]][0]
        print(f"| `swarm {command}` |", " | ".join(cells), f"| {growth:.1f} |", flush=True)


def options() -> argparse.Namespace:
    """The command line."""
    words = argparse.ArgumentParser(prog="scripts/scale")
    size = words.add_mutually_exclusive_group()
    size.add_argument(
        "--full",
        dest="part",
        action="store_const",
        const=1,
        default=10,
        help="up to a million messages",
    )
    size.add_argument(
        "--least", dest="part", action="store_const", const=100, help="to see that it runs"
    )
    words.add_argument("--runs", type=int, default=5, help="of each command (5)")
    words.add_argument("--plots", default="", help="a folder for the plots")
    return words.parse_args()


def plot(folder: Path, what: str, figures: Figures) -> None:
    """One of the times, one of the memory."""
    name = what.replace(" ", "-").replace(",", "")
    for unit, which, times in (("ms", 0, 1000), ("MiB", 1, 1)):
        lines: dict[str, Points] = {
            command: [(size, found[which] * times) for size, found in by_size.items()]
            for command, by_size in figures.items()
        }
        (folder / f"{name}-{unit.lower()}.svg").write_text(svg(f"swarm: {what}", what, unit, lines))


def main() -> None:
    given = options()
    plots = Path(given.plots).resolve() if given.plots else None
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for what, fill_with, most, commands in SCENES:
            sizes = tuple(most // given.part // less for less in (100, 10, 1))
            figures = scene(fill_with, sizes, commands, given.runs)
            table(what, sizes, figures)
            if plots:
                plot(plots, what, figures)
        os.chdir("/")
    print(f"\n{time.monotonic() - start:.0f} s in all")


main()
