"""A mail tree with all who read it."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from swarm import disk, message
from swarm.bridge import crossing
from swarm.cli import main
from swarm.mailbox import inbox, registry
from swarm.mailbox.layout import Root
from swarm.mailbox.making import init
from swarm.mcp import resources
from swarm.mcp.answers import Held
from swarm.mcp.mail_desk import MailDesk
from swarm.mcp.notices import Notices
from swarm.mcp.session import Session
from swarm.mcp.tools import Tools
from swarm.transport import mail_files

ME = "bob"
OLD = 1_750_000_000  # long ago: nobody waits for a file that may still be written
WELL = (0, 1, 4, 6)


class Tree:
    """A mail tree with bob's mailbox and entry, and its readers."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp()
        self.root = Root(init(self.folder, [ME])[0].path, sync=False)
        registry.register(self.root, ME, "r", "planner", "t")
        self.tools = Tools(MailDesk(Session(ME, self.root.path, None, {})), Notices())
        self._clock = OLD
        self._out, self._err = os.memfd_create("out"), os.memfd_create("err")

    def close(self) -> None:
        """Nothing of it is left."""
        os.close(self._out)
        os.close(self._err)
        shutil.rmtree(self.folder)

    @contextmanager
    def holding(self, files: Mapping[str, bytes]) -> Iterator[None]:
        """These files lie there, by their paths, and then no longer."""
        try:
            for path, data in files.items():
                with open(path, "wb") as file:
                    file.write(data)
                self._clock += 1  # so that nobody takes it for the file that was there before
                os.utime(path, (self._clock, self._clock))
            yield
        finally:
            for path in files:
                disk.remove(path)

    def run(self, *argv: str) -> tuple[int, bytes, bytes]:
        """One command: exit code and what it wrote; only a code of the contract will do."""
        return self.caught(lambda: main._run(["--root", self.root.path, "--as", ME, *argv]))

    def caught(self, command: Callable[[], int]) -> tuple[int, bytes, bytes]:
        """The same of one that is called as the command line calls it."""
        kept = os.dup(1), os.dup(2)
        os.dup2(self._out, 1), os.dup2(self._err, 2)
        try:
            code = command()
        finally:
            for fd, old in enumerate(kept, 1):
                os.dup2(old, fd)
                os.close(old)
            out, err = _taken(self._out), _taken(self._err)
        assert code in WELL and b"internal error" not in err, (code, err)
        assert err or not code, code
        return code, out, err

    def told(self, *argv: str) -> Any:
        """What a command tells a program."""
        at = argv.index("--") if "--" in argv else len(argv)
        return json.loads(self.run(*argv[:at], "--json", *argv[at:])[1])

    def tool(self, name: str, **arguments: Any) -> Any:
        """What a tool answers, as it comes out of the wire."""
        answer = self.tools.call(name, arguments, Held())
        assert not answer.is_error, answer.content
        return json.loads(answer.model_dump_json(by_alias=True))["structuredContent"]

    def resource(self, address: str) -> Any:
        """What lies at an address, as it comes out of the wire."""
        return json.loads(resources.read(self.tools.desk, address).encode())


def _taken(fd: int) -> bytes:
    """What was written to a file in memory, which is written over from its beginning then."""
    size = os.lseek(fd, 0, os.SEEK_CUR)
    os.lseek(fd, 0, os.SEEK_SET)
    return os.pread(fd, size, 0)


# How much of a file is read at once, made small, so that a short one meets each limit.
LIMITS = (
    (inbox, "HEAD", 64),
    (inbox, "GROWTH", 128),
    (mail_files, "HEAD", 96),
    (message, "FALLBACK_WITHIN", 128),
    (message, "HEADER_MAX", 1024),
    (crossing, "LINE_MAX", 24),
)
ENVIRONMENT = {"SWARM_FSYNC": "0", "SWARM_DEBUG": "1"}


def prepare() -> None:
    """For a process that does nothing but read this tree."""
    os.environ.update(ENVIRONMENT)
    for module, name, value in LIMITS:
        setattr(module, name, value)


_tree: list[Tree] = []


def tree() -> Tree:
    """The one tree of this process."""
    if not _tree:
        _tree.append(Tree())
    return _tree[0]
