"""The registry, and what else lies beside the mailboxes."""

import os
import shutil

import pytest

from swarm.mailbox.layout import Root, make_box

from .tree import one, put, wrong


def test_the_registry_and_what_lies_about(root: Root) -> None:
    put(root.entry("bob"), "id: bob\n")
    put(f"{root.dir}/bad name.txt")
    put(f"{root.dir}/.bob.txt.swp")
    os.mkfifo(f"{root.dir}/pipe.txt")
    put(f"{root.path}/README.md")
    os.symlink("..", f"{root.path}/loop")
    paths = ("dir/bob.txt", "dir/bad name.txt", "dir/.bob.txt.swp", "dir/pipe.txt")
    assert wrong(root) == dict.fromkeys((*paths, "README.md", "loop"), "warn")


@pytest.mark.parametrize(
    ("text", "problem"), [("", "empty"), ("id: bob\nrole: r\ntask: t\n", "no archetype, no status")]
)
def test_a_damaged_entry_is_written_anew_or_edited(root: Root, text: str, problem: str) -> None:
    put(root.entry("bob"), text)
    found = one(root, "dir/bob.txt")
    assert found.text.startswith(f"damaged ({problem}): ")
    assert found.fix == (
        "swarm register bob --replace --role … --archetype … --task … writes it anew, "
        "or edit the file"
    )


@pytest.mark.parametrize("name", [".bob.txt.swp", "bob.txt~", "notes.md"])
def test_what_is_no_entry_is_moved_away_or_registered(root: Root, name: str) -> None:
    put(f"{root.dir}/{name}")
    assert one(root, f"dir/{name}").text == (
        "no registry entry (hidden or not *.txt): remove it, or enter an agent with swarm register"
    )


def test_an_entry_needs_an_agent_id_for_a_name(root: Root) -> None:
    put(f"{root.dir}/bad name.txt")
    assert one(root, "dir/bad name.txt").fix == "rename it to the agent's id and .txt, or remove it"


def test_a_link_in_the_registry_is_no_entry(root: Root) -> None:
    os.symlink("bob.txt", f"{root.dir}/carl.txt")
    os.symlink("nowhere", f"{root.dir}/dave.txt")
    assert wrong(root) == {"dir/carl.txt": "warn", "dir/dave.txt": "warn"}
    assert one(root, "dir/carl.txt").text.startswith("a link, so no registry entry: ")


def test_a_folder_without_the_parts_of_a_mailbox_is_none(root: Root) -> None:
    os.mkdir(f"{root.path}/carl")
    assert one(root, "carl").text == (
        "no mailbox (has no inbox, drafts or sent): swarm register carl makes it one, "
        "or move it out of the tree"
    )


def test_a_mailbox_needs_an_agent_id_for_a_name(root: Root) -> None:
    make_box(root, "carl")
    os.rename(root.box("carl"), f"{root.path}/carl the second")
    found = one(root, "carl the second")
    assert found.text == "its name is no agent id: rename it, or move it out of the tree"


def test_a_mailbox_that_is_a_link_to_one_elsewhere_is_sound(root: Root) -> None:
    elsewhere = f"{os.path.dirname(root.path)}/elsewhere"
    shutil.move(root.box("bob"), elsewhere)
    os.symlink(elsewhere, root.box("bob"))
    assert wrong(root) == {}


def test_what_git_needs_is_left_in_peace(root: Root) -> None:
    os.mkdir(f"{root.path}/.git")
    put(f"{root.path}/.gitignore")
    put(f"{root.dir}/.gitkeep")
    put(f"{root.box('bob')}/.gitkeep")
    assert wrong(root) == {}


def test_results_of_a_guardian_s_command_belong_to_a_mailbox(root: Root) -> None:
    make_box(root, "bob")
    os.mkdir(f"{root.box('bob')}/results")
    put(f"{root.box('bob')}/results/t-1.out")
    assert wrong(root) == {}
