"""Outputs that are full, closed, slow or gone: all of it arrives, or the exit code tells."""

import os
import subprocess
import threading
import time
from typing import Any

import pytest

from .team import ANSWERS, SWARM, Done, Team

# Outputs that take nothing


def to_device(team: Team, call: str, **how: Any) -> Done:
    with open("/dev/full", "w") as full:
        return team.run(*call.split(), stdout=full, **how)


@pytest.mark.parametrize("call", [*ANSWERS, "agents --json", "unread --count", "read --all --json",
                                  "read 01", "send --help", "--version", "archive 01 --json"])  # fmt: skip
def test_on_a_full_device_nothing_ends_with_success(busy: Team, call: str) -> None:
    before = busy.everything()
    done = to_device(busy, call)
    assert done.returncode == 75, done
    assert done.stderr.startswith(b"swarm: cannot write to the output: No space left on device\n")
    assert len(done.stderr.splitlines()) == 2 + ("--json" in call)
    assert busy.everything() == before or "archive" in call
    assert "read" not in call or busy.receipts() == set()


@pytest.mark.parametrize("call", ["unread", "nosuch", "read nosuch", "send carl -s s -m x"])
def test_where_errors_cannot_be_told_the_code_still_is(busy: Team, call: str) -> None:
    wanted = busy.run(*call.split(), SWARM_AGENT="alice")
    with open("/dev/full", "w") as full:
        argv = [SWARM, *call.split()]
        env = busy.env(SWARM_AGENT="alice")
        done = subprocess.run(argv, cwd=busy.place, env=env, stdout=-1, stderr=full, timeout=20)
    assert done.returncode == wanted.returncode
    assert len(done.stdout.splitlines()) == len(wanted.stdout.splitlines())


FDS = ["1>&-", "2>&-", "<&- 1>&-", "1>&- 2>&-", "<&- 1>&- 2>&-"]


def closed(team: Team, fds: str, *words: str) -> Done:
    """Run by a shell that closes these before."""
    argv = ["sh", "-c", f'"$@" {fds}', "sh", SWARM, *words]
    return subprocess.run(argv, cwd=team.place, env=team.env(), capture_output=True, timeout=20)


@pytest.mark.parametrize("fds", FDS)
def test_into_closed_outputs_nothing_goes_and_no_file_is_harmed(busy: Team, fds: str) -> None:
    before = busy.everything()
    for call in ("unread", "thread T", "agents", "status", "doctor", "wait"):
        done = closed(busy, fds, *call.split())
        assert b"Traceback" not in done.stderr and done.returncode >= 0
        assert "1>&-" in fds or done.returncode == 0
    for call in ("read --next", "read --all", "read 01 --json"):
        done = closed(busy, fds, *call.split())
        assert (done.returncode == 0) == ("1>&-" not in fds), done
    made = busy.everything().keys() - before.keys()
    assert not made or "1>&-" not in fds
    assert {path: data for path, data in busy.everything().items() if path in before} == before


@pytest.mark.parametrize("fds", FDS)
@pytest.mark.parametrize("key", [[], ["--id", "key"]])
def test_with_closed_outputs_a_message_is_sent_whole(team: Team, fds: str, key: list[str]) -> None:
    body = "x" * 5000
    done = closed(team, fds, "send", "carl", "alice", "-s", "s", "-m", body, *key)
    assert (done.returncode == 0) == ("1>&-" not in fds)
    for agent in ("carl", "alice"):
        ((name, data),) = team.inbox(agent).items()
        assert data.startswith(f"To: {agent}\n".encode()) and data.endswith(
            f"---\n{body}\n".encode()
        )
        assert team.sent("bob")[name] == data
    if "1>&-" in fds and "2>&-" not in fds:
        assert b"hint: the send itself was done" in done.stderr


@pytest.mark.parametrize(("flag", "call"), [("--as=bob", "unread"), ("--root={}", "read --next")])
def test_with_a_closed_output_the_answer_is_the_same_however_it_is_asked_for(
    busy: Team, flag: str, call: str
) -> None:
    done = closed(busy, "1>&-", flag.format(busy.root), *call.split())
    assert done.returncode != 0 and busy.receipts() == set()


# Pipes that are slow, or gone


def slowly(team: Team, *words: str, stdin: Any = -3, **env: str) -> tuple[Done, bytes]:
    """Through a pipe that is set not to wait, to a reader that begins late."""
    end, start = os.pipe()
    os.set_blocking(start, False)
    process = team.start(*words, stdout=start, stdin=stdin, **env)
    os.close(start)
    parts: list[bytes] = []

    def collect() -> None:
        time.sleep(0.15)
        while part := os.read(end, 20_000):
            parts.append(part)

    reader = threading.Thread(target=collect)
    reader.start()
    _, err = process.communicate(timeout=20)
    reader.join(20)
    os.close(end)
    return Done(words, process.returncode, b"", err), b"".join(parts)


@pytest.mark.parametrize("size", [500_000, 3_000_000])
@pytest.mark.parametrize("call", ["read 01", "read --all", "read --all --json"])
def test_through_a_pipe_that_does_not_wait_all_arrives(team: Team, size: int, call: str) -> None:
    path = team.put("01_a_aaaa.txt", "0123456789" * (size // 10))
    wanted = team.ok(*call.split(), "--peek")
    done, out = slowly(team, *call.split())
    assert (done.returncode, done.stderr) == (0, b"")
    assert out == wanted and len(out) > size and team.receipts() == {path.name}


@pytest.mark.parametrize("call", ["unread", "unread --json", "search s", "unread -n=4000"])
def test_through_a_pipe_that_does_not_wait_a_long_list_arrives(team: Team, call: str) -> None:
    first = team.put("0001_a_aaaa.txt", Subject="s" * 100)
    for number in range(2, 2001):
        os.link(first, first.with_name(f"{number:04d}_a_aaaa.txt"))
    if "=" in call:  # what the other parser does
        call = call.replace("-n=4000", "--as=bob")
    done, out = slowly(team, *call.split())
    assert (done.returncode, done.stderr) == (0, b"") and out == team.ok(*call.split())
    assert out.count(b"_a_aaaa.txt") >= 2000


@pytest.mark.parametrize("size", [0, 500_000, 1 << 20])
def test_a_body_from_a_pipe_that_does_not_wait_is_sent_whole(team: Team, size: int) -> None:
    end, start = os.pipe()
    os.set_blocking(end, False)
    process = team.start("send", "carl", "-s", "s", stdin=end)
    os.close(end)
    time.sleep(0.1)
    with open(start, "wb") as pipe:
        pipe.write(b"y" * size)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, b"")
    assert (team.root / out.decode().strip()).read_bytes().endswith(b"\n---\n" + b"y" * size)


BY_CLICK = ["--help", "send --help", "--version"]


@pytest.mark.parametrize(
    "call",
    [*BY_CLICK, "describe", "describe --json", "unread", "unread --as=bob", "status",
     "read --all", "read --all --json"],
)  # fmt: skip
def test_a_reader_that_went_away_is_no_error(busy: Team, call: str) -> None:
    end, start = os.pipe()
    os.close(end)
    done = busy.run(*call.split(), stdout=start)
    os.close(start)
    assert done.returncode in (0, 141) and done.stderr == b"" and busy.receipts() == set()


@pytest.mark.parametrize("call", ["--help", "send --help", "unread", "read 01 --peek"])
def test_a_reader_that_stops_after_a_line_is_no_error(busy: Team, call: str) -> None:
    busy.put("01_one_aaaa.txt", "line\n" * 100_000)
    argv = ["sh", "-c", '{ "$@"; echo "code $?" >&2; } | head -n 1', "sh", SWARM, *call.split()]
    done = subprocess.run(argv, cwd=busy.place, env=busy.env(), capture_output=True, timeout=20)
    assert done.stderr in (b"code 0\n", b"code 141\n") and done.stdout.count(b"\n") == 1
