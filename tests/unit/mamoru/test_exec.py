"""Real commands as teammates, through the whole loop on a store in memory."""

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from swarm.errors import Temporary, UsageError
from swarm.events import Event
from swarm.mamoru.host import Host
from swarm.mamoru.run_command import INTERRUPTED, Exec, parted
from swarm.mamoru.state import Settings
from swarm.transport.memory import Memory, MemoryStore

QUIET = Settings(announce=False)


class Shop:
    """amy asks bob, whose guardian runs a command."""

    def __init__(self, tmp_path: Path, script: str = "", **options: Any) -> None:
        self.tmp_path = tmp_path
        self.script = tmp_path / "work.sh"
        self.script.write_text(script)
        self.results = tmp_path / "results"
        self.options = {"grace": 0.4, "updates": 0.0} | options
        self.command = self.options.pop("command", f"sh {self.script}")
        self.memory = Memory()
        for agent in ("amy", "bob"):
            self.memory.join(agent)
        self.told: list[str] = []
        self.start()

    def start(self) -> None:
        """A guardian, as after a crash if there was one before."""
        self.memory.guarded.clear()
        self.store = MemoryStore(self.memory)
        self.exec = Exec(
            self.command, self.tell, lambda _: str(self.results), {"SWARM_CHANNEL": "ops"},
            **self.options,
        )  # fmt: skip
        self.host = Host(self.store, ["bob"], self.exec, self.tell, QUIET, poll=0.02)
        self.host._look()
        self.host.open_named()

    def tell(self, agent: str, text: str) -> None:
        self.told.append(text)

    def ask(self, **more: Any) -> Event:
        fields = {"kind": "task_req", "sender": "amy", "to": "bob", "content": "run it"}
        return self.memory.post(Event(**(fields | more)))

    def until(self, condition: Callable[[], object], seconds: float = 10.0) -> Any:
        end = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < end, f"it did not happen; {self.bob()}, {self.told}"
            self.host.turn(self.store.wait(0.01))
        return found

    def bob(self) -> list[str]:
        return [e.kind for e in self.memory.messages if e.sender == "bob"]

    def result(self) -> Event:
        """The first result."""

        def found() -> list[Event]:
            ends = ("task_done", "task_fail", "task_cancel_ack")
            return [e for e in self.memory.messages if e.sender == "bob" and e.kind in ends]

        return self.until(found)[0]

    def file(self, name: str) -> str:
        """What the command wrote into a file beside it, once it is there."""
        path = self.tmp_path / name
        return self.until(lambda: path.exists() and path.read_text())


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Callable[..., Shop]]:
    made: list[Shop] = []

    def make(script: str = "", **options: Any) -> Shop:
        made.append(Shop(tmp_path, script, **options))
        return made[-1]

    yield make
    for one in made:
        one.exec.end()


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid: int, seconds: float = 3.0) -> bool:
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(pid)


class TestResult:
    """What becomes of the output and the exit."""

    def test_exit_0_is_done_with_the_output_as_the_body(self, shop: Any) -> None:
        made = shop("echo one; echo two >&2; echo '3 passed'")
        request = made.ask()
        done = made.result()
        assert (done.kind, done.to, done.task, done.ref) == (
            "task_done", "amy", request.task, request.id,
        )  # fmt: skip
        assert done.content == "3 passed" and done.body == b"one\ntwo\n3 passed\n"
        assert made.bob() == ["task_ack", "task_done"]
        assert made.memory.mates["bob"].status == "available"
        assert list(made.results.iterdir()) == [], "a body needs no file"

    def test_another_exit_is_failed_and_says_which(self, shop: Any) -> None:
        made = shop("echo first; echo broken; exit 3")
        made.ask()
        failed = made.result()
        assert failed.kind == "task_fail" and failed.content == "exit 3: broken"
        assert failed.body == b"first\nbroken\n"

    def test_one_that_a_signal_ended_says_which(self, shop: Any) -> None:
        made = shop("kill -SEGV $$")
        made.ask()
        assert made.result().content == "ended by SIGSEGV"

    def test_one_without_a_word_is_done_all_the_same(self, shop: Any) -> None:
        made = shop("")
        made.ask()
        assert made.result().content == "done, without a word"

    @pytest.mark.parametrize("command", ["no-such-command-here x", "{}/plain", "/dev"])
    def test_a_command_that_cannot_be_started_fails_the_task(
        self, shop: Any, command: str, tmp_path: Path
    ) -> None:
        (tmp_path / "plain").write_text("echo hi")
        made = shop(command=command.format(tmp_path))
        made.ask()
        failed = made.result()
        assert failed.kind == "task_fail" and failed.content.startswith("cannot start")
        made.ask()
        made.until(lambda: made.bob().count("task_fail") == 2)

    def test_a_script_whose_interpreter_is_missing_says_so(self, shop: Any) -> None:
        made = shop("#!/no/such/interpreter\n")
        made.script.chmod(0o755)
        made.exec.argv = [str(made.script)]
        made.ask()
        failed = made.result()
        assert failed.kind == "task_fail" and failed.content.startswith("exit 12")

    def test_a_long_last_line_is_cut_to_a_content(self, shop: Any) -> None:
        made = shop("for n in $(seq 100); do printf 'word '; done; echo; exit 1")
        made.ask()
        failed = made.result()
        assert len(failed.content.split()) == 20 and len(failed.body) > 400

    def test_bytes_that_are_no_text_arrive_as_they_are(self, shop: Any) -> None:
        made = shop("printf 'a\\377\\000b\\n'")
        made.ask()
        done = made.result()
        assert done.body == b"a\xff\x00b\n" and done.content.isprintable()

    def test_output_over_1_mib_is_a_file_and_its_last_lines_the_body(self, shop: Any) -> None:
        made = shop("head -c 3000000 /dev/zero | tr '\\0' 'x'; echo; echo the end")
        made.ask(task="../../x")
        done = made.result()
        assert os.path.dirname(done.detail) == str(made.results)
        assert os.path.getsize(done.detail) == 3000000 + 1 + 8
        assert done.content == "the end" and done.body.endswith(b"the end\n")

    def test_output_without_end_is_cut_in_a_bounded_file_and_memory(self, shop: Any) -> None:
        made = shop("head -c 50000000 /dev/zero; echo; echo the end", cap=2_000_000)
        made.ask()
        done = made.result()
        size = os.path.getsize(done.detail)
        assert 2_000_000 < size < 2_000_100 and done.content == "the end"
        with open(done.detail, "rb") as file:
            file.seek(2_000_000)
            assert b"48000009 more bytes were left out" in file.read()

    def test_output_for_which_there_is_no_room_says_that_it_is_not_all(self, shop: Any) -> None:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        made = shop("head -c 300000 /dev/zero | tr '\\0' 'x'; echo; echo the end")
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
        try:
            made.ask()
            done = made.result()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (done.kind, done.content) == ("task_done", "the end")
        assert done.body[:100_000] == b"x" * 100_000
        assert done.body[100_000:] == b"\n[swarm: the rest could not be kept: File too large]\n"
        assert "is not complete" in made.told[-1]

    def test_a_folder_that_cannot_be_made_fails_the_task_with_the_reason(self, shop: Any) -> None:
        made = shop("echo hi")
        made.results.write_text("a file stands here")
        made.ask()
        failed = made.result()
        assert failed.kind == "task_fail" and "File exists" in failed.content

    @pytest.mark.parametrize("requester", ["a\nb", "\x1b[2J", " ", "é" * 300])
    def test_who_asked_gets_it_whatever_its_id(self, shop: Any, requester: str) -> None:
        made = shop("echo made")
        made.memory.join(requester)
        made.ask(sender=requester)
        done = made.result()
        assert (done.kind, done.to, done.content) == ("task_done", requester, "made")
        assert made.told == []

    def test_a_result_whose_storing_fails_is_stored_once_in_the_end(self, shop: Any) -> None:
        made = shop("sleep 0.2; echo fine")
        made.ask()
        made.until(lambda: "task_ack" in made.bob())
        made.memory.trouble = Temporary("locked")
        end = time.monotonic() + 0.6
        while time.monotonic() < end:
            made.host.turn(set())
            time.sleep(0.02)
        made.memory.trouble = None
        assert made.result().content == "fine"
        made.host.turn(None)
        assert made.bob() == ["task_ack", "task_done"]


class TestInput:
    """What the command is given."""

    def test_the_body_comes_on_stdin(self, shop: Any) -> None:
        made = shop("cat")
        made.ask(body=b"line\n\xfe")
        assert made.result().body == b"line\n\xfe"

    def test_else_the_text_of_the_detail_file(self, shop: Any, tmp_path: Path) -> None:
        made = shop("cat; echo $SWARM_DETAIL")
        detail = tmp_path / "detail.txt"
        detail.write_text("from the file\n")
        made.ask(detail=str(detail))
        assert made.result().body == f"from the file\n{detail}\n".encode()

    @pytest.mark.parametrize("more", [0, 1])
    def test_where_users_share_a_tree_only_of_the_user_who_asks(
        self, shop: Any, tmp_path: Path, more: int
    ) -> None:
        """Else who asks could have the files of who answers sent to him."""
        made = shop("cat", giver=lambda *_: os.geteuid() + more)
        detail = tmp_path / "detail.txt"
        detail.write_text("a secret")
        made.ask(detail=str(detail))
        done = made.result()
        assert (done.kind, b"secret" in done.body) == (
            ("task_fail", False) if more else ("task_done", True)
        )

    def test_else_the_content(self, shop: Any) -> None:
        made = shop("cat")
        made.ask()
        assert made.result().body == b"run it\n"

    @pytest.mark.parametrize("detail", ["/no/such/file", "relative", "/dev", "/dev/zero"])
    def test_a_detail_that_cannot_be_read_fails_the_task(self, shop: Any, detail: str) -> None:
        made = shop("cat")
        made.ask(detail=detail)
        failed = made.result()
        assert failed.kind == "task_fail" and failed.content.startswith("cannot start")

    def test_a_detail_that_is_a_pipe_blocks_nobody(self, shop: Any, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        made = shop("cat")
        made.ask(detail=str(tmp_path / "pipe"))
        assert made.result().kind == "task_fail"

    def test_a_command_that_never_reads_blocks_nobody(self, shop: Any) -> None:
        made = shop("echo done")
        made.ask(body=b"x" * 1_000_000)
        assert made.result().kind == "task_done"

    def test_the_environment_tells_the_task(self, shop: Any) -> None:
        made = shop('echo "$SWARM_TASK|$SWARM_FROM|$SWARM_SUBJECT|$SWARM_AGENT|$SWARM_CHANNEL"')
        request = made.ask(content="run $(it) é")
        assert made.result().content == f"{request.task}|amy|run $(it) é|bob|ops"

    def test_a_content_no_variable_can_hold_starts_the_command_all_the_same(
        self, shop: Any
    ) -> None:
        made = shop('printf %s "$SWARM_SUBJECT" | wc -c')
        made.ask(content="a\0b\n" + "x" * 500_000)
        assert made.result().content == "4096"

    def test_the_command_is_words_not_shell(self, shop: Any, tmp_path: Path) -> None:
        made = shop(command="printf '%s ' 'a b' '$HOME' ';' '>' x")
        made.ask()
        assert made.result().content == "a b $HOME ; > x"

    def test_its_signals_and_children_are_its_own(self, shop: Any) -> None:
        """A command that waits for all its children finds none that it did not make."""
        made = shop(command=f"{sys.executable} -c 'import os; os.wait()'")
        made.ask()
        assert "ChildProcessError" in made.result().content


def test_a_command_line_that_is_none_is_refused() -> None:
    assert parted("a 'b c'") == ["a", "b c"]
    for command in ("", "  ", "a 'b"):
        with pytest.raises(UsageError):
            parted(command)


class TestUpdates:
    """Lines that it prints as ``update: …``."""

    def test_an_update_line_becomes_a_task_update(self, shop: Any) -> None:
        made = shop("echo update: half; sleep 0.3; echo 'update:  most'; sleep 0.3; echo all")
        made.ask()
        made.result()
        said = [(e.kind, e.content) for e in made.memory.messages if e.sender == "bob"]
        assert said[1:] == [("task_update", "half"), ("task_update", "most"), ("task_done", "all")]

    def test_many_are_thinned_out_and_the_newest_counts(self, shop: Any) -> None:
        made = shop(
            "for n in $(seq 300); do echo update: $n; sleep 0.003; done; echo ok", updates=0.5
        )
        made.ask()
        begun = time.monotonic()
        assert made.result().body.count(b"update:") == 300
        most = (time.monotonic() - begun) / 0.5 + 2
        updates = [e.content for e in made.memory.messages if e.kind == "task_update"]
        assert 2 <= len(updates) <= most and updates[-1] == "300"

    def test_an_update_without_text_or_without_a_line_end(self, shop: Any) -> None:
        made = shop("echo update:; echo ' update: no'; printf 'update: last'")
        made.ask()
        made.result()
        assert [e.content for e in made.memory.messages if e.kind == "task_update"] == ["last"]


class TestCancel:
    """A cancelled run ends, whatever it does about it."""

    def start(self, shop: Any, script: str) -> tuple[Any, Event]:
        made = shop(script)
        request = made.ask()
        made.file("started")
        return made, request

    def cancel(self, made: Any, request: Event) -> None:
        made.memory.post(
            Event(kind="task_cancel", sender="amy", to="bob", content="x", task=request.task)
        )
        assert made.result().kind == "task_cancel_ack"

    def test_sigint_comes_first_and_nothing_more_is_said(self, shop: Any, tmp_path: Path) -> None:
        made, request = self.start(
            shop,
            f"cd {tmp_path}; trap 'echo INT >>signals; exit 1' INT; trap 'echo TERM >>signals' TERM\n"
            "echo $$ >started; while :; do sleep 0.05; done",
        )
        self.cancel(made, request)
        made.until(lambda: not made.exec._runs)
        assert (tmp_path / "signals").read_text() == "INT\n"
        assert made.bob() == ["task_ack", "task_cancel_ack"] and not list(made.results.iterdir())

    def test_one_that_ignores_both_is_killed_with_its_grandchildren(
        self, shop: Any, tmp_path: Path
    ) -> None:
        made, request = self.start(
            shop,
            f"cd {tmp_path}; trap '' INT TERM; sleep 300 & echo $! >child\n"
            "echo $$ >started; while :; do sleep 1; done",
        )
        pids = [int(made.file(name)) for name in ("started", "child")]
        begun = time.monotonic()
        self.cancel(made, request)
        made.until(lambda: not made.exec._runs)
        assert 0.7 < time.monotonic() - begun < 3 and all(gone(pid) for pid in pids)

    def test_the_next_task_waits_for_the_end_of_a_cancelled_one(
        self, shop: Any, tmp_path: Path
    ) -> None:
        made, request = self.start(
            shop,
            f"cd {tmp_path}; [ -e lock ] && echo overlap && exit 1; >lock; trap '' INT\n"
            "trap 'rm lock; exit 0' TERM\n"
            "if [ -e started ]; then rm lock; echo second; exit 0; fi\n"
            "echo 1 >started; while :; do sleep 0.05; done",
        )
        self.cancel(made, request)
        made.ask()
        made.until(lambda: "task_done" in made.bob())
        assert made.memory.messages[-1].content == "second"

    def test_one_cancelled_before_its_run_began_is_never_run(
        self, shop: Any, tmp_path: Path
    ) -> None:
        made, request = self.start(
            shop,
            f"cd {tmp_path}; echo $SWARM_TASK >>runs; trap '' INT TERM; echo 1 >started; sleep 60",
        )
        self.cancel(made, request)
        second = made.ask()
        made.until(lambda: made.bob().count("task_ack") == 2)
        made.memory.post(
            Event(kind="task_cancel", sender="amy", to="bob", content="x", task=second.task)
        )
        made.until(lambda: made.bob().count("task_cancel_ack") == 2 and not made.exec._runs)
        assert (tmp_path / "runs").read_text().split() == [request.task]

    def test_a_task_that_the_agent_ended_by_a_command_ends_its_run(
        self, shop: Any, tmp_path: Path
    ) -> None:
        made, request = self.start(shop, f"echo $$ >{tmp_path}/started; sleep 60")
        pid = int(made.file("started"))
        made.memory.post(
            Event(kind="task_done", sender="bob", to="amy", content="by hand", task=request.task)
        )
        made.until(lambda: not made.exec._runs)
        assert gone(pid) and made.bob() == ["task_ack", "task_done"]

    def test_what_it_leaves_in_the_background_ends_with_it(self, shop: Any, tmp_path: Path) -> None:
        made = shop(f"sleep 300 & echo $! >{tmp_path}/child; echo ok")
        made.ask()
        assert made.result().content == "ok" and gone(int(made.file("child")))

    def test_one_that_escaped_from_its_group_holds_nobody_up(
        self, shop: Any, tmp_path: Path
    ) -> None:
        made = shop(
            f"setsid sleep 300 & sleep 0.1; pgrep -n -f 'sleep 300' >{tmp_path}/child; echo ok"
        )
        made.ask()
        begun = time.monotonic()
        assert made.result().content == "ok" and time.monotonic() - begun < 3
        os.kill(int(made.file("child")), signal.SIGKILL)


class TestRestart:
    """Never two runs of one task."""

    def test_a_task_whose_run_is_gone_has_failed_and_is_not_run_again(
        self, shop: Any, tmp_path: Path
    ) -> None:
        made = shop(f"echo x >>{tmp_path}/runs; sleep 60")
        made.ask()
        made.file("runs")
        made.exec.end()
        made.start()
        failed = made.result()
        assert failed.kind == "task_fail" and failed.content == INTERRUPTED
        made.host.turn(None)
        assert (tmp_path / "runs").read_text() == "x\n" and made.bob()[-1] == "task_fail"

    def test_a_request_that_comes_again_is_not_run_again(self, shop: Any, tmp_path: Path) -> None:
        made = shop(f"echo x >>{tmp_path}/runs; sleep 0.3")
        request = made.ask()
        made.file("runs")
        made.memory.waiting["bob"][request.id] = request
        made.result()
        made.memory.waiting["bob"][request.id] = request
        made.until(lambda: not made.memory.waiting["bob"])
        time.sleep(0.1)
        made.host.turn(None)
        assert (tmp_path / "runs").read_text() == "x\n"
        assert made.bob() == ["task_ack", "task_done"]

    def test_killed_between_the_acknowledgement_and_the_start_it_says_so(self, shop: Any) -> None:
        made = shop("echo ran")
        made.exec.committed = lambda *_: 1 / 0  # type: ignore[method-assign]
        made.ask()
        made.until(lambda: "task_ack" in made.bob())
        made.start()
        assert made.result().content == INTERRUPTED

    def test_ended_in_order_it_stops_its_runs_and_says_so(self, shop: Any, tmp_path: Path) -> None:
        made = shop(f"trap '' INT TERM; echo $$ >{tmp_path}/started; sleep 60")
        made.ask()
        pid = int(made.file("started"))
        begun = time.monotonic()
        made.host.close()
        assert time.monotonic() - begun < 2 and gone(pid)
        assert made.bob() == ["task_ack", "task_fail"]

    def test_the_end_of_the_guardian_is_the_end_of_its_runs(
        self, tmp_path: Path, shop: Any
    ) -> None:
        """A process that starts a run and is killed takes the run and its children along."""
        script = tmp_path / "work.sh"
        script.write_text(
            f"sleep 300 & echo $! $$ >{tmp_path}/pids; trap '' INT TERM HUP; sleep 300"
        )
        driver = f"""
import os, time
from swarm.mamoru.child import Child
out = os.open({str(tmp_path / "out")!r}, os.O_RDWR | os.O_CREAT)
Child(["sh", {str(script)!r}], os.environb, os.open("/dev/null", os.O_RDONLY), out)
time.sleep(60)
"""
        pid = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-c", driver])
        end = time.monotonic() + 10
        path = tmp_path / "pids"
        while not (path.exists() and path.read_text().endswith("\n")):
            assert time.monotonic() < end
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert all(gone(int(one)) for one in path.read_text().split())


class TestOther:
    """What is not for the command."""

    def test_it_is_told_and_left_unread(self, shop: Any) -> None:
        made = shop("echo hi")
        event = made.memory.post(Event(kind="info_only", sender="amy", to="bob", content="lunch?"))
        made.until(lambda: made.told)
        assert made.told == ["not for the command: info_only from amy: lunch?"]
        assert event.id in made.memory.waiting["bob"]

    def test_a_second_request_is_rejected_while_it_works(self, shop: Any) -> None:
        made = shop("sleep 0.3")
        made.ask()
        made.ask()
        made.result()
        assert sorted(made.bob()) == ["task_ack", "task_done", "task_reject"]
