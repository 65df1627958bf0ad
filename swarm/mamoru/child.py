"""One command at work on one task: started, listened to, interrupted, and surely ended.

It leads a process group of its own.  Its two outputs are one pipe; a thread takes what comes
into a file, so a command that writes without end, or never reads, blocks nobody.
"""

import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence

from swarm.events import one_line

CAP = 64 * 1024 * 1024
LINE = 4096  # bytes of a line that are looked at
LAST = 20  # lines that are remembered
CHUNK = 65536
UPDATE = b"update:"
# Standard error is first a line of life: a pipe that nobody writes to and that ends with the
# guardian, however that ends.  A watcher in the group waits for that end, and kills the group,
# itself too.  Its parent is gone at once, so that the command does not find a strange child.
WATCHED = """((trap '' INT TERM HUP; read -r _ <&2; kill -KILL 0) </dev/null >/dev/null &)
exec "$@" 2>&1"""


class Output:
    """What the command writes: at most ``cap`` bytes of it in the file, the rest is counted.

    ``last``: its last lines.  ``update``: the newest ``update: …`` line not yet taken.
    """

    def __init__(self, source: int, target: int, cap: int) -> None:
        self._source = source
        self._target = target
        self._left = cap
        self._part = bytearray()
        self._ended = threading.Event()
        self.size = 0
        self.lost = 0
        self.failure = ""
        self.last: deque[str] = deque(maxlen=LAST)
        self.update = ""
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Take what is there, and listen no longer, though a stray process may hold the pipe."""
        self._ended.set()
        self._thread.join()
        if self._part:
            self._line()
        if self.lost:
            self._put(f"\n[swarm: {self.lost} more bytes were left out]\n".encode())
        os.close(self._source)
        os.close(self._target)

    def take_update(self) -> str:
        """The newest update, once; those that it overtook are in the file only."""
        found, self.update = self.update, ""
        return found

    def _listen(self) -> None:
        while True:
            ready, _, _ = select.select([self._source], [], [], 0.05)
            if not ready and self._ended.is_set():
                return
            if ready:
                data = os.read(self._source, CHUNK)
                if not data:
                    return
                self._take(data)

    def _take(self, data: bytes) -> None:
        kept = data[: self._left]
        self._left -= len(kept)
        self.lost += len(data) - len(kept)
        self._put(kept)
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._part += line[: LINE - len(self._part)]
            self._line()
        self._part += rest[: LINE - len(self._part)]

    def _line(self) -> None:
        line, self._part = bytes(self._part), bytearray()
        text = one_line(line.decode("utf-8", "replace"))
        if line.startswith(UPDATE):
            self.update = one_line(text[len(UPDATE) :]) or self.update
        elif text:
            self.last.append(text)

    def _put(self, data: bytes) -> None:
        """Into the file; where that fails the rest is listened to all the same."""
        try:
            while data and not self.failure:
                data = data[os.write(self._target, data) :]
                self.size = os.lseek(self._target, 0, os.SEEK_CUR)
        except OSError as error:  # told with the result
            self.failure = error.strerror or str(error)


class Child:
    """The process, and the signals that end it: SIGINT, SIGTERM, SIGKILL, ``grace`` s apart."""

    def __init__(
        self,
        argv: Sequence[str],
        environ: Mapping[bytes, bytes],
        stdin: int,
        output: int,
        *,
        grace: float = 5.0,
        cap: int = CAP,
    ) -> None:
        """Start it.  OSError or ValueError if that cannot be; ``output`` is closed at its end."""
        self._grace = grace
        self._signals = deque((signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
        self._next_signal = float("inf")
        read_end, write_end = os.pipe()
        life, self._life = os.pipe()
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", WATCHED, "swarm", *argv],
                env=environ, stdin=stdin, stdout=write_end, stderr=life, start_new_session=True,
            )  # fmt: skip
        except BaseException:
            for fd in (read_end, self._life):
                os.close(fd)
            raise
        finally:
            os.close(write_end)
            os.close(life)
        self.output = Output(read_end, output, cap)
        self.status: int | None = None

    def interrupt(self) -> None:
        """Begin to end it; the rest of the signals comes with ``poll``."""
        if self._next_signal == float("inf"):
            self._next_signal = time.monotonic()
            self.poll()

    def poll(self) -> bool:
        """Whether it has ended; sends the next signal if it is time."""
        if self.status is not None:
            return True
        if os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            self._finish()
            return True
        if time.monotonic() >= self._next_signal and self._signals:
            self._signal(self._signals.popleft())
            self._next_signal = time.monotonic() + self._grace
        return False

    def terminate(self) -> None:
        """Ask it to end at once."""
        if self.status is None:
            self._signal(signal.SIGTERM)

    def kill(self, patience: float) -> None:
        """Wait so many seconds for its end, and then make it end."""
        end = time.monotonic() + patience
        while not self.poll() and time.monotonic() < end:
            time.sleep(0.01)
        if self.status is None:
            self._signal(signal.SIGKILL)
            self._finish()

    def _signal(self, number: signal.Signals) -> None:
        """To the whole group, whose number is ours until the process is waited for."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):  # only its zombie is left
            return

    def _finish(self) -> None:
        """What is left of its group ends with it: the task is over."""
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        self._signal(signal.SIGKILL)
        self.status = self._process.wait()
        self.output.end()
        os.close(self._life)
