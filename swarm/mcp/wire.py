"""Lines in and out of a client, and the word that an answer was written.

The SDK's own reader and writer work on files, in threads that nothing can end; these wait for
the pipe instead, so that a signal ends the server at once.  What anything else would print or
read goes elsewhere: the descriptors 0 and 1 are given other ends.
"""

import json
import os
import select
from collections.abc import Callable
from typing import Any

import anyio
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult

from swarm.mcp.answers import Held
from swarm.mcp.session import log, one_line

PIECE = 1 << 16
# So many requests are served at a time; those after them wait in the pipe, not in memory.
AT_ONCE = 100
LASTING = frozenset(("subscriptions/listen",))  # has no answer as long as the client listens
Id = str | int


class Wire:
    """What the SDK takes for both its input (lines) and its output.

    ``gone``: called when nobody takes what is written any more.
    """

    def __init__(self) -> None:
        self._input, self._output = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(2, 1)
        os.close(null)
        self._rest = bytearray()
        self._seen = 0
        self._text = ""
        self._writing = anyio.Lock()
        self._served = 0
        self._ended = anyio.Event()
        self._waiting: list[tuple[Id, Held]] = []  # in the order of their answers
        self.gone: Callable[[], None] = lambda: None

    def expect(self, request: Id | None, held: Held) -> None:
        """What to do once this request's answer was written."""
        if request is not None and held:
            self._waiting.append((request, held))

    async def serve(self, ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
        """Around each request, whether it is answered, cancelled or fails."""
        if ctx.request_id is None or ctx.method in LASTING:
            return await call_next(ctx)
        self._served += 1
        try:
            return await call_next(ctx)
        finally:
            self._served -= 1
            self._ended.set()

    def __aiter__(self) -> "Wire":
        return self

    async def __anext__(self) -> str:
        """The next line; what is left at the end is none."""
        while (end := self._rest.find(b"\n", self._seen)) < 0:
            self._seen = len(self._rest)
            piece = await self._piece()
            if not piece:
                raise StopAsyncIteration
            self._rest += piece
        line = bytes(self._rest[: end + 1])
        del self._rest[: end + 1]
        self._seen = 0
        while self._served >= AT_ONCE:
            self._ended = anyio.Event()
            await self._ended.wait()
        # Who has read an answer does not find its mail unread; who reads none asks no more.
        async with self._writing:
            return _whole(line.decode("utf-8", "replace"))

    async def _piece(self) -> bytes:
        try:
            await _ready(self._input, anyio.wait_readable)
            return os.read(self._input, PIECE)
        except OSError:
            return b""

    async def write(self, text: str) -> int:
        """Keep it until ``flush``."""
        self._text += text
        return len(text)

    async def flush(self) -> None:
        """Write all of it; what waits for that is done then."""
        text, self._text = self._text, ""
        async with self._writing:
            try:
                await self._write_all(text.encode("utf-8", "replace"))
            except OSError:
                self._waiting.clear()
                self.gone()
                return
            await self._written(text)

    async def _write_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            await _ready(self._output, anyio.wait_writable)
            rest = rest[os.write(self._output, rest[: select.PIPE_BUF]) :]

    async def _written(self, text: str) -> None:
        answer = json.loads(text) if self._waiting else {}
        for one in self._waiting:
            request, held = one
            if request == answer.get("id") and "method" not in answer:
                self._waiting.remove(one)
                if "result" in answer:
                    await anyio.to_thread.run_sync(held.done, _tell)
                else:
                    held.back()
                return


def _whole(line: str) -> str:
    """A line that the SDK can read: half a character in it, as is left of a text that was cut
    in the middle of one, would be a request without an answer."""
    if "\\ud" not in line.lower():
        return line
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
        whole = text.encode("utf-8", "replace").decode()
    except (ValueError, RecursionError):  # no JSON: the SDK says what it thinks of that
        return line
    return line if whole == text else f"{whole}\n"


async def _ready(fd: int, wait: Callable[[int], object]) -> None:
    """Wait for a pipe or a terminal; a plain file is always ready."""
    try:
        await wait(fd)  # type: ignore[misc]
    except PermissionError:
        await anyio.lowlevel.checkpoint()


def _tell(error: BaseException) -> None:
    log(f"not marked as read: {one_line(error)}")
