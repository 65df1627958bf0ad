"""``swarm mamoru``: the guardian, for one agent or for many in one process."""

import shutil

from swarm import names
from swarm.cli import render, stores
from swarm.cli.call import Call
from swarm.errors import UsageError
from swarm.mailbox import layout
from swarm.mailbox.layout import RESULTS
from swarm.mamoru.forward import Forwarder, Jsonl, Left
from swarm.mamoru.host import Host
from swarm.mamoru.run_command import Exec, parted
from swarm.stopping import heed
from swarm.transport.base import Store

SHOWN = 5


class _Host(Host):
    """One that says once, when it has them, whom it guards."""

    where = ""

    def open_named(self) -> None:
        super().open_named()
        named = [*self.guardians]
        more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
        whom = "everybody" if self.named is None else ", ".join(named[:SHOWN]) + more
        _tell("", f"guarding {whom or 'nobody yet'} {self.where}; Ctrl-C ends it")


def mamoru(call: Call) -> None:
    _check(call)
    if call["exec"]:
        _warn(call["exec"])
    with stores.store(call, watching=True) as store:
        agents = None if call["all"] else _agents(call)
        forwarder = _forwarder(call, store)
        host = _Host(store, agents, forwarder, _tell, stores.settings(call), call["poll"])
        host.where = "by mail" if call["channel"] is None else f"on {call['channel']}"
        heed(host.stop)
        host.run(leave=call["leave"])


def _check(call: Call) -> None:
    if call["exec"] is not None and call["jsonl"]:
        raise UsageError("--exec or --jsonl: one of them")
    if call["all"] and call["agents"]:
        raise UsageError("--all or --as: one of them")
    if call["channel"] is not None and call["exec"] is None and not call["jsonl"]:
        raise UsageError(
            "on a channel nobody reads an inbox",
            "say --jsonl or --exec CMD: where messages that need thinking are to go",
        )
    for name in ("poll", "task_timeout", "ping_timeout", "stale"):
        value = call[name]
        if value is not None and not 0.01 <= value < 1e9:
            raise UsageError(f"--{name.replace('_', '-')} takes seconds from 0.01 up")


def _warn(command: str) -> None:
    """Say at once what every task would fail of."""
    program = parted(command)[0]
    if shutil.which(program) is None:
        render.note(f"no program {names.shown(program)} is found: tasks will fail until it is")


def _agents(call: Call) -> list[str]:
    """Those named; else the one who calls."""
    return [names.check_id(name) for name in call["agents"] or [call.who()]]


def _tell(agent: str, text: str) -> None:
    render.remark(f"{agent}: {text}" if agent else text)


def _forwarder(call: Call, store: Store) -> Forwarder:
    if call["jsonl"]:
        return Jsonl(1, _tell)
    if call["exec"] is None:
        return Left(_tell)
    if call["channel"] is not None:
        place = stores.channel_of(store).place
        environ = {"SWARM_CHANNEL": place.channel}
        return Exec(call["exec"], _tell, place.session, environ)
    root = call.root
    environ = {"SWARM_ROOT": root.path}
    giver = (lambda agent, file: layout.giver(root, agent, file)) if root.shared else None
    return Exec(
        call["exec"], _tell, lambda agent: f"{root.box(agent)}/{RESULTS}", environ, giver=giver
    )
