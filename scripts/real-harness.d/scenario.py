"""One program with a real mail tree and a scripted model: what reaches the model, and when."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from model import Model, Step
from programs import Program, World
from wire import Call, Reply, Request, Shell, Text

PATIENCE_S = 90
Check = tuple[str, bool | None, str]


class Stage:
    """A world in which the program is set up by ``swarm install``, and the model is served."""

    def __init__(
        self, world: World, program: Program, model: Model, agent: str, scope: str
    ) -> None:
        self.world = world
        self.program = program
        self.model = model
        self.env = world.env(program, model.url)
        world.begin()
        program.setup(world, model.url)
        self.swarm("init", ".", "--agents", "alice,bob")
        self.swarm("install", program.name, scope)
        if agent:
            self.env["SWARM_AGENT"] = agent

    def swarm(self, *words: str) -> str:
        """What a command of swarm says."""
        done = subprocess.run(
            ["swarm", *words], cwd=self.world.project, env=self.env, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"swarm {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def mail(self, subject: str) -> None:
        """Mail for bob."""
        self.swarm("--as", "alice", "send", "bob", "-s", subject, "-m", "the body of it")

    def mailed(self, subject: str, reply: Reply) -> Step:
        """A step during which mail comes."""

        def step(_: Request) -> Reply:
            self.mail(subject)
            return reply

        return step

    def run(self, words: str = "") -> str:
        """Run the program to its end; '' or what went wrong."""
        try:
            done = subprocess.run(
                [
                    PROMPT if word == "PROMPT" else word
                    for word in (words or self.program.once).split()
                ],
                cwd=self.world.project,
                env=self.env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            return f"did not end within {PATIENCE_S} s"
        return f"exit {done.returncode}: {done.stderr[-300:]}" if done.returncode else ""

    @property
    def sessions(self) -> Path:
        """Where swarm keeps what it knows of sessions."""
        return self.world.project / "mail/.sessions"

    def forget_start(self) -> None:
        """Take out the hook at the start."""
        path = self.world.project / self.program.hooks
        settings = json.loads(path.read_text())
        del settings["hooks"]["SessionStart"]
        path.write_text(json.dumps(settings))


PROMPT = "Please work."


@contextmanager
def stage(
    program: Program,
    bins: tuple[str, ...],
    steps: Sequence[Step] = (),
    agent: str = "",
    scope: str = "--project",
) -> Iterator[Stage]:
    """A stage of its own, gone afterwards."""
    top = Path(tempfile.mkdtemp(prefix=f"real-{program.name}-"))
    try:
        with Model(steps) as model:
            yield Stage(World(top, bins), program, model, agent, scope)
    finally:
        if not os.environ.get("KEEP"):
            shutil.rmtree(top, ignore_errors=True)


def fresh(turns: list[Request]) -> list[str]:
    """What is new in each turn's request: programs send all that was said again."""
    found, before = [], list[str]()
    for turn in turns:
        left = list(before)
        new = []
        for text in turn.texts:
            if text in left:
                left.remove(text)
            else:
                new.append(text)
        found.append("\n".join(new))
        before = turn.texts
    return found


def noticed(turns: list[Request], subject: str) -> list[int]:
    """The turns in which a notice of this message was new."""
    return [at for at, said in enumerate(fresh(turns)) if f'alice "{subject}"' in said]


def quiet(program: Program, bins: tuple[str, ...]) -> list[Check]:
    """Without mail nothing is said; what was installed is offered."""
    with stage(program, bins, [Text("ok")], "bob") as at:
        wrong = at.run()
        turns = at.model.turns
    said = json.dumps([turn.body for turn in turns])
    wrong = wrong or _not(len(turns) == 1, f"{len(turns)} turns") or _not("[swarm]" not in said)
    return [
        _check("nothing said without mail", wrong),
        _check("skill offered", _not("Mail and tasks between coding agents" in said)),
        _check("lines of instructions read", _not("Register once: `swarm register" in said)),
    ]


def life(program: Program, bins: tuple[str, ...]) -> list[Check]:
    """Nobody at first; then somebody, whom mail reaches at every moment, once."""
    with stage(program, bins, [Shell("swarm whoami --keep bob")]) as at:
        at.model.steps += [
            at.mailed("m-tool", Shell("swarm whoami")),
            Shell("swarm read --all"),
            *_inbox(program),
            at.mailed("m-stop", Text("finished?")),
        ]
        at.mail("m-before")
        wrong = at.run()
        turns, last = at.model.turns, len(at.model.steps)
        left = [f.read_text() for f in at.sessions.glob(f"{program.name}-*")]
    new = [*fresh(turns), *[""] * last]
    tools = noticed(turns, "m-before") == [1] and noticed(turns, "m-tool") == [2]
    known = "another session" not in new[2] and "bob\t" in new[2]
    inbox = _not("no unread" in new[last - 1] or '"messages":[]' in new[last - 1], new[last - 1])
    ended = _not(all("ended:" in one for one in left))
    count = len(turns) == last + (not program.no_stop)
    return [
        _check("name: told at the start how to get one", _not("You have no name" in new[0], wrong)),
        _check("name: its own shell has the kept one", _not(known, new[2])),
        _check("name: its MCP server has the kept one", inbox, program.no_thread),
        _check("notice after a tool", _not(tools)),
        _check("notice at the stop", _not(noticed(turns, "m-stop") == [last]), program.no_stop),
        _check("nothing twice, no loop, exit 0", wrong or _not(count, f"{len(turns)} turns")),
        _check("end of the session noted", ended, program.no_end),
    ]


def begins(program: Program, bins: tuple[str, ...]) -> list[Check]:
    """Mail that was there before the session, and the tools of the MCP server."""
    with stage(program, bins, [Shell("sleep 3"), *_inbox(program), Text("ok")], "bob") as at:
        at.mail("m-before")
        wrong = at.run()
        found, turns = noticed(at.model.turns, "m-before"), at.model.turns
    answer = fresh(turns)[-1] if turns else ""
    return [
        _check("notice at the start", wrong or _not(found[:1] == [0], str(found))),
        _check("MCP tools offered", _not("check_inbox" in json.dumps([t.body for t in turns]))),
        _check("MCP server has SWARM_AGENT", wrong or _not("m-before" in answer, answer)),
    ]


def for_the_user(program: Program, bins: tuple[str, ...]) -> list[Check]:
    """The same, set up in the home."""
    steps = [Shell("sleep 3"), *_inbox(program), Text("ok")]
    with stage(program, bins, steps, "bob", "--user") as at:
        at.mail("m-before")
        wrong = at.run()
        turns, found = at.model.turns, noticed(at.model.turns, "m-before")
    said = json.dumps([turn.body for turn in turns])
    wrong = wrong or _not(found[:1] == [0], "no notice") or _not("check_inbox" in said, "no MCP")
    lines = "Mail and tasks between" in said and "Register once: `swarm" in said
    return [
        _check("--user: notice, MCP, skill and lines", wrong or _not(lines, "no skill or lines"))
    ]


def _inbox(program: Program) -> list[Step]:
    look = Call("ToolSearch", {"query": "select:mcp__swarm__check_inbox"})
    return [*[look] * program.searches, Call("check_inbox")]


def prompted(program: Program, bins: tuple[str, ...]) -> list[Check]:
    """Mail between the start of a session and a prompt.

    A program that takes one prompt has its hook at the start taken out.
    """
    with stage(program, bins, agent="bob") as at:
        turn = 0 if program.hooks else 1
        if program.hooks:
            at.forget_start()
            at.mail("m-prompt")
            wrong = at.run()
        elif program.more:
            wrong = at.run()
            at.mail("m-prompt")
            wrong = wrong or at.run(program.more)
        else:
            at.model.steps = [at.mailed("m-prompt", Text("ok"))]
            wrong = at.run(program.twice)
        found = noticed(at.model.turns, "m-prompt")
    return [_check("notice with a prompt", wrong or _not(found == [turn], str(found)))]


def _not(true: bool, why: str = "") -> str:
    """Why something is wrong, '' if it is not."""
    return "" if true else why or "not seen"


def _check(what: str, wrong: str, cannot: str = "") -> Check:
    return (what, None, cannot) if cannot else (what, not wrong, wrong)
