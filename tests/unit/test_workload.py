"""What each agent has open: how many, how old, and whether its worker is silent."""

from typing import Any

from swarm.events import Event
from swarm.transport.memory import Memory, MemoryStore
from swarm.workload import Load, loads

NOW, TIMEOUT = 10_000.0, 1200.0


def test_open_tasks_are_counted_for_who_is_to_do_them() -> None:
    clock = [NOW - 3000]
    memory = Memory(clock=lambda: clock[0])
    for agent in ("amy", "bob"):
        memory.join(agent)

    def say(kind: str, at: float, sender: str = "amy", to: str = "bob", **more: Any) -> Event:
        clock[0] = at
        return memory.post(Event(kind=kind, sender=sender, to=to, at=at, **more))

    say("task_req", NOW - 3000)
    heard = say("task_req", NOW - 2000)
    say("task_update", NOW - 10, "bob", "amy", task=heard.id)
    over = say("task_req", NOW - 4000)
    say("task_done", NOW - 10, "bob", "amy", task=over.id)
    found = loads(MemoryStore(memory), ["amy", "bob", "nobody"], NOW, TIMEOUT)
    assert found == {"amy": Load(0, 0, None), "bob": Load(2, 1, 3000.0)}
