"""What an agent's own program calls, and who the agent is in it."""

import os

from swarm import names
from swarm.cli.call import Call, show
from swarm.errors import SwarmError, UsageError
from swarm.harness import known
from swarm.mailbox import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from swarm.harness.hook import Place


def hook(call: Call) -> None:
    harness, event = call["harness"], call["event"]
    if harness not in known.HARNESSES:
        raise UsageError(f"no harness {names.shown(harness)}", ", ".join(known.HARNESSES))
    moment = known.EVENTS[harness].get(event, "")

    def say(said: str) -> None:
        from swarm.cli import render
        from swarm.harness.answer import answer

        render.write((answer(harness, event, moment, said) + "\n").encode())

    def work(place: "Place") -> None:
        from swarm.harness.hook import hook as at_moment

        at_moment(place, moment, call.options["as_"], say)

    _quietly(call, harness, work if moment else None)


def doorbell(call: Call) -> int:
    """``wait --hook``: a harness takes exit 2 for a wish to wake its agent, so nothing else is."""
    from swarm.cli import render
    from swarm.harness.bell import TIMEOUT, ring

    if call["from_"] is not None or call["thread"] is not None:
        raise SwarmError("--hook waits for all mail", "leave --from and --thread out")
    timeout = TIMEOUT if call["timeout"] is None else call["timeout"]
    rang: list[str] = []

    def say(said: str) -> None:
        render.write(f"{said}\n".encode(), 2)
        rang.append(said)

    _quietly(call, "", lambda place: ring(place, call.options["as_"], timeout, say))
    return 2 if rang else 0


def _quietly(call: Call, harness: str, work: "Callable[[Place], object] | None") -> None:
    """Do it for the session that stdin tells of.

    Whatever goes wrong, an agent's program hears nothing of it: SWARM_DEBUG=1 tells people.
    """
    from swarm.harness import asked
    from swarm.harness.hook import Place, root_of

    data = asked.read(0)
    try:
        if work is None:
            raise UsageError(f"{harness} has no such event that is answered")
        told = asked.parse(data)
        root = root_of(call["root"] or "", os.environ, told)
        work(Place(root, harness or _harness(told.session), told, _environment(call)))
    except Exception as error:  # told on request, see above
        if os.environ.get("SWARM_DEBUG") == "1":
            from swarm.cli import render

            render.note(f"swarm: {type(error).__name__}: {error}")


def _environment(call: Call) -> "Mapping[str, str]":
    given = call.options["as_"]
    return os.environ if given is None else {**os.environ, "SWARM_AGENT": given}


def _harness(session: str) -> str:
    """Whose session it is by the environment; Claude Code's where that does not say."""
    shell = known.SHELL.items()
    return next((h for h, variable in shell if os.environ.get(variable) == session), "claude")


def whoami(call: Call) -> None:
    from swarm import identity, keeping
    from swarm.cli import render
    from swarm.harness import session, sessions

    if call["keep"] is not None and call["forget"]:
        raise UsageError("--keep sets a name, --forget takes it away: give one of them")
    root = call.root  # told first where there is none: nobody can be anybody then
    if call["forget"]:
        _forget(call)
        return
    if call["keep"] is not None:
        agent = layout.check_known(root, call["keep"])
        kept = keeping.keep(root, agent, os.environ)
        render.note(f"{agent} is kept for {kept}")
        if agent != (now := call.who()):
            render.note(f"here you are {now} all the same: that is told by --as or the environment")
    agent = names.check_id(call.who())
    found = identity.who(root, call.options.get("as_"), os.environ)
    own = [name for _, name in session.here(os.environ)]
    live = [o for o in sessions.others(root, agent) if o.name not in own]
    others = live if own else sessions.beside(live, os.environ)
    item = {
        "id": agent, "source": found.source, "why": found.detail,
        "sessions": [{"session": o.name, "seconds": o.ago} for o in others],
    }  # fmt: skip
    show(call, "agents", ["id", "source", "why"], [[agent, found.source, found.detail]], [item])
    if not layout.is_known(root, agent):
        render.note(f"{agent} is not known here: swarm register {agent} makes it so")
    elif not layout.has_entry(root, agent):
        render.note(f"{agent} has no entry, so no list has it: swarm register {agent} enters it")
    for other in others:
        render.note(f"another session uses {agent} too: {other.name}, {other.ago} s ago")


def _forget(call: Call) -> None:
    from swarm import keeping
    from swarm.cli import render

    found = keeping.forget(call.root, os.environ)
    if found.source not in ("session", "tree"):
        render.note("no name is kept here")
    show(call, "agents", ["id"], *_forgotten(found.agent))


def _forgotten(agent: str) -> "tuple[list[list[str]], list[dict[str, str]]]":
    return ([[agent]], [{"id": agent}]) if agent else ([], [])
