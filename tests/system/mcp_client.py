"""The SDK's own client at the other end of ``swarm mcp``, for tests that do not await."""

import contextlib
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolResult

from ..unit.rights import SWARM

MODES = ("legacy", "auto")
SOON = 5.0


class Peer:
    """One client and its server.  ``heard``: what it was told unasked."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal = portal
        self.client = client
        self.heard: list[str] = []

    def do(self, function: Callable[..., Any], *args: Any) -> Any:
        return self.portal.call(function, *args)

    def raw(self, tool: str, **arguments: Any) -> CallToolResult:
        found: CallToolResult = self.do(self.client.call_tool, tool, arguments)
        return found

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers, which is no error."""
        found = self.raw(tool, **arguments)
        assert not found.is_error, found.content
        assert found.structured_content is not None
        return found.structured_content

    def text(self, tool: str, **arguments: Any) -> str:
        """The text of an answer, be it an error."""
        return str(self.raw(tool, **arguments).content[0].text)  # type: ignore[union-attr]

    def said_in(self, session: str, tool: str) -> str:
        """The text of the answer to a call that names its session as Codex does."""
        call = partial(self.client.call_tool, tool, meta={"threadId": session})
        return str(self.do(call).content[0].text)

    def tools(self) -> dict[str, Any]:
        return {one.name: one for one in self.do(self.client.list_tools).tools}

    def hears(self, *what: str) -> bool:
        """Whether it is told of all that within seconds."""
        return until(lambda: set(what) <= set(self.heard))


def until(true: Callable[[], Any], seconds: float = SOON) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@contextlib.contextmanager
def peer(
    place: Path, mode: str, *words: str, follow: Sequence[str] = (), **env: str
) -> Iterator[Peer]:
    """A client of ``swarm WORDS`` started in a folder; ``follow``: the resources it asks after."""
    told = {"SWARM_FSYNC": "0", "SWARM_TEAM_HOME": str(place), **env}
    wanted = StdioServerParameters(command=SWARM, args=list(words), cwd=str(place), env=told)
    with contextlib.ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())
        found: list[Peer] = []

        async def notified(message: Any) -> None:
            params = getattr(message, "params", None)
            told = getattr(params, "uri", None) or getattr(params, "data", None)
            found[0].heard.append(str(told or "tools"))

        log = stack.enter_context(open(place / f"log{os.urandom(3).hex()}", "w"))
        client = Client(stdio_client(wanted, log), mode=mode, message_handler=notified)
        found.append(Peer(portal, client))
        stack.enter_context(portal.wrap_async_context_manager(client))
        _listen(stack, found[0], mode, follow)
        yield found[0]


def _listen(stack: contextlib.ExitStack, one: Peer, mode: str, follow: Sequence[str]) -> None:
    if mode == "legacy":
        with warnings.catch_warnings():  # the newer protocol has another way
            warnings.simplefilter("ignore")
            for address in follow:
                one.do(one.client.subscribe_resource, address)
        return

    async def hear() -> None:
        asked = one.client.listen(tools_list_changed=True, resource_subscriptions=follow)
        async with asked as events:
            ready.append(True)
            async for event in events:
                one.heard.append(getattr(event, "uri", "tools"))

    ready: list[bool] = []
    future = one.portal.start_task_soon(hear)
    stack.callback(future.cancel)
    assert until(lambda: ready)
