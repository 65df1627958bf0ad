"""A process that dies at a write to the disk or the database, or within it; or is refused one.

What is dead writes nothing more: whatever it tries on its way out fails as well.  What is
refused goes on being refused until that is over.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from swarm.errors import Temporary
from swarm.team.database import Database

DEAD = ""
NEVER = 1_000_000
CALLS = ("link", "unlink", "replace", "rename", "mkdir", "rmdir", "utime", "truncate")
WRITES = os.O_WRONLY | os.O_RDWR


class Killed(BaseException):
    """Nobody catches it."""


class Dying:
    """Dies ``after`` so many steps, or half through the next one; ``steps`` are all it took.

    ``error``: a number of the system's, which it is told instead from then on.
    """

    def __init__(self, after: int = NEVER, within: bool = False, error: int = 0) -> None:
        self.steps: list[str] = []
        self._files: dict[int, str] = {}
        self._after = after
        self._within = within
        self._error = error

    def _step(self, name: str, do: Callable[[], Any], half: Callable[[], Any] | None = None) -> Any:
        if len(self.steps) >= self._after:
            if self._error:
                self._refuse(name)
                return do()
            if self._within and half and len(self.steps) == self._after:
                half()
            self.steps.append(DEAD)
            raise Killed(name)
        found = do()
        self.steps.append(name)
        return found

    def _refuse(self, name: str) -> None:
        """Nothing new; what is there can be removed."""
        if name.startswith(("open", "write", "link", "mkdir")):
            raise OSError(self._error, os.strerror(self._error))
        if not name.startswith(CALLS):
            raise Temporary(name)

    def well(self) -> None:
        """It is over."""
        self._after = NEVER

    @contextmanager
    def __call__(self) -> "Iterator[Dying]":
        """What is done inside may die."""
        with patch.object(os, "write", self._write(os.write)), \
             patch.object(os, "open", self._open(os.open)), \
             patch.object(Database, "write", self._transaction(Database.write)), \
             patch.multiple(os, **{name: self._call(name, getattr(os, name)) for name in CALLS}):  # fmt: skip
            try:
                yield self
            except Killed:
                pass

    def _call(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            return self._step(f"{name} {_kind(args[0])}", lambda: real(*args, **more))

        return call

    def _write(self, real: Callable[[int, bytes], int]) -> Callable[[int, bytes], int]:
        def write(fd: int, data: bytes) -> int:
            half = data[: len(data) // 2]
            name = f"write {self._files.get(fd)}"
            return int(self._step(name, lambda: real(fd, data), lambda: real(fd, half)))

        return write

    def _open(self, real: Callable[..., int]) -> Callable[..., int]:
        def open_(path: Any, flags: int, *rest: Any, **more: Any) -> int:
            if not flags & WRITES:
                return real(path, flags, *rest, **more)
            found = self._step(f"open {_kind(path)}", lambda: real(path, flags, *rest, **more))
            self._files[found] = _kind(path)
            return int(found)

        return open_

    def _transaction(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def write(database: Database, work: Callable[[sqlite3.Connection], Any]) -> Any:
            def half() -> None:
                def cut(db: sqlite3.Connection) -> None:
                    work(db)
                    raise Killed

                real(database, cut)

            return self._step(work.__qualname__, lambda: real(database, work), half)

        return write


def _kind(path: Any) -> str:
    """What lies at a path, whoever's it is: its folder, and its name if that is no number's."""
    folder, _, name = str(path).rpartition("/")
    return f"{os.path.basename(folder)} {'' if name[-4:] in ('.txt', '.tmp') else name}"
