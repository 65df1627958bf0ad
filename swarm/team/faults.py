"""What SQLite says, as errors that tell whether to try again and what to do."""

import os
import sqlite3

from swarm.errors import SwarmError, Temporary, Unreadable

BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED))
NO_ACCESS = frozenset(
    (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)
)
DAMAGED = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT))
DEVICE = frozenset((sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOLFS))


def version() -> tuple[str, bool]:
    """SQLite's version, and whether it is one that resets a log soundly while two processes use it.

    Before 3.51.3 it can damage the file in a rare race; two older branches were mended too.
    """
    number = sqlite3.sqlite_version_info
    mended = [at for at in ((3, 44, 6), (3, 50, 7)) if at[:2] == number[:2]]
    return sqlite3.sqlite_version, number >= (mended[0] if mended else (3, 51, 3))


def code_of(error: sqlite3.Error) -> int:
    """SQLite's primary result code, 0 where the error is Python's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_bad_row(error: sqlite3.Error) -> bool:
    """Whether one row's content is to blame: text that is no UTF-8, or far too long."""
    code = code_of(error)
    return code == sqlite3.SQLITE_TOOBIG or (code == 0 and "decode" in str(error))


def from_sqlite(error: sqlite3.Error, path: str) -> SwarmError:
    """The error for a user; nothing is ever written over a database that cannot be read."""
    code, folder = code_of(error), os.path.dirname(path)
    if code in BUSY:
        return Temporary(
            f"{path} is locked by another process",
            "run the same command again; if it stays so, a process hangs in a transaction",
            code="busy",
        )
    if code == sqlite3.SQLITE_FULL:
        return Temporary(f"no space left for {path}", "free space, then run it again", "disk-full")
    if code in DEVICE:
        return Temporary(f"cannot use {path}: {error}", "check the disk, then run it again")
    if code in NO_ACCESS:
        return Unreadable(
            f"cannot use {path}: {error}",
            f"SQLite has to write in the folder {folder}, and to team.db, team.db-wal and"
            " team.db-shm in it: check their permissions",
            code="no-permission",
        )
    if code in DAMAGED:
        return damaged(path, str(error))
    return Unreadable(f"cannot use {path}: {error}", aside(path))


def damaged(path: str, reason: str) -> Unreadable:
    """It is no database, or a broken one; it stays as it is, for whoever can mend it."""
    return Unreadable(f"{path} is damaged: {reason}", aside(path), code="damaged")


def aside(path: str) -> str:
    """The way out of a database that cannot be used."""
    folder = os.path.dirname(path)
    return (
        f"move {folder} aside and create the channel again; 'sqlite3 team.db .recover' saves rows"
    )
