"""``status``: the same facts for programs, for pipes and, live, for people at a terminal."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..terminal import COLUMNS, Terminal, screen, widest
from .conftest import CLEAN, SWARM, Swarm

ENTRY = "id: {}\nrole: r\narchetype: planner\ntask: {}\nstatus: {}\n"
LONG = "a long task of [bold]many[/bold] words 日本語 " * 5
Open = Callable[..., Terminal]


def enter(tree: Path, agent: str, task: str = "t", status: str = "active") -> None:
    (tree / f"mail/dir/{agent}.txt").write_text(ENTRY.format(agent, task, status))


@pytest.fixture
def team(tree: Path) -> Path:
    """alice is at work, bob has waited for an hour, carl failed; all lists are long."""
    enter(tree, "alice", LONG)
    enter(tree, "carl", "lost", "error")
    for path in (tree / "mail/bob/inbox").glob("*.txt"):
        os.utime(path, (time.time() - 3700,) * 2)
    return tree


@pytest.fixture
def terminal(team: Path) -> Iterator[Open]:
    """Opens ``status --watch`` on a terminal; none is left behind."""
    opened: list[Terminal] = []

    def start(rows: int = 40, **env: str) -> Terminal:
        inherited = {k: v for k, v in CLEAN.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
        argv = [SWARM, "status", "--watch"]
        opened.append(Terminal(argv, team, {**inherited, "TERM": "xterm", **env}, rows))
        return opened[-1]

    yield start
    for each in opened:
        try:
            os.kill(each.pid, signal.SIGKILL)
            os.waitpid(each.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            continue


def frames(out: str) -> int:
    return len(re.findall("state.*unread.*oldest", out))


def test_for_programs_ages_are_whole_seconds_and_problems_are_objects(
    team: Path, swarm: Swarm
) -> None:
    answer = json.loads(swarm("status", "--json").stdout)
    alice, bob, carl, orchestrator = answer["agents"]
    assert [a["id"] for a in answer["agents"]] == ["alice", "bob", "carl", "orchestrator"]
    assert bob == {"id": "bob", "state": "-", "unread": 1, "oldest": bob["oldest"], "task": "",
                   "seen": None, "flags": [], "guardian": None, "open": None, "overdue": None,
                   "asked": None, "via": ""}  # fmt: skip
    assert type(bob["oldest"]) is int and 3700 <= bob["oldest"] < 3800
    assert type(alice["seen"]) is int and alice["task"] == LONG.strip()
    assert carl["state"] == "error" and orchestrator["oldest"] is None
    assert answer["problems"] == [
        {"kind": "error", "agent": "carl", "text": "carl is in error: lost"},
        {"kind": "waiting", "agent": "bob", "text": "bob has 1 unread, the oldest for 1h"},
    ]


def test_for_pipes_a_line_is_never_cut_and_problems_are_marked(team: Path, swarm: Swarm) -> None:
    lines = swarm("status").stdout.splitlines()
    assert lines[0].split("\t")[:5] == ["alice", "active", "0", "-", LONG.strip()]
    assert lines[-2:] == ["!\tcarl is in error: lost", "!\tbob has 1 unread, the oldest for 1h"]
    assert swarm("status", "-0").stdout.count("\0") == len(lines)


@pytest.mark.parametrize(("end", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_on_a_terminal_it_is_drawn_anew_in_its_place_until_it_is_ended(
    terminal: Open, team: Path, end: signal.Signals, code: int
) -> None:
    live = terminal()
    live.until(lambda out: "! bob" in out)
    enter(team, "dave", "came later")
    live.until(lambda out: "came later" in out and out.rindex("! bob") > out.rindex("came later"))
    live.rest()
    assert live.end(end) == code
    seen = screen(live.out)
    assert frames(live.out) > 1 and frames("\n".join(seen)) == 1
    assert [line.split()[0] for line in seen if "active" in line] == ["alice", "dave"]
    assert [line for line in seen if line][-2:] == [
        "! carl is in error: lost", "! bob has 1 unread, the oldest for 1h",
    ]  # fmt: skip
    assert widest(live.out) <= COLUMNS and "[bold]many[/bold]" in live.out
    assert live.out.index("\x1b[?25l") < live.out.rindex("\x1b[?25h")  # the cursor is back


@pytest.mark.parametrize("plain", [True, False])
def test_no_color_is_obeyed(terminal: Open, plain: bool) -> None:
    """Also in the mark of what does not fit on the screen, which else is red."""
    live = terminal(rows=5, **{"NO_COLOR": "1"} if plain else {})
    live.until(lambda out: "alice" in out and "..." in out)
    coloured = re.findall(r"\x1b\[[0-9;]*3[0-7]m", live.out)
    assert bool(coloured) != plain
    assert live.end(signal.SIGINT) == 130


def test_on_a_dumb_terminal_it_is_plain_lines(terminal: Open) -> None:
    live = terminal(TERM="dumb")
    live.until(lambda out: "!\tbob" in out)
    assert "\x1b" not in live.out and f"\t{LONG.strip()}\t" in live.out
    assert live.end(signal.SIGINT) == 130


def test_in_a_pipe_it_is_printed_again_and_again(team: Path) -> None:
    argv = [SWARM, "status", "--watch"]
    with subprocess.Popen(argv, cwd=team, env=CLEAN, stdout=subprocess.PIPE, text=True) as live:
        assert live.stdout
        once = live.stdout.readline()
        while not (again := live.stdout.readline()).startswith(once[:9]):
            assert again
        live.send_signal(signal.SIGINT)
        assert live.wait(20) == 130
    assert "\x1b" not in once + again
