"""The skill teaches enough: agents that know nothing else do their tasks by its commands.

Such an agent takes the commands of each section in the order in which they stand, and puts its
own words for those in capitals: what it was given, and what earlier commands printed.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import frontmatter
import pytest

from .desk import CLEAN

SKILL = Path(__file__).parents[2] / "templates/skill/SKILL.md"
WORD = re.compile(r"\b[A-Z][A-Z_]+\b")
# What an agent has to say, whatever comes.
OWN = {
    "ROLE": "tester", "WHAT_YOU_DO": "count words", "TEXT": "one two three", "SUBJECT": "words",
    "STARTED": "at it", "QUESTION": "which words?", "RESULT": "three words", "REASON": "no words",
    "SUMMARY": "count the words", "ANSWER": "all of them", "HEX": "4f2a",
}  # fmt: skip


def sections() -> list[list[str]]:
    """The commands of each section that has some, in their order."""
    parts = SKILL.read_text().split("\n## ")[1:]
    blocks = [re.findall(r"```sh\n(.*?)```", part, re.DOTALL) for part in parts]
    return [[line for block in found for line in block.splitlines()] for found in blocks if found]


START, CHECK, WRITE, WORK, ASK, FINISH, BY_HAND = sections()


class Agent:
    """One that knows the skill, its id, and whom to ask."""

    ran: "set[str]"

    def __init__(
        self, place: Path, me: str, who: str = "", path: str = f"{sys.prefix}/bin:"
    ) -> None:
        self.place = place if path == "" else place / me
        self.place.mkdir(exist_ok=True)
        self.env = {**CLEAN, "SWARM_FSYNC": "0", "PATH": f"{path}/usr/bin:/bin"}
        self.words = {**OWN, "ME": me, "WHO": who, "FILE": str(place / "result.txt")}
        self.ran, self.code = set(), 0

    def do(self, command: str, code: int = 0) -> str:
        """Run one, which ends with that code; what it printed, and what is learned from it."""
        words = WORD.sub(lambda found: self.words[found[0]], command)
        done = subprocess.run(
            ["sh", "-c", words], cwd=self.place, env=self.env, capture_output=True, text=True
        )
        assert done.returncode == code, (words, done.stderr)
        self.ran.add(command)
        self.learn(command, done.stdout)
        return done.stdout

    def learn(self, command: str, out: str) -> None:
        first = out.split("\n")[0].split("\t")[0]
        if first and command.startswith(("swarm unread", "for f in")):
            self.words["MSG"] = first.rpartition("/")[2]
        if first and command.startswith(("swarm task list", "swarm task request")):
            self.words["KEY"] = first
        for header, word in (("From", "WHO"), ("Thread", "THREAD")):
            if found := re.search(rf"^{header}: (.+)$", out, re.MULTILINE):
                self.words[word] = found[1]

    def start(self) -> None:
        """Step 1; nobody knows it yet, and then it is known."""
        whoami, register = START
        self.do(whoami, 2)
        self.do(register)
        assert self.do(whoami).split("\t")[0] == self.words["ME"]

    def check(self) -> str:
        """Step 2; what the mail said."""
        unread, read = CHECK
        said = [self.do(unread)]
        while out := self.do(read):
            said.append(out)
        return "".join(said[1:])

    def finish(self) -> None:
        self.check()
        for command in FINISH:
            self.do(command)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    init = [f"{sys.prefix}/bin/swarm", "init", "."]
    subprocess.run(init, cwd=tmp_path, env=CLEAN, check=True, capture_output=True)
    (tmp_path / "result.txt").write_text("three\n")
    return tmp_path


def test_agents_that_know_the_skill_alone_do_their_tasks(place: Path) -> None:
    worker, asker = Agent(place, "wally"), Agent(place, "anna", "wally")
    by_hand = Agent(place, "hana", "wally", path="")
    worker.start()
    asker.start()
    a_question_on_the_way(worker, asker)
    a_task_that_is_called_off(worker, asker)
    a_requester_with_plain_files(worker, by_hand)
    letters(worker, asker)
    worker.finish()
    asker.finish()
    assert os.listdir(place / "mail/dir") == []
    doctor = [f"{sys.prefix}/bin/swarm", "doctor"]
    said = subprocess.run(doctor, cwd=place, env=CLEAN, capture_output=True, text=True).stdout
    assert not [line for line in said.splitlines() if not line.startswith("ok")]
    taught = {command for section in sections() for command in section}
    assert worker.ran | asker.ran | by_hand.ran == taught


def a_question_on_the_way(worker: Agent, asker: Agent) -> None:
    request, wait, show, answer, _, trace = ASK
    listing, status, update, clarify, waiting, read, done, _ = WORK
    asker.do(request)
    assert "count the words" in worker.check()
    for command in (listing, status, update, clarify):
        worker.do(command)
    assert "which words?" in asker.do(wait) + asker.do(show)
    asker.check()
    asker.do(answer)
    worker.do(waiting)
    assert "all of them" in worker.do(read)
    worker.do(done)
    assert "done" in asker.do(wait)
    assert "three words" in asker.check()
    asker.words["MSG"] = "count-the-words"
    assert "\tread\t" in asker.do(trace)


def a_task_that_is_called_off(worker: Agent, asker: Agent) -> None:
    request, wait, _, _, cancel, _ = ASK
    asker.do(request)
    worker.check()
    worker.do(WORK[0])
    asker.do(cancel)
    assert "task_cancel" in worker.check()
    worker.do(WORK[-1])
    asker.do(wait)
    asker.check()


def a_requester_with_plain_files(worker: Agent, by_hand: Agent) -> None:
    register, make, unread, show, receipt, write, deliver, copy, leave = BY_HAND
    by_hand.words["THREAD"] = "words-1"
    for command in (register, make, unread, write, deliver, copy):
        assert by_hand.do(command) == ""
    assert "one two three" in worker.check()
    listing, status, update, *_, done, _ = WORK
    for command in (listing, status, update, done):
        worker.do(command)
    said = ""
    while by_hand.do(unread):
        said += by_hand.do(show)
        by_hand.do(receipt)
    assert "Subject: three words" in said and "Event: task_done" in said
    by_hand.do(leave)


def letters(worker: Agent, asker: Agent) -> None:
    reply, by_file, agents, send, thread, sent = WRITE
    asker.words["WHO"] = "wally"
    for command in (agents, send):
        asker.do(command)
    worker.do(CHECK[0])
    worker.check()
    for command in (reply, by_file, sent):
        worker.do(command)
    asker.check()
    assert asker.do(thread).count("\n") == 3


def test_its_front_matter_is_that_of_a_skill() -> None:
    skill = frontmatter.load(str(SKILL))
    assert skill["name"] == "swarm"
    assert 0 < len(str(skill["description"])) <= 1024 and len(str(skill["compatibility"])) <= 500
    assert set(skill.metadata) <= {"name", "description", "license", "compatibility"}


def test_it_is_short() -> None:
    text = SKILL.read_text()
    assert len(text.splitlines()) < 120 and len(text.split()) <= 1500
