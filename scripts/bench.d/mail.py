"""The table of the mailroom: medians of interleaved runs, ratios within one run."""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

RUNS = int(sys.argv[1])
BIN = os.path.join(sys.prefix, "bin", "swarm")
BARE = [sys.executable, "-c", "pass"]
ENV = {**os.environ, "SWARM_FSYNC": "0", "SWARM_AGENT": "bob"}
SYNCED = {**ENV, "SWARM_FSYNC": "1"}


def spawn(argv: list[str], env: dict[str, str] = ENV) -> float:
    start = time.perf_counter()
    subprocess.run(argv, env=env, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def medians(*cases: Callable[[], float]) -> list[float]:
    """The median seconds of each case, run in turn: A B A B …"""
    times: list[list[float]] = [[] for _ in cases]
    for _ in range(RUNS):
        for case, found in zip(cases, times, strict=True):
            found.append(case())
    return [statistics.median(found) for found in times]


def row(what: str, value: float, bound: str) -> None:
    print(f"| {what} | {value:.2f} | {bound} |", flush=True)


def fill(agent: str, count: int, read: int = 0, threads: int = 1) -> None:
    box = f"mail/{agent}/inbox"
    os.makedirs(f"{box}/.read", exist_ok=True)
    for folder in ("drafts", "sent"):
        os.makedirs(f"mail/{agent}/{folder}", exist_ok=True)
    for i in range(count):
        name = f"{i + 1:02d}_some-subject_{i:06x}.txt"
        with open(f"{box}/{name}", "w") as file:
            file.write(
                f"To: {agent}\nFrom: alice\nSubject: some subject {i}\nThread: T{i % threads}\n"
                "Date: 2026-01-02T03:04:05Z\n---\nThe body of the message.\n"
            )
        if i < read:
            open(f"{box}/.read/{name}", "w").close()


def fresh() -> None:
    shutil.rmtree("mail", ignore_errors=True)
    spawn([BIN, "init", ".", "--agents", "alice,bob"])


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def starts() -> None:
    fresh()
    fill("bob", 20)
    send = [BIN, "send", "alice", "-s", "hello there", "-m", "x"]

    def three_syncs() -> float:
        total = 0.0
        for _ in range(3):
            with open("sync", "wb") as file:
                file.write(b"x" * 300)
                file.flush()
                total += timed(lambda: os.fsync(file.fileno()))
        return total

    bare, unread, plain, synced, syncs = medians(
        lambda: spawn(BARE), lambda: spawn([BIN, "unread"]),
        lambda: spawn(send), lambda: spawn(send, SYNCED), three_syncs,
    )  # fmt: skip
    row("`swarm unread`, 20 unread / bare Python", unread / bare, "≤ 1.25")
    row("`swarm send`, not synced / bare Python", plain / bare, "≤ 1.35")
    row("`swarm send`, synced, less three fsyncs / bare", (synced - syncs) / bare, "≤ 1.35")
    out = subprocess.run([BIN, "unread"], env=ENV, capture_output=True).stdout
    rows = [line.split(b"\t") for line in out.splitlines()]
    row("bytes of `unread` / its ids, senders, subjects",
        len(out) / sum(len(c) for r in rows for c in r), "≤ 1.1")  # fmt: skip


PEER_READ = """
import os
for n in os.listdir("mail/bob/inbox"):
    if n[0] != ".":
        f = os.open("mail/bob/inbox/" + n, os.O_RDONLY); os.read(f, 4096); os.close(f)
"""
PEER_DIFF = """
import os
a = set(os.listdir("mail/bob/inbox")) - set(os.listdir("mail/bob/inbox/.read"))
"""
PEER_RECEIPT = """
import os
for n in os.listdir("mail/bob/inbox"):
    if n[0] != ".":
        f = os.open("mail/bob/inbox/" + n, os.O_RDONLY); os.read(f, 4096); os.close(f)
        os.close(os.open("mail/bob/inbox/.read/" + n, os.O_CREAT | os.O_WRONLY))
"""


def large() -> None:
    fresh()
    fill("bob", 10_000, threads=500)
    peer, own = medians(
        lambda: spawn([sys.executable, "-c", PEER_READ]), lambda: spawn([BIN, "unread"])
    )
    row("`swarm unread`, 10,000 unread / open, read, close of each", own / peer, "≤ 1.6")
    grep = ["sh", "-c", "grep -l 'Thread: T7$' mail/bob/inbox/*.txt"]
    peer, own = medians(lambda: spawn(grep), lambda: spawn([BIN, "thread", "T7"]))
    row("`swarm thread` in 10,000 / `grep -l`", own / peer, "≤ 1.0")
    fresh()
    fill("bob", 100_000, read=99_980)
    peer, own = medians(
        lambda: spawn([sys.executable, "-c", PEER_DIFF]), lambda: spawn([BIN, "unread"])
    )
    row("`swarm unread`, 100,000 received, 20 unread / two listings", own / peer, "≤ 1.4")
    code = f"import os, resource, subprocess; subprocess.run([{BIN!r}, 'unread'], stdout=-3);"
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    peak = subprocess.run([sys.executable, "-c", code], env=ENV, capture_output=True).stdout
    row("… its peak memory, MiB", int(peak) / 1024, "≤ 80")


def read_all() -> None:
    fresh()
    fill("bob", 1000)

    def cleared(argv: list[str]) -> float:
        shutil.rmtree("mail/bob/inbox/.read")
        os.mkdir("mail/bob/inbox/.read")
        return spawn(argv)

    peer, own = medians(
        lambda: cleared([sys.executable, "-c", PEER_RECEIPT]),
        lambda: cleared([BIN, "read", "--all"]),
    )
    row("`swarm read --all`, 1,000 / open, read, receipt each", own / peer, "≤ 3")


def library() -> None:
    from swarm.mailbox.delivery import send
    from swarm.mailbox.layout import Root

    body = b"The body of the message.\n"
    data = b"To: bob\nFrom: alice\nSubject: hello\n---\n" + body
    for sync, bound in ((True, "≥ 0.8"), (False, "≥ 0.5")):
        fresh()
        root = Root("mail", sync)
        count = [0]

        def raw() -> None:
            count[0] += 1
            draft, target = f"mail/alice/drafts/{count[0]}", f"mail/bob/inbox/r{count[0]}.txt"
            fd = os.open(draft, os.O_CREAT | os.O_WRONLY)
            os.write(fd, data)
            if sync:
                os.fsync(fd)
            os.close(fd)
            os.rename(draft, target)
            if sync:
                fd = os.open("mail/bob/inbox", os.O_RDONLY)
                os.fsync(fd)
                os.close(fd)
            else:
                shutil.copyfile(target, f"mail/alice/sent/r{count[0]}.txt")

        def batch(work: Callable[[], object]) -> float:
            return timed(lambda: [work() for _ in range(20)])

        peer, own = medians(
            lambda: batch(raw), lambda: batch(lambda: send(root, "alice", ["bob"], "hello", body))
        )
        kind = "synced" if sync else "not synced"
        row(f"delivery in the library, {kind}: rate / raw rate", peer / own, bound)


def waiting() -> None:
    fresh()
    delays = []
    for i in range(RUNS):
        child = subprocess.Popen([BIN, "wait", "--timeout", "9"], env=ENV, stdout=subprocess.PIPE)
        time.sleep(0.2)
        name = f"{i:02d}_x_aaaa.txt"
        with open(f"mail/bob/drafts/{name}", "w") as file:
            file.write("To: bob\nFrom: alice\nSubject: s\n---\n")
        start = time.perf_counter()
        os.rename(f"mail/bob/drafts/{name}", f"mail/bob/inbox/{name}")
        assert child.stdout
        child.stdout.readline()
        delays.append(time.perf_counter() - start)
        child.communicate()
        os.unlink(f"mail/bob/inbox/{name}")
    row("`swarm wait`: rename to output, ms", statistics.median(delays) * 1000, "≤ 10")
    spent = []
    for seconds in ("0.5", "5.5"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([BIN, "wait", "--timeout", seconds], env=ENV, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    row("… processor while it waits, % of a core", max(0.0, spent[1] - spent[0]) / 5 * 100, "≤ 0.5")


PEER_STATUS = """
import os
for a in os.listdir("mail"):
    for f in ("inbox", "inbox/.read", "drafts", "sent"):
        try: os.listdir("mail/" + a + "/" + f)
        except OSError: pass
"""


def overview() -> None:
    fresh()
    for i in range(1000):
        fill(f"agent-{i}", 100, read=95)
        with open(f"mail/dir/agent-{i}.txt", "w") as file:
            file.write(f"id: agent-{i}\nrole: r\narchetype: planner\ntask: t\nstatus: active\n")
    peer, own = medians(
        lambda: spawn([sys.executable, "-c", PEER_STATUS]), lambda: spawn([BIN, "status"])
    )
    row("`swarm status`, 1,000 agents of 100 / listing their folders", own / peer, "≤ 2")


def main() -> None:
    print("| what | measured | bound |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for part in (starts, large, read_all, library, waiting, overview):
            part()
        os.chdir("/")


main()
