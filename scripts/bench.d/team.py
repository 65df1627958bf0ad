"""The table of the team bus: medians of interleaved runs, ratios within one run."""

import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

from swarm.events import Event
from swarm.team.channel import Channel
from swarm.team.queries import UNREAD

RUNS = int(sys.argv[1])
ROWS = 1_000_000
BARE = """SELECT * FROM messages WHERE channel = 'ops' AND message_id > ? AND from_agent != 'bob'
 AND (to_agent IS NULL OR to_agent = 'bob') ORDER BY message_id LIMIT 200"""
INSERT = """INSERT INTO messages (from_agent, to_agent, channel, payload, created_at)
 VALUES ('alice', 'bob', 'ops', ?, ?)"""
VALUES = {"channel": "ops", "after": ROWS - 200, "top": ROWS, "me": "bob", "limit": 200}
PAYLOAD = (
    '{"event":"info_only","intent":null,"need_reply":false,'
    '"content":"the build of the second stage is red again","detail":null}'
)
HELLO = Event(
    kind="info_only", sender="alice", to="bob",
    content="the build of the second stage is red again",
)  # fmt: skip


def medians(count: int, *cases: Callable[[], object]) -> list[float]:
    """The median seconds of one of ``count`` calls, each case in turn: A B A B …"""
    times: list[list[float]] = [[] for _ in cases]
    for _ in range(RUNS):
        for case, found in zip(cases, times, strict=True):
            start = time.perf_counter()
            for _ in range(count):
                case()
            found.append((time.perf_counter() - start) / count)
    return [statistics.median(found) for found in times]


def row(what: str, value: float, bound: str) -> None:
    print(f"| {what} | {value:.2f} | {bound} |", flush=True)


def bare(path: str) -> sqlite3.Connection:
    """A connection with the settings of the known client."""
    db = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
        db.execute(f"PRAGMA {setting}")
    return db


def polls(home: str) -> None:
    with Channel.create(home, "ops") as channel:
        channel.join("alice")
        channel.join("bob")
        db = bare(channel.place.database)
        db.execute("BEGIN")
        db.executemany(INSERT, ((PAYLOAD, 1_700_000_000_000 + n) for n in range(ROWS)))
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

        def place(cursor: int) -> None:
            db.execute("UPDATE agent_cursors SET last_read_id = ?", (cursor,))
            channel.leave("bob")
            channel.join("bob")

        place(ROWS)
        channel.receive("bob")
        peer, own = medians(
            1000, lambda: db.execute(BARE, (ROWS,)).fetchall(), lambda: channel.receive("bob")
        )
        row("poll with nothing new, 1,000,000 rows / bare SELECT", own / peer, "≤ 3")
        row("… one poll, µs", own * 1e6, "-")
        place(ROWS - 200)
        peer, rows, own = medians(
            20,
            lambda: db.execute(BARE, (ROWS - 200,)).fetchall(),
            lambda: channel._database.page(UNREAD, **VALUES),
            lambda: channel.receive("bob"),
        )
        assert len(channel.receive("bob")) == 200
        row("poll 200 new of 1,000,000 / bare SELECT", own / peer, "≤ 3")
        row("… its rows alone, before they become events", rows / peer, "-")
        db.close()


def sends(home: str) -> None:
    with Channel.create(home, "own") as channel, Channel.create(home, "peer") as other:
        for one in (channel, other):
            one.join("alice")
            one.join("bob")
        db = bare(other.place.database)
        db.execute("DROP INDEX swarm_task")
        db.execute("DROP INDEX swarm_origin")
        request = HELLO.replace(kind="task_req")
        peer, own, asked = medians(
            200,
            lambda: db.execute(INSERT, (PAYLOAD, 1_700_000_000_000)),
            lambda: channel.send(HELLO),
            lambda: channel.send(request),
        )
        row("send: rate / rate of a bare INSERT that commits", peer / own, "≥ 0.6")
        row("… a task_req (two statements)", peer / asked, "-")
        db.close()


def large(home: str) -> None:
    with Channel.create(home, "ops", force=True) as channel:
        channel.join("bob")
        db = bare(channel.place.database)
        db.execute("INSERT INTO agents (session_id, agent_name) VALUES ('alice', 'alice')")
        db.execute(INSERT.replace("?, ?", "CAST(zeroblob(52428800) AS TEXT), 1"))
        db.close()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        (own,) = medians(1, lambda: channel.receive("bob"))
        assert channel.receive("bob")[0].problem
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        row("poll that meets a payload of 50 MiB, ms", own * 1000, "-")
        row("… memory it adds, MiB", (after - before) / 1024, "-")


def main() -> None:
    print("| what | measured | bound |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as home:
        for part in (polls, sends, large):
            part(home)


main()
