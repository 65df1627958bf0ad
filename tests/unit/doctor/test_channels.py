"""What the doctor says of channels: damage, who is locked out, and which SQLite it is."""

import os
import sqlite3
from pathlib import Path

import pytest

from swarm import doctor
from swarm.mailbox.layout import Root
from swarm.team.channel import Channel


def said(root: Root, home: Path) -> list[tuple[str, str, str]]:
    found = doctor.examine(root, team_home=str(home))
    return [(f.level, f.path, f.text) for f in found if f.path.startswith(str(home))]


def test_without_a_channel_there_is_nothing_to_say(root: Root, tmp_path: Path) -> None:
    assert said(root, tmp_path / "none") == []
    (tmp_path / "none" / "ops").mkdir(parents=True)
    assert said(root, tmp_path / "none") == []


@pytest.mark.parametrize(
    ("version", "level"),
    [
        ((3, 40, 1), "warn"),
        ((3, 44, 5), "warn"),
        ((3, 44, 6), "ok"),
        ((3, 50, 6), "warn"),
        ((3, 50, 7), "ok"),
        ((3, 51, 2), "warn"),
        ((3, 51, 3), "ok"),
        ((4, 0, 0), "ok"),
    ],
)
def test_the_version_of_sqlite_is_named_j10(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int], level: str
) -> None:
    Channel.create(str(tmp_path / "home"), "ops").close()
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    ((found, path, text),) = said(root, tmp_path / "home")
    assert (found, path) == (level, str(tmp_path / "home"))
    assert f"SQLite {sqlite3.sqlite_version}" in text and ("3.51.3" in text) == (level == "warn")


def test_a_damaged_channel_is_named_and_hides_no_other_j15(root: Root, tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("good", "other", "text"):
        with Channel.create(str(home), name) as channel:
            channel.join("alice")
    path = home / "other" / "team.db"
    db = sqlite3.connect(path)
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_master SET rootpage = 2 WHERE name = 'messages'")
    db.commit()
    db.close()
    (home / "text" / "team.db").write_text("no database")
    found = said(root, home)
    assert {(level, os.path.relpath(path, home)) for level, path, _ in found[:-1]} == {
        ("fail", "other/team.db"),
        ("fail", "text/team.db"),
    }
    assert all("aside" in text for _, _, text in found[:-1])
    assert (home / "text" / "team.db").read_text() == "no database"
