"""What an agent is told at one moment of its session: what is new, once, and never for ever."""

import resource
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from swarm import keeping
from swarm.errors import NoRoot, Unreadable
from swarm.harness import asked, known, sessions
from swarm.harness.hook import Place, hook, root_of
from swarm.mailbox.layout import Root

from ..rights import bound_here, mode
from .conftest import Hook, everything, state

Mail = Callable[..., None]
MOMENTS = ["UserPromptSubmit", "PostToolUse", "PostToolBatch", "Stop"]


@pytest.mark.parametrize("event", MOMENTS)
def test_new_mail_is_told_once(call: Hook, mail: Mail, event: str) -> None:
    assert call(event) == []
    mail("01_one_aaaa", "02_two_bbbb")
    (said,) = call(event)
    assert '- aaaa alice "about 01_one_aaaa"\n- bbbb alice' in said
    assert call(event) == call("Stop") == []
    mail("03_three_cccc")
    (said,) = call(event)
    assert "1 new message" in said and "cccc" in said and "aaaa" not in said


def test_the_tree_stays_as_it_is(root: Root, call: Hook, mail: Mail) -> None:
    """Above all nothing becomes read; only the session has its file."""
    mail("01_one_aaaa")
    before = everything(root)
    for event in ("SessionStart", *MOMENTS, "SessionEnd"):
        call(event)
    assert everything(root) == before


def test_nothing_new_opens_no_message_and_writes_nothing(
    root: Root, call: Hook, mail: Mail, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail("01_one_aaaa")
    call("PostToolUse")
    before = state(root)
    monkeypatch.setattr(sessions.Locked, "__enter__", lambda self: pytest.fail("it writes"))
    assert call("PostToolUse") == [] and state(root) == before


def test_of_very_many_only_those_shown_are_opened(
    root: Root, call: Hook, mail: Mail, monkeypatch: pytest.MonkeyPatch
) -> None:
    from swarm.mailbox import inbox

    mail(*(f"{n:03}_x_{n:04x}" for n in range(1, 200)))
    opened: list[str] = []
    real = inbox.load
    monkeypatch.setattr(inbox, "load", lambda *given: opened.append(given[2]) or real(*given))
    (said,) = call("Stop")
    assert len(opened) == 10 and "199 new messages" in said and "+189 more" in said


def test_after_two_notices_it_is_silent_until_some_mail_is_read(
    call: Hook, mail: Mail, read: Callable[[str], None]
) -> None:
    for number in (1, 2, 3):
        mail(f"0{number}_x_aaa{number}")
        assert len(call("PostToolUse")) == (number < 3)
    assert call("Stop") == []
    read("01_x_aaa1")
    (said,) = call("PostToolUse")
    assert "1 new message" in said and "aaa3" in said
    mail("04_x_aaa4")
    assert len(call("PostToolUse")) == 1
    mail("05_x_aaa5")
    assert call("PostToolUse") == []


def test_mail_put_away_counts_as_read(root: Root, call: Hook, mail: Mail) -> None:
    for name in ("01_x_aaaa", "02_x_bbbb", "03_x_cccc"):
        mail(name)
        call("PostToolUse")
    Path(root.inbox("bob"), "01_x_aaaa.txt").unlink()
    assert "cccc" in call("PostToolUse")[0]


def test_a_stop_that_a_hook_caused_is_stopped_only_for_newer_mail(call: Hook, mail: Mail) -> None:
    mail("01_x_aaaa")
    assert call("Stop", stop_hook_active=True) == []
    assert len(call("Stop")) == 1
    assert call("Stop", stop_hook_active=True) == []
    mail("02_x_bbbb")
    assert len(call("Stop", stop_hook_active=True)) == 1


def test_an_agent_that_was_broken_off_is_not_driven_on(call: Hook, mail: Mail) -> None:
    mail("01_x_aaaa")
    assert call("stop", "cursor", status="aborted") == call("stop", "cursor", status="error") == []
    assert len(call("stop", "cursor", status="completed", loop_count=0)) == 1


def test_a_sub_agent_hears_nothing_and_takes_nothing_away(call: Hook, mail: Mail) -> None:
    mail("01_x_aaaa")
    assert call("PostToolUse", agent_id="sub-1") == []
    assert len(call("PostToolUse")) == 1


def test_each_session_is_told(call: Hook, mail: Mail) -> None:
    mail("01_x_aaaa")
    assert (
        len(call("Stop")) == len(call("Stop", session="other")) == len(call("Stop", "codex")) == 1
    )
    assert call("Stop", session="other") == []


def test_another_agent_in_the_session_is_told_anew(root: Root, call: Hook, mail: Mail) -> None:
    mail("01_x_aaaa")
    call("Stop", agent="alice")
    assert len(call("Stop")) == 1


def test_of_hooks_at_the_same_moment_one_speaks(call: Hook, mail: Mail) -> None:
    mail("01_x_aaaa")
    heard: list[str] = []
    threads = [threading.Thread(target=lambda: heard.extend(call("PostToolUse"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(heard) == 1


def test_what_could_not_be_said_is_said_the_next_time(root: Root, call: Hook, mail: Mail) -> None:
    mail("01_x_aaaa")

    def fail(said: str) -> None:
        raise BrokenPipeError

    told = asked.parse(b'{"session_id":"s"}')
    place = Place(root, "claude", told, {"SWARM_AGENT": "bob"})
    with pytest.raises(BrokenPipeError):
        hook(place, known.TOOL, None, fail)
    assert len(call("PostToolUse")) == 1


def test_a_hook_that_is_killed_before_it_notes_says_it_again(
    call: Hook, mail: Mail, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail("01_x_aaaa")
    call("SessionStart", session="other")
    with monkeypatch.context() as killed:
        killed.setattr(
            sessions.Locked, "save", lambda self: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        with pytest.raises(KeyboardInterrupt):
            call("PostToolUse")
    assert len(call("PostToolUse")) == 1 and call("Stop") == []


def test_what_is_no_mail_is_no_news(root: Root, call: Hook, mail: Mail) -> None:
    Path(root.inbox("bob"), "folder.txt").mkdir()
    Path(root.inbox("bob"), "link.txt").symlink_to("/etc/hostname")
    assert call("PostToolUse") == []
    mail("01_x_aaaa")
    assert "1 new message for" in call("PostToolUse")[0]


def test_what_cannot_be_read_is_told_all_the_same(root: Root, call: Hook, mail: Mail) -> None:
    mail("01_x_aaaa")
    Path(root.inbox("bob"), "01_x_aaaa.txt").chmod(0)
    assert "1 new message" in call("PostToolUse")[0]


def test_what_is_away_for_a_moment_is_told_when_it_is_back(
    root: Root, call: Hook, mail: Mail, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As what somebody edits in the inbox is: gone between the listing and the reading."""
    from swarm.mailbox import inbox

    mail("01_one_aaaa", "02_two_bbbb")
    path = Path(root.inbox("bob"), "01_one_aaaa.txt")
    real, text = inbox.load, path.read_text()

    def away(*given: str) -> object:
        path.unlink(missing_ok=True)
        return real(*given)

    with monkeypatch.context() as patch:
        patch.setattr(inbox, "load", away)
        assert "1 new message" in call("PostToolUse")[0]
    path.write_text(text)
    (said,) = call("PostToolUse")
    assert "aaaa" in said and "bbbb" not in said


def test_what_there_is_no_room_to_note_is_not_said(root: Root, call: Hook, mail: Mail) -> None:
    """It would be said again at every moment, and an agent that stops be kept going for ever."""
    mail("01_one_aaaa")
    call("Stop")
    mail("02_" + "x" * 200)
    size = Path(root.path, ".sessions/claude-s").stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        with pytest.raises(OSError, match="large"):
            call("Stop", stop_hook_active=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "02_xx" in call("Stop", stop_hook_active=True)[0]


def test_nobody_and_an_unknown_one_hear_nothing(root: Root, call: Hook, mail: Mail) -> None:
    mail("01_x_aaaa")
    for agent in (None, "nobody", "no id!"):
        assert call("Stop", agent=agent) == []
    assert not state(root)


def test_without_a_session_an_agent_is_told_once(call: Hook, mail: Mail) -> None:
    mail("01_one_aaaa")
    assert len(call("Stop", session="")) == 1
    assert call("Stop", session="") == call("Stop", agent=None, session="") == []


def test_in_a_session_that_cannot_have_a_file_nothing_is_said(call: Hook, mail: Mail) -> None:
    mail("01_one_aaaa")
    assert call("Stop", session="x" * 500) == []


def test_the_command_names_the_agent_only_where_its_shell_would_not_know(
    root: Root, call: Hook, mail: Mail
) -> None:
    mail("01_x_aaaa")
    assert "--as" not in call("Stop")[0]
    for harness in ("claude", "gemini"):
        sessions.keep(root, f"{harness}-k", "bob")
    assert "--as" not in call("Stop", agent=None, session="k")[0]
    assert "--next --as bob" in call("AfterAgent", "gemini", agent=None, session="k")[0]
    keeping.keep(root, "bob", {})
    assert "--as" not in call("stop", "cursor", agent=None)[0]


def test_the_folder_the_harness_tells_of_is_looked_in_last(
    root: Root, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = asked.parse(f'{{"cwd":"{root.path}"}}'.encode())
    nowhere = asked.parse(b"{}")
    assert root_of("", {}, nowhere).path == root.path
    monkeypatch.chdir(tmp_path_factory.mktemp("outside"))
    with pytest.raises(NoRoot):
        root_of("", {}, nowhere)
    with pytest.raises(NoRoot):
        root_of("/nowhere", {}, there)
    assert root_of("", {}, there).path == root.path


def test_an_inbox_that_was_away_brings_no_news_when_it_is_back(
    root: Root, call: Hook, mail: Mail
) -> None:
    mail("01_one_aaaa")
    assert call("Stop")
    Path(root.inbox("bob")).rename(f"{root.path}/away")
    assert call("UserPromptSubmit") == []
    Path(root.path, "away").rename(root.inbox("bob"))
    assert call("UserPromptSubmit") == []


def test_a_session_whose_file_cannot_be_read_is_told_of_nobody_elses_mail(
    root: Root, call: Hook, mail: Mail
) -> None:
    keeping.keep(root, "bob", {})
    sessions.keep(root, "claude-s", "alice")
    mail("01_one_aaaa")
    with bound_here(), mode(f"{root.path}/.sessions/claude-s", 0o000), pytest.raises(Unreadable):
        call("UserPromptSubmit", agent=None)
