"""A terminal of 80 columns for the real command, and what is on its screen at last."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from collections.abc import Callable
from pathlib import Path

COLUMNS = 80
# Escape sequences, line ends, and text between them.
TOKEN = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|(\r|\n)|([^\x1b\r\n]+)")


class Terminal:
    """A command that believes to be watched: ``out`` is all it wrote, to be waited for."""

    def __init__(self, argv: list[str], cwd: Path, env: dict[str, str], rows: int = 24) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execve(argv[0], argv, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))
        self.out = ""

    def until(self, seen: Callable[[str], object], seconds: float = 20) -> None:
        """Read on until what was written is as wanted."""
        end = time.monotonic() + seconds
        while not seen(self.out):
            assert time.monotonic() < end, self.out
            assert self._more(end - time.monotonic()), self.out

    def rest(self) -> None:
        """Read on until nothing more was written for half a second: it sleeps till it draws."""
        while self._more(0.5):
            continue

    def end(self, signal: int) -> int:
        """Send a signal, read to the end; the exit code."""
        os.kill(self.pid, signal)
        while self._more(20):
            continue
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _more(self, seconds: float) -> bool:
        if not select.select([self.fd], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other end is closed
            return False
        self.out += data.decode()
        return bool(data)


def screen(out: str) -> list[str]:
    """The lines that can be seen after all that was written, without blanks at their ends."""
    lines, row, column = [""], 0, 0
    for number, letter, move, text in TOKEN.findall(out):
        if text:
            line = lines[row].ljust(column)
            lines[row] = line[:column] + text + line[column + len(text) :]
            column += len(text)
        elif move == "\r":
            column = 0
        elif move == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif letter == "A":
            row = max(0, row - int(number or 1))
        elif letter == "K":
            lines[row] = "" if number == "2" else lines[row][:column]
    return [line.rstrip() for line in lines]


def widest(out: str) -> int:
    """The most columns that any line took, wide characters counted as two."""
    from rich.cells import cell_len

    plain = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", out)
    return max(cell_len(line) for line in re.split(r"[\r\n]+", plain))
