"""Notices: what changed is told soon, once for all that happened meanwhile, to who asked."""

import itertools
import time
from typing import Any

import anyio
from mcp.server.subscriptions import ResourceUpdated, ToolsListChanged

from swarm.mcp.notices import MOST, PAUSE, TOOLS, Notices


class Session:
    """An older client's end, which keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def send_tool_list_changed(self) -> None:
        self.told.append("tools")

    async def send_resource_updated(self, address: str) -> None:
        self.told.append(address)


def run(notices: Notices, work: Any) -> None:
    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(notices.deliver)
            await anyio.sleep(0)
            await anyio.to_thread.run_sync(work)
            await anyio.sleep(2 * PAUSE)
            group.cancel_scope.cancel()

    anyio.run(main)


def test_who_listens_hears_of_all_and_an_older_client_of_what_it_asked_for() -> None:
    notices, session = Notices(), Session()
    heard: list[Any] = []
    notices.bus.subscribe(heard.append)
    notices.session = session  # type: ignore[assignment]
    notices.wanted.add("swarm://inbox")
    run(notices, lambda: notices.changed(TOOLS, "swarm://inbox", "swarm://threads"))
    assert heard == [
        ToolsListChanged(),
        ResourceUpdated(uri="swarm://inbox"),
        ResourceUpdated(uri="swarm://threads"),
    ]
    assert session.told == ["tools", "swarm://inbox"]


def test_many_changes_are_told_at_once_and_the_last_is_never_lost() -> None:
    notices = Notices()
    heard: list[float] = []
    notices.bus.subscribe(lambda event: heard.append(time.monotonic()))
    last: list[float] = []

    def work() -> None:
        end = time.monotonic() + 2.5 * PAUSE
        while time.monotonic() < end:
            last[:] = [time.monotonic()]
            notices.changed("swarm://inbox")

    run(notices, work)
    assert 2 <= len(heard) <= 5 and heard[-1] > last[0]
    assert all(b - a > 0.9 * PAUSE for a, b in itertools.pairwise(heard))


def test_what_the_guardian_says_is_kept_until_it_was_heard_and_bounded() -> None:
    notices = Notices()
    for number in range(MOST + 5):
        notices.say(str(number))
    said = notices.said()
    assert said == notices.said() == [str(number) for number in range(5, MOST + 5)]
    notices.say("new")
    notices.heard(said)
    assert notices.said() == ["new"]
    notices.changed("swarm://inbox")  # before it is served, and after: nobody is told
