"""A tree with alice and bob, and the hooks of a session in it."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from swarm.harness import asked, known
from swarm.harness.hook import Place, hook
from swarm.mailbox import receipts
from swarm.mailbox.layout import Root
from swarm.mailbox.making import init

Hook = Callable[..., list[str]]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Root:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return Root(init(str(tmp_path), ["alice", "bob"])[0].path, sync=False)


@pytest.fixture
def mail(root: Root) -> Callable[..., None]:
    """``mail("01_one")`` puts such a message of alice's into bob's inbox."""

    def put(*names: str) -> None:
        for name in names:
            text = f"To: bob\nFrom: alice\nSubject: about {name}\n---\nbody\n"
            Path(root.inbox("bob"), f"{name}.txt").write_text(text)

    return put


@pytest.fixture
def read(root: Root) -> Callable[[str], None]:
    """bob reads a message."""
    return lambda name: receipts.write(root, "bob", f"{name}.txt")


@pytest.fixture
def call(root: Root) -> Hook:
    """``call("Stop", session="s")``: what the hook says as bob, if to nobody else."""

    def run(
        event: str, harness: str = "claude", agent: str | None = "bob", session: str = "s",
        env: dict[str, str] | None = None, **said: object,
    ) -> list[str]:  # fmt: skip
        told = asked.parse(json.dumps({"session_id": session, **said}).encode())
        if agent:
            env = {"SWARM_AGENT": agent, **(env or {})}
        heard: list[str] = []
        hook(
            Place(root, harness, told, env or {}), known.EVENTS[harness][event], None, heard.append
        )
        return heard

    return run


def state(root: Root, name: str = "claude-s") -> str:
    """The session's file, '' if there is none."""
    path = Path(root.path, ".sessions", name)
    return path.read_text() if path.exists() else ""


def everything(root: Root) -> dict[str, tuple[int, int]]:
    """Each file and folder of the tree but of sessions, with what a write would change."""
    found = {}
    for folder, _, files in os.walk(root.path):
        if "/.sessions" not in folder:
            for path in (folder, *(f"{folder}/{name}" for name in files)):
                at = os.lstat(path)
                found[path] = (at.st_mtime_ns if path != root.path else 0, at.st_size)
    return found
