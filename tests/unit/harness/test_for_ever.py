"""Any course of a session: no notice twice, no loop, and no mail that is never told."""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st

from swarm.harness import asked, known
from swarm.harness.hook import Place, hook
from swarm.mailbox import receipts
from swarm.mailbox.layout import Root
from swarm.mailbox.making import init

SAID = re.compile(r"^- (\w{4}) ", re.M)
HOOKS = {
    "tool": "PostToolUse", "prompt": "UserPromptSubmit", "idle": "Stop", "idle again": "Stop",
    "start": "SessionStart", "end": "SessionEnd", "killed before": "PostToolUse",
    "killed after": "Stop", "killed at the start": "SessionStart",
}  # fmt: skip
STEPS = st.lists(st.sampled_from([*HOOKS, "mail", "mail ", "read", "gone", "back"]), max_size=25)


class Killed(BaseException):
    """A hook's end in the middle."""


class Harness:
    """A session of bob's: what its agent was told since its context began, and what waits."""

    def __init__(self, folder: str) -> None:
        self.root = Root(init(folder, ["alice", "bob"])[0].path, sync=False)
        self.inbox = Path(self.root.inbox("bob"))
        self.waits: dict[str, int] = {}
        self.gone: list[str] = []
        self.told: set[tuple[str, int]] = set()
        self.notices = self.put_count = 0

    def put(self, name: str) -> None:
        (self.inbox / name).write_text("To: bob\nFrom: alice\nSubject: s\n---\n")
        self.put_count += 1
        self.waits[name] = self.put_count

    def take(self, read: bool) -> None:
        name = list(self.waits)[-1]
        if read:
            receipts.write(self.root, "bob", name)
        else:
            (self.inbox / name).unlink()
            self.gone.append(name)
            self.do("tool")  # between two hooks nobody could tell another of that name
        del self.waits[name]
        self.notices = 0

    def do(self, step: str) -> None:
        if step in HOOKS:
            self.call(step)
        elif step.startswith("mail"):
            self.put(f"01_x_{self.put_count:04x}.txt")
        elif step == "back" and self.gone:
            self.put(self.gone.pop())
        elif step in ("read", "gone") and self.waits:
            self.take(step == "read")

    def call(self, step: str) -> None:
        event = HOOKS[step]
        if event in ("SessionStart", "SessionEnd"):
            self.told, self.notices = set(), 0
        asks = {"session_id": "s", "stop_hook_active": step == "idle again"}
        said: list[str] = []

        def say(text: str) -> None:
            if step == "killed before":
                raise Killed
            said.append(text)
            if step.startswith("killed"):
                raise Killed

        place = Place(self.root, "claude", asked.parse(json.dumps(asks).encode()), {
            "SWARM_AGENT": "bob"})  # fmt: skip
        try:
            hook(place, known.EVENTS["claude"][event], None, say)
        except Killed:
            return  # its answer is thrown away
        for text in said:
            self.hear(text)

    def hear(self, text: str) -> None:
        names = [f"01_x_{token}.txt" for token in SAID.findall(text)]
        new = {(name, self.waits[name]) for name in names}
        assert not new & self.told
        self.told |= new
        self.notices += bool(new)
        assert self.notices <= 2


@given(STEPS)
@settings(max_examples=60)
@example(["mail", "tool", "gone", "back"])  # another message of the same name
@example(["mail", "tool", "read", "mail", "idle again"])
def test_whatever_happens(steps: list[str]) -> None:
    with TemporaryDirectory() as folder:
        one = Harness(folder)
        for step in steps:
            one.do(step)
        one.put("01_x_ffff.txt")
        one.do("read")
        one.do("tool")
        assert one.told >= set(one.waits.items())
