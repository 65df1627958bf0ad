-- Seed S's three tables, column by column. Whoever comes first makes them; the others find them.
-- user_version stays as it is: it belongs to another client of the same file, which sets it to 2.

CREATE TABLE IF NOT EXISTS agents (
  session_id TEXT PRIMARY KEY,
  agent_name TEXT NOT NULL,
  description TEXT,
  provider TEXT,
  model TEXT,
  cwd TEXT,
  status TEXT DEFAULT 'available' CHECK (status IN ('available', 'busy', 'inactive')),
  last_heartbeat INTEGER
);

CREATE TABLE IF NOT EXISTS messages (
  message_id INTEGER PRIMARY KEY AUTOINCREMENT,
  from_agent TEXT NOT NULL,
  to_agent TEXT,
  channel TEXT NOT NULL,
  task_id INTEGER,
  ref_message_id INTEGER,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (from_agent) REFERENCES agents(session_id),
  FOREIGN KEY (task_id) REFERENCES messages(message_id),
  FOREIGN KEY (ref_message_id) REFERENCES messages(message_id)
);

CREATE TABLE IF NOT EXISTS agent_cursors (
  session_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  last_read_id INTEGER DEFAULT 0,
  PRIMARY KEY (session_id, channel),
  FOREIGN KEY (session_id) REFERENCES agents(session_id)
);

-- Ours, and of no concern to anybody else. The messages of one task, without a scan:
CREATE INDEX IF NOT EXISTS swarm_task ON messages(task_id) WHERE task_id IS NOT NULL;

-- What a crash may repeat is stored once. A payload is anybody's text: only where the word
-- stands in valid JSON is the key looked up, so no other client's insert can fail or slow down.
CREATE UNIQUE INDEX IF NOT EXISTS swarm_origin ON messages(
  CASE WHEN instr(payload, '"origin"') AND typeof(payload) = 'text' THEN
    CASE WHEN json_valid(payload) THEN
      CASE WHEN json_type(payload, '$.origin') = 'text' THEN json_extract(payload, '$.origin') END
    END
  END
) WHERE
  CASE WHEN instr(payload, '"origin"') AND typeof(payload) = 'text' THEN
    CASE WHEN json_valid(payload) THEN
      CASE WHEN json_type(payload, '$.origin') = 'text' THEN json_extract(payload, '$.origin') END
    END
  END IS NOT NULL;
