"""One file is written whole, and not over what others have just written."""

from pathlib import Path

import pytest

from swarm import disk
from swarm.install.block import Block
from swarm.install.change import carry_out, plan
from swarm.install.harnesses import File


def test_what_others_write_while_ours_goes_to_the_disk_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, store = tmp_path / "AGENTS.md", tmp_path / "store"
    path.write_text("# a\n")
    store.mkdir()
    change = plan("codex", File(str(path), Block()), str(store), ["swarm"], take_out=False)
    real = disk.write_temp

    def slow(folder: str, *rest: object) -> str:
        temp: str = real(folder, *rest)  # type: ignore[arg-type]
        if folder == str(tmp_path):
            path.write_text("# b\n")
        return temp

    monkeypatch.setattr(disk, "write_temp", slow)
    carry_out(change, str(store))
    assert path.read_text() == "# b\n" and change.error and change.error.exit == 75
    assert sorted(one.name for one in tmp_path.iterdir()) == ["AGENTS.md", "store"]


def test_a_program_that_no_text_can_name_changes_nothing(tmp_path: Path) -> None:
    from swarm.install.server import Server

    path = tmp_path / "mcp.json"
    change = plan("cursor", File(str(path), Server()), str(tmp_path), ["/\udcff/swarm"], False)
    assert change.error and change.error.exit == 1 and "'/\\udcff/swarm'" in change.error.message
