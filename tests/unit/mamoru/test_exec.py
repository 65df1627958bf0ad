"""Real commands as teammates, through the whole loop on a store in memory."""

import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from swarm.errors import Temporary, UsageError
from swarm.events import Event
from swarm.mamoru.run_command import parted


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
