"""A mail tree with amy and bob registered, and stores on it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from swarm.mailbox import making, registry
from swarm.mailbox.layout import Root
from swarm.transport.mail import MailStore


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made, _ = making.init(str(tmp_path), [])
    made.sync = False
    for agent in ("amy", "bob"):
        registry.register(made, agent, "helper", "specialist", "waits", "paused")
    return made


@pytest.fixture
def store(root: Root) -> Iterator[MailStore]:
    made = MailStore(root, watching=False)
    yield made
    made.close()


@pytest.fixture
def drop(root: Root) -> Callable[..., Path]:
    """Writes a file into an inbox as an editor would; long ago, so that it is whole."""
    import os

    def write(agent: str, name: str, text: str, folder: str = "inbox", age: float = 100.0) -> Path:
        import time

        path = Path(root.box(agent), folder, name)
        path.write_text(text)
        then = time.time() - age
        os.utime(path, (then, then))
        return path

    return write


@pytest.fixture
def mail() -> Callable[..., str]:
    def make(
        to: str = "bob", sender: str = "amy", subject: str = "hello", body: str = "", **more: Any
    ) -> str:
        extra = "".join(f"{name.replace('_', '-')}: {value}\n" for name, value in more.items())
        return f"To: {to}\nFrom: {sender}\nSubject: {subject}\n{extra}---\n{body}"

    return make
