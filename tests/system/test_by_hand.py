"""The recipes in scripts/by-hand, run by the plainest shells."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm import message

from .by_hand import NAME, RECIPES, SHELLS, Mail


@pytest.fixture(params=SHELLS)
def mail(request: pytest.FixtureRequest, tmp_path: Path) -> Mail:
    """An empty mail folder, for each shell."""
    return Mail(tmp_path, request.param)


@pytest.fixture
def team(mail: Mail) -> Mail:
    """alice and bob, registered by hand."""
    mail.enter("alice", "bob")
    return mail


# register


def test_register_writes_the_entry_and_the_folders(mail: Mail) -> None:
    mail.hand("alice", "register", "tests things: all", "surveyor", "run the tests", "paused")
    assert (mail.root / "dir" / "alice.txt").read_text() == (
        "id: alice\nrole: tests things: all\narchetype: surveyor\n"
        "task: run the tests\nstatus: paused\n"
    )
    assert (mail.root / "alice/inbox/.read").is_dir()
    assert list((mail.root / "alice/drafts").iterdir()) == []


def test_register_leaves_an_entry_that_is_there(team: Mail) -> None:
    entry = team.root / "dir" / "bob.txt"
    before = entry.read_bytes()
    team.hand("bob", "register", "other", "planner", "other", code=5)
    team.hand("Bob", "register", "other", "planner", "other", code=5)
    assert entry.read_bytes() == before
    assert not (team.root / "Bob").exists()
    assert list((team.root / "bob/drafts").iterdir()) == []


@pytest.mark.parametrize(
    ("agent", "args"),
    [
        ("../x", ("r", "planner", "t")),
        ("a/b", ("r", "planner", "t")),
        (".", ("r", "planner", "t")),
        ("-n", ("r", "planner", "t")),
        ("a b", ("r", "planner", "t")),
        ("équipe", ("r", "planner", "t")),
        ("end.", ("r", "planner", "t")),
        ("all", ("r", "planner", "t")),
        ("DIR", ("r", "planner", "t")),
        ("x" * 65, ("r", "planner", "t")),
        ("carl", ("r\nstatus: done", "planner", "t")),
        ("carl", ("r", "boss", "t")),
        ("carl", ("r", "planner", "t", "asleep")),
    ],
)
def test_register_refuses_what_is_not_valid(
    tmp_path: Path, agent: str, args: tuple[str, ...]
) -> None:
    mail = Mail(tmp_path, SHELLS[0])
    mail.hand(agent, "register", *args, code=2)
    assert mail.tree() == ["dir"]


def test_of_several_registrations_at_once_one_wins(mail: Mail) -> None:
    script = str(RECIPES / "register.sh")
    racing = [
        subprocess.Popen(
            [*mail.shell, "-eu", script, f"role {number}", "planner", "t"],
            env=mail.env("alice"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for number in range(6)
    ]
    told = [process.communicate(timeout=30)[0] for process in racing]
    assert sorted(process.returncode for process in racing) == [0, 5, 5, 5, 5, 5]
    winner = told.index(b"alice\n")
    assert f"role: role {winner}\n" in (mail.root / "dir/alice.txt").read_text()
    assert list((mail.root / "alice/drafts").iterdir()) == []


# send


def test_send_delivers_and_keeps_a_copy_of_its_own(team: Mail) -> None:
    body = b"`rm x` $HOME \"q\" 'r' \\n %s !\n---\nTo: carl\n\x00\xff no newline at the end"
    printed = team.hand("alice", "send", "bob", "50% done: “é” \\n", "bd-1", "ack", stdin=body)
    inbox = team.file(printed)
    assert inbox.parent == team.root / "bob" / "inbox"
    assert NAME.fullmatch(inbox.name)
    head = "To: bob\nFrom: alice\nSubject: 50% done: “é” \\n\nThread: bd-1\nStatus: ack\n---\n"
    assert inbox.read_bytes() == head.encode() + body
    copy = team.root / "alice" / "sent" / inbox.name
    assert copy.read_bytes() == inbox.read_bytes()
    assert inbox.stat().st_nlink == copy.stat().st_nlink == 1
    assert list((team.root / "alice/drafts").iterdir()) == []


@pytest.mark.parametrize(
    "subject",
    [
        "x" * 3000,
        "日本語" * 100,
        "../../etc/x",
        "/etc/passwd",
        ".hidden",
        "nul.txt",
        "-rf",
        "---",
        'a:b?c*d|e<f>g"h\\i',
        "UPPER Case",
        "x.",
        "%n",
        "a\\",
        "$(id)",
        "e" * 40 + " f",
    ],
)
def test_any_subject_makes_a_valid_file_name(tmp_path: Path, subject: str) -> None:
    mail = Mail(tmp_path, SHELLS[0])
    mail.enter("alice", "bob")
    path = mail.file(mail.hand("alice", "send", "bob", subject))
    assert NAME.fullmatch(path.name)
    assert f"Subject: {subject}\n".encode() in path.read_bytes()


def test_a_name_that_is_taken_is_drawn_again(team: Mail, tmp_path: Path) -> None:
    first = "01_same_aaaa.txt"
    other = "01_same_bbbb.txt"
    third = "01_same_cccc.txt"
    team.put("bob", first, "precious")
    (team.root / "bob/inbox/.read" / other).touch()  # archived or deleted, but the name was used
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "od").write_text(
        f"#!/bin/sh\nn=$(cat {tools}/n); echo $((n + 1)) >{tools}/n\n"
        "case $n in 0) echo ' 00 00';; 1|2) echo ' aa aa';; 3) echo ' bb bb';;\n"
        "*) echo ' cc cc';; esac\n"
    )
    (tools / "n").write_text("0\n")
    (tools / "od").chmod(0o755)
    team.path = f"{tools}:{team.path}"
    printed = team.hand("alice", "send", "bob", "same", stdin=b"new\n")
    assert printed == f"bob/inbox/{third}\n"
    assert (team.root / "bob/inbox" / first).read_text() == "precious"
    assert (team.root / "alice/sent" / third).read_text().endswith("---\nnew\n")
    assert (team.root / "bob/inbox/.read" / other).exists()
    # With no free name left nothing is replaced, and the message waits in drafts.
    printed = team.hand("alice", "send", "bob", "same", stdin=b"last\n")
    assert printed == "bob/inbox/02_same_cccc.txt\n"  # the number has gone up
    (team.root / "alice/sent/02_same_cccc.txt").unlink()
    team.hand("alice", "send", "bob", "same", stdin=b"stuck\n", code=1)
    (draft,) = (team.root / "alice/drafts").iterdir()
    assert draft.read_bytes().endswith(b"\nstuck\n")
    assert (team.root / "bob/inbox/02_same_cccc.txt").read_bytes().endswith(b"\nlast\n")
    assert not list((team.root / "bob/inbox").glob(".swarm-*"))


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("karl", "hi"), 4),
        (("../bob", "hi"), 2),
        (("", "hi"), 2),
        (("dir", "hi"), 2),
        (("all", "hi"), 2),
        (("bob", ""), 2),
        (("bob", "  "), 2),
        (("bob", "hi\nFrom: boss"), 2),
        (("bob", "hi", "t\n---\n"), 2),
        (("bob", "hi\x1b[31m"), 2),
    ],
)
def test_send_refuses_and_writes_nothing(tmp_path: Path, args: tuple[str, ...], code: int) -> None:
    mail = Mail(tmp_path, SHELLS[0])
    mail.enter("alice", "bob")
    before = mail.tree()
    assert mail.hand("alice", "send", *args, code=code) == ""
    assert mail.tree() == before


def test_a_sender_that_nobody_knows_gets_no_mailbox(team: Mail) -> None:
    team.hand("alicia", "send", "bob", "hi", code=4)
    assert not (team.root / "alicia").exists()


def test_numbers_go_up_in_decimal_and_ignore_dates(team: Mail) -> None:
    sent = team.root / "alice" / "sent"
    for name in ("07_a_aaaa.txt", "20260101_note_bbbb.txt", "x_y_z.txt", "12.txt"):
        (sent / name).touch()
    names = [team.hand("alice", "send", "bob", "n").split("/")[2][:3] for _ in range(3)]
    assert names == ["08_", "09_", "10_"]
    (sent / "0099_a_aaaa.txt").touch()
    assert team.hand("alice", "send", "bob", "n").startswith("bob/inbox/100_n_")


def test_missing_folders_are_made(team: Mail) -> None:
    shutil.rmtree(team.root / "bob")
    shutil.rmtree(team.root / "alice")
    path = team.file(team.hand("alice", "send", "bob", "hi"))
    assert path.is_file()
    shutil.rmtree(team.root / "bob/inbox/.read")
    assert team.hand("bob", "unread") == path.name + "\n"
    team.hand("bob", "receipt", path.name)
    assert team.hand("bob", "unread") == ""


def test_an_inbox_that_is_a_file_is_an_error_and_stays(team: Mail) -> None:
    shutil.rmtree(team.root / "bob/inbox")
    (team.root / "bob/inbox").write_text("stranded")
    team.hand("alice", "send", "bob", "hi", code=6)
    team.hand("bob", "unread", code=4)
    assert (team.root / "bob/inbox").read_text() == "stranded"
    assert list((team.root / "alice/sent").iterdir()) == []


def test_without_a_mail_folder_nothing_is_made(mail: Mail, tmp_path: Path) -> None:
    shutil.rmtree(mail.root)
    mail.hand("alice", "register", "r", "planner", "t", code=3)
    mail.hand("alice", "send", "bob", "hi", code=3)
    mail.hand("alice", "unread", code=4)
    mail.hand("alice", "thread", "bd-1", code=4)
    assert list(tmp_path.iterdir()) == []


# unread and receipt


def test_unread_lists_by_number_each_on_one_line(team: Mail) -> None:
    names = ["9_z.txt", "10_a.txt", "99_b.txt", "100_c.txt", "5.txt"]
    odd = ["-n.txt", "a b.txt", "$(id).txt", "*.txt", "Résumé.txt", "[!0-9]x.txt"]
    for name in [*names, *odd, "c\nd.txt", "g\x1b[31m.txt"]:
        team.put("bob", name, "To: bob\nFrom: alice\nSubject: s\n---\n")
    for name in (".hidden.txt", "x.txt.swp", "notes.md", "y.txt~", ".txt"):
        team.put("bob", name, "no mail")
    inbox = team.root / "bob/inbox"
    (inbox / "link.txt").symlink_to("9_z.txt")
    (inbox / "gone.txt").symlink_to("nowhere")
    (inbox / "folder.txt").mkdir()
    os.mkfifo(inbox / "pipe.txt")
    lines = team.hand("bob", "unread").splitlines()
    assert lines[:5] == ["5.txt", "9_z.txt", "10_a.txt", "99_b.txt", "100_c.txt"]
    assert sorted(lines[5:]) == sorted([*odd, "c?d.txt", "g?[31m.txt"])


def test_unread_runs_a_command_on_each_file_whatever_its_name(team: Mail) -> None:
    names = ["-n.txt", "a b.txt", "c\nd.txt", "$(id).txt", "*.txt", "tab\t.txt"]
    for name in names:
        team.put("bob", name, "To: bob\nFrom: alice\nSubject: s\n---\nhello\n")
    assert team.hand("bob", "unread", "cat").count("hello\n") == len(names)
    script = 'for f in "$R"/*.sh; do . "$f"; done; mail_unread mail_receipt; mail_unread'
    script = script.replace("$R", str(RECIPES))
    assert team.run("bob", *team.shell, "-euc", script) == ""
    receipts = team.root / "bob/inbox/.read"
    assert sorted(path.name for path in receipts.iterdir()) == sorted(names)


def test_unread_writes_nothing(team: Mail) -> None:
    team.hand("alice", "send", "bob", "hi")
    before = team.tree()
    assert team.hand("bob", "unread") == team.hand("bob", "unread") != ""
    assert team.tree() == before


def test_a_receipt_is_for_the_exact_name(team: Mail) -> None:
    for name in ("01_a_aaaa.txt", "01_a_aaaa_more.txt", "a b.txt"):
        team.put("bob", name, "x")
    team.hand("bob", "receipt", "01_a_aaaa.txt", str(team.root / "bob/inbox/a b.txt"))
    receipts = team.root / "bob/inbox/.read"
    assert sorted(path.name for path in receipts.iterdir()) == ["01_a_aaaa.txt", "a b.txt"]
    assert all(path.stat().st_size == 0 for path in receipts.iterdir())
    assert team.hand("bob", "unread") == "01_a_aaaa_more.txt\n"


@pytest.mark.parametrize(
    "name",
    [
        "nosuch.txt",
        "01_a_aaaa",
        "01_a",
        "",
        "../inbox/01_a_aaaa.txt",
        ".x.txt",
        "link.txt",
        "n.md",
        "../../alice/inbox/02_b_bbbb.txt",
        "*",
    ],
)
def test_no_receipt_for_what_is_no_message_of_ones_own(tmp_path: Path, name: str) -> None:
    mail = Mail(tmp_path, SHELLS[0])
    mail.enter("alice", "bob")
    mail.put("bob", "01_a_aaaa.txt", "x")
    mail.put("bob", ".x.txt", "x")
    mail.put("bob", "n.md", "x")
    mail.put("alice", "02_b_bbbb.txt", "x")
    (mail.root / "bob/inbox/link.txt").symlink_to("01_a_aaaa.txt")
    before = mail.tree()
    mail.hand("bob", "receipt", name, code=4 if name else 2 if SHELLS[0] == "dash" else 1)
    assert mail.tree() == before


# header, reply, thread


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Thread: T-1\n---\n", "T-1"),
        ("THREAD:   T-1  \t\n---\n", "T-1"),
        ("To: bob\r\nthread:T-1\r\n---\r\nbody", "T-1"),
        ("\ufeff\n\n---\nTo: bob\nThread: T-1\n---\n", "T-1"),
        ("\n\r\nThread: T-1\nThread: T-2\n---\n", "T-1"),
        ("  \nThread: T-1\n---\n", ""),
        ("X-Thread: T-2\nThreads: T-3\nThread: a: b\n---\n", "a: b"),
        ("Thread: T-1", "T-1"),
        ("Thread : T-1\n---\n", ""),
        ("To: bob\n---\nThread: T-1\n", ""),
        ("To: bob\nno header line\nThread: T-1\n---\n", ""),
        ("To: bob\n\nThread: T-1\n---\n", ""),
        ("---\nbody\nThread: T-1\n", ""),
        ("---\n---\nThread: T-1\n", ""),
        ("Subject: Thread: T-1\n---\n", ""),
        ("", ""),
        ("\x00" * 300, ""),
    ],
)
@pytest.mark.parametrize("shell", SHELLS)
def test_a_header_is_read_from_the_header_alone(
    tmp_path: Path, shell: str, text: str, value: str
) -> None:
    mail = Mail(tmp_path, shell)
    path = tmp_path / "-m x.txt"
    path.write_bytes(text.encode())
    assert mail.hand("bob", "header", "thread", str(path)) == (value + "\n" if value else "")


lines = st.sampled_from(
    [
        "",
        "---",
        "Thread: T-1",
        "thread:\tT-2 ",
        "THREAD:",
        "Threads: x",
        "To: bob",
        " Thread: y",
        "no header",
        "X: Thread: z",
        "---- ",
        "a-b_9:c",
    ]
)
ends = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["", "\ufeff"]), st.lists(st.tuples(lines, ends), max_size=6), lines)
def test_a_header_is_what_the_command_takes_for_it(
    bom: str, start: list[tuple[str, str]], last: str
) -> None:
    data = (bom + "".join(line + end for line, end in start) + last).encode()
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        script = str(RECIPES / "header.sh")
        done = subprocess.run(["sh", script, "thread", file.name], capture_output=True, timeout=30)
    want = message.parse(data).get("thread").encode()
    assert (done.stdout.removesuffix(b"\n"), done.stderr) == (want, b"")


def test_reply_goes_back_in_the_thread_and_names_what_it_answers(team: Mail) -> None:
    asked = team.file(team.hand("alice", "send", "bob", "a question", "bd-1"))
    answer = team.file(team.hand("bob", "reply", asked.name, "ack", stdin=b"yes"))
    assert answer.read_text() == (
        "To: alice\nFrom: bob\nSubject: Re: a question\nThread: bd-1\n"
        f"Status: ack\nRef: {asked.name}\n---\nyes"
    )
    again = team.file(team.hand("alice", "reply", answer.name))
    assert "\nSubject: Re: a question\n" in again.read_text()
    asked.rename(team.root / "bob/sent" / asked.name)
    archived = team.file(team.hand("bob", "reply", asked.name))
    assert archived.parent == team.root / "alice/inbox"


def test_reply_to_odd_messages(team: Mail) -> None:
    team.put("bob", "x.txt", "From: alice\nSubject: tab\there \x1b[31m\n---\n")
    text = team.file(team.hand("bob", "reply", "x.txt")).read_text()
    assert "Subject: Re: tabhere [31m\n" in text
    assert "Thread" not in text
    team.put("bob", "y.txt", "From: alice\n---\n")
    assert "Subject: Re: (no subject)" in team.file(team.hand("bob", "reply", "y.txt")).read_text()
    team.put("bob", "z.txt", "From: ../../x\nSubject: s\n---\n")
    before = team.tree()
    team.hand("bob", "reply", "z.txt", code=2)
    team.hand("bob", "reply", "nosuch.txt", code=4)
    team.hand("bob", "reply", "../../alice/inbox/x.txt", code=4)
    assert team.tree() == before


def test_a_thread_is_its_whole_exact_name(team: Mail) -> None:
    for thread in ("T-1", "T-10", "T-1.5", "T-1x5", "t-1", "T-1 b", "XT-1"):
        team.hand("alice", "send", "bob", f"in {thread}", thread, stdin=b"Thread: T-1\n")
    team.hand("alice", "send", "bob", "in none", stdin=b"Thread: T-1\n")
    os.mkfifo(team.root / "bob/inbox/pipe.txt")
    (team.root / "bob/inbox/link.txt").symlink_to("../../alice/sent")
    (line,) = team.hand("bob", "thread", "T-1").splitlines()
    assert re.fullmatch(r"bob/inbox/01_in-t-1_[0-9a-f]{4}\.txt", line)
    (line,) = team.hand("alice", "thread", "T-1.5").splitlines()
    assert line.startswith("alice/sent/03_in-t-1-5_")
    assert team.hand("bob", "thread", "T-1 b", "cat").endswith("---\nThread: T-1\n")
    for thread in ("T-", "T", ".*", "T-1?", "t-10"):
        team.hand("bob", "thread", thread, code=4)


@pytest.mark.parametrize("recipe", ["register", "send", "unread", "receipt", "reply", "thread"])
def test_a_recipe_is_short_and_says_how_it_is_used(recipe: str) -> None:
    lines = (RECIPES / f"{recipe}.sh").read_text().splitlines()
    assert lines[0] == "#!/bin/sh"
    assert lines[1].startswith(f"# {recipe}.sh ")
    assert len(lines) <= 30
    assert os.access(RECIPES / f"{recipe}.sh", os.X_OK)


@pytest.mark.parametrize(
    ("agent", "call", "code", "told"),
    [
        ("carl", "register r boss t", 2, "surveyor"),
        ("carl", "register r planner t asleep", 2, "paused"),
        ("b/b", "register r planner t", 2, "letters, digits"),
        ("bob", "send b/b hi", 2, "letters, digits"),
        ("bob", "thread T-9", 4, "T-9"),
    ],
)
def test_a_refusal_says_what_would_do(
    tmp_path: Path, agent: str, call: str, code: int, told: str
) -> None:
    mail = Mail(tmp_path, SHELLS[0])
    mail.enter("bob")
    recipe, *args = call.split()
    words = [*mail.shell, str(RECIPES / f"{recipe}.sh"), *args]
    said = mail.run(agent, "sh", "-c", 'exec "$@" 2>&1', "sh", *words, code=code)
    assert told in said


def test_a_failing_recipe_does_not_end_the_shell_that_sourced_it(team: Mail) -> None:
    script = f'for f in "{RECIPES}"/*.sh; do . "$f"; done\n'
    script += "mail_send karl hi </dev/null || echo on\n"
    script += 'echo "$MAIL|$ME|${LC_ALL-none}"; echo x >f; echo y >f'
    done = subprocess.run(
        [*team.shell, "-euc", script],
        env=team.env("alice"),
        cwd=team.root,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.stdout == f"on\n{team.root}|alice|none\n", done.stderr
    assert done.returncode == 0


def test_what_is_made_by_hand_is_sound(team: Mail) -> None:
    asked = team.file(team.hand("alice", "send", "bob", "a question", "bd-1"))
    team.hand("bob", "receipt", asked.name)
    team.hand("bob", "reply", asked.name, "done")
    said = team.command("alice", "doctor")
    assert not re.search(r"(?m)^(warn|fail)", said), said
