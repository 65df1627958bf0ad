"""Commands that are cancelled, and guardians that end before what they run."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from swarm.events import Event
from swarm.mamoru.run_command import INTERRUPTED

from .shop import gone


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
