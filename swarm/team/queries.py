"""Every SQL statement by its name; the tables themselves are in ``schema.sql``.

The statements that the known client also has are written as it writes them.  A page of
messages is ``messages(WHERE …)``: the same conditions can then be asked for ids alone, which
is how a row that cannot be read is stepped over.
"""

# --- the file ------------------------------------------------------------------------------

SETTINGS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = NORMAL",
    # A log that an outside reader once made grow is cut back to this after its checkpoint.
    "PRAGMA journal_size_limit = 16777216",
)
WAL = "PRAGMA journal_mode = WAL"
FOREIGN_KEYS = "PRAGMA foreign_keys"
FOREIGN_KEYS_ON = "PRAGMA foreign_keys = ON"
FOREIGN_KEYS_OFF = "PRAGMA foreign_keys = OFF"
DATA_VERSION = "PRAGMA data_version"
INTEGRITY = "PRAGMA integrity_check(20)"
BEGIN = "BEGIN IMMEDIATE"
COMMIT = "COMMIT"
ROLLBACK = "ROLLBACK"
OURS = """SELECT count(*) FROM sqlite_master WHERE name IN
 ('agents', 'messages', 'agent_cursors', 'swarm_task', 'swarm_origin')"""
OURS_COUNT = 5

# --- reading messages ----------------------------------------------------------------------

COLUMNS = "message_id, from_agent, to_agent, task_id, ref_message_id, payload, created_at"
BARE_COLUMNS = """message_id, substr(from_agent, 1, 200), substr(to_agent, 1, 200),
 substr(task_id, 1, 20), substr(ref_message_id, 1, 20), NULL,
 iif(typeof(created_at) = 'integer', created_at, 0)"""


class Page:
    """One query for messages: whole rows, or only their ids."""

    __slots__ = ("ids", "rows")

    def __init__(self, template: str) -> None:
        self.rows = template.replace("{columns}", COLUMNS)
        self.ids = template.replace("{columns}", "message_id")


UNREAD = Page(
    "SELECT {columns} FROM messages WHERE channel = :channel AND message_id > :after"
    " AND message_id <= :top AND from_agent != :me AND (to_agent IS NULL OR to_agent = :me)"
    " ORDER BY message_id LIMIT :limit"
)
HISTORY = Page(
    "SELECT {columns} FROM messages WHERE channel = :channel AND message_id < :before"
    " ORDER BY message_id DESC LIMIT :limit"
)
# A task_req that its sender has not yet given its own number counts as numbered.
TASK = Page(
    "SELECT {columns} FROM messages"
    " WHERE message_id = :task AND task_id IS NULL AND message_id > :after AND channel = :channel"
    " UNION ALL SELECT {columns} FROM messages"
    " WHERE task_id = :task AND message_id > :after AND channel = :channel"
    " ORDER BY message_id LIMIT :limit"
)
TASKS_OF = Page(
    "SELECT {columns} FROM messages WHERE channel = :channel AND message_id > :after"
    " AND (from_agent = :me OR to_agent = :me OR to_agent IS NULL)"
    " AND (task_id IS NOT NULL OR instr(payload, '\"task_req\"'))"
    " ORDER BY message_id LIMIT :limit"
)
SENT = Page(
    "SELECT {columns} FROM messages WHERE channel = :channel AND message_id > :after"
    " AND from_agent = :me ORDER BY message_id LIMIT :limit"
)
BROADCASTS_AFTER = Page(
    "SELECT {columns} FROM messages WHERE message_id > :after AND from_agent = :sender"
    " AND to_agent IS NULL"
)
ONE = f"SELECT {COLUMNS} FROM messages WHERE message_id = ?"
ONE_BARE = f"SELECT {BARE_COLUMNS} FROM messages WHERE message_id = ?"
NEWEST = "SELECT max(message_id) FROM messages"
NEWEST_HERE = """SELECT message_id FROM messages WHERE channel = ?
 ORDER BY message_id DESC LIMIT 1"""
NEWEST_BEFORE = """SELECT message_id FROM messages WHERE channel = ? AND created_at < ?
 ORDER BY message_id DESC LIMIT 1"""
LAST_GIVEN_ID = "SELECT seq FROM sqlite_sequence WHERE name = 'messages'"
PARTIES = """SELECT DISTINCT from_agent, coalesce(to_agent, '') FROM messages
 WHERE message_id > ? AND message_id <= ? AND channel = ?"""
SENDERS_AFTER = "SELECT DISTINCT from_agent FROM messages WHERE message_id > ?"
LAST_ANSWERED = "SELECT max(ref_message_id) FROM messages WHERE from_agent = ? AND channel = ?"

# --- writing messages ----------------------------------------------------------------------

ORIGIN = """CASE WHEN instr(payload, '"origin"') AND typeof(payload) = 'text' THEN
    CASE WHEN json_valid(payload) THEN
      CASE WHEN json_type(payload, '$.origin') = 'text' THEN json_extract(payload, '$.origin') END
    END
  END"""
BY_ORIGIN = f"SELECT {COLUMNS} FROM messages WHERE {ORIGIN} = ? AND {ORIGIN} IS NOT NULL"
MESSAGE_EXISTS = "SELECT 1 FROM messages WHERE message_id = ?"
# The foreign keys hold sender, task and ref; S has none for the recipient.
INSERT = """INSERT INTO messages
 (from_agent, to_agent, channel, task_id, ref_message_id, payload, created_at)
 SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
 WHERE ?2 IS NULL OR EXISTS (SELECT 1 FROM agents WHERE session_id = ?2)"""
NUMBER_TASK = "UPDATE messages SET task_id = message_id WHERE message_id = ?"

# --- agents --------------------------------------------------------------------------------

AGENT_EXISTS = "SELECT 1 FROM agents WHERE session_id = ?"
AGENT_STATUS = "SELECT status FROM agents WHERE session_id = ?"
_AGENT = """SELECT substr(session_id, 1, 1000), substr(agent_name, 1, 200),
 substr(description, 1, 2000), substr(provider, 1, 200), substr(model, 1, 200),
 substr(cwd, 1, 4096), status, last_heartbeat FROM agents"""
AGENTS = f"{_AGENT} ORDER BY rowid"
AGENT = f"{_AGENT} WHERE session_id = ?"
# Not INSERT OR REPLACE: that would wipe columns that another client has added.
ENTER = """INSERT INTO agents
 (session_id, agent_name, description, provider, model, cwd, status, last_heartbeat)
 VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session_id) DO UPDATE SET
 agent_name = excluded.agent_name, description = excluded.description,
 provider = excluded.provider, model = excluded.model, cwd = excluded.cwd,
 status = excluded.status, last_heartbeat = excluded.last_heartbeat"""
SET_STATUS = "UPDATE agents SET status = ? WHERE session_id = ?"
BEAT = "UPDATE agents SET last_heartbeat = ? WHERE session_id = ?"
MARK_INACTIVE = """UPDATE agents SET status = 'inactive'
 WHERE session_id = ? AND status != 'inactive'"""
MARK_AVAILABLE = """UPDATE agents SET status = 'available'
 WHERE session_id = ? AND status = 'inactive'"""
INACTIVE = """SELECT session_id FROM agents WHERE status = 'inactive'
 AND (:name = '' OR agent_name = :name) AND session_id != :keep
 ORDER BY coalesce(last_heartbeat, 0), session_id"""
REMOVE_CURSORS = "DELETE FROM agent_cursors WHERE session_id = ?"
REMOVE_AGENT = "DELETE FROM agents WHERE session_id = ? AND status = 'inactive'"

# --- cursors -------------------------------------------------------------------------------

CURSOR = "SELECT last_read_id FROM agent_cursors WHERE session_id = ? AND channel = ?"
MEND_CURSOR = """INSERT INTO agent_cursors (session_id, channel, last_read_id) VALUES (?, ?, ?)
 ON CONFLICT (session_id, channel) DO UPDATE SET last_read_id = excluded.last_read_id"""
ADVANCE = """UPDATE agent_cursors SET last_read_id = :id
 WHERE session_id = :me AND channel = :channel AND last_read_id < :id"""

# --- a channel mirrored into a mail tree ---------------------------------------------------

THREAD = """CASE WHEN instr(payload, '"thread"') AND typeof(payload) = 'text' THEN
    CASE WHEN json_valid(payload) THEN
      CASE WHEN json_type(payload, '$.thread') = 'text' THEN json_extract(payload, '$.thread') END
    END
  END"""
# Made by the first bridge; a table that other clients do not know they leave alone.
MIRROR = (
    f"CREATE INDEX IF NOT EXISTS swarm_thread ON messages({THREAD}) WHERE {THREAD} IS NOT NULL",
    f"CREATE INDEX IF NOT EXISTS swarm_request ON messages({THREAD})"
    f" WHERE {THREAD} IS NOT NULL AND task_id = message_id",
    """CREATE TABLE IF NOT EXISTS swarm_bridge (token TEXT PRIMARY KEY, root TEXT NOT NULL,
 mirrored INTEGER NOT NULL DEFAULT -1, restored INTEGER NOT NULL DEFAULT 0)""",
)
HAS_PAIRS = "SELECT count(*) FROM sqlite_master WHERE name = 'swarm_bridge'"
PAIRS = "SELECT token, root, mirrored, restored FROM swarm_bridge ORDER BY rowid"
BEGIN_PAIR = """INSERT INTO swarm_bridge (token, root, mirrored, restored) VALUES (?, ?, ?, ?)
 ON CONFLICT (token) DO UPDATE SET root = excluded.root, mirrored = excluded.mirrored,
 restored = excluded.restored"""
WAITING = "SELECT count(*) FROM messages WHERE channel = ? AND message_id > ?"
MIRRORED = "UPDATE swarm_bridge SET mirrored = ? WHERE token = ?"
EVERY = Page(
    "SELECT {columns} FROM messages WHERE channel = :channel AND message_id > :after"
    " ORDER BY message_id LIMIT :limit"
)
RAW = "SELECT substr(payload, 1, 1048576) FROM messages WHERE message_id = ?"
ORIGINS = f"""SELECT message_id, {ORIGIN} FROM messages
 WHERE {ORIGIN} > ? AND {ORIGIN} < ? AND {ORIGIN} IS NOT NULL"""
REQUESTS_OF = Page(
    f"SELECT {{columns}} FROM messages WHERE {THREAD} = :thread AND {THREAD} IS NOT NULL"
    " AND task_id = message_id ORDER BY message_id LIMIT 1000"
)
# The first message of a thread that concerns somebody, and all that have the same key.
FIRST_OF = f"""SELECT message_id, from_agent FROM messages WHERE {THREAD} = :thread
 AND {THREAD} IS NOT NULL AND (from_agent = :who OR to_agent = :who OR to_agent IS NULL)
 ORDER BY message_id LIMIT 1"""
FIRST_TO = "SELECT min(message_id) FROM messages WHERE channel = ? AND to_agent = ?"
INSERT_AS = """INSERT INTO messages
 (message_id, from_agent, to_agent, channel, task_id, ref_message_id, payload, created_at)
 SELECT ?8, ?1, ?2, ?3, ?4, ?5, ?6, ?7
 WHERE ?2 IS NULL OR EXISTS (SELECT 1 FROM agents WHERE session_id = ?2)"""
NEVER_GIVE_UP_TO = """INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', :top
 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'messages')"""
RAISE_SEQUENCE = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'messages'"
CURSORS = "SELECT session_id, last_read_id FROM agent_cursors WHERE channel = ?"
OPEN_REQUESTS = Page(
    "SELECT {columns} FROM messages WHERE channel = :channel AND message_id > :after"
    " AND task_id = message_id AND to_agent IS NOT NULL ORDER BY message_id LIMIT :limit"
)
SET_PROVIDER = "UPDATE agents SET provider = ? WHERE session_id = ?"
ENTER_AS = """INSERT INTO agents
 (session_id, agent_name, description, provider, model, cwd, status, last_heartbeat)
 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (session_id) DO UPDATE SET
 agent_name = excluded.agent_name, description = excluded.description,
 provider = excluded.provider, model = excluded.model, cwd = excluded.cwd,
 status = excluded.status, last_heartbeat = excluded.last_heartbeat"""
