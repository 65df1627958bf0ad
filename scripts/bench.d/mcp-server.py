"""The table of ``swarm mcp``: what it costs to start, to list its tools, to ask, and to be told."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

RUNS = int(sys.argv[1])
SWARM = os.path.join(sys.prefix, "bin", "swarm")
MAIL = "To: alice\nFrom: bob\nSubject: the build of the second stage is red\n---\nsee the log\n"
MESSAGES = 10  # of an answer that is measured
ENTRY = "id: {0}\nrole: reviews what others wrote\narchetype: planner\ntask: t\nstatus: active\n"


def row(what: str, value: str, bound: str = "") -> None:
    print(f"| {what} | {value} | {bound} |", flush=True)


def median(work: Callable[[], object], unit: float = 1000.0) -> str:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * unit)
    return f"{statistics.median(times):.1f} ms"


def tree(place: Path) -> Path:
    subprocess.run([SWARM, "init", ".", "--agents", "alice,bob"], cwd=place, stdout=2, check=True)
    for agent in ("alice", *(f"worker-{number}" for number in range(10))):
        (place / f"mail/dir/{agent}.txt").write_text(ENTRY.format(agent))
    return place


def starts(place: Path) -> None:
    def run(*words: str) -> Callable[[], object]:
        return lambda: subprocess.run(words, cwd=place, stdin=subprocess.DEVNULL, check=True)

    row("bare import of the SDK's server", median(run(sys.executable, "-c", "import mcp.server")))
    row("`swarm mcp`, started and ended", median(run(SWARM, "--as", "alice", "mcp")))


def told(portal: BlockingPortal, client: Client, place: Path, events: list[float]) -> None:
    def deliver() -> None:
        time.sleep(0.2)  # past the pause between two notices
        events.clear()
        draft = place / "mail/bob/drafts/x"
        draft.write_text(MAIL)
        started.append(time.perf_counter())
        draft.rename(place / f"mail/alice/inbox/{time.monotonic_ns()}_x.txt")
        while not events:
            time.sleep(0.0005)
        late.append((events[0] - started[-1]) * 1000)

    started: list[float] = []
    late: list[float] = []
    for _ in range(max(RUNS, MESSAGES)):
        deliver()
    text = f"{statistics.median(late):.1f} ms"
    row("from delivery to the client's notice", text, "20 ms")
    answer: Any = portal.call(client.call_tool, "check_inbox", {"limit": MESSAGES})
    row(
        f"`check_inbox`, {MESSAGES} messages",
        f"{len(answer.content[0].text.encode())} bytes",
        "900 bytes",
    )
    row("`check_inbox`, a call", median(lambda: portal.call(client.call_tool, "check_inbox", {})))


def main() -> None:
    print("| swarm mcp | median | limit |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder, start_blocking_portal() as portal:
        place = tree(Path(folder))
        starts(place)
        server = StdioServerParameters(
            command=SWARM, args=["--as", "alice", "mcp"], cwd=folder, env={"SWARM_FSYNC": "0"}
        )
        client = Client(stdio_client(server))
        events: list[float] = []

        async def listen() -> None:
            async with client.listen(resource_subscriptions=["swarm://inbox"]) as changes:
                async for _ in changes:
                    events.append(time.perf_counter())

        with portal.wrap_async_context_manager(client):
            listed = portal.call(client.list_tools).model_dump_json(
                by_alias=True, exclude_none=True
            )
            row(
                "the list of tools, a roster of ten", f"{len(listed)} characters", "6000 characters"
            )
            listening = portal.start_task_soon(listen)
            time.sleep(0.5)
            told(portal, client, place, events)
            listening.cancel()


main()
