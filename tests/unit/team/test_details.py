"""Only what lies in the channel's own folder is read, whatever a link says, and when."""

import os
from pathlib import Path

import pytest

from swarm.team.details import read, within


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "ops"
    (found / "pia").mkdir(parents=True)
    (found / "pia/long.md").write_text("the longer text")
    (tmp_path / "secret").write_text("another's")
    return found


def test_a_file_in_the_folder_is_read_up_to_a_limit(folder: Path) -> None:
    inner = within(f"{folder}/pia/../pia/long.md", str(folder))
    assert inner == "pia/long.md" and read(str(folder), inner, 10) == b"the longer"


@pytest.mark.parametrize(
    "path",
    ["", "pia/long.md", "/etc/passwd", "{0}", "{0}/../secret", "{0}-x/y", "{0}/pia/long.md\0"],
)
def test_a_path_elsewhere_is_none(folder: Path, path: str) -> None:
    assert within(path.format(folder), str(folder)) == ""


def test_a_link_that_leads_out_is_none(folder: Path) -> None:
    (folder / "link").symlink_to(folder.parent / "secret")
    assert within(f"{folder}/link", str(folder)) == ""


@pytest.mark.parametrize("part", ["pia", "pia/long.md"])
def test_a_link_put_there_after_it_was_looked_at_is_not_followed(folder: Path, part: str) -> None:
    inner = within(f"{folder}/pia/long.md", str(folder))
    (folder.parent / "long.md").write_text("another's")
    os.rename(folder / part, folder.parent / "moved")
    (folder / part).symlink_to(folder.parent / ("long.md" if part.endswith("md") else "."))
    with pytest.raises(OSError):
        read(str(folder), inner, 100)
