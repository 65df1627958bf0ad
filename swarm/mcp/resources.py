"""Resources: the same as JSON, for clients that show or follow them."""

import json
from urllib.parse import unquote

from mcp.types import Resource, ResourceTemplate

from swarm.errors import Unknown
from swarm.mcp.desk import Desk
from swarm.mcp.text import whole
from swarm.mcp.watcher import BYTES, INBOX, MESSAGE, ROSTER, THREAD, THREADS

JSON = "application/json"
MOST = 100
LISTED = [
    Resource(uri=INBOX, name="inbox", description="Your unread mail", mime_type=JSON),
    Resource(uri=ROSTER, name="roster", description="Who is here", mime_type=JSON),
    Resource(uri=THREADS, name="threads", description="Your conversations", mime_type=JSON),
]
TEMPLATES = [
    ResourceTemplate(uri_template=THREAD + "{key}", name="thread", mime_type=JSON),
    ResourceTemplate(uri_template=MESSAGE + "{file}", name="message", mime_type=JSON),
]


def read(desk: Desk, address: str) -> str:
    """What lies at an address; Unknown if nothing does."""
    return json.dumps({"v": 1, **whole(_found(desk, address))}, ensure_ascii=True)


def _found(desk: Desk, address: str) -> dict[str, object]:
    if address == INBOX:
        return {**desk.inbox(MOST, "", "")}
    if address == ROSTER:
        keys = ("id", "status", "description")
        return {"agents": [dict(zip(keys, one, strict=True)) for one in desk.roster()]}
    if address == THREADS:
        return {**desk.thread("")}
    if address.startswith(THREAD) and (key := unquote(address.removeprefix(THREAD))):
        return {**desk.thread(key)}
    if address.startswith(MESSAGE) and (
        name := unquote(address.removeprefix(MESSAGE), errors=BYTES)
    ):
        return {"messages": [desk.message(name)]}
    raise Unknown(f"no resource {address[:80]!a}", f"{INBOX}, {ROSTER} and {THREADS} are there")
