"""``swarm mcp`` as a process: how it starts, whom it serves, what is left when it ends."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from swarm.lock import Lock
from swarm.mailbox.layout import Root
from swarm.transport.mail_claim import MailClaim, is_claimed

from .. import forks
from ..unit.rights import SWARM
from .desk import Desk
from .mcp_client import peer, until

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SWARM_")}
ENV = {**CLEAN, "SWARM_FSYNC": "0"}
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


class Raw:
    """A client that is a pair of pipes, to do what the SDK's own would not."""

    def __init__(self, place: Path, *words: str, **env: str) -> None:
        self.process = subprocess.Popen(
            [SWARM, *words], cwd=place, env={**ENV, **env},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._rest = b""
        self.count = 0
        self.answers: dict[int, Any] = {}

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> int:
        self.count += 1
        ask = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.write(json.dumps(ask).encode() + b"\n")
        return self.count

    def answer(self, number: int) -> Any:
        """What is asked for, and every line is protocol."""
        while number not in self.answers:
            line = json.loads(self._line())
            assert line["jsonrpc"] == "2.0"
            self.answers[line.get("id", 0)] = line
        return self.answers[number]

    def _line(self) -> bytes:
        assert self.process.stdout
        while b"\n" not in self._rest:
            assert select.select([self.process.stdout], [], [], 20)[0]
            self._rest += os.read(self.process.stdout.fileno(), 65536)
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def call(self, tool: str, **arguments: Any) -> int:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def begin(self) -> "Raw":
        self.answer(self.ask("initialize", **HELLO))
        self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return self

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    assert forks.run(("init", ".", "--agents", "alice,bob"), tmp_path, ENV).returncode == 0
    return tmp_path


@pytest.fixture
def raw(place: Path) -> Iterator[Any]:
    made = []

    def start(*words: str, **env: str) -> Raw:
        made.append(Raw(place, *words, **env))
        return made[-1]

    yield start
    for one in made:
        one.end()


def test_a_message_is_read_only_once_its_answer_was_taken(place: Path, raw: Any) -> None:
    """A pipe holds 64 KiB: of a longer answer the rest is written when the client reads."""
    inbox = place / "mail/alice/inbox"
    (inbox / "01_long.txt").write_bytes(b"To: alice\nFrom: bob\nSubject: s\n---\n" + b"x" * 60_000)
    client = raw("--as", "alice", "mcp").begin()
    number = client.call("read_message")
    time.sleep(0.5)
    assert not list((inbox / ".read").iterdir())
    assert (
        client.answer(number)["result"]["structuredContent"]["messages"][0]["file"] == "01_long.txt"
    )
    assert until(lambda: (inbox / ".read/01_long.txt").exists())
    (inbox / "02_long.txt").write_bytes((inbox / "01_long.txt").read_bytes())
    client.call("read_message")
    time.sleep(0.3)
    client.end()
    assert not (inbox / ".read/02_long.txt").exists()
    done = forks.run(("--as", "alice", "unread"), place, ENV)
    assert done.stdout.startswith(b"02_long.txt\t")


def test_of_many_reads_at_once_the_cancelled_ones_lose_and_hold_nothing(
    place: Path, raw: Any
) -> None:
    inbox = place / "mail/alice/inbox"
    for number in range(20):
        (inbox / f"{number}_x.txt").write_bytes(b"To: alice\nFrom: bob\nSubject: s\n---\n")
    client = raw("--as", "alice", "mcp").begin()
    asked = []
    for turn in range(60):
        asked.append(client.call("read_message"))
        if turn % 3 == 0:
            cancel = {"method": "notifications/cancelled", "params": {"requestId": asked[-1]}}
            client.write(json.dumps({"jsonrpc": "2.0", **cancel}).encode() + b"\n")
    for number in {*asked} - {*asked[::3]}:
        client.answer(number)
    answers = [client.answers[number] for number in asked if number in client.answers]
    got = [m["file"] for a in answers for m in a["result"]["structuredContent"]["messages"]]

    def read() -> bool:
        left = forks.run(("--as", "alice", "read", "--all", "--json"), place, ENV).stdout
        got.extend(message["file"] for message in json.loads(left)["messages"])
        return len(got) >= 20

    assert until(read)
    assert sorted(got) == sorted(f"{number}_x.txt" for number in range(20))


def test_who_takes_no_answers_can_ask_only_so_much(raw: Any) -> None:
    """What was asked and not taken is kept in memory."""
    client = raw("--as", "alice", "mcp").begin()
    end = client.process.stdin
    asked, more = 0, {"_meta": {"padding": "x" * 3000}}
    while asked < 4000 and select.select([], [end], [], 2)[1]:
        asked = client.ask("tools/list", **more)  # there was room for it in the pipe
    assert asked < 4000
    for number in (2, asked):
        assert client.answer(number)["result"]["tools"]


def test_who_asks_faster_than_it_can_be_served_waits(place: Path, raw: Any) -> None:
    """Cancelled requests count as long as they are at work."""
    client = raw("--as", "alice", "mcp").begin()
    end, draft = client.process.stdin, {"to": "bob", "content": "s", "body": "x" * 3000}
    sent = []
    with Lock(str(place / "mail/alice")):  # whoever sends with a key waits for it
        while len(sent) < 1000 and select.select([], [end], [], 0.7)[1]:
            sent.append(client.call("send_message", key=f"{len(sent)}", **draft))
            if len(sent) % 3 == 0:
                cancel = {"method": "notifications/cancelled", "params": {"requestId": sent[-1]}}
                client.write(json.dumps({"jsonrpc": "2.0", **cancel}).encode() + b"\n")
        assert 40 < len(sent) < 200
    answered = [number for at, number in enumerate(sent, 1) if at % 3]
    assert not any("error" in client.answer(number) for number in answered[::10])
    assert client.answer(client.call("check_inbox"))["result"]


def test_what_is_no_protocol_stops_nothing(raw: Any) -> None:
    client = raw("--as", "alice", "mcp").begin()
    client.write(
        b"hello\n\xff\xfe\x00\n[]\n{}\n" + b"\x80" * 100_000 + b'\n{"jsonrpc":"2.0","id":null}\n'
    )
    odd = client.ask("tools/call", name=7, arguments="x")
    assert "error" in client.answer(odd)
    half = client.answer(client.call("search", words="half a sign: \ud83d"))
    assert half["result"]["content"][0]["text"] == "nothing found"
    assert (
        client.answer(client.call("check_inbox"))["result"]["content"][0]["text"]
        == "no unread mail"
    )


# The SDK's client would end it with signals: this one just dies.
CLIENT = """
import subprocess, sys, time
server = [sys.argv[1], "--as", "alice", "mcp", "--guard"]
print(subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE).pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("whose", ["client", "server"])
def test_it_ends_with_its_client_or_by_a_signal_and_lets_go_of_its_agent(
    place: Path, whose: str
) -> None:
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, SWARM], cwd=place, env=ENV, stdout=subprocess.PIPE
    )
    assert client.stdout
    server = int(client.stdout.readline())
    root = Root(str(place / "mail"))
    try:
        assert until(lambda: is_claimed(root, "alice"), 20)
        if whose == "client":
            client.kill()
        else:
            os.kill(server, signal.SIGTERM)
        assert until(lambda: _ended(server), 2)
        # A moment later: the kernel calls it ended while its other threads still end.
        assert until(lambda: not is_claimed(root, "alice"), 2)
        assert not list(place.glob("mail/.guardians/*"))
    finally:
        client.kill()
        client.communicate()


def _ended(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] == "Z"
    except OSError:
        return True


def test_where_another_guardian_has_the_agent_it_says_so_and_works(place: Path) -> None:
    claim = MailClaim(Root(str(place / "mail")), "alice")
    with peer(place, "legacy", "--as", "alice", "mcp", "--guard") as client:
        said: list[str] = []
        assert until(lambda: said.extend(client.call("check_inbox")["notices"]) or said)
        assert said[0].startswith("no guardian here: alice is guarded by another process")
        assert until(lambda: not client.call("check_inbox")["notices"])
        assert client.hears(said[0])  # an older client is sent a log message, too
        assert client.call("tasks", action="request", to="bob", content="x")["tasks"]
        claim.release()  # as soon as it may, it guards
        forks.run(("--as", "bob", "task", "request", "alice", "-s", "do it"), place, ENV)
        assert until(lambda: "accepted" in client.text("tasks", action="list"))


def test_without_a_tree_and_an_id_it_starts_and_a_client_becomes_somebody(tmp_path: Path) -> None:
    with peer(tmp_path, "auto", "mcp", "--guard") as client:
        assert client.text("check_inbox").startswith("no-root: no mail root here")
        assert "Nobody can be seen" in client.tools()["send_message"].description
        assert "swarm init" in client.text("register", role="tester", task="try it")
        forks.run(("init", ".", "--agents", "bob"), tmp_path, ENV)
        hint = "hint: call the register tool"
        assert client.text("check_inbox").startswith(f"no-agent: no agent given\n{hint}")
        me = client.call("register", role="tester", task="try it")["id"]
        assert me.startswith("monkey-")
        forks.run(("--as", "bob", "task", "request", me, "-s", "do it"), tmp_path, ENV)
        assert until(lambda: "accepted" in client.text("tasks", action="list"))


def test_a_call_that_names_its_session_is_made_as_whom_is_kept_for_it(place: Path) -> None:
    """Codex starts servers without its session's id, and tells it with each call."""
    (place / "mail/.sessions").mkdir(exist_ok=True)
    (place / "mail/.sessions/codex-t1").write_text("agent: bob\n")
    with peer(place, "auto", "mcp") as client:
        assert client.text("check_inbox").startswith("no-agent")
        assert client.said_in("t2", "check_inbox").startswith("no-agent")
        assert "no unread" in client.said_in("t1", "check_inbox")


def test_ten_clients_on_one_tree_lose_and_double_nothing(place: Path) -> None:
    agents = [f"a{number}" for number in range(10)]
    forks.run(("init", ".", "--agents", ",".join(agents)), place, ENV)
    with ExitStack() as stack, ThreadPoolExecutor(10) as pool:
        start = pool.map(lambda a: peer(place, "auto", "--as", a, "mcp"), agents)
        clients = list(pool.map(stack.enter_context, start))

        def talk(number: int) -> list[str]:
            for turn in range(10):
                to = agents[(number + 1 + turn) % 10]
                clients[number].call("send_message", to=to, content=f"{number} {turn}", body="b")
            got: list[str] = []
            assert until(
                lambda: (
                    got.extend(
                        m["subject"]
                        for m in clients[number].call("read_message", all=True)["messages"]
                    )
                    or len(got) >= 10
                ),
                20,
            )
            return got

        read = [subject for got in pool.map(talk, range(10)) for subject in got]
    assert Counter(read) == Counter(
        f"{number} {turn}" for number in range(10) for turn in range(10)
    )


def test_over_a_channel_a_client_is_a_full_teammate(tmp_path: Path) -> None:
    desk = Desk("channel", tmp_path)
    with peer(
        tmp_path, "auto", "mcp", "--guard", "--channel", "ops", follow=["swarm://inbox"]
    ) as client:
        assert client.text("check_inbox").startswith("no-agent")
        assert client.call("register", id="zoe", role="coder", task="code") == {
            "id": "zoe",
            "unread": 0,
        }
        assert "bob (available)" in client.tools()["send_message"].description
        key = desk.ask("amy", "zoe", "-s", "do it", "-m", "in full")
        assert client.hears("swarm://inbox")
        (item,) = client.call("check_inbox")["messages"]
        assert (item["from"], item["subject"], item["thread"]) == ("amy", "do it", key)
        (shown,) = client.call("read_message")["messages"]
        assert Path(shown["path"]).read_text() == "in full\n"
        assert shown["body"] == "do it\n\nin full\n"
        assert until(lambda: client.text("check_inbox") == "no unread mail")
        client.call("tasks", action="clarify", content="which one?")
        desk.say("amy", "answer", "-s", "the first")
        assert until(lambda: client.call("check_inbox")["messages"])
        assert (
            client.call("reply", message=item["file"], body="on it")["delivered"][0]["to"] == "amy"
        )
        secret = desk.place / "secret"
        secret.write_text("not for zoe's model")
        desk.say("amy", "cancel", "-s", "never mind")
        desk.ask("amy", "zoe", "-s", "look", "--detail", str(secret))
        assert until(lambda: "look" in client.text("check_inbox"))
        texts = [m["body"] for m in client.call("read_message", all=True)["messages"]]
        assert texts[-1] == "look\n"
        client.call("tasks", action="done", content="done", body="result")
        ended = client.call("tasks", action="list", all=True)["tasks"]
        assert [task["state"] for task in ended] == ["cancelled", "done"]
        assert [one["from"] for one in client.call("thread", thread=key)["messages"]][:2] == [
            "amy",
            "zoe",
        ]
        assert client.call("search", words="WHICH")["messages"][0]["status"] == "task_clarify"
        once = [
            client.call("send_message", to="all", content="hi", key="k")["delivered"]
            for _ in range(2)
        ]
        assert once[0] == once[1]
        assert client.raw("send_message", to="amy", content="x", thread="t").is_error
        assert client.raw("read_message", message="999").is_error
    desk.close()


def test_without_its_extra_it_says_what_to_install(place: Path) -> None:
    (place / "absent").mkdir()
    (place / "absent/mcp.py").write_text("raise ModuleNotFoundError('no', name='mcp')")
    done = subprocess.run(
        [SWARM, "mcp"],
        cwd=place,
        env={**ENV, "PYTHONPATH": str(place / "absent")},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("hint: pip install 'monkey-swarm[mcp]'\n")


LOADED = """
import os, sys
def end(code): print("\\n".join(sys.modules), file=sys.stderr); sys.stderr.flush(); end_now(code)
end_now, os._exit = os._exit, end
from swarm.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("words", "absent"),
    [("unread", "mcp anyio pydantic asyncio swarm.mcp"), ("mcp", "typer rich textual")],
)
def test_it_and_the_other_commands_load_nothing_of_each_other(
    place: Path, words: str, absent: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "--as", "alice", words],
        cwd=place,
        env=ENV,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    assert done.returncode == 0 and done.stdout == ""
    assert not set(absent.split()) & set(done.stderr.split())
