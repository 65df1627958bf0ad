"""Folders, detail files and the claim: one process speaks for a session."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from swarm.errors import Conflict, Unreadable, UsageError
from swarm.team import place as places
from swarm.team.channel import Channel
from swarm.team.place import Claim, Place


def test_the_home_is_named_or_that_of_the_seed() -> None:
    assert places.home({"SWARM_TEAM_HOME": "/x/y", "HOME": "/h"}) == "/x/y"
    assert places.home({"SWARM_TEAM_HOME": "", "HOME": "/h"}) == "/h/.pi/pi-teammate"
    assert places.home({}).endswith("/.pi/pi-teammate")


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".", "..", "a b", "x" * 65, "dir", "a\n"])
def test_a_channel_name_follows_the_rule_of_ids(home: str, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        Channel.create(home, name)
    assert caught.value.code == "bad-channel" and not os.path.exists(home)


def test_a_home_that_cannot_be_made_is_not_told_to_be_made(home: str) -> None:
    os.makedirs(os.path.dirname(home), exist_ok=True)
    os.symlink(f"{home}-gone", home)
    with pytest.raises(Unreadable) as caught:
        Channel.create(home, "ops")
    assert caught.value.message.startswith(f"cannot make {home}/ops: ")


def test_channels_are_folders_with_a_database(home: str) -> None:
    assert places.channels(home) == []
    for name in ("b", "a"):
        Channel.create(home, name).close()
    os.mkdir(f"{home}/empty")
    Path(home, "file").touch()
    assert places.channels(home) == ["a", "b"]


def test_a_session_has_a_folder_from_its_join(channel: Channel, place: Place) -> None:
    assert os.path.isdir(f"{place.folder}/bob")
    with pytest.raises(UsageError):
        channel.join("../../x")


def test_a_detail_file_is_whole_and_never_over_another(place: Place) -> None:
    first = place.write_detail("bob", "spec.md", b"one")
    assert first == f"{place.folder}/bob/spec.md" and Path(first).read_bytes() == b"one"
    assert place.write_detail("bob", "spec.md", b"one") == first
    assert place.write_detail("bob", "spec.md", b"two").endswith("/bob/spec-2.md")
    assert place.write_detail("bob", "spec.md", b"onetwo").endswith("/bob/spec-3.md")
    assert Path(first).read_bytes() == b"one"
    for name in ("../x", ".lock", "a/b", ""):
        with pytest.raises(UsageError):
            place.write_detail("bob", name, b"")
    assert sorted(os.listdir(f"{place.folder}/bob")) == ["spec-2.md", "spec-3.md", "spec.md"]


def test_a_second_process_for_one_session_is_refused(channel: Channel, home: str) -> None:
    code = (
        "import sys; from swarm.team.channel import Channel; from swarm.errors import Conflict\n"
        "try: Channel.open(sys.argv[1], 'ops').join('bob')\n"
        "except Conflict as error: print(error.message)"
    )
    done = subprocess.run([sys.executable, "-c", code, home], capture_output=True, text=True)
    assert done.stdout == f"bob is guarded by another process (number {os.getpid()})\n", done.stderr
    channel.leave("bob")
    done = subprocess.run([sys.executable, "-c", code, home], capture_output=True, text=True)
    assert done.stdout == "" and done.returncode == 0


def test_a_claim_ends_with_its_process_and_with_close(place: Place) -> None:
    code = (
        "import os, signal, sys; from swarm.team.place import Claim, Place\n"
        "claim = Claim(Place(sys.argv[1], 'ops'), 'bob')\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, os.path.dirname(place.folder)])
    claim = Claim(place, "bob")
    assert places.is_claimed(place, "bob")
    with pytest.raises(Conflict):
        Claim(place, "bob")
    claim.release()
    claim.release()
    assert not places.is_claimed(place, "bob") and not places.is_claimed(place, "nobody")
    Claim(place, "bob").release()


def test_a_number_left_in_a_lock_file_is_no_claim_k15(place: Place) -> None:
    folder = place.make("bob")
    Path(folder, ".lock").write_text("1\n")
    assert not places.is_claimed(place, "bob")
    Claim(place, "bob").release()


def test_a_link_in_the_place_of_the_lock_is_not_followed(place: Place, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    os.symlink(precious, f"{place.make('bob')}/.lock")
    with pytest.raises(Exception, match="cannot lock"):
        Claim(place, "bob")
    assert precious.read_text() == "kept"
