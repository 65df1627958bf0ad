"""``swarm nudge`` types into real panes of a tmux of the test's own, and only where it may."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .. import forks
from ..forks import Fork
from .desk import CLEAN

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="there is no tmux here")

# An agent's program: a mark, and what is entered behind it goes to a file.
AGENT = """
import sys
while True:
    sys.stdout.write("> ")
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        break
    with open(sys.argv[1], "a") as file:
        file.write(line)
"""
LINE = "swarm: {} unread for bob; run: swarm --as bob read --next\n"


class Terminal:
    """A tmux server with bob's pane in it, and a mail tree in which bob has none yet."""

    def __init__(self, place: Path) -> None:
        self.place, self.heard = place, place / "heard"
        # The name of a socket has little room.
        self.socket = f"/tmp/swarm-nudge-{os.getpid()}-{time.monotonic_ns()}"
        self.env = {name: value for name, value in CLEAN.items() if not name.startswith("TMUX")}
        self.env |= {"SWARM_FSYNC": "0", "LC_ALL": "C.UTF-8"}
        (place / "agent.py").write_text(AGENT)
        os.symlink(sys.executable, place / "claude")
        self.tmux(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "100",
            "-y",
            "20",
            "-s",
            "main",
            self.agent(),
        )
        self.pane = self.tmux("list-panes", "-a", "-F", "#{pane_id}").strip()
        self.swarm("init", ".", "--agents", "alice")
        self.swarm("register", "bob", "--role", "r", "--archetype", "planner", "--task", "t", "--tmux", f"{self.socket} {self.pane}")  # fmt: skip
        self.until(lambda: self.screen().startswith(">"))

    def agent(self, program: str = "claude") -> str:
        return f"exec {self.place}/{program} -I {self.place}/agent.py {self.heard}"

    def tmux(self, *words: str) -> str:
        argv = ["tmux", "-S", self.socket, *words]
        return subprocess.run(argv, env=self.env, check=True, capture_output=True, text=True).stdout

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-t", self.pane)

    def swarm(self, *words: str, **env: str) -> "subprocess.CompletedProcess[bytes]":
        return forks.run(words, self.place, {**self.env, **env})

    def mail(self, subject: str = "s") -> None:
        assert self.swarm("--as", "alice", "send", "bob", "-s", subject, "-m", "x").returncode == 0

    def nudge(self, *words: str) -> tuple[int, str, str]:
        """The exit code, what was done about bob, and the reason."""
        done = self.swarm("nudge", *(words or ("bob",)), "--json")
        (found,) = json.loads(done.stdout)["nudges"]
        return done.returncode, found["done"], found["reason"]

    def rest(self) -> None:
        """A minute has passed since the last line."""
        path = self.place / "mail/.nudges/bob"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join([f"at: {time.time() - 61}\n", *lines[1:]]))

    def until(self, condition: Callable[[], object], seconds: float = 10.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, self.screen()
            time.sleep(0.02)

    def lines(self, count: int = 1) -> list[str]:
        """What the agent was told, once it is so many lines."""
        self.until(lambda: self.heard.exists() and self.heard.read_text().count("\n") >= count)
        return self.heard.read_text().splitlines(keepends=True)

    def close(self) -> None:
        subprocess.run(
            ["tmux", "-S", self.socket, "kill-server"], env=self.env, capture_output=True
        )
        Path(self.socket).unlink(missing_ok=True)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path)
    yield made
    made.close()


def test_one_line_for_many_mails_and_never_for_the_same_again(terminal: Terminal) -> None:
    assert terminal.nudge() == (0, "nothing", "read")
    terminal.mail("'; rm -rf / #")
    terminal.mail("$(reboot)")
    assert terminal.nudge("bob", "--dry-run") == (0, "ready", "")
    assert terminal.nudge() == (0, "typed", "")
    assert terminal.lines() == [LINE.format(2)]
    assert terminal.nudge("--all") == (0, "nothing", "told")
    terminal.mail()
    assert terminal.nudge() == (75, "later", "soon")
    terminal.rest()
    assert terminal.nudge() == (0, "typed", "")
    assert terminal.lines(2) == [LINE.format(2), LINE.format(3)]
    assert "nudges" not in terminal.swarm("doctor").stdout.decode()


def test_two_at_once_type_once(terminal: Terminal) -> None:
    terminal.mail()
    with open(os.devnull) as null, open(terminal.place / "said", "w") as out:
        files = (null.fileno(), out.fileno(), out.fileno())
        both = [Fork(["nudge", "bob"], terminal.place, terminal.env, files) for _ in range(4)]
        codes = [one.wait() for one in both]
    assert 0 in codes and set(codes) <= {0, 75}
    assert terminal.lines() == [LINE.format(1)]


def test_a_line_that_is_begun_is_waited_for(terminal: Terminal) -> None:
    terminal.mail()
    terminal.tmux("send-keys", "-t", terminal.pane, "-l", "half a tho")
    terminal.until(lambda: "half a tho" in terminal.screen())
    assert terminal.nudge() == (75, "later", "input")
    terminal.tmux("send-keys", "-t", terminal.pane, "C-u")
    terminal.until(lambda: "half" not in terminal.screen())
    assert terminal.nudge() == (0, "typed", "")


def test_a_pane_in_a_mode_and_one_that_types_elsewhere_too_are_waited_for(
    terminal: Terminal,
) -> None:
    terminal.mail()
    terminal.tmux("copy-mode", "-t", terminal.pane)
    assert terminal.nudge() == (75, "later", "copy-mode")
    terminal.tmux("send-keys", "-t", terminal.pane, "-X", "cancel")
    terminal.tmux("split-window", "-d", "-t", terminal.pane, terminal.agent())
    terminal.tmux("set-option", "-w", "-t", terminal.pane, "synchronize-panes", "on")
    assert terminal.nudge() == (75, "later", "synchronized")
    assert not terminal.heard.exists()


@pytest.mark.parametrize(
    ("command", "reason"),
    [("PS1='> ' exec sh", "shell"), ("exec cat", "program"), ("exit 0", "pane-dead")],
)
def test_nothing_is_typed_to_a_shell_to_another_program_or_to_the_dead(
    terminal: Terminal, command: str, reason: str
) -> None:
    terminal.mail()
    terminal.tmux("set-option", "-g", "remain-on-exit", "on")
    terminal.tmux("respawn-pane", "-k", "-t", terminal.pane, command)
    terminal.until(lambda: terminal.nudge() == (1, "no", reason))
    assert "unread" not in terminal.screen()


def test_a_program_may_be_named(terminal: Terminal) -> None:
    os.symlink(sys.executable, terminal.place / "mine")
    terminal.tmux("respawn-pane", "-k", "-t", terminal.pane, terminal.agent("mine"))
    terminal.mail()
    terminal.until(lambda: terminal.nudge() == (1, "no", "program"))
    terminal.until(lambda: terminal.nudge("bob", "--program", "mine")[1] == "typed")
    assert terminal.lines() == [LINE.format(1)]


def test_a_target_that_is_no_pane_of_the_server_is_never_another(terminal: Terminal) -> None:
    terminal.mail()
    entry = terminal.place / "mail/dir/bob.txt"
    told = entry.read_text()
    for target in (
        "main:9.9",
        "%99",
        "nosuch",
        "-t",
        "!",
        "{last}",
        ":0",
        "#{pane_id}",
        "",
        "main;",
    ):
        there = f"{terminal.socket} {target}".strip()
        done = terminal.swarm("--as", "bob", "update", "--tmux", there)
        assert done.returncode == (
            0 if target[:1] in ("m", "%", "n") and target[-1:] != ";" else 2
        ), target
        entry.write_text(re.sub("tmux: .*", lambda _: f"tmux: {there}", told))  # noqa: B023
        assert terminal.nudge() == (1, "no", "pane-gone"), target
        assert b"unknown command" not in terminal.swarm("nudge", "bob").stdout
    for target in ("main", "main:0.0", "=main:", "@0"):
        terminal.swarm("--as", "bob", "update", "--tmux", f"{terminal.socket} {target}")
        assert terminal.nudge("bob", "--dry-run") == (0, "ready", ""), target


def test_without_a_pane_an_entry_or_tmux_it_says_so(terminal: Terminal) -> None:
    terminal.mail()
    done = terminal.swarm("nudge", "bob", "--json", PATH=str(terminal.place))
    assert (done.returncode, json.loads(done.stdout)["nudges"][0]["reason"]) == (1, "no-tmux")
    terminal.swarm("--as", "bob", "update", "--tmux", "")
    assert terminal.nudge() == (1, "no", "no-target")
    done = terminal.swarm("nudge", "--all")
    assert done.stdout == b"" and done.stderr.startswith(b"no entry names a pane")
    assert terminal.swarm("nudge", "nobody").returncode == 4
    assert terminal.swarm("nudge").returncode == 2


def test_watching_it_types_as_mail_comes_and_tells_each_reason_once(terminal: Terminal) -> None:
    said = terminal.place / "said"
    with open(os.devnull) as null, open(said, "w") as out:
        files = (null.fileno(), out.fileno(), out.fileno())
        watch = Fork(["nudge", "--all", "--watch"], terminal.place, terminal.env, files)
    try:
        terminal.mail()
        assert terminal.lines() == [LINE.format(1)]
        terminal.mail()
        terminal.until(lambda: said.read_text().count("\n") == 2)
        terminal.rest()
        assert terminal.lines(2)[1] == LINE.format(2)
    finally:
        watch.send_signal(15)
        assert watch.wait() == 0
    assert [line.split("\t")[:3] for line in said.read_text().splitlines()] == [
        ["bob", "typed", "1"], ["bob", "later", "2"], ["bob", "typed", "2"],
    ]  # fmt: skip


def test_who_registers_in_a_pane_is_nudged_there(terminal: Terminal) -> None:
    me = {"TMUX": f"{terminal.socket},1,0", "TMUX_PANE": "%7"}
    new = ("--role", "r", "--archetype", "planner", "--task", "t")

    def pane(agent: str, *words: str, **env: str) -> str:
        assert terminal.swarm("register", agent, *new, *words, **me, **env).returncode == 0
        entry = (terminal.place / f"mail/dir/{agent}.txt").read_text()
        return entry.partition("tmux: ")[2].rstrip("\n")

    here = f"{terminal.socket} %7"
    assert pane("carl", SWARM_AGENT="carl") == here
    assert pane("dora", "--keep") == here
    assert pane("emil", SWARM_AGENT="carl") == ""
    assert pane("fred", "--tmux", "main:0.1", SWARM_AGENT="fred") == "main:0.1"
