"""One way out: every error becomes its line and its exit code, a trace only on request."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from swarm import errors
from swarm.cli.call import Call
from swarm.cli.main import guarded
from swarm.cli.render import OutputFailed
from swarm.errors import SwarmError

Capture = pytest.CaptureFixture[str]
FULL = OSError(errno.ENOSPC, "No space left on device")
CHANGING = ("init", "register", "update", "unregister", "send", "reply", "archive", "mark", "cleanup")  # fmt: skip


@pytest.fixture
def fail() -> Callable[..., int]:
    """Runs a command that raises; its exit code."""

    def run(error: BaseException, command: str = "unread", as_json: bool = False) -> int:
        def command_of_the_test(call: Call) -> int:
            raise error

        command_of_the_test.__name__ = command
        return guarded(command_of_the_test, {"json": as_json})

    return run


@pytest.mark.parametrize("kind", [SwarmError, *SwarmError.__subclasses__()])
def test_an_error_is_its_line_its_hint_and_its_code(
    fail: Callable[..., int], capfd: Capture, kind: type[SwarmError]
) -> None:
    assert fail(kind("what", "way out")) == kind.exit
    assert capfd.readouterr() == ("", "swarm: what\nhint: way out\n")


def test_an_interrupt_and_a_reader_that_went_away_end_silently(
    fail: Callable[..., int], capfd: Capture
) -> None:
    assert fail(KeyboardInterrupt()) == 130 and fail(BrokenPipeError()) == 141
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("command", CHANGING)
def test_an_answer_that_cannot_be_written_undoes_nothing_and_says_so(
    fail: Callable[..., int], capfd: Capture, command: str
) -> None:
    assert fail(OutputFailed(FULL), command) != 0
    line, hint = capfd.readouterr().err.splitlines()
    assert line == "swarm: cannot write to the output: No space left on device"
    assert hint == f"hint: the {command} itself was done: look before you repeat it"


def test_an_answer_that_only_shows_something_may_be_asked_for_again(
    fail: Callable[..., int], capfd: Capture
) -> None:
    assert fail(OutputFailed(FULL), "unread") == errors.Temporary.exit
    assert "run the same command again" in capfd.readouterr().err


def test_what_the_system_says_names_the_file(fail: Callable[..., int], capfd: Capture) -> None:
    assert fail(OSError(errno.EACCES, "Permission denied", "a/b")) == 6
    assert capfd.readouterr().err.startswith("swarm: cannot use a/b: Permission denied\nhint: ")


def test_an_error_inside_is_one_line_and_its_trace_is_there_on_request(
    fail: Callable[..., int], capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SWARM_DEBUG", raising=False)
    assert fail(ZeroDivisionError("secret")) == 1
    err = capfd.readouterr().err
    assert err == "swarm: internal error: ZeroDivisionError\nhint: SWARM_DEBUG=1 shows where\n"
    monkeypatch.setenv("SWARM_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        fail(ZeroDivisionError())


def test_a_command_that_says_nothing_else_is_done() -> None:
    assert guarded(lambda call: None, {}) == 0
    assert guarded(lambda call: 3, {}) == 3


def test_errors_are_told_even_where_nobody_can_hear_them(
    fail: Callable[..., int], capfd: Capture
) -> None:
    kept = os.dup(2)
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, 2)
    try:
        assert fail(errors.Unknown("what")) == 4
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(full)


STARVED = """import sys
class Full:
    def find_spec(self, name, path=None, target=None):
        if name in ("swarm.cli.run", "swarm.cli.hook_commands"):
            raise OSError(24, "Too many open files", name)
sys.meta_path.insert(0, Full())
from swarm.cli.main import main
main()
"""


@pytest.mark.parametrize(("call", "code"), [("--help", 75), ("hook claude Stop", 0)])
def test_a_part_that_cannot_be_loaded_is_an_error_like_others(call: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARVED, *call.split()], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (code, "")
    said = "swarm: cannot load swarm.cli.run: Too many open files\n"
    assert done.stderr.startswith(said) if code else done.stderr == ""
