"""One open ``team.db``: the file that has the name, settings that hold, short transactions."""

import os
import sqlite3
import time

from swarm.errors import Unreadable, from_os
from swarm.team import queries
from swarm.team.faults import BUSY, code_of, from_sqlite, is_bad_row
from swarm.team.members import PATIENCE
from swarm.team.place import Place, unknown_channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Row = tuple[Any, ...]
    Result = TypeVar("Result")

SCHEMA = os.path.join(os.path.dirname(__file__), "schema.sql")
# Text in a row beyond this is not loaded (1 MiB, as a mail's body).
VALUE_MAX = 1024 * 1024
NO_LIMIT = 1_000_000_000
AGAIN = 0.01


class Database:
    """A connection, opened again whenever another file has taken the name.

    ``writes`` counts the transactions committed here, which ``version`` does not see.
    Errors are swarm's: Temporary where locked for ``patience`` seconds, full or failing;
    Unreadable where permissions or the content forbid its use.
    """

    __slots__ = ("_db", "_identity", "patience", "place", "writes")

    def __init__(self, place: Place, patience: float = PATIENCE) -> None:
        self.place = place
        self.patience = patience
        self.writes = 0
        self._identity = (0, 0)
        self._db = self._open()

    # --- opening ---------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        """Connect, and look twice that the file was not replaced in between."""
        while True:
            before = _identity(self.place)
            if before is None:
                raise unknown_channel(self.place)
            db = self._connect()
            if _identity(self.place) == before:
                self._identity = before
                return db
            db.close()

    def _connect(self) -> sqlite3.Connection:
        path = self.place.database
        escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        try:
            db = sqlite3.connect(
                f"file:{escaped}?mode=rw", self.patience, isolation_level=None, uri=True
            )
        except sqlite3.Error as error:
            raise from_sqlite(error, path) from None
        try:
            db.text_factory = _text
            self._settle(db)
        except sqlite3.Error as error:
            db.close()
            raise from_sqlite(error, path) from None
        except BaseException:
            db.close()
            raise
        return db

    def _settle(self, db: sqlite3.Connection) -> None:
        """Settings, checked, and the tables if they are not there."""
        for setting in queries.SETTINGS:
            db.execute(setting)
        if db.execute(queries.FOREIGN_KEYS).fetchone() != (1,):
            raise Unreadable("this SQLite has no foreign keys", "install another Python")
        mode = self._patiently(lambda: str(db.execute(queries.WAL).fetchone()[0]))
        if mode != "wal":
            raise Unreadable(
                f"{self.place.folder} cannot hold a write-ahead log (mode {mode}): is it on a"
                " network drive?",
                "SWARM_TEAM_HOME names a folder on a local disk",
                code="no-wal",
            )
        if db.execute(queries.OURS).fetchone() != (queries.OURS_COUNT,):
            with open(SCHEMA, encoding="utf-8") as file:
                script = file.read()
            self._patiently(lambda: _build(db, script))

    def _patiently(self, work: "Callable[[], Result]") -> "Result":
        """Switching to the log does not wait for locks by itself; this does."""
        end = time.monotonic() + self.patience
        while True:
            try:
                return work()
            except sqlite3.OperationalError as error:
                if code_of(error) not in BUSY or time.monotonic() > end:
                    raise
            time.sleep(AGAIN)

    def in_place(self) -> bool:
        """Whether the open file still has the name (one stat)."""
        return _identity(self.place) == self._identity

    def reopen(self, anew: bool) -> None:
        """Open what has the name now; if nothing has, make it ``anew`` or raise Unknown.

        Not without the channel's folder: whoever moved that away may move it back.
        """
        self.close()
        if anew:
            make(self.place)
        self._db = self._open()

    def close(self) -> None:
        """Close; the connection of a file that was deleted leaves its successor's log alone."""
        self._identity = (0, 0)
        self._db.close()

    # --- reading ---------------------------------------------------------------------------

    def rows(self, query: str, *values: object, **named: object) -> "list[Row]":
        """All rows of a query that is bounded by itself; no read stays open."""
        try:
            return self._db.execute(query, named or values).fetchall()
        except sqlite3.Error as error:
            raise from_sqlite(error, self.place.database) from None

    def one(self, query: str, *values: object) -> "Any":
        """The first column of the first row, or None."""
        found = self.rows(query, *values)
        return found[0][0] if found else None

    def page(self, page: queries.Page, **values: object) -> "list[Row]":
        """Rows of messages; in the place of what cannot be loaded, the payload is None."""
        db = self._db
        try:
            db.text_factory = str
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_MAX)
            return db.execute(page.rows, values).fetchall()
        except sqlite3.Error as error:
            if not is_bad_row(error):
                raise from_sqlite(error, self.place.database) from None
        finally:
            db.text_factory = _text
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, NO_LIMIT)
        try:
            found = db.execute(page.ids, values).fetchall()
            return [row for (message,) in found for row in self._row(message)]
        except sqlite3.Error as error:
            raise from_sqlite(error, self.place.database) from None

    def _row(self, message: int) -> "list[Row]":
        """One message: what is no UTF-8 replaced, a payload that is too long left out."""
        db = self._db
        try:
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_MAX)
            return db.execute(queries.ONE, (message,)).fetchall()
        except sqlite3.DataError as error:
            if not is_bad_row(error):
                raise
        finally:
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, NO_LIMIT)
        return db.execute(queries.ONE_BARE, (message,)).fetchall()

    def version(self) -> tuple[int, int]:
        """Differs from an earlier answer if anything was committed since, by anybody."""
        return int(self.one(queries.DATA_VERSION)), self.writes

    # --- writing ---------------------------------------------------------------------------

    def write_one(self, work: "Callable[[sqlite3.Connection], Result]") -> "Result":
        """Run ``work`` that is a single statement, and so a transaction by itself."""
        try:
            result = work(self._db)
        except sqlite3.Error as error:
            raise from_sqlite(error, self.place.database) from None
        self.writes += 1
        return result

    def write(self, work: "Callable[[sqlite3.Connection], Result]") -> "Result":
        """Run ``work`` in one short transaction that begins with the lock, and commit it.

        Whatever is raised, nothing of it is stored.
        """
        db = self._db
        try:
            db.execute(queries.BEGIN)
            try:
                result = work(db)
                db.execute(queries.COMMIT)
            except BaseException:
                if db.in_transaction:
                    db.execute(queries.ROLLBACK)
                raise
        except sqlite3.Error as error:
            raise from_sqlite(error, self.place.database) from None
        self.writes += 1
        return result

    def without_foreign_keys(self, work: "Callable[[sqlite3.Connection], Result]") -> "Result":
        """The same for what S's keys forbid and its known client does: removing an agent."""
        try:
            self._db.execute(queries.FOREIGN_KEYS_OFF)
            return self.write(work)
        finally:
            self._db.execute(queries.FOREIGN_KEYS_ON)


def make(place: Place) -> None:
    """Make the file of a channel, empty, if there is none; opening it makes the tables.

    Unknown where the channel has no folder.
    """
    path = place.database
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
    except FileExistsError:
        return
    except FileNotFoundError:
        raise unknown_channel(place) from None
    except OSError as error:
        raise from_os(error, "make", path, place.folder) from None


def _build(db: sqlite3.Connection, script: str) -> None:
    """All tables and indexes or none; what another client made stays as it is."""
    try:
        db.executescript(f"{queries.BEGIN};\n{script}\n{queries.COMMIT};")
    except BaseException:
        if db.in_transaction:
            db.execute(queries.ROLLBACK)
        raise


def _identity(place: Place) -> tuple[int, int] | None:
    """Which file has the name: its device and number; None if none has."""
    found = place.look()
    return None if found is None else (found.st_dev, found.st_ino)


def _text(data: bytes) -> str:
    """Text of a row, as far as it is UTF-8."""
    return data.decode("utf-8", "replace")
