"""Another client of team.db, after the description of the known one: its own SQL, none of ours.

Every statement commits by itself; a request's number is set by a second statement.
"""

import json
import sqlite3
import time

TABLES = """
CREATE TABLE IF NOT EXISTS agents (
  session_id TEXT PRIMARY KEY, agent_name TEXT NOT NULL, description TEXT, provider TEXT,
  model TEXT, cwd TEXT,
  status TEXT DEFAULT 'available' CHECK (status IN ('available', 'busy', 'inactive')),
  last_heartbeat INTEGER);
CREATE TABLE IF NOT EXISTS messages (
  message_id INTEGER PRIMARY KEY AUTOINCREMENT, from_agent TEXT NOT NULL, to_agent TEXT,
  channel TEXT NOT NULL, task_id INTEGER, ref_message_id INTEGER, payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (from_agent) REFERENCES agents(session_id),
  FOREIGN KEY (task_id) REFERENCES messages(message_id),
  FOREIGN KEY (ref_message_id) REFERENCES messages(message_id));
CREATE TABLE IF NOT EXISTS agent_cursors (
  session_id TEXT NOT NULL, channel TEXT NOT NULL, last_read_id INTEGER DEFAULT 0,
  PRIMARY KEY (session_id, channel),
  FOREIGN KEY (session_id) REFERENCES agents(session_id));
"""


class Peer:
    def __init__(self, path: str, session: str, channel: str, foreign_keys: bool = True) -> None:
        self.me, self.channel = session, channel
        self.db = sqlite3.connect(path, 5.0, isolation_level=None)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
        self.db.executescript(TABLES)
        self.db.execute("PRAGMA user_version=2")

    def join(self, name: str = "") -> None:
        self.db.execute(
            "INSERT OR REPLACE INTO agents VALUES (?, ?, NULL, NULL, NULL, '/', 'available', ?)",
            (self.me, name or self.me, now()),
        )
        self.db.execute(
            "INSERT INTO agent_cursors VALUES (?, ?, coalesce((SELECT max(message_id) FROM"
            " messages WHERE channel = ?), 0)) ON CONFLICT DO NOTHING",
            (self.me, self.channel, self.channel),
        )

    def insert(self, payload: object, to: str | None = None, task: object = None,
               ref: object = None, sender: object = None, at: object = None) -> int:  # fmt: skip
        text = payload if isinstance(payload, str | bytes) else json.dumps(payload)
        row = (sender or self.me, to, self.channel, task, ref, text, at or now())
        sql = "INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"
        return int(self.db.execute(sql, row).lastrowid or 0)

    def send(self, event: str, content: str, to: str | None = None, task: object = None,
             ref: object = None, intent: str | None = None) -> int:  # fmt: skip
        payload = {"event": event, "intent": intent, "need_reply": event == "task_req",
                   "content": content, "detail": None}  # fmt: skip
        message = self.insert(payload, to, task, ref)
        if event == "task_req":
            sql = "UPDATE messages SET task_id = ? WHERE message_id = ?"
            self.db.execute(sql, (message, message))
        return message

    def unread(self) -> list[dict[str, object]]:
        rows = self.db.execute(
            "SELECT message_id, from_agent, to_agent, task_id, ref_message_id, payload FROM messages"
            " WHERE channel = ? AND message_id > coalesce((SELECT last_read_id FROM agent_cursors"
            " WHERE session_id = ? AND channel = ?), 0) AND from_agent != ?"
            " AND (to_agent IS NULL OR to_agent = ?) ORDER BY message_id",
            (self.channel, self.me, self.channel, self.me, self.me),
        ).fetchall()
        return [
            {
                "id": row[0],
                "from": row[1],
                "to": row[2],
                "task": row[3],
                "ref": row[4],
                **json.loads(row[5]),
            }
            for row in rows
        ]

    def poll(self) -> list[dict[str, object]]:
        """What is new, each ping answered and each request accepted; then the cursor, once."""
        found = self.unread()
        for message in found:
            if message["event"] == "ping":
                self.send("pong", "pong", str(message["from"]), message["task"], message["id"])
                self.beat()
            elif message["event"] == "task_req" and message["task"] == message["id"]:
                self.send(
                    "task_ack", "accepted", str(message["from"]), message["id"], message["id"]
                )
                self.set_status("busy")
        if found:
            self.db.execute(
                "INSERT INTO agent_cursors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET"
                " last_read_id = excluded.last_read_id",
                (self.me, self.channel, found[-1]["id"]),
            )
        return found

    def beat(self, at: int = 0) -> None:
        sql = "UPDATE agents SET last_heartbeat = ? WHERE session_id = ?"
        self.db.execute(sql, (at or now(), self.me))

    def set_status(self, status: str, session: str = "") -> None:
        sql = "UPDATE agents SET status = ? WHERE session_id = ?"
        self.db.execute(sql, (status, session or self.me))

    def delete(self, session: str) -> None:
        self.db.execute("PRAGMA foreign_keys=OFF")
        self.db.execute("DELETE FROM agent_cursors WHERE session_id = ?", (session,))
        self.db.execute("DELETE FROM agents WHERE session_id = ?", (session,))
        self.db.execute("PRAGMA foreign_keys=ON")

    def value(self, sql: str, *values: object) -> object:
        row = self.db.execute(sql, values).fetchone()
        return row[0] if row else None


def now() -> int:
    return int(time.time() * 1000)
