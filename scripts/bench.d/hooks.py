"""The table of ``swarm hook`` and its doorbell: what an agent's program pays for its mail."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = int(sys.argv[1])
SWARM = os.path.join(sys.prefix, "bin", "swarm")
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SWARM_"))}
ENV["SWARM_AGENT"] = "bob"
SUBJECT = "Re: the build of part {} is red again since noon"
MAIL = f"To: bob\nFrom: alice\nSubject: {SUBJECT}\n---\nsee the log\n"
SAID = {"session_id": "s", "tool_name": "Bash", "tool_response": {"stdout": "x" * 2000}}
DEVNULL = os.open(os.devnull, os.O_WRONLY)


def row(what: str, value: str, bound: str = "") -> None:
    print(f"| {what} | {value} | {bound} |", flush=True)


def cpu(command: list[str], place: Path) -> float:
    """Milliseconds of processor that one run takes: a busy machine changes little of that."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(place / "said"), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, DEVNULL, 1),
    ]
    _, status, used = os.wait4(os.posix_spawn(command[0], command, ENV, file_actions=actions), 0)
    assert status == 0
    return (used.ru_utime + used.ru_stime) * 1000


def starts(place: Path) -> None:
    """With nothing new, against bare Python, in turns."""
    commands = {
        "bare": [sys.executable, "-c", "pass"],
        "hook": [SWARM, "hook", "claude", "PostToolUse"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(3 * RUNS):
        for name, command in commands.items():
            times[name].append(cpu(command, place))
    bare, hook = (statistics.median(times[name]) for name in commands)
    row(
        "`swarm hook`, nothing new",
        f"{hook:.1f} ms, {hook / bare:.2f} bare starts",
        "1.25 bare starts",
    )


def hook(event: str) -> bytes:
    words = [SWARM, "hook", "claude", event]
    return subprocess.run(
        words, input=json.dumps(SAID).encode(), env=ENV, stdout=-1, check=True
    ).stdout


def notice(place: Path) -> None:
    for number in range(10):
        name = f"{number:02}_re-the-build-of-part_{number:04x}.txt"
        (place / f"mail/bob/inbox/{name}").write_text(MAIL.format(number))
    said = hook("UserPromptSubmit")
    assert said.count(b"\\n- ") == 10 and not hook("Stop")
    row("the notice of ten messages", f"{len(said)} bytes", "900 bytes")


def rings(place: Path) -> None:
    """From the rename that delivers to the first line of the notice."""
    times, idle = [], 0.0
    for number in range(RUNS):
        told = json.dumps({"session_id": f"s{number}"}).encode()
        bell = place / f"mail/.sessions/.claude-s{number}.bell"
        with subprocess.Popen([SWARM, "wait", "--hook"], env=ENV, stdin=-1, stderr=-1) as waiting:
            assert waiting.stdin and waiting.stderr
            waiting.stdin.write(told)
            waiting.stdin.close()
            while not bell.exists():
                time.sleep(0.001)
            time.sleep(0.1)
            if not number:
                idle = idles(waiting.pid)
            draft, name = place / "draft", f"{number:02}_x_{number:06x}.txt"
            draft.write_text(MAIL.format(number))
            start = time.perf_counter()
            draft.rename(place / "mail/bob/inbox" / name)
            waiting.stderr.readline()
            times.append((time.perf_counter() - start) * 1000)
            waiting.stderr.read()
        assert waiting.returncode == 2
        (place / "mail/bob/inbox" / name).unlink()
    row("delivered, to the doorbell's notice", f"{statistics.median(times):.1f} ms", "20 ms")
    if idle:
        row("the doorbell, idle", f"{idle:.2f} ms of processor in a second")


def idles(pid: int) -> float:
    """Milliseconds of processor that a process takes in a second; 0 where that is not told."""
    try:
        spent = [0.0, 0.0]
        for at in range(2):
            spent[at] = float(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6
            time.sleep(5 * (1 - at))
        return (spent[1] - spent[0]) / 5
    except OSError:
        return 0.0


def main() -> None:
    print("| swarm hook | median | limit |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        place = Path(folder)
        subprocess.run([SWARM, "init", ".", "--agents", "bob"], stdout=DEVNULL, check=True)
        (place / "said").write_text(json.dumps(SAID))
        hook("SessionStart")
        rings(place)
        starts(place)
        notice(place)


main()
