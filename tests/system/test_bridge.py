"""``swarm bridge``, ``up`` and ``down`` as processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.peer import Peer
from tests.system.bridged import torment

SWARM = f"{sys.prefix}/bin/swarm"


class Place:
    """A tree with bob, a channel with carl, and what runs between them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = {k: v for k, v in os.environ.items() if not k.startswith("SWARM_")}
        self.env = {**names, "SWARM_TEAM_HOME": str(folder / "team"), "SWARM_FSYNC": "0"}
        self.running: list[subprocess.Popen[bytes]] = []
        self.run("init", ".")
        self.run("register", "bob", "--role", "tester", "--archetype", "specialist",
                 "--task", "tests", "--status", "paused")  # fmt: skip
        self.run("team", "create", "ops")
        self.run("--as", "carl", "team", "join", "ops")

    def run(self, *words: str, code: int = 0) -> str:
        done = subprocess.run([SWARM, *words], cwd=self.folder, env=self.env, capture_output=True, text=True)  # fmt: skip
        assert done.returncode == code, done.stderr
        return done.stdout.strip()

    def refused(self, code: int, *words: str, **more: str) -> str:
        done = subprocess.run([SWARM, *words], cwd=self.folder, env=self.env | more, capture_output=True, text=True)  # fmt: skip
        assert done.returncode == code, done.stderr
        return done.stderr

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        """Start a command that stays; back when it has said something."""
        path = self.folder / f"said-{len(self.running)}"
        with open(path, "w") as err:
            process = subprocess.Popen([SWARM, *words], cwd=self.folder, env=self.env, stderr=err)
        self.running.append(process)
        self.until(lambda: path.read_text())
        self.said = path.read_text()
        return process

    def until(self, check: Callable[[], object]) -> None:
        end = time.monotonic() + 15
        while not check():
            assert time.monotonic() < end
            time.sleep(0.02)

    def inbox(self, agent: str) -> list[str]:
        folder = self.folder / "mail" / agent / "inbox"
        return sorted(p.name for p in folder.glob("*.txt")) if folder.is_dir() else []

    def history(self) -> list[str]:
        lines = self.run("team", "history", "ops").splitlines()
        return [line.split("\t")[-1] for line in lines if "channel" not in line.split("\t")[-1]]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    found = Place(tmp_path)
    yield found
    for process in found.running:
        process.kill()
        process.wait()


def test_once_carries_over_what_is_missing_and_a_dry_run_says_what(place: Place) -> None:
    place.run("bridge", "--channel", "ops", "--once")
    place.run("--as", "carl", "task", "request", "bob", "--channel", "ops", "-s", "count")
    assert "file\tbob/inbox/03_count_" in place.run("bridge", "--channel", "ops", "--dry-run")
    assert place.inbox("bob") == []
    place.run("bridge", "--channel", "ops", "--once")
    assert len(place.inbox("bob")) == 1
    assert place.run("bridge", "--channel", "ops", "--dry-run") == ""


def test_a_second_bridge_stands_by_and_takes_over_when_the_first_is_killed(place: Place) -> None:
    first = place.start("bridge", "--channel", "ops")
    assert place.said.startswith("bridging ")
    second = place.start("bridge", "--channel", "ops")
    assert "standing by" in place.said
    place.run("bridge", "--channel", "ops", "--once", code=5)
    first.kill()
    first.wait()
    place.run("--as", "bob", "send", "carl", "-s", "hello")
    place.until(lambda: "hello" in place.history())
    second.send_signal(signal.SIGTERM)
    assert second.wait(10) == 0
    assert place.history().count("hello") == 1


def test_a_worker_with_cat_and_mv_does_a_task_of_another_client(place: Place) -> None:
    peer = Peer(str(place.folder / "team/ops/team.db"), "0b5c-6a7e", "ops")
    peer.join("Pia")
    place.start("bridge", "--channel", "ops")
    number = peer.send("task_req", "count the words", "bob")
    place.until(lambda: place.inbox("bob"))
    script = """
        set -eu; cd mail; name=$(ls bob/inbox); from=$(sed -n 's/^From: //p' "bob/inbox/$name")
        thread=$(sed -n 's/^Thread: //p' "bob/inbox/$name")
        mkdir -p bob/inbox/.read; : > "bob/inbox/.read/$name"
        printf 'To: %s\nFrom: bob\nSubject: three words\nThread: %s\nStatus: done\n---\n' \
            "$from" "$thread" > bob/drafts/01_three-words_beef.txt
        mv bob/drafts/01_three-words_beef.txt "$from/inbox/"
    """
    subprocess.run(["sh", "-c", script], cwd=place.folder, check=True)
    said: list[object] = []

    def answered() -> bool:
        said.extend(
            (m["event"], m["task"]) for m in peer.poll() if m["from"] == "bob" and m["task"]
        )
        return ("task_done", number) in said

    place.until(answered)
    place.until(lambda: os.listdir(place.folder / "mail/pia/inbox/.read"))


def test_up_guards_and_bridges_until_down(place: Place) -> None:
    number = place.run("up", "--detach", "--channel", "ops")
    place.run("up", code=5)
    assert "is up here already" in place.refused(5, "up", "--detach")
    assert "end that one first" in place.refused(5, "bridge", "--channel", "ops", "--rebuild")
    task = place.run("--as", "carl", "task", "request", "bob", "--channel", "ops", "-s", "count")
    place.until(
        lambda: "accepted" in place.run("task", "show", task, "--as", "carl", "--channel", "ops")
    )
    assert f"swarm is up as process {number}" in place.run("doctor")
    assert place.run("down") == number
    assert place.run("down") == ""
    assert not (place.folder / "mail/.up").exists()


def test_a_killed_up_is_told(place: Place) -> None:
    number = place.run("up", "--detach")
    os.kill(int(number), signal.SIGKILL)
    place.until(lambda: "swarm up was killed" in place.run("status"))
    place.run("up", "--detach")
    place.run("down")


def test_bridges_killed_amid_traffic_carry_everything_over_once_and_in_order(
    tmp_path: Path,
) -> None:
    assert "kills" in torment(tmp_path, seconds=1.5, seed=os.getpid())


@pytest.mark.parametrize("side", ["mail", "team/ops/team.db"])
def test_a_bridge_whose_side_is_taken_away_ends_and_says_so(place: Place, side: str) -> None:
    process = place.start("bridge", "--channel", "ops")
    (place.folder / side).rename(place.folder / "elsewhere")
    assert process.wait(10) == 5
    said = (place.folder / "said-0").read_text()
    assert "removed or replaced" in said and "hint: bring the old" in said
    assert "Traceback" not in said


def test_a_wrong_channel_and_a_wrong_team_home_are_told_at_once(place: Place) -> None:
    place.run("bridge", "--channel", "ops", "--once")
    for words in (["up"], ["up", "--detach"], ["bridge"]):
        said = place.refused(4, *words, "--channel", "opps")
        assert "did you mean ops?" in said
    said = place.refused(4, "up", "--channel", "ops", SWARM_TEAM_HOME=str(place.folder))
    assert f"it was bridged in {place.folder}/team/ops: set SWARM_TEAM_HOME" in said


def test_guests_and_residents_are_told_apart(place: Place) -> None:
    assert place.run("agents") == "bob\tpaused\ttester\ttests"
    place.run("bridge", "--channel", "ops", "--once")
    assert place.run("agents").splitlines()[0] == "bob\tpaused\ttester\ttests\t-"
    assert {"bob": "-", "carl": "ops"}.items() <= ends(place.run("status")).items()
    assert ends(place.run("status", "--channel", "ops")) == {"bob": "mail", "carl": "-"}


def ends(lines: str) -> dict[str, str]:
    """The last column by the first."""
    return {line.split("\t")[0]: line.split("\t")[-1] for line in lines.splitlines()}
