"""``swarm mamoru``: the guardian as a command, its forwarders, its timers and its end."""

import json
import os
import signal
import subprocess
import time

import pytest

from ..unit.rights import SWARM
from .desk import Desk

SOON = ("--poll", "0.2")


def status(desk: Desk, agent: str) -> str:
    return desk.store().roster()[agent].status


def test_it_says_once_whom_it_guards_and_a_second_one_is_refused(desk: Desk) -> None:
    guard = desk.guard("bob")
    where = "by mail" if desk.kind == "mail" else "on ops"
    assert guard.said() == f"guarding bob {where}; Ctrl-C ends it\n"
    second = desk.start("--as", "bob", "--jsonl")
    assert second.process.wait(20) == 5
    assert "guarded by another process" in second.said() and "guarding" not in second.said()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_within_2_s(desk: Desk, number: signal.Signals) -> None:
    guard = desk.guard(
        "bob", "--exec", f"sh -c \"trap '' INT TERM; echo >{desk.place}/on; sleep 60\""
    )
    key = desk.ask("amy", "bob")
    desk.until(lambda: (desk.place / "on").exists())
    begun = time.monotonic()
    assert guard.end(number) == 0 and time.monotonic() - begun < 2.0
    assert desk.kinds("amy", key) == ["task_req", "task_ack", "task_fail"]


def test_lines_of_json_carry_what_needs_thinking_and_end_with_their_reader(desk: Desk) -> None:
    guard = desk.guard("bob", "--jsonl")
    key = desk.ask("amy", "bob", "-s", "a tab\tand more")
    (line,) = desk.until(guard.lines)
    assert (line["v"], line["agent"], line["event"], line["task"]) == (1, "bob", "task_req", key)
    assert (line["from"], line["content"]) == ("amy", "a tab and more")
    desk.say("amy", "cancel", key)
    desk.until_said("amy", key, "task_req", "task_ack", "task_cancel", "task_cancel_ack")
    if desk.kind == "mail":
        assert desk.ok("--as", "bob", "unread") == ""


def test_a_command_is_a_teammate_and_its_output_the_result(desk: Desk) -> None:
    script = desk.place / "work.sh"
    script.write_text('cat; echo "update: half"; echo "$SWARM_AGENT for $SWARM_FROM"; exit $1\n')
    desk.guard("bob", "--exec", f"sh {script} 0")
    desk.guard("carl", "--exec", f"sh {script} 3")
    good, bad = desk.ask("amy", "bob", "-s", "x", "-m", "do"), desk.ask("amy", "carl")
    said = desk.until_said("amy", good, "task_req", "task_ack", "task_update", "task_done")
    assert said[-1].content == "bob for amy"
    assert desk.text(said[-1]) == "do\nupdate: half\nbob for amy\n"
    desk.until_said("amy", bad, "task_req", "task_ack", "task_update", "task_fail")


def test_after_a_restart_it_knows_what_it_was_about(desk: Desk) -> None:
    first = desk.guard("bob")
    key = desk.ask("amy", "bob")
    desk.until_said("amy", key, "task_req", "task_ack")
    first.end(signal.SIGKILL)
    other = desk.ask("carl", "bob")
    assert desk.kinds("carl", other) == ["task_req"]
    desk.guard("bob")
    desk.until_said("carl", other, "task_req", "task_reject")
    assert status(desk, "bob") == "busy"
    desk.say("bob", "done", "-s", "after all")
    assert desk.kinds("amy", key) == ["task_req", "task_ack", "task_done"]
    desk.until(lambda: status(desk, "bob") == "available")


def test_silence_ends_a_task(desk: Desk) -> None:
    amy = desk.guard("amy", "--jsonl", *SOON, "--task-timeout", "1", "--ping-timeout", "0.5")
    key = desk.ask("amy", "bob")
    desk.until_said("amy", key, "task_req", "task_cancel", "task_fail")
    (cancel,) = [event for event in desk.events("amy", key) if event.kind == "task_cancel"]
    assert cancel.intent == "task_timeout"
    (task,) = desk.tasks("amy", "--all")
    assert task["state"] == "failed"
    assert amy.process.poll() is None


def test_a_killed_worker_is_found_inactive(desk: Desk) -> None:
    worker = desk.guard("bob")
    key = desk.ask("amy", "bob")
    desk.until_said("amy", key, "task_req", "task_ack")
    worker.end(signal.SIGKILL)
    quick = ("--stale", "1", "--ping-timeout", "0.5", "--task-timeout", "600")
    amy = desk.guard("amy", "--jsonl", *SOON, *quick)
    if desk.kind == "channel":
        desk.until(lambda: status(desk, "bob") == "inactive")
    told = desk.until(lambda: [line for line in amy.lines() if "notice" in line])
    assert told[0]["agent"] == "amy" and "bob" in told[0]["notice"]


def test_one_process_guards_everybody_and_says_goodbye_if_asked(desk: Desk) -> None:
    if desk.kind == "channel":
        for agent in ("amy", "bob"):  # the known client's agents are not ours to guard
            desk.ok("--as", agent, "team", "join", "ops")
    guard = desk.start("--all", "--jsonl", "--leave")
    desk.until(lambda: "guarding everybody" in guard.said())
    key = desk.ask("amy", "bob")
    desk.until_said("amy", key, "task_req", "task_ack")
    desk.say("bob", "done", "-s", "x")
    desk.until(lambda: [line for line in guard.lines() if line.get("event") == "task_done"])
    assert guard.end(signal.SIGTERM) == 0
    assert status(desk, "bob") == "inactive"


def test_whom_it_cannot_guard(desk: Desk) -> None:
    for words, code, text in [
        (("--as", "dan"), 4, "no agent"), (("--as", ""), 2, "'' is not an agent id"),
        (("--as", "../x"), 2, "not an agent id"), ((), 2, "no agent given"),
        (("--as", "bob", "--all"), 2, "one of them"),
    ]:  # fmt: skip
        done = desk.run("mamoru", "--jsonl", *words, *desk.where)
        assert (done.returncode, done.stdout) == (code, ""), (words, done.stderr)
        assert text in done.stderr and "guarding" not in done.stderr


def test_options_that_cannot_be_meant(mail: Desk) -> None:
    for words in (
        ("--exec", "true", "--jsonl"), ("--exec", ""), ("--exec", "'x"), ("--poll", "0"),
        ("--stale", "-1"), ("--task-timeout", "nan"), ("--channel", "../x", "--jsonl"),
    ):  # fmt: skip
        assert mail.run("mamoru", "--as", "bob", *words).returncode == 2, words
    silent = mail.run("mamoru", "--as", "bob", "--channel", "ops", "--json")
    error = json.loads(silent.stderr.splitlines()[-1])["error"]
    assert silent.returncode == 2 and "--jsonl or --exec" in error["hint"]
    assert mail.run("mamoru", "--as", "bob", "--channel", "nope", "--jsonl").returncode == 4


def test_what_is_forwarded_to_nobody_ends_it(mail: Desk) -> None:
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [SWARM, "mamoru", "--as", "bob", "--jsonl"], cwd=mail.place, env=mail.env, stdout=writer,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(writer)
    os.close(reader)
    try:
        mail.ask("amy", "bob")
        assert process.wait(20) in (0, 141)
        assert process.stderr is not None and b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.communicate()
