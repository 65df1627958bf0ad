"""What is said arrives: uncut and unstyled in a pipe, in any encoding, or the exit code tells."""

import re
import time
from pathlib import Path

import pytest
from rich.cells import cell_len

from swarm.cli.grammar import GRAMMAR

from .team import ANSWERS, ENTRY, Team

COMMANDS = sorted(GRAMMAR)
BRACKETS = [
    "see [/usr/bin/x] and [/INST]", "[bold]x[/bold] [/]", r"\[x] [link=http://x]y[/link]",
    ":smile: [red] {0} %s $x", "[", "]] [@click=f()]x",
]  # fmt: skip
ESCAPE = b"\x1b"


def visible(out: bytes) -> str:
    """What stands on a screen, without colours, blanks and line ends."""
    return re.sub(r"\x1b\[[0-9;]*m|\s", "", out.decode())


# Brackets


@pytest.mark.parametrize("text", BRACKETS)
def test_brackets_are_text(team: Team, text: str) -> None:
    team.put("01_a_aaaa.txt", text + "\n", Subject=text, Thread=text, Status=text)
    team.put("[bold]_[/x].txt".replace("/", ""), From=text)
    team.enter("bob", role=text, task=text, status=text)
    (team.root / "bob/sent/01_a.txt").write_text(f"To: x{text}\nFrom: bob\nSubject: {text}\n---\n")
    calls = [
        ["unread"], ["thread", text], ["threads"], ["agents"], ["status"], ["sent"], ["doctor"],
        ["search", text], ["read", "01", "--peek"],
    ]  # fmt: skip
    for done in team.often(calls):
        assert done.returncode == 0 and (text.encode() in done.stdout or done.args == ["doctor"])
    for words in (["unread"], ["thread", text], ["agents"], ["read", "01"]):
        code, out = team.watched(*words, columns=300)
        assert code == 0 and visible(text.encode()) in visible(out)
    done = team.run("mark", "01", text)
    assert done.returncode == 2 and done.stderr.startswith(b"swarm: ")


# Help


@pytest.mark.parametrize(
    ("env", "part"),
    [
        *(({"COLUMNS": "20", "TERM": "dumb"}, slice(at, None, 2)) for at in (0, 1)),
        ({"COLUMNS": "0", "TERM": ""}, slice(0, None, 12)),
        ({"COLUMNS": "1"}, slice(1, None, 12)),
    ],
    ids=str,
)
def test_every_command_has_help(team: Team, env: dict[str, str], part: slice) -> None:
    calls = [["--help"], *([*command.split(), "--help"] for command in COMMANDS)][part]
    for words, done in zip(calls, team.often(calls, **env), strict=True):
        assert (done.returncode, done.stderr) == (0, b""), done
        assert done.stdout.startswith(b"Usage: swarm") and ESCAPE not in done.stdout
        assert words[0].encode() in done.stdout


@pytest.mark.parametrize(
    ("words", "columns"),
    [("--help", 1), ("--help", 20), ("send --help", 20), ("unread --nosuch", 1), ("", 20)],
)
def test_help_fits_on_any_terminal(team: Team, words: str, columns: int) -> None:
    code, out = team.watched(*words.split(), columns=columns, TERM="dumb")
    assert code == (0 if "--help" in words else 2) and b"Traceback" not in out
    assert ESCAPE not in out and b"swarm" in out


# Uncut


@pytest.mark.parametrize(
    "env", [{"COLUMNS": "20"}, {"COLUMNS": "20", "TERM": "xterm"}, {"COLUMNS": "x"}]
)
def test_in_a_pipe_nothing_is_cut_or_folded(team: Team, env: dict[str, str]) -> None:
    name, long = f"01_{'x' * 92}_aaaa.txt", "word " * 600 + "end"
    team.put(name, Subject=long, Thread=long)
    team.enter("bob", role=long, task=long)
    (team.root / "bob/sent" / name).write_text(f"To: alice\nFrom: bob\nSubject: {long}\n---\n")
    row = f"{name}\talice\t{long}\n"
    calls = ("unread", "wait", "threads", "sent", "agents", "status", "search word", "doctor")
    told = team.answers(*calls, **env)
    assert told["unread"] == told["wait"] == row and row in told["search word"]
    assert told["threads"] == f"{long}\t1\t{long}\n"
    assert told["sent"] == f"{name}\talice\tunread\t{long}\n"
    assert told["agents"] == f"bob\tactive\t{long}\t{long}\n"
    assert f"\t{long}\t" in told["status"]
    assert all(line.count("\t") == 2 for line in told["doctor"].splitlines())
    assert team.lines("thread", long, **env) == [f"{name}\talice\tbob\t{long}"]
    assert team.lines("archive", name, **env)[0].startswith(f"bob/sent/{name[:-4]}")


# Encodings


@pytest.mark.parametrize(
    ("encoding", "env"),
    [
        ("ascii", {"PYTHONIOENCODING": "ascii"}),
        ("latin-1", {"PYTHONIOENCODING": "latin-1"}),
        ("ascii", {"PYTHONIOENCODING": "ascii:strict"}),
        ("ascii", {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}),
        ("utf-8", {"LC_ALL": "", "LANG": "nosuch"}),
    ],
)
def test_what_the_terminal_cannot_write_is_replaced(
    busy: Team, encoding: str, env: dict[str, str]
) -> None:
    for done in busy.often([call.split() for call in ANSWERS], **env):
        assert (done.returncode, done.stderr) == (0, b""), done
        if "read" not in done.args:  # a message is bytes, and stays as it is
            done.stdout.decode(encoding)
    code, out = busy.watched("unread", columns=200, **env)
    assert (code == 0 and encoding != "ascii") or (b"na?ve ? ???" in out and out.isascii())
    code, out = busy.watched("agents", columns=200, **env)
    assert code == 0 and out.decode(encoding).count("[/x]") == 3
    code, out = busy.watched("read", "01", "--peek", columns=200, **env)
    assert code == 0 and out.decode(encoding).startswith("To: bob\n")
    assert busy.ok("read", "01", **env).endswith("naïve ✓\n".encode())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_errors_and_objects_are_written_in_any_encoding(busy: Team, encoding: str) -> None:
    env = {"PYTHONIOENCODING": encoding}
    for words in (["read", "✓"], ["send", "日本", "-s", "s", "-m", "x"], ["--as", "é", "unread"]):
        for argv in (words, [*words, "--json"]):
            done = busy.run(*argv, **env)
            assert done.returncode in (2, 4) and done.stderr.startswith(b"swarm: "), done
            done.stderr.decode(encoding)
    done = busy.run("unread", "--nosuch=✓", **env)
    assert done.returncode == 2 and done.stderr.decode(encoding).startswith("swarm: no such option")
    found = busy.json("unread", **env)["messages"]
    assert found[0]["subject"] == "naïve ✓ 日本語"


WIDE = [
    "日本語のテスト" * 4,
    "👩‍👩‍👧 done " * 5,
    "e\u0301" * 40,
    "각" * 30,
    "ด้้้้้็็็็็" * 5,
    "\u200d\u200b x" * 9,
    "｡ﾟ" * 30,
]


@pytest.mark.parametrize("text", WIDE)
@pytest.mark.parametrize("call", ["unread", "status"])
def test_no_letter_breaks_the_width_of_a_terminal(team: Team, text: str, call: str) -> None:
    team.put("01_a_aaaa.txt", Subject=text, Thread="T")
    team.enter("bob", task=text)
    code, out = team.watched(*call.split(), columns=40, NO_COLOR="1")
    table = [line for line in out.decode().split("\n") if not line.startswith("!")]
    assert code == 0 and max(map(cell_len, table)) <= 40
    if "\u200b" not in text:
        assert visible(out).count(visible(text.encode())[:3])


@pytest.mark.parametrize("text", WIDE[:3])
@pytest.mark.parametrize(
    ("name", "columns"), [("01_a_name_aaaa.txt", 40), (f"01_{'x' * 40}_aaaa.txt", 80)]
)
def test_a_name_stands_on_one_line_where_there_is_room(
    team: Team, text: str, name: str, columns: int
) -> None:
    team.put(name, Subject=text * 3)
    assert name.encode() in team.watched("unread", columns=columns)[1]


# Errors inside

SECRET = "TOKEN=abc123"
BROKEN = {
    "a division": "import os\nos.urandom = lambda size: size // 0",
    "a text": "import swarm.message as m\ndef f(headers, body): raise RuntimeError(body)\nm.format_message = f",
    "a key": "import swarm.mailbox.delivery as d\ndef f(*a, **k): raise KeyError(k['body'])\nd.send = f",
    "no memory": "import swarm.names as n\ndef f(text): raise MemoryError(text)\nn.slug = f",
    "recursion": "import swarm.names as n\ndef f(text): return f(text)\nn.slug = f",
    "an assertion": "import swarm.names as n\ndef f(text): assert not text, text\nn.slug = f",
    "a file": "import os\nlisten = os.listdir\ndef f(path): raise OSError(5, 'bad')\nos.listdir = f",
}  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("form", ["-m", "stdin"])
def test_an_error_inside_shows_no_value(team: Team, broken: str, form: str) -> None:
    given, body = (["-m", SECRET], None) if form == "-m" else ([], SECRET.encode())
    for more in ([], ["--json"]):
        words = ["send", "carl", "-s", SECRET, *given, *more]
        done = team.run(*words, hook=BROKEN[broken], body=body)
        assert done.returncode not in (0, -6, -11) and done.stderr.startswith(b"swarm: "), done
        assert b"abc123" not in done.stderr + done.stdout and b"Traceback" not in done.stderr
        assert len(done.stderr.splitlines()) == 2 + len(more)


@pytest.mark.parametrize("broken", ["a division", "a text"])
def test_said_with_equals_it_shows_none_either(team: Team, broken: str) -> None:
    words = ("send", "carl", f"--subject={SECRET}", f"--message={SECRET}")
    done = team.run(*words, hook=BROKEN[broken])
    assert done.returncode == 1 and done.stderr.startswith(b"swarm: internal error: ")
    assert b"abc123" not in done.stderr and b"Traceback" not in done.stderr


@pytest.mark.parametrize("broken", ["a division", "a text"])
def test_its_trace_is_shown_on_request_only(team: Team, broken: str) -> None:
    words = ("send", "carl", "-s", "s", "-m", "x")
    for value, shown in (("1", True), ("0", False), ("", False), ("true", False)):
        done = team.run(*words, hook=BROKEN[broken], SWARM_DEBUG=value)
        assert (b"Traceback" in done.stderr) == shown


# Colours


@pytest.mark.parametrize(
    "env",
    [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "xterm-256color"}, {"FORCE_COLOR": "1", "TERM": "xterm"},
     {"CLICOLOR_FORCE": "1", "PY_COLORS": "1", "TTY_COMPATIBLE": "1"}],
)  # fmt: skip
def test_in_a_file_there_are_no_colours(busy: Team, env: dict[str, str]) -> None:
    calls = [*(call.split() for call in ANSWERS if call != "describe"), ["read"]]
    helped = [["--help"], ["nosuch"]] if len(env) > 1 else []
    for done in (*busy.often(calls, **env), *busy.often(helped, **env)):
        assert ESCAPE not in done.stdout + done.stderr, done


@pytest.mark.parametrize(
    "env",
    [{"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}],
)
def test_who_wants_no_colours_on_a_terminal_gets_none(busy: Team, env: dict[str, str]) -> None:
    for call in ("unread", "read 01 --peek", "nosuch"):
        _, out = busy.watched(*call.split(), **env)
        assert out and ESCAPE not in out, out


# Interrupted

# Ctrl-C comes at the moment at which a module is first asked for.
AT_IMPORT = """
import os, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), 2)
sys.meta_path.insert(0, Finder())
"""
MODULES = [
    "swarm.cli", "swarm.cli.main", "swarm.cli.render", "swarm.errors", "swarm.cli.grammar",
    "swarm.cli.commands", "swarm.mailbox", "swarm.mailbox.inbox", "swarm.message",
]  # fmt: skip
OWN = re.compile(rb'File "[^"]*swarm/(?:cli|mailbox|doctor|[a-z_]+\.py)')


@pytest.mark.parametrize("name", MODULES)
def test_an_interrupt_while_it_starts_leaves_no_traceback(busy: Team, name: str) -> None:
    done = busy.run(
        "send", "carl", "-s", "s", "-m", "x", anew=True, hook=AT_IMPORT.format(name=name)
    )
    assert done.returncode in (-2, 130) and done.stderr == done.stdout == b"", done


@pytest.mark.parametrize(
    "name", ["swarm.cli.run", "typer", "swarm.cli.app", "swarm.cli.mail", "rich"]
)
def test_an_interrupt_while_the_other_parser_starts_leaves_no_traceback(
    busy: Team, name: str
) -> None:
    call = "send --help" if name != "rich" else "unread --as=bob"
    done = busy.run(*call.split(), anew=True, hook=AT_IMPORT.format(name=name))
    assert done.returncode in (-2, 130) or name == "rich"
    assert b"Traceback" not in done.stderr, done


@pytest.mark.parametrize("call", ["unread", "send --help", "wait --timeout 1", "status"])
def test_an_interrupt_at_any_time_leaves_no_traceback_of_ours(busy: Team, call: str) -> None:
    for step in range(7):
        process = busy.start(*call.split(), SWARM_AGENT="alice")
        time.sleep(step * 0.01)
        process.send_signal(2)
        _, err = process.communicate(timeout=20)
        assert process.returncode in (-2, 0, 1, 130, 141), err
        assert not OWN.search(err), err


@pytest.mark.parametrize("call", ["wait", "wait --timeout 30", "watch", "status --watch"])
def test_an_interrupt_while_it_waits_ends_it_silently(busy: Team, call: str) -> None:
    process = busy.start(*call.split(), SWARM_AGENT="carl")
    time.sleep(0.5)
    process.send_signal(2)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, b"")


# A home of its own


@pytest.mark.parametrize("shell", ["/bin/bash", "/bin/zsh"])
def test_nothing_is_written_to_a_home(busy: Team, shell: str) -> None:
    home = busy.place.parent / "home"
    home.mkdir()
    (home / ".bashrc").write_text("# mine\n")
    given = {"HOME": str(home), "SHELL": shell, "TMPDIR": str(home), "XDG_CONFIG_HOME": ""}
    calls = [
        *(call.split() for call in ANSWERS), ["send", "carl", "-s", "s", "-m", "x"], ["--help"],
        ["register", "dora", *ENTRY], ["update", "--status", "paused"], ["read", "--all"],
        ["archive", "--read"], ["cleanup"], ["unregister", "dora"], ["init", "new"], ["--version"],
    ]  # fmt: skip
    answers = busy.often(calls, **given)
    answers += busy.often([[]], **given, _SWARM_COMPLETE=f"source_{Path(shell).name}")
    assert [done.returncode for done in answers] == [0] * (len(calls) + 1)
    assert [path.name for path in home.rglob("*")] == [".bashrc"]
    assert (home / ".bashrc").read_text() == "# mine\n"


@pytest.mark.parametrize("home", ["", "/nonexistent"])
def test_no_home_is_needed(busy: Team, home: str) -> None:
    for done in busy.often([call.split() for call in ANSWERS], HOME=home, PATH=""):
        assert done.returncode == 0
    assert busy.run("send", "--help", HOME=home, PATH="").returncode == 0
