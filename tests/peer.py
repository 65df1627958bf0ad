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
        self.roster: dict[str, object] = {}
        self.waiting: dict[str, str] = {}  # contents of requests to be tried again, by target

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

    def arrive(self, name: str = "") -> None:
        """Join, look who is there, and say so."""
        self.join(name)
        sql = "SELECT session_id, status FROM agents WHERE session_id != ? AND status != 'inactive'"
        self.roster = dict(self.db.execute(sql, (self.me,)))
        self.send("broadcast", f"{self.me} has joined the channel", intent="agent_join")

    def leave(self) -> None:
        self.send("broadcast", f"{self.me} has left the channel", intent="agent_leave")
        self.set_status("inactive")

    def request(self, to: str, content: str) -> int:
        """A request that is tried again if it is rejected."""
        self.waiting[to] = content
        return self.send("task_req", content, to)

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
        """What is new, answered; then the cursor, once; then the statuses of the table."""
        found = self.unread()
        for message in found:
            self._answer(message)
        if found:
            self.db.execute(
                "INSERT INTO agent_cursors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET"
                " last_read_id = excluded.last_read_id",
                (self.me, self.channel, found[-1]["id"]),
            )
        if self._changed():
            self._try_again()
        return found

    def _answer(self, message: dict[str, object]) -> None:
        sender, task, number = str(message["from"]), message["task"], message["id"]
        match message["event"]:
            case "ping":
                self.send("pong", "pong", sender, task, number)
                self.beat()
            case "task_req" if task == number and self.status(self.me) == "available":
                self.send("task_ack", "accepted", sender, task, number)
                self.set_status("busy")
            case "task_req" if task == number:
                self.send("task_reject", "busy", sender, task, number)
            case "task_cancel":
                self.send("task_cancel_ack", "cancelled", sender, task, number)
                self.set_status("available")
            case "task_ack":
                self.waiting.pop(sender, None)
            case "broadcast" if message["intent"] in ("agent_join", "agent_status_change"):
                self.roster[sender] = self.status(sender)
            case "broadcast" if message["intent"] == "agent_leave":
                self.roster.pop(sender, None)

    def _changed(self) -> bool:
        """Whether the table says of anybody what the roster does not; a broadcast that came in
        time hides that."""
        now = {agent: self.status(agent) for agent in self.roster}
        changed, self.roster = now != self.roster, {a: s for a, s in now.items() if s}
        return changed

    def _try_again(self) -> None:
        for target, content in list(self.waiting.items()):
            if self.roster.get(target) == "available":
                del self.waiting[target]
                self.send("task_req", content, target)

    def status(self, session: str) -> object:
        return self.value("SELECT status FROM agents WHERE session_id = ?", session)

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
