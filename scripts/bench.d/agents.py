"""What it costs an agent to hear of its mail: starts, bytes, delays, against limits or a peer."""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

RUNS = int(sys.argv[1])
HOME = Path(__file__).resolve().parents[2]
BIN = os.path.join(sys.prefix, "bin", "swarm")
BARE = [sys.executable, "-c", "pass"]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SWARM_")}
ENV = {**CLEAN, "SWARM_FSYNC": "0"}
SESSION = "4f0b2c6e-9a1d-4f5e-8a57-0c1a2b3c4d5e"
HOOK = {
    "session_id": SESSION,
    "transcript_path": "/t.jsonl",
    "hook_event_name": "PostToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "pytest -q"},
    "tool_response": {"stdout": "1 passed\n" * 200},
    "tool_use_id": "toolu_01",
}
# What ten colleagues write: a subject and a line more.
LETTERS = [
    (
        f"test of module {number} fails",
        f"Since noon; please look at part {number} of the build log.",
    )
    for number in range(1, 11)
]


def run(argv: list[str], data: str = "", agent: str = "") -> str:
    """What a command writes, on both outputs: an agent reads both."""
    env = {**ENV, "SWARM_AGENT": agent} if agent else ENV
    done = subprocess.run(argv, input=data.encode(), env=env, stdout=-1, stderr=subprocess.STDOUT)
    return done.stdout.decode()


def swarm(agent: str, *words: str, data: str = "") -> str:
    return run([BIN, "--as", agent, *words], data)


def hook(event: str, **more: object) -> str:
    given = {**HOOK, "cwd": os.getcwd(), "hook_event_name": event, **more}
    return run([BIN, "hook", "claude", event], json.dumps(given), "lilo")


def row(what: str, value: float, bound: str) -> None:
    shown = f"{value:.2f}" if isinstance(value, float) else f"{value:,}"
    print(f"| {what} | {shown} | {bound} |", flush=True)


def medians(*cases: Callable[[], object]) -> list[float]:
    """The median seconds of each case, run in turn."""
    times: list[list[float]] = [[] for _ in cases]
    for _ in range(RUNS):
        for case, found in zip(cases, times, strict=True):
            start = time.perf_counter()
            case()
            found.append(time.perf_counter() - start)
    return [statistics.median(found) for found in times]


def write_ten() -> None:
    for subject, body in LETTERS:
        swarm("magi", "send", "lilo", "-s", subject, "-m", body)


def hooks() -> None:
    hook("SessionStart", source="startup")
    bare, quiet = medians(lambda: run(BARE), lambda: hook("PostToolUse"))
    row("`swarm hook`, nothing new / bare Python", quiet / bare, "≤ 1.25")
    row("… bytes that it prints", len(hook("PostToolUse")), "0")
    write_ten()
    row("bytes of the notice of 10 messages", len(hook("PostToolUse").encode()), "≤ 900")
    row("… said again", len(hook("PostToolUse")), "0")
    swarm("lilo", "read", "--all")


def doorbell() -> None:
    """From the rename into the inbox to the end of the process that was waiting."""
    given = json.dumps({**HOOK, "cwd": os.getcwd(), "hook_event_name": "Stop"})
    delays = []
    for number in range(RUNS):
        child = subprocess.Popen(
            [BIN, "wait", "--hook"], stdin=-1, stderr=-1, env={**ENV, "SWARM_AGENT": "lilo"}
        )
        assert child.stdin and child.stderr
        child.stdin.write(given.encode())
        child.stdin.close()
        time.sleep(0.3)
        draft = f"mail/magi/drafts/{number}.txt"
        Path(draft).write_text("To: lilo\nFrom: magi\nSubject: s\n---\n")
        start = time.perf_counter()
        os.rename(draft, f"mail/lilo/inbox/{number:02d}_s_{number:04x}.txt")
        assert b"magi" in child.stderr.read()
        delays.append(time.perf_counter() - start)
        assert child.wait() == 2
        swarm("lilo", "read", "--all")
    row(
        "`swarm wait --hook`: rename to the notice read, ms",
        statistics.median(delays) * 1000,
        "≤ 20",
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(
        [BIN, "wait", "--hook", "--timeout", "5"], stdin=-3, env={**ENV, "SWARM_AGENT": "lilo"}
    )
    child.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    row("… processor in 5 s of waiting, its start included, %", spent / 5 * 100, "≤ 2")


def texts() -> None:
    skill = (HOME / "templates" / "skill" / "SKILL.md").read_text()
    row("words of SKILL.md", len(skill.split()), "≤ 1,500")
    row("lines of SKILL.md", len(skill.splitlines()), "< 120")
    for number in range(10):
        words = ("--role", f"reviewer of part {number}", "--archetype", "specialist", "--task", "t")
        swarm("magi", "register", f"agent-{number}", *words)
    row("characters of the MCP tool list, roster of ten", tool_list(), "≤ 6,000")


def tool_list() -> int:
    code = """
import anyio, json, sys
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["--as", "lilo", "mcp"])
    async with Client(stdio_client(server)) as client:
        found = await client.list_tools()
        print(len(found.model_dump_json(by_alias=True, exclude_none=True)))

anyio.run(main)
"""
    return int(run([sys.executable, "-c", code, BIN]).split()[-1])


def peer() -> str:
    """hcom in an environment of its own, or '' and why it is not here."""
    place = HOME / ".venv" / "peers"
    if not (place / "bin" / "hcom").exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run([f"{place}/bin/pip", "-q", "install", "hcom==0.7.31"], stderr=-3)
    found = place / "bin" / "hcom"
    return str(found) if found.exists() else ""


def bytes_to_read() -> None:
    """Receive ten, reply to one, check again: all that is written on the way, bodies included."""
    write_ten()
    got = swarm("lilo", "read", "--all", "--brief")
    replied = swarm("lilo", "reply", last_name(), "-m", "I look at it.")
    again = swarm("lilo", "unread")
    own = len((got + replied + again).encode())
    row("bytes to receive ten, reply to one, check again", own, "< hcom's")
    hcom = peer()
    if not hcom:
        print("| … by `hcom` | - | could not be installed |")
        return
    theirs = by_hcom(hcom)
    row("… by `hcom`", len(theirs.encode()), "-")
    row("… ratio", own / len(theirs.encode()), "< 1")


def last_name() -> str:
    return sorted(os.listdir("mail/lilo/inbox/.read"))[-1]


def by_hcom(hcom: str) -> str:
    ENV.update(HOME=os.getcwd(), HCOM_DIR=f"{os.getcwd()}/.hcom")
    names = [run([hcom, "start"]).partition("[hcom:")[2].partition("]")[0] for _ in range(2)]
    for subject, body in LETTERS:
        run([hcom, "send", "--name", names[0], "--intent", "request", f"@{names[1]}",
             "--", f"{subject}: {body}"])  # fmt: skip
    got = run([hcom, "listen", "1", "--name", names[1]])
    last = got.rpartition(" #")[2].partition("]")[0]
    replied = run([hcom, "send", "--name", names[1], "--intent", "ack", "--reply-to", last,
                   f"@{names[0]}", "--", "I look at it."])  # fmt: skip
    return got + replied + run([hcom, "listen", "1", "--name", names[1]])


def main() -> None:
    print("| what | measured | bound |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run([BIN, "init", ".", "--agents", "magi,lilo"])
        for part in (hooks, doorbell, texts, bytes_to_read):
            part()
        os.chdir("/")


main()
