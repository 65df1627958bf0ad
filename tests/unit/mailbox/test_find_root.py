"""Which tree is meant: the one that is named, else the first on the way up."""

import os
import subprocess
from pathlib import Path

import pytest

from swarm.errors import NoRoot
from swarm.mailbox.layout import find_root
from swarm.mailbox.making import init

from ..rights import bound, mode


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree in ``outer``, another further in, and the working directory below both."""
    init(str(tmp_path / "outer"), ["alice"])
    init(str(tmp_path / "outer/inner"), ["alice"])
    folder = tmp_path / "outer/inner/deep/down"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return tmp_path


def test_the_first_tree_on_the_way_up_is_meant(here: Path) -> None:
    assert find_root("", "").path == str(here / "outer/inner/mail")
    (here / "outer/inner/deep/mail").mkdir()  # without dir/ it is none
    assert find_root("", "").path == str(here / "outer/inner/mail")


def test_what_is_named_goes_first(here: Path) -> None:
    outer, inner = str(here / "outer/mail"), str(here / "outer/inner/mail")
    assert find_root(outer, inner).path == outer and find_root("", outer).path == outer
    assert find_root("../../mail", outer).path == inner


@pytest.mark.parametrize("wrong", ["nowhere", "..", "a\0b", "\ud800", "x" * 5000])
def test_what_is_named_and_is_no_root_is_never_replaced_by_another(here: Path, wrong: str) -> None:
    for given, source in (
        ((wrong, str(here / "outer/mail")), "--root"),
        (("", wrong), "SWARM_ROOT"),
    ):
        with pytest.raises(NoRoot, match=source) as caught:
            find_root(*given)
        assert caught.value.exit == 3 and "swarm init" in caught.value.hint


def test_the_folder_around_a_tree_is_told_which_was_meant(here: Path) -> None:
    with pytest.raises(NoRoot) as caught:
        find_root(str(here / "outer"), "")
    assert caught.value.hint == f"did you mean {here / 'outer/mail'}?"


def test_without_a_tree_the_way_out_is_init(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoRoot, match="no mail root here") as caught:
        find_root("", "")
    assert "swarm init" in caught.value.hint
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(NoRoot, match="does not exist any more"):
        find_root("", "")
    with pytest.raises(NoRoot, match="--root 'mail' leads nowhere"):
        find_root("mail", "")


@pytest.mark.parametrize("bits", [0, 0o600])
@pytest.mark.parametrize("named", ["", "--root", "SWARM_ROOT"])
def test_a_tree_that_may_not_be_looked_into_is_never_passed_over(
    here: Path, named: str, bits: int
) -> None:
    shut = here / "outer/inner/mail"
    words = ["--root", str(shut)] if named == "--root" else []
    env = {"SWARM_ROOT": str(shut)} if named == "SWARM_ROOT" else {}
    with mode(shut, bits):
        done = bound(*words, "--as", "alice", "unread", cwd=here / "outer/inner/deep", **env)
    assert (done.returncode, done.stdout) == (6, "")
    assert done.stderr.startswith(f"swarm: cannot look into {shut}: ")


def git(*words: str, cwd: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(cwd), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    try:
        subprocess.run(["git", *who, *words], cwd=cwd, env=env, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no git here")


@pytest.fixture
def worktree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository ``main`` in a folder with a tree, and a worktree of it beside."""
    main, tree = tmp_path / "main", tmp_path / "tree"
    main.mkdir()
    init(str(tmp_path), [])
    git("init", cwd=main)
    git("commit", "--allow-empty", "-m", "first", cwd=main)
    git("worktree", "add", str(tree), cwd=main)
    (tree / "sub").mkdir()
    monkeypatch.chdir(tree / "sub")
    return tmp_path


def test_a_worktree_without_a_tree_uses_the_main_ones(worktree: Path) -> None:
    init(str(worktree / "main"), [])
    assert find_root("", "").path == str(worktree / "main/mail")
    init(str(worktree / "main/sub"), [])
    assert find_root("", "").path == str(worktree / "main/sub/mail")
    init(str(worktree / "tree"), [])
    assert find_root("", "").path == str(worktree / "tree/mail")


def test_where_the_main_worktree_has_none_the_way_up_goes_on(worktree: Path) -> None:
    assert find_root("", "").path == str(worktree / "mail")
    Path(worktree / "tree/.git").write_text("gitdir: nowhere\n")
    assert find_root("", "").path == str(worktree / "mail")
