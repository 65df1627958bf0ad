"""What a client is told unasked: the tool list, or a resource, has changed.

Whoever notices something, in any thread, marks it here; one task tells of it, each thing once
for all that happened in the meantime, and not more often than every ``PAUSE`` seconds.
"""

import threading
from collections import deque
from collections.abc import Callable
from functools import partial

import anyio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp.types import LoggingMessageNotification, LoggingMessageNotificationParams

from swarm.mcp.text import whole

PAUSE = 0.1
TOOLS = ""  # what the tool list is called among the addresses of resources
MOST = 20


class Notices:
    """For one client, of whichever protocol version.

    ``bus``: for those who listen by a subscription; who has only ``session`` and ``wanted``, the
    addresses asked for, speaks an older version, which has log messages too, unless ``quiet``.
    """

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self.session: ServerSession | None = None
        self.wanted: set[str] = set()
        self._due: dict[str, None] = {}
        self.quiet = False
        self._said: deque[str] = deque(maxlen=MOST)
        self._logged: deque[str] = deque(maxlen=MOST)
        self._lock = threading.Lock()
        self._rung = anyio.Event()
        self._wake: Callable[[], None] = lambda: None

    def changed(self, *addresses: str) -> None:
        """Mark what changed; from any thread but that of the event loop."""
        with self._lock:
            self._due.update(dict.fromkeys(addresses))
        try:
            self._wake()
        except RuntimeError:  # the loop has ended: there is nobody to tell
            return

    def say(self, text: str) -> None:
        """Something in words, for the next look into the inbox."""
        said = whole(text)
        with self._lock:
            self._said.append(said)
            self._logged.append(said)
        self.changed()

    def meet(self, session: ServerSession) -> None:
        """A client of an older version is ready to be told; from the event loop."""
        self.session = session
        self._rung.set()

    def said(self) -> list[str]:
        """What is to be said, the oldest first."""
        with self._lock:
            return list(self._said)

    def heard(self, texts: list[str]) -> None:
        """These were said: not again."""
        with self._lock:
            for text in texts:
                if text in self._said:
                    self._said.remove(text)

    async def deliver(self) -> None:
        """Tell the client, for ever."""
        token = anyio.lowlevel.current_token()
        self._wake = partial(anyio.from_thread.run_sync, self._ring, token=token)
        try:
            while True:
                with self._lock:
                    due, self._due = self._due, {}
                for address in due:
                    await self._tell(address)
                await self._log()
                if due:
                    await anyio.sleep(PAUSE)
                else:
                    await self._rung.wait()
                    self._rung = anyio.Event()
        finally:
            self._wake = lambda: None

    async def _log(self) -> None:
        while self.session and self._logged:
            data = self._logged.popleft()
            told = LoggingMessageNotificationParams(level="notice", logger="guardian", data=data)
            if not self.quiet:
                await self.session.send_notification(LoggingMessageNotification(params=told))

    def _ring(self) -> None:
        self._rung.set()

    async def _tell(self, address: str) -> None:
        event: ServerEvent = ResourceUpdated(uri=address) if address else ToolsListChanged()
        await self.bus.publish(event)
        if self.session is None:
            return
        if address == TOOLS:
            await self.session.send_tool_list_changed()
        elif address in self.wanted:
            await self.session.send_resource_updated(address)
