"""Two bridges of one pair, one of them killed again and again while both sides talk.

python -m tests.system.bridged --seconds 20: exit 1 if a message was lost, doubled, or overtook one
of the same sender.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from swarm.mailbox import delivery, registry
from swarm.mailbox.layout import Root
from swarm.mailbox.making import init
from swarm.team.channel import Channel
from tests.peer import Peer

CHANNEL = "ops"
SESSION = "0b5c-6a7e"
RESIDENTS = ("alice", "bob")
BRIDGE = (f"{sys.prefix}/bin/swarm", "bridge", "--channel", CHANNEL)


class Course:
    """A tree, a channel, and what was said on each."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.dice = random.Random(seed)
        self.folder = folder
        self.root = Root(init(str(folder), list(RESIDENTS))[0].path, sync=False)
        for agent in RESIDENTS:
            registry.register(self.root, agent, "tester", "specialist", "tests", "paused")
        Channel.open(str(folder / "team"), CHANNEL, anew=True, sync=False).close()
        self.peer = Peer(str(folder / "team" / CHANNEL / "team.db"), SESSION, CHANNEL)
        self.peer.arrive("Pia")
        self.running: list[subprocess.Popen[bytes]] = []
        self.said: Counter[str] = Counter()
        self.rows: list[tuple[int, str]] = []
        self.kills = 0

    def start(self) -> None:
        env = {n: v for n, v in os.environ.items() if not n.startswith("SWARM_")}
        env |= {"SWARM_TEAM_HOME": str(self.folder / "team"), "SWARM_FSYNC": "0"}
        with open(self.folder / "said", "ab") as err:
            self.running.append(
                subprocess.Popen(BRIDGE, cwd=self.folder, env=env, stdout=err, stderr=err)
            )

    def kill(self) -> None:
        """The one that bridges, or the one that stands by; another begins."""
        victim = self.running.pop(self.dice.random() < 0.2)
        victim.kill()
        victim.wait()
        self.kills += 1
        self.start()

    def wait(self, done: str) -> None:
        """Until that was carried over."""
        end = time.monotonic() + 30
        while done not in self.contents():
            assert time.monotonic() < end, (self.folder / "said").read_text()
            time.sleep(0.02)

    def run(self, seconds: float) -> None:
        self.start()
        self.until_there()
        self.start()
        end = time.monotonic() + seconds
        after = 0.0
        while (now := time.monotonic()) < end:
            if now > after:
                after = now + self.dice.uniform(0.1, 0.6)
                self.kill()
            self.mail(self.dice.choice(RESIDENTS), self.dice.choice(("pia", *RESIDENTS)))
            to = self.dice.choice(("alice", "bob", None))
            word = f"peer {len(self.rows)}"
            event = "info_only" if to else "broadcast"
            self.rows.append((self.peer.send(event, word, to), to or ""))
            time.sleep(self.dice.uniform(0, 0.02))
        self.wait(self.mail("alice", "pia"))
        self.wait(self.mail("bob", "pia"))
        last, _ = self.rows[-1]
        while not any(name.startswith(f"{last}_") for one in RESIDENTS for name in self.inbox(one)):
            time.sleep(0.02)

    def until_there(self) -> None:
        """The guest has its mailbox."""
        end = time.monotonic() + 30
        while not os.path.isdir(self.root.inbox("pia")):
            assert time.monotonic() < end, (self.folder / "said").read_text()
            time.sleep(0.02)

    def mail(self, sender: str, to: str) -> str:
        if sender == to:
            to = "pia"
        self.said[sender] += 1
        subject = f"{sender} {self.said[sender]}"
        delivery.send(self.root, sender, [to], subject, b"")
        return subject

    def contents(self) -> list[str]:
        sql = "SELECT json_extract(payload, '$.content') FROM messages ORDER BY message_id"
        return [str(row[0]) for row in self.peer.db.execute(sql)]

    def inbox(self, agent: str) -> list[str]:
        return [name for name in os.listdir(self.root.inbox(agent)) if name.endswith(".txt")]

    def check(self) -> None:
        """Everything on the other side once, each sender's in its order."""
        contents = self.contents()
        for sender, count in self.said.items():
            crossed = [
                text for text in contents if text.startswith(f"{sender} ") and "has" not in text
            ]
            assert crossed == [f"{sender} {number + 1}" for number in range(count)], crossed
        for agent in RESIDENTS:
            numbers = Counter(
                int(name.partition("_")[0]) for name in self.inbox(agent) if "_peer-" in name
            )
            assert numbers == Counter(number for number, to in self.rows if to in ("", agent))

    def end(self) -> None:
        for process in self.running:
            process.kill()
            process.wait()
        self.peer.db.close()


def torment(folder: Path, seconds: float, seed: int) -> str:
    """One course; what it was."""
    course = Course(folder, seed)
    try:
        course.run(seconds)
        course.check()
    finally:
        course.end()
    return f"{course.kills} kills, {sum(course.said.values())} mails and {len(course.rows)} rows"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(f"seed {given.seed}", flush=True)
        print(torment(Path(folder), given.seconds, given.seed), "crossed once, in their order")


if __name__ == "__main__":
    main()
