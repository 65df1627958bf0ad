"""The table of the bridge: rates, delays and memory of a process of its own, against limits."""

import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

RUNS = int(sys.argv[1])
BIN = os.path.join(sys.prefix, "bin", "swarm")
BULK, BACKLOG, BOXES, FEW, PAGE = 10_000, 100_000, 1000, 10, 200
WATCHED = 20.0  # seconds for which an idle bridge is watched
STEPS = 5  # passes over an unchanged tree
ENTRY = "id: {0}\nrole: r\narchetype: planner\ntask: t\nstatus: paused\n"
PAYLOAD = {"event": "info_only", "intent": None, "need_reply": False, "detail": None}
MAIL = "To: {0}\nFrom: {1}\nSubject: {2}\nDate: 2026-01-02T03:{3:02d}:{4:02d}Z\n---\n{5}"
INSERT = """INSERT INTO messages (from_agent, to_agent, channel, payload, created_at)
 VALUES ('carl', ?, 'ops', ?, ?)"""
# Runs a command; prints its seconds, its seconds of a core, its peak memory in MiB.
MEASURED = """import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=sys.stderr)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"""


class World:
    """A tree and a channel, with carl who lives on the channel."""

    def __init__(self, place: str, agents: int, sync: bool) -> None:
        self.mail, self.database = f"{place}/mail", f"{place}/team/ops/team.db"
        more = {"SWARM_FSYNC": str(int(sync)), "SWARM_TEAM_HOME": f"{place}/team"}
        self.env = {**os.environ, **more, "SWARM_ROOT": self.mail}
        self.agents = [f"a{number:04d}" for number in range(agents)]
        self.count = 0
        os.makedirs(f"{self.mail}/dir")
        for agent in self.agents:
            with open(f"{self.mail}/dir/{agent}.txt", "w") as file:
                file.write(ENTRY.format(agent))
            for folder in ("inbox/.read", "drafts", "sent"):
                os.makedirs(f"{self.mail}/{agent}/{folder}")
        subprocess.run([BIN, "team", "create", "ops"], env=self.env, check=True, stdout=-3)
        self.once()
        self.db = sqlite3.connect(self.database, isolation_level=None)
        self.db.execute(
            "INSERT INTO agents (session_id, agent_name, last_heartbeat) VALUES ('carl', 'carl', 1)"
        )

    def once(self) -> list[float]:
        """Carry over what is missing: seconds, seconds of a core, peak memory in MiB."""
        argv = [sys.executable, "-c", MEASURED, BIN, "bridge", "--channel", "ops", "--once"]
        said = subprocess.run(argv, env=self.env, check=True, stdout=subprocess.PIPE).stdout
        return [float(word) for word in said.split()]

    @contextmanager
    def running(self) -> Iterator[int]:
        """A bridge that runs, past its first pass; its number."""
        argv = [BIN, "bridge", "--channel", "ops"]
        bridge = subprocess.Popen(argv, env=self.env, stderr=subprocess.DEVNULL)
        try:
            lock = f"{self.mail}/.bridge/ops/lock"
            while os.stat(lock).st_mtime < time.time() - 5:
                time.sleep(0.1)
            time.sleep(1)
            yield bridge.pid
        finally:
            bridge.terminate()
            bridge.wait()

    def letter(self) -> str:
        """One message by mail, to the next agent, as a file comes by a rename."""
        at = self.count
        self.count += 1
        sender, to = (self.agents[(at + step) % len(self.agents)] for step in (0, 1))
        name = f"{at // len(self.agents) + 1:02d}_subject-number_{at:06x}.txt"
        draft = f"{self.mail}/{sender}/drafts/draft.txt"
        with open(draft, "w") as file:
            file.write(
                MAIL.format(to, sender, f"subject number {at}", at // 60 % 60, at % 60, "a body\n")
            )
        os.rename(draft, f"{self.mail}/{to}/inbox/{name}")
        return f"{to}/{name}"

    def row(self) -> str:
        """One message by the channel, to the next agent; whose it is."""
        self.count += 1
        to = self.agents[self.count % len(self.agents)]
        payload = json.dumps({**PAYLOAD, "content": f"row number {self.count}"})
        self.db.execute(INSERT, (to, payload, 1_767_000_000_000 + self.count))
        return to

    def newest(self) -> int:
        return int(self.db.execute("SELECT max(message_id) FROM messages").fetchone()[0])

    def rows(self, count: int) -> None:
        self.db.execute("BEGIN")
        for _ in range(count):
            self.row()
        self.db.execute("COMMIT")

    def letters(self, count: int) -> None:
        for _ in range(count):
            self.letter()


def row(what: str, value: float, bound: str) -> None:
    print(f"| {what} | {value:.2f} | {bound} |", flush=True)


def world(agents: int = FEW, sync: bool = True) -> World:
    """What was removed just now makes new files slow on some disks: all of it goes at the end."""
    return World(tempfile.mkdtemp(), agents, sync)


def bulk() -> None:
    """All that lies there before the bridge comes; its start is part of the time."""
    for sync in (True, False):
        one = world(sync=sync)
        said = "synced" if sync else "not synced"
        one.letters(BULK)
        seconds, core, _ = one.once()
        told(f"mail → rows, {said}", seconds, core, sync, bare(one.mail, 1, sync))
        one.rows(BULK)
        seconds, core, _ = one.once()
        told(f"rows → mail, {said}", seconds, core, sync, bare(one.mail, 2, sync))


def told(what: str, seconds: float, core: float, sync: bool, peer: float) -> None:
    row(f"{what}, messages a second", BULK / seconds, "≥ 2000" if sync else "-")
    row("… a second of a core", BULK / core, "-")
    row("… rate / that of making such files", peer / seconds, "-")


def bare(place: str, files: int, sync: bool) -> float:
    """Seconds for the files of a bulk alone: ``files`` for each message, whole at once, of a page
    the first of each synced side by side."""
    folder = tempfile.mkdtemp(dir=place, prefix=".")
    start = time.perf_counter()
    with ThreadPoolExecutor(16) as pool:
        for first in range(0, BULK, PAGE):
            numbers = range(first, first + PAGE)
            paths = [f"{folder}/{number}-{kind}" for kind in range(files) for number in numbers]
            for path in paths:
                with open(f"{path}.tmp", "wb") as file:
                    file.write(b"x" * 300)
            if sync:
                list(pool.map(_sync, paths[:PAGE]))
            for path in paths:
                os.link(f"{path}.tmp", path)
                os.unlink(f"{path}.tmp")
    return time.perf_counter() - start


def _sync(path: str) -> None:
    fd = os.open(f"{path}.tmp", os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def until(done: Callable[[], object]) -> float:
    """Seconds until something is so."""
    start = time.perf_counter()
    while not done():
        assert time.perf_counter() < start + 30, "never"
        time.sleep(0.0005)
    return time.perf_counter() - start


def delays(agents: int) -> None:
    """One message at a time, each way."""
    one = world(agents)
    with one.running():
        there, back = [], []
        for number in range(5 * RUNS):
            time.sleep(0.05 + number % 7 / 100)
            before = one.newest()
            one.letter()
            there.append(until(lambda: one.newest() != before))
            time.sleep(0.05 + number % 5 / 100)
            folder = f"{one.mail}/{one.agents[(one.count + 1) % agents]}/inbox"
            count = len(_names(folder))
            one.row()
            back.append(until(lambda: len(_names(folder)) > count))
        bound = "≤ 20" if agents == FEW else "-"
        for way, waits in (("file → row", there), ("row → file", back)):
            row(f"{way}, {agents} mailboxes, median, ms", 1000 * statistics.median(waits), bound)


def _names(folder: str) -> list[str]:
    return [name for name in os.listdir(folder) if name[0] != "."]


def backlog() -> None:
    """Peak memory, and what a pass costs when nothing has changed."""
    one = world(sync=False)
    one.letters(BACKLOG)
    row("mail → rows, 100,000 waiting, peak memory, MiB", one.once()[2], "≤ 200")
    row("… begun again, MiB", one.once()[2], "≤ 200")
    unchanged(one)
    one = world(sync=False)
    one.rows(BACKLOG)
    row("rows → mail, 100,000 waiting, peak memory, MiB", one.once()[2], "≤ 200")
    row("… begun again, MiB", one.once()[2], "≤ 200")
    unchanged(one)


def unchanged(one: World) -> None:
    """A pass that lists everything, as one after half a minute does, and the listings alone."""
    from swarm.bridge.bridge import Bridge
    from swarm.mailbox.layout import Root
    from swarm.team.mirror import Mirror

    def listings() -> None:
        for agent in (*one.agents, "carl"):
            for folder in ("inbox", "inbox/.read", "sent"):
                os.listdir(f"{one.mail}/{agent}/{folder}")

    def whole() -> None:
        for box in bridge._mail._boxes.values():
            for folder in box._folders:
                folder.forget()
        bridge.step()

    with Mirror.open(one.env["SWARM_TEAM_HOME"], "ops") as mirror:
        bridge = Bridge(Root(one.mail), mirror, lambda *_: None)
        bridge.settle()
        peer, own = ([_timed(work) for _ in range(STEPS)] for work in (listings, whole))
        row("… a pass that lists all / its listings", min(own) / min(peer), "≤ 3")
        time.sleep(0.1)
        row("… a pass otherwise, ms", 1000 * min(_timed(bridge.step) for _ in range(STEPS)), "-")


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def idle() -> None:
    with world(BOXES).running() as process:
        time.sleep(3)
        before = processor(process)
        time.sleep(WATCHED)
        used = processor(process) - before
        row("1,000 mailboxes, idle, % of a core", 100 * used / WATCHED, "≤ 2")


def processor(process: int) -> float:
    """Seconds of a core that a process has used so far."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    print("| what | measured | bound |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as place:
        tempfile.tempdir = place
        bulk()
        delays(FEW)
        delays(BOXES)
        backlog()
        idle()


main()
