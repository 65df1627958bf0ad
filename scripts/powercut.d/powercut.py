"""Cuts the power at random moments; see scripts/powercut.

Only what the file system has been made to write is in its image: what was acknowledged with
sync on has to be in every copy of it that was made afterwards.
"""

import argparse
import filecmp
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from letters import find, make

SWARM = os.path.join(sys.prefix, "bin", "swarm")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SWARM_")}
WRITERS, BOXES, MIB = 4, ("box0", "box1"), 96
SYNC: dict[str, str] = {}
Told = tuple[str, str]  # what kind of thing, and its name


class Disk:
    """A file system in a file, mounted."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder, self.kind = folder, kind
        self.image, self.place = folder / "image", folder / "mounted"
        with self.image.open("wb") as file:
            file.truncate(MIB << 20)
        subprocess.run([f"mkfs.{kind}", "-q", str(self.image)], check=True)
        self.place.mkdir()
        mount(self.image, self.place)

    def copy(self) -> Path:
        """The image as it is at one moment: nothing was written to it while it was copied."""
        copies = self.folder / "copy", self.folder / "again"
        while True:
            for copy in copies:
                shutil.copyfile(self.image, copy)
            if filecmp.cmp(*copies, shallow=False):
                return copies[0]

    @contextmanager
    def restarted(self, copy: Path) -> Iterator[Path]:
        """The copy, mounted as after a restart."""
        place = self.folder / "restarted"
        place.mkdir(exist_ok=True)
        mount(copy, place)
        try:
            yield place
        finally:
            subprocess.run(["umount", str(place)], check=True)

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.place)], check=False)


def mount(image: Path, place: Path) -> None:
    subprocess.run(["mount", "-o", "loop", str(image), str(place)], check=True)


class Traffic:
    """Writers by command, on both transports, and what each was told that is done."""

    def __init__(self, place: Path, seed: int) -> None:
        self.place, self.seed = place, seed
        self.told: list[Told] = []
        self.wrong: list[str] = []
        self.over = threading.Event()
        self.go = threading.Event()
        self.go.set()
        self.alive: dict[int, subprocess.Popen[bytes]] = {}
        self.lock = threading.Lock()
        writers = [f"writer{number}" for number in range(WRITERS)]
        self.run("box0", "init", str(place), "--agents", ",".join((*BOXES, *writers)))
        self.run("writer0", "team", "create", "ops")
        for agent in (*BOXES, *writers):
            self.run(agent, "team", "join", "ops")
        os.sync()  # as after a while
        self.threads = [threading.Thread(target=self.write, args=(name,)) for name in writers]

    def environment(self, agent: str) -> dict[str, str]:
        place = {"SWARM_ROOT": f"{self.place}/mail", "SWARM_TEAM_HOME": f"{self.place}/team"}
        return {**CLEAN, **place, "SWARM_AGENT": agent, **SYNC}

    def run(self, agent: str, *words: str, data: bytes = b"") -> tuple[int, str]:
        pipe = subprocess.PIPE
        with self.lock:  # nobody begins while the power goes
            process = subprocess.Popen(
                [SWARM, *words], env=self.environment(agent), stdin=pipe, stdout=pipe, stderr=pipe
            )
            self.alive[process.pid] = process
        out, err = process.communicate(data)
        del self.alive[process.pid]
        if process.returncode not in (0, 5):
            raise SystemExit(f"{agent} {words}: {err.decode()}")
        return process.returncode, out.decode(errors="replace")

    def write(self, agent: str) -> None:
        draw = random.Random(f"{self.seed} {agent}")
        number = 0
        try:
            while not self.over.is_set():
                number += 1
                self.act(agent, f"{agent}-{number}", draw)
        except BaseException as error:  # the end of a thread is nobody's failure by itself
            self.wrong.append(f"{agent} ended: {error!r}")

    def act(self, agent: str, name: str, draw: random.Random) -> None:
        """A letter, a task by mail, a row, or an archived message; what it said is owed."""
        box = draw.choice(BOXES)
        what = draw.randrange(8)
        if what < 4:
            data = make(name, draw)
            _, out = self.run(agent, "send", box, "-s", f"letter {name}", data=data)
            self.told += [("letter", path) for path in out.split()]
        elif what < 6:
            _, out = self.run(
                agent, "task", "request", box, "-s", f"dig {name}", "--channel", "ops"
            )
            self.told.append(("row", out.strip()))
        elif what == 6:
            self.enter(agent, name)
        else:
            self.run(box, "archive", "--read")
            self.run(box, "read", "--next")

    def enter(self, agent: str, task: str) -> None:
        """Register, or change what the entry says."""
        if (self.place / f"mail/dir/{agent}.txt").exists():
            self.run(agent, "update", "--task", task)
            return
        words = ("--role", "r", "--archetype", "planner", "--task", task)
        self.run(agent, "register", agent, *words)
        self.told.append(("entry", agent))

    def cut(self, disk: Disk) -> tuple[Path, list[Told]]:
        """Everybody stands still for the moment of the copy; what was told before it is owed."""
        with self.lock:
            owed = list(self.told)
            self.signal(signal.SIGSTOP)
            copy = disk.copy()
            self.signal(signal.SIGCONT)
        return copy, owed

    def signal(self, number: signal.Signals) -> None:
        for process in list(self.alive.values()):
            process.send_signal(number)


def begins(path: Path, words: bytes) -> bool:
    """Whether a file is there that begins so."""
    return path.exists() and path.read_bytes().startswith(words)


def check(place: Path, owed: list[Told]) -> list[str]:
    """What of it is missing or torn after the restart."""
    wrong = []
    files = {path.name: path for path in place.glob("mail/*/*/*.txt")}
    for path in files.values():
        if path.parts[-3].startswith(("box", "writer")) and b"letter" in path.read_bytes()[:200]:
            if [whole for _, whole in find(path.read_bytes())] != [True]:
                wrong.append(f"torn: {path}")
    rows = numbers(place / "team/ops/team.db", wrong)
    there = {
        "letter": lambda name: os.path.basename(name) in files,
        "row": lambda name: name in rows,
        "entry": lambda name: begins(place / f"mail/dir/{name}.txt", b"id: "),
    }
    wrong += [f"lost: {kind} {name}" for kind, name in owed if not there[kind](name)]
    env = {**CLEAN, "SWARM_ROOT": f"{place}/mail", "SWARM_TEAM_HOME": f"{place}/team"}
    subprocess.run([SWARM, "doctor", "--fix"], env=env, stdout=subprocess.DEVNULL)
    said = subprocess.run([SWARM, "doctor", "--json"], env=env, capture_output=True).stdout
    found = json.loads(said)["findings"]
    return wrong + [str(finding) for finding in found if finding["level"] == "fail"]


def numbers(path: Path, wrong: list[str]) -> set[str]:
    """The tasks in the database, which has to be whole."""
    with closing(sqlite3.connect(path)) as database:
        whole = database.execute("PRAGMA integrity_check").fetchone()[0]
        if whole != "ok":
            wrong.append(f"database: {whole}")
        found = database.execute("SELECT DISTINCT task_id FROM messages")
        return {str(number) for (number,) in found}


def main() -> int:
    words = argparse.ArgumentParser(prog="scripts/powercut")
    words.add_argument("--cuts", type=int, default=20, help="how often (20)")
    words.add_argument("--seed", type=int, default=random.randrange(10**6), help="for the draws")
    words.add_argument("--fs", default="ext4", help="file system of the image (ext4)")
    words.add_argument("--unsynced", action="store_true", help="to see that it finds something")
    given = words.parse_args()
    SYNC["SWARM_FSYNC"] = "0" if given.unsynced else "1"
    print(f"seed {given.seed}", flush=True)
    draw = random.Random(given.seed)
    folder = Path(tempfile.mkdtemp(prefix="powercut-"))
    disk = Disk(folder, given.fs)
    try:
        traffic = Traffic(disk.place, given.seed)
        return cuts(traffic, disk, given.cuts, draw)
    finally:
        disk.close()
        shutil.rmtree(folder, ignore_errors=True)


def cuts(traffic: Traffic, disk: Disk, count: int, draw: random.Random) -> int:
    wrong: list[str] = []
    owed: list[Told] = []
    for thread in traffic.threads:
        thread.start()
    try:
        for _ in range(count):
            time.sleep(draw.uniform(0.1, 2))
            copy, owed = traffic.cut(disk)
            with disk.restarted(copy) as place:
                wrong += check(place, owed)
    finally:
        traffic.over.set()
        for thread in traffic.threads:
            thread.join()
    wrong += traffic.wrong
    print(
        f"{count} cuts, {len(owed)} things acknowledged before the last: {len(wrong)} lost or torn"
    )
    for case in wrong[:20]:
        print(f"  {case}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
