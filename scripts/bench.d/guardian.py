"""The table of the guardian: how soon a request is answered, and what many idle agents cost."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from swarm.events import Event, from_message, headers
from swarm.mailbox.layout import Root
from swarm.mamoru.forward import Left
from swarm.mamoru.host import Host, allow_many_files
from swarm.mamoru.state import Settings
from swarm.message import parse
from swarm.stopping import heed
from swarm.team.channel import Channel
from swarm.transport.base import Outcome, Store
from swarm.transport.mail import MailStore
from swarm.transport.team import TeamStore

ENTRY = "id: {0}\nrole: r\narchetype: planner\ntask: t\nstatus: paused\n"
MANY, IDLE, RATE = 1000, 10_000, 200
WATCHED = 30.0  # seconds for which idle agents are watched


def store(kind: str, place: str, sync: bool = True) -> Store:
    if kind == "mail":
        return MailStore(Root(f"{place}/mail", os.environ.get("SWARM_FSYNC") != "0"))
    return TeamStore(Channel.open(place, "ops", anew=True, sync=sync))


def serve(kind: str, place: str) -> None:
    """The guardian's process: all agents but amy."""
    side = store(kind, place)
    agents = [agent for agent in side.agents() if agent != "amy"]
    host = Host(side, agents, Left(tell), tell, Settings(announce=False))
    heed(host.stop)
    host.run()


def tell(agent: str, text: str) -> None:
    print(f"{agent}: {text}", file=sys.stderr, flush=True)


def prepare(kind: str, place: str, count: int) -> None:
    """amy, and ``count`` agents to be guarded."""
    agents = ["amy", *(f"a{number:05d}" for number in range(count))]
    if kind == "team":
        with Channel.open(place, "ops", anew=True, sync=False) as channel:
            for agent in agents:
                channel.join(agent)
                channel.release(agent)
        return
    os.makedirs(f"{place}/mail/dir")
    for agent in agents:
        with open(f"{place}/mail/dir/{agent}.txt", "w") as file:
            file.write(ENTRY.format(agent))
        for folder in ("inbox/.read", "drafts", "sent"):
            os.makedirs(f"{place}/mail/{agent}/{folder}")


class Person:
    """amy, on a channel: asks, and notes when each answer was there."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.asked: dict[str, float] = {}
        self.waits: list[float] = []
        self.last: list[Event] = []
        self.count = 0
        self.begin()

    def begin(self) -> None:
        self.store = store("team", self.place, sync=False)  # amy's own writes are not measured
        self.side = self.store.open("amy")

    def write(self, event: Event) -> Event:
        (sent,) = self.side.apply(Outcome(sends=[event]))
        return sent

    def read(self) -> list[Event]:
        found = self.side.receive()
        for event in found[-1:]:  # the cursor moves over all of them
            self.side.commit(event, Outcome())
        return found

    def say(self, kind: str, worker: str, task: str = "") -> Event:
        self.count += 1
        task = task or f"t-{self.count}"
        return self.write(
            Event(kind=kind, sender="amy", to=worker, content=f"number {self.count}", task=task)
        )

    def ask(self, worker: str) -> Event:
        sent = self.say("task_req", worker)
        self.asked[sent.id] = time.perf_counter()
        return sent

    def look(self) -> None:
        self.last = self.read()
        now = time.perf_counter()
        for event in self.last:
            if event.ref in self.asked:
                self.waits.append(now - self.asked.pop(event.ref))

    def until(self, done: Callable[[], bool], seconds: float = 120.0) -> None:
        end = time.perf_counter() + seconds
        self.look()
        while not done():
            assert time.perf_counter() < end, "no answer"
            time.sleep(0.0005)
            self.look()


class ByHand(Person):
    """amy, with nothing but files: so that her side costs little beside the guardian's."""

    def begin(self) -> None:
        self.inbox = f"{self.place}/mail/amy/inbox"
        self.seen: set[str] = set()
        self.stamp = 0

    def write(self, event: Event) -> Event:
        name = f"{self.count:02d}_request_{self.count:06x}.txt"
        head = "".join(f"{key}: {value}\n" for key, value in headers(event) if value)
        with open(f"{self.place}/draft", "w") as file:
            file.write(f"{head}---\n")
        os.rename(f"{self.place}/draft", f"{self.place}/mail/{event.to}/inbox/{name}")
        return event.replace(id=name)

    def read(self) -> list[Event]:
        stamp = os.stat(self.inbox).st_mtime_ns
        if stamp == self.stamp:
            return []
        self.stamp = stamp if time.time_ns() - stamp > 50_000_000 else 0
        names = {name for name in os.listdir(self.inbox) if name[0] != "."} - self.seen
        self.seen |= names
        found = []
        for name in names:
            with open(f"{self.inbox}/{name}", "rb") as file:
                found.append(from_message(parse(file.read()), name, 0.0, ""))
        return found


def guarded(kind: str, place: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, __file__, "serve", kind, place])


def row(what: str, value: float, bound: str) -> None:
    print(f"| {what} | {value:.2f} | {bound} |", flush=True)


def p99(waits: list[float]) -> float:
    return sorted(waits)[int(len(waits) * 0.99)]


def with_guardian(kind: str, count: int, work: Callable[[Person, int], None]) -> None:
    with tempfile.TemporaryDirectory() as place:
        prepare(kind, place, count)
        amy = (Person if kind == "team" else ByHand)(place)
        process = guarded(kind, place)
        try:
            work(amy, process.pid)
        finally:
            process.terminate()
            process.wait()


def alone(kind: str, runs: int) -> None:
    """One agent: asked, and freed by a cancel, in turn."""

    def work(amy: Person, _: int) -> None:
        for number in range(10 * runs + 1):
            sent = amy.ask("a00000")
            amy.until(lambda: not amy.asked)
            amy.say("task_cancel", "a00000", sent.task)
            amy.until(lambda: any(e.kind == "task_cancel_ack" for e in amy.last))
            if not number:
                amy.waits.clear()  # it waited for the guardian's start
        row(
            f"{kind}: request written → answer there, median, ms",
            1000 * statistics.median(amy.waits),
            "≤ 10",
        )
        row("… p99, ms", 1000 * p99(amy.waits), "≤ 50")

    with_guardian(kind, 1, work)


def many(kind: str) -> None:
    """1,000 agents, each asked once, 200 requests a second."""

    def work(amy: Person, _: int) -> None:
        amy.ask(f"a{MANY - 1:05d}")  # the last that is opened
        amy.until(lambda: not amy.asked)
        time.sleep(3)
        amy.waits.clear()
        start = time.perf_counter()
        for number in range(MANY - 1):
            at = start + number / RATE
            amy.until(lambda: time.perf_counter() >= at)
            amy.ask(f"a{number:05d}")
        amy.until(lambda: not amy.asked)
        row(
            f"{kind}: the same, 1,000 agents, {RATE} a second, p99, ms",
            1000 * p99(amy.waits),
            "≤ 100",
        )
        row("… median, ms", 1000 * statistics.median(amy.waits), "-")

    with_guardian(kind, MANY, work)


def idle(kind: str) -> None:
    """10,000 agents to which nothing happens."""

    def work(amy: Person, pid: int) -> None:
        amy.ask(f"a{IDLE - 1:05d}")
        start = time.perf_counter()
        amy.until(lambda: not amy.asked)
        row(
            f"{kind}: 10,000 agents, until the last is guarded, s", time.perf_counter() - start, "-"
        )
        time.sleep(10)
        used = processor(pid)
        time.sleep(WATCHED)
        row("… idle, % of a core", 100 * (processor(pid) - used) / WATCHED, "≤ 5")
        row("… memory, MiB", resident(pid), "≤ 300")

    with_guardian(kind, IDLE, work)


def processor(pid: int) -> float:
    """Seconds of a core used by a process so far."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    with open(f"/proc/{pid}/status") as file:
        (line,) = (line for line in file if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def main(runs: int) -> None:
    allow_many_files()
    print("| what | measured | bound |\n| --- | --- | --- |")
    for kind in ("team", "mail"):
        alone(kind, runs)
        many(kind)
        idle(kind)


if sys.argv[1] == "serve":
    serve(*sys.argv[2:])
else:
    main(int(sys.argv[1]))
