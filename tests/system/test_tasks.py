"""``swarm task``: S's example flows and what goes wrong in them, by mail and over a channel."""

import json
import os

from ..unit.rights import SWARM, bound, mode
from ..unit.terminal import COLUMNS, Terminal, screen, widest
from .desk import Desk

# S's example flows


def test_a_task_with_an_update_and_a_result_that_lies_in_a_file(desk: Desk) -> None:
    desk.guard("bob")
    key = desk.ask("amy", "bob", "-s", "review it", "--intent", "review")
    desk.until_said("amy", key, "task_req", "task_ack")
    desk.say("bob", "update", "-s", "two issues so far")
    (here,) = desk.tasks("bob")
    assert (here["state"], here["last_word"]) == ("accepted", "two issues so far")
    desk.say("bob", "done", "-s", "reviewed", "--detail", "review.md")
    said = desk.until_said("amy", key, "task_req", "task_ack", "task_update", "task_done")
    assert [event.sender for event in said] == ["amy", "bob", "bob", "bob"]
    assert said[-1].detail == str(desk.place / "review.md")
    assert desk.tasks("amy") == [] and desk.tasks("amy", "--all")[0]["state"] == "done"


def test_a_task_with_a_clarification_for_which_no_key_is_needed(desk: Desk) -> None:
    desk.guard("bob")
    key = desk.ask("amy", "bob")
    desk.until_said("amy", key, "task_req", "task_ack")
    desk.say("bob", "clarify", "-s", "which module?")
    assert desk.tasks("amy")[0]["state"] == "waiting"
    desk.say("amy", "answer", "-s", "the first", "-m", "that in src/auth")
    assert desk.tasks("bob")[0]["state"] == "accepted"
    desk.say("bob", "done", key, "-s", "refactored")
    said = desk.events("amy", key)
    assert [event.kind for event in said][2:] == ["task_clarify", "task_clarify_res", "task_done"]
    assert said[3].ref == said[2].id
    assert desk.text(said[3]) == "that in src/auth\n"


def test_a_busy_worker_rejects_and_with_queue_and_block_is_asked_again(desk: Desk) -> None:
    bob, amy = desk.guard("bob"), desk.guard("amy")
    first = desk.ask("carl", "bob", "-s", "keep busy")
    desk.until_said("carl", first, "task_req", "task_ack")
    plain = desk.ask("carl", "bob", "-s", "not now")
    desk.until_said("carl", plain, "task_req", "task_reject")
    asked = desk.task("amy", "request", "bob", "-s", "when you can", "--queue")
    assert "swarm mamoru --as amy" in asked.stderr
    key = asked.stdout.strip()
    desk.until_said("amy", key, "task_req", "task_reject")
    desk.say("bob", "done", "-s", "no longer busy")
    said = desk.until_said("amy", key, "task_req", "task_reject", "task_req", "task_ack")
    assert said[2].content == "when you can" and said[2].task != key
    silent = desk.ask("amy", "bob", "-s", "silently", "--block")
    desk.until_said("amy", silent, "task_req", "task_reject")
    desk.say("bob", "fail", "-s", "cannot")
    desk.until_said("amy", silent, "task_req", "task_reject", "task_req", "task_ack")
    assert (bob.process.poll(), amy.process.poll()) == (None, None)


def test_a_worker_asks_another_and_the_two_tasks_stay_apart(desk: Desk) -> None:
    desk.guard("bob")
    desk.guard("carl", "--exec", "echo tested")
    outer = desk.ask("amy", "bob", "-s", "build it")
    desk.until_said("amy", outer, "task_req", "task_ack")
    inner = desk.ask("bob", "carl", "-s", "test it")
    assert inner != outer
    desk.until_said("bob", inner, "task_req", "task_ack", "task_done")
    assert desk.tasks("bob")[0]["task"] == outer
    desk.say("bob", "done", "-s", "built")
    assert desk.kinds("amy", outer) == ["task_req", "task_ack", "task_done"]
    assert {task["task"]: task["state"] for task in desk.tasks("bob", "--all")} == {
        outer: "done", inner: "done",
    }  # fmt: skip


# Workers without a guardian


def test_a_worker_without_a_guardian_takes_the_task_up_by_speaking_of_it(desk: Desk) -> None:
    key = desk.ask("amy", "bob")
    assert desk.tasks("bob")[0]["state"] == "asked"
    desk.say("bob", "update", "-s", "at it")
    desk.say("bob", "done", "-s", "there it is", "-m", "a long result")
    said = desk.events("amy", key)
    kinds = ["task_req", "task_ack", "task_update", "task_done"]
    assert [event.kind for event in said] == kinds
    assert desk.text(said[-1]) == "a long result\n"
    again = desk.task("bob", "done", "-s", "once more")
    assert again.returncode == 2 and "no task waits for you" in again.stderr


def test_waiting_for_a_task_ends_with_a_question_and_with_its_end(desk: Desk) -> None:
    key = desk.ask("amy", "bob")
    late = desk.task("amy", "wait", key, "--timeout", "0.1")
    assert late.returncode == 124 and f"{key} is still asked" in late.stderr
    desk.say("bob", "clarify", "-s", "how?")
    asks = desk.task("amy", "wait", key)
    assert "waiting" in asks.stderr and asks.stdout.splitlines()[-1].endswith("how?\t")
    desk.say("amy", "answer", "-s", "so")
    desk.say("bob", "fail", "-s", "no")
    done = desk.task("amy", "wait", key, "--exit-code", "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["tasks"][0]["state"] == "failed"


def test_the_overview_tells_who_is_guarded_and_what_each_has_open(desk: Desk) -> None:
    desk.guard("bob")
    key = desk.ask("amy", "bob")
    desk.until_said("amy", key, "task_req", "task_ack")
    status = ("status", *desk.where, "--tasks", "--json")
    told = {agent["id"]: agent for agent in json.loads(desk.ok(*status))["agents"]}
    assert told["bob"]["guardian"] is not None and told["amy"]["guardian"] is None
    assert (told["bob"]["open"], told["bob"]["overdue"], told["amy"]["open"]) == (1, 0, 0)
    desk.guards[0].process.kill()
    desk.guards[0].process.wait()
    late = json.loads(desk.run(*status, SWARM_TASK_TIMEOUT="0.01").stdout)
    assert [p["kind"] for p in late["problems"]] == ["guardian"]
    assert any(agent["overdue"] == 1 for agent in late["agents"])


def test_of_several_that_wait_one_has_to_be_named(desk: Desk) -> None:
    one, two = desk.ask("amy", "bob"), desk.ask("carl", "bob")
    before = desk.files()
    done = desk.task("bob", "done", "-s", "which?")
    assert done.returncode == 2 and one in done.stderr and two in done.stderr
    assert desk.files() == before
    desk.say("bob", "done", two, "-s", "this one")
    assert desk.kinds("carl", two)[-1] == "task_done" and desk.kinds("amy", one) == ["task_req"]


def test_a_plain_mail_with_status_done_ends_a_task(mail: Desk) -> None:
    mail.guard("amy")
    key = mail.ask("amy", "bob")
    name = next(n for n in os.listdir(mail.place / "mail/bob/inbox") if n.endswith(".txt"))
    mail.ok("--as", "bob", "reply", name, "-s", "all done", "-m", "here", "--status", "done")
    assert mail.tasks("amy", "--all")[0]["state"] == "done"
    assert mail.kinds("amy", key) == ["task_req", "task_done"]


def test_an_agent_without_an_entry_gets_its_request_by_mail(mail: Desk) -> None:
    mail.ok("init", ".", "--agents", "dan")
    asked = mail.task("amy", "request", "dan", "-s", "x", "--queue")
    assert asked.returncode == 0 and "dan has no entry" in asked.stderr
    mail.say("dan", "done", "-s", "y")
    assert mail.kinds("amy", asked.stdout.strip())[-1] == "task_done"
    assert mail.kinds("dan", mail.ask("dan", "bob")) == ["task_req"]


def test_an_inbox_that_takes_no_mail_is_told_as_such(mail: Desk) -> None:
    with mode(mail.place / "mail/bob/inbox", 0o500):
        done = bound("--as", "amy", "task", "request", "bob", "-s", "x", cwd=mail.place)
    assert done.returncode == 6 and "bob/inbox" in done.stderr
    assert mail.tasks("amy") == []


# Cancel


def test_a_cancel_interrupts_the_command(desk: Desk) -> None:
    desk.guard("bob", "--exec", f"sh -c 'echo $$ >{desk.place}/pid; exec sleep 60'")
    key = desk.ask("amy", "bob")
    pid = desk.until(lambda: (desk.place / "pid").exists() and (desk.place / "pid").read_text())
    desk.say("amy", "cancel")
    desk.until_said("amy", key, "task_req", "task_ack", "task_cancel", "task_cancel_ack")
    desk.until(lambda: not os.path.exists(f"/proc/{int(pid)}"))
    refused = desk.task("amy", "cancel", key)
    assert refused.returncode == 2 and "has ended" in refused.stderr


def test_a_result_ends_what_was_cancelled_before_anybody_took_it(desk: Desk) -> None:
    key = desk.ask("amy", "bob")
    desk.say("amy", "cancel", key, "-s", "changed my mind")
    refused = desk.task("bob", "update", key, "-s", "at it")
    assert refused.returncode == 2
    desk.say("bob", "done", key, "-s", "it is done all the same")
    assert desk.tasks("amy") == []


# What is refused, and by which code


def refused(desk: Desk, *calls: tuple[tuple[str, ...], int, str]) -> None:
    before = desk.files()
    for words, code, text in calls:
        done = desk.task("amy", *words)
        assert (done.returncode, done.stdout) == (code, ""), (words, done.stderr)
        assert text in done.stderr, (words, done.stderr)
    assert desk.files() == before


def test_what_cannot_be_asked_is_refused_before_anything_is_written(desk: Desk) -> None:
    refused(
        desk,
        (("request", "bo", "-s", "x"), 4, "did you mean bob?"),
        (("request", "amy", "-s", "x"), 2, "to oneself"),
        (("request", "", "-s", "x"), 2, "needs a recipient"),
        (("cancel", "nokey"), 4, "no task 'nokey' of yours"),
        (("done", "nokey", "-s", "x"), 4, "no task 'nokey' of yours"),
        (("done", "-s", "x"), 2, "no task waits for you"),
        (("show", "no\x1b"), 4, r"no task 'no\x1b' of yours"),
    )


def test_a_call_that_says_too_little_or_too_much_is_refused(mail: Desk) -> None:
    refused(
        mail,
        (("request", "bob"), 2, "no summary"),
        (("request", "bob", "-s", " "), 2, "no summary"),
        (("request", "bob", "-s", "a\x1b[31m"), 2, "cannot carry"),
        (("request", "bob", "-s", "x", "--queue", "--block"), 2, "one of them"),
        (("request", "bob", "-s", "x", "-F", "missing"), 2, "no file"),
        (("cancel",), 2, "no task that you gave is open"),
        (("answer", "-s", "x"), 2, "no task that you gave is open"),
        (("done", "", "-s", "x"), 2, "the task's key is empty"),
    )


def test_a_task_that_ended_and_one_of_others_is_not_spoken_of(desk: Desk) -> None:
    key = desk.ask("amy", "bob")
    desk.say("bob", "done", "-s", "x")
    before = desk.files()
    for agent, words, code in [
        ("amy", ("cancel", key), 2), ("amy", ("answer", key, "-s", "x"), 2),
        ("bob", ("update", key, "-s", "x"), 2), ("bob", ("fail", key, "-s", "x"), 2),
        ("carl", ("done", key, "-s", "x"), 4), ("carl", ("cancel", key), 4),
        ("carl", ("show", key), 4),
    ]:  # fmt: skip
        done = desk.task(agent, *words, "--json")
        error = json.loads(done.stderr.splitlines()[-1])
        assert (done.returncode, done.stdout) == (code, ""), (agent, words, done.stderr)
        assert (error["v"], error["error"]["exit"]) == (1, code)
        assert error["error"]["code"] == ("ended" if code == 2 else "unknown-task")
    assert desk.files() == before


def test_who_calls_has_to_be_known(desk: Desk) -> None:
    assert desk.run("task", "list", *desk.where).returncode == 2
    assert desk.run("task", "list", *desk.where, SWARM_AGENT="").returncode == 2
    empty = desk.task("", "list")
    assert empty.returncode == 2 and "'' is not an agent id" in empty.stderr
    assert desk.task("nobody", "list").returncode == 4
    assert desk.run("task", "list", *desk.where, SWARM_AGENT="bob").returncode == 0


def test_where_there_is_no_channel(mail: Desk) -> None:
    list_ = ("--as", "amy", "task", "list", "--channel")
    unknown, bad = mail.run(*list_, "nope"), mail.run(*list_, "../x")
    assert (unknown.returncode, bad.returncode) == (4, 2)
    assert "is not a channel name" in bad.stderr
    (mail.place / "odd").mkdir(parents=True)
    (mail.place / "odd/team.db").write_text("this is no database, " * 99)
    damaged = mail.run(*list_, "odd", "--json")
    assert damaged.returncode == 6 and damaged.stdout == ""
    assert json.loads(damaged.stderr.splitlines()[-1])["error"]["exit"] == 6
    assert mail.run(*list_, "odd").stderr.startswith("swarm: ")


# What is shown


def test_a_long_summary_goes_into_the_text_and_says_so(desk: Desk) -> None:
    long = " ".join(f"word{n}" for n in range(40))
    asked = desk.task("amy", "request", "bob", "-s", long, "-m", "and this")
    assert asked.returncode == 0 and "summary is long" in asked.stderr
    (said,) = desk.events("bob", asked.stdout.strip())
    assert said.content == " ".join(f"word{n}" for n in range(20))
    assert desk.text(said) == f"{long}\n\nand this\n"
    short = desk.task("amy", "request", "bob", "-s", "two  blanks\nand lines")
    assert short.stderr == ""


def test_a_long_text_is_shown_whole_and_named_in_the_list(mail: Desk) -> None:
    text = "line\n" * 10_000
    (mail.place / "long.txt").write_text(text)
    key = mail.ask("amy", "bob", "-s", "x", "-F", "long.txt")
    (task,) = json.loads(mail.say("bob", "show", key, "--json"))["tasks"]
    assert [event["body"] for event in task["events"]] == [text]
    named = mail.say("bob", "show", key).split("\t")[-1]
    assert (mail.place / "mail/bob/inbox" / named).is_file()


def test_in_a_channel_a_message_has_one_longer_text(channel: Desk) -> None:
    for more in (("-s", "x", "-m", "text"), ("-s", "word " * 30)):
        done = channel.task("amy", "request", "bob", *more, "--detail", "notes.md")
        assert done.returncode == 2 and "one longer text" in done.stderr
    assert channel.tasks("bob") == []


def test_for_programs_it_is_one_object_with_its_list_first(desk: Desk) -> None:
    asked = json.loads(desk.say("amy", "request", "bob", "-s", "x", "--json"))
    assert list(asked) == ["tasks", "v"] and asked["v"] == 1
    key = asked["tasks"][0]["task"]
    assert asked["tasks"] == [{"task": key, "to": "bob"}]
    done = json.loads(desk.say("bob", "done", "-s", "y", "--json"))
    assert list(done) == ["sent", "v"] and [e["event"] for e in done["sent"]] == [
        "task_ack",
        "task_done",
    ]
    listed = json.loads(desk.say("amy", "list", "--all", "--json"))
    assert list(listed) == ["tasks", "v"] and [task["task"] for task in listed["tasks"]] == [key]
    assert desk.say("amy", "list", "--all", "-0").split("\t")[:3] == [key, "done", "to bob"]
    shown = desk.task("amy", "show", key, "-0").stdout
    assert [row.split("\t")[1] for row in shown.split("\0")[:-1]] == [
        "task_req",
        "task_ack",
        "task_done",
    ]
    (told,) = json.loads(desk.say("amy", "show", key, "--json"))["tasks"]
    assert [(e["event"], e["from"], e["content"]) for e in told["events"]][-1] == (
        "task_done",
        "bob",
        "y",
    )
    drawn = desk.say("amy", "show", key, "--mermaid").splitlines()
    assert drawn[:2] == ["sequenceDiagram", "  amy->>bob: task_req x"]


def test_on_a_terminal_the_list_fits(mail: Desk) -> None:
    mail.ask(
        "amy",
        "bob",
        "-s",
        "review the whole parser of the importer; say what is [bold]slow[/bold] 日本語",
    )
    mail.say("bob", "update", "-s", "half of the long work is done and the rest will be done soon")
    argv = [SWARM, "--as", "amy", "task", "list"]
    terminal = Terminal(argv, mail.place, {**mail.env, "TERM": "xterm"})
    terminal.until(lambda out: "soon" in out)
    assert widest(terminal.out) <= COLUMNS
    lines = [line for line in screen(terminal.out) if line]
    assert lines[0].split()[:4] == ["task", "state", "with", "since"]
    assert "to bob" in lines[1] and "[bold]" in terminal.out
    terminal.rest()
    assert terminal.end(0) == 0


def test_a_silent_task_is_called_overdue(mail: Desk) -> None:
    mail.ask("amy", "bob")
    for path in (mail.place / "mail").rglob("0*.txt"):
        text = path.read_text()
        line = next(line for line in text.splitlines() if line.startswith("Date: "))
        path.write_text(text.replace(line, "Date: 2020-01-01T00:00:00Z"))
    (task,) = mail.tasks("amy")
    assert task["overdue"] and "asked, overdue" in mail.say("amy", "list")
    assert "overdue" not in mail.task("amy", "list", SWARM_TASK_TIMEOUT="900000000").stdout
    assert mail.task("amy", "list", SWARM_TASK_TIMEOUT="soon").returncode == 2
    mail.say("bob", "done", "-s", "better late than never")
    assert mail.tasks("amy") == []
