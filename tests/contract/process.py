"""Another process: guards one agent and answers every ping, until a file says to stop.

Arguments: the place's file, its folder, the agent, the file.
"""

import importlib.util
import os
import sys
from pathlib import Path

from swarm.events import Event
from swarm.transport.base import Outcome

path, folder, agent, stop = sys.argv[1:]
spec = importlib.util.spec_from_file_location("place", path)
assert spec and spec.loader
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
store = module.Place(Path(folder)).store()
side = store.open(agent)
print("open", flush=True)
while not os.path.exists(stop):
    for event in side.receive():
        pong = Event(kind="pong", to=event.sender, content=event.content, ref=event.id)
        side.commit(event, Outcome(sends=[pong] if event.kind == "ping" else []))
    store.wait(0.1)
store.close()
