"""The same work by swarm and by what one would use instead, in one run: milliseconds, ratios.

A peer that is not installed and cannot be is left out, and told.
"""

import email.message
import mailbox
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = int(sys.argv[1])
HOME = Path(__file__).resolve().parents[2]
BIN = os.path.join(sys.prefix, "bin", "swarm")
PEERS = HOME / ".venv" / "peers"
PACKAGES = ("hcom==0.7.31", "litequeue==0.9")
MANY, FEW, THREADS = 10_000, 20, 500
BODY = "The body of the message.\n"
HAND = HOME / "scripts" / "by-hand"
ENV = {
    **{name: value for name, value in os.environ.items() if not name.startswith("SWARM_")},
    "SWARM_AGENT": "bob",
    "SWARM_FSYNC": "0",
}


class Peer:
    """How somebody does each job: an argv, or None where it has no such thing."""

    name = ""

    def fill(self, count: int, unread: int) -> None:
        """A mailbox of bob's with so many messages, of which the last are unread."""

    def send(self) -> list[str] | None:
        return None

    def check(self) -> list[str] | None:
        """Ask, when nothing is new."""
        return None

    def listing(self) -> list[str] | None:
        """Sender and subject of what is unread."""
        return None

    def thread(self) -> list[str] | None:
        return None

    def read(self) -> list[str] | None:
        """Show all that is unread, and mark it."""
        return None

    def wake(self) -> list[str] | None:
        """Wait for the next message, print it and end."""
        return None

    def sends(self) -> None:
        """The message that wakes."""
        subprocess.run(self.send() or [], env=ENV, stdout=-3, stderr=-3, check=True)


def letter(number: int) -> str:
    return (
        f"To: bob\nFrom: alice\nSubject: some subject {number}\nThread: T{number % THREADS}\n"
        f"Date: 2026-01-02T03:04:05Z\n---\n{BODY}"
    )


class Tree(Peer):
    """Works on a mail tree."""

    def fill(self, count: int, unread: int) -> None:
        subprocess.run([BIN, "init", ".", "--agents", "alice,bob"], stdout=-3, check=True)
        box = "mail/bob/inbox"
        for number in range(count):
            name = f"{number + 1:02d}_some-subject_{number:06x}.txt"
            Path(f"{box}/{name}").write_text(letter(number))
            if number < count - unread:
                Path(f"{box}/.read/{name}").touch()


class Swarm(Tree):
    name = "swarm"

    def send(self) -> list[str]:
        return [BIN, "--as", "alice", "send", "bob", "-s", "some subject", "-m", BODY]

    def check(self) -> list[str]:
        return [BIN, "unread"]

    listing = check

    def thread(self) -> list[str]:
        return [BIN, "thread", "T7"]

    def read(self) -> list[str]:
        return [BIN, "read", "--all"]

    def wake(self) -> list[str]:
        return [BIN, "wait", "--timeout", "20"]


class Bare(Tree):
    """The calls that no Python program could do without, in one: the limit."""

    name = "bare Python"
    NEW = (
        "import os\nbox = 'mail/bob/inbox'\n"
        "new = sorted(set(os.listdir(box)) - set(os.listdir(box + '/.read')) - {'.read'})\n"
    )
    READ = " fd = os.open(f'{box}/{name}', os.O_RDONLY)\n data = os.read(fd, 4096)\n os.close(fd)\n"

    def _python(self, code: str) -> list[str]:
        return [sys.executable, "-c", code]

    def send(self) -> list[str]:
        return self._python(
            "import os\nbox, name = 'mail/alice', f'1_{os.urandom(8).hex()}.txt'\n"
            f"text = {letter(1).encode()!r}\n"
            "for path in (f'{box}/drafts/{name}', f'{box}/sent/{name}'):\n"
            " fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)\n"
            " os.write(fd, text)\n os.close(fd)\n"
            "os.rename(f'{box}/drafts/{name}', f'mail/bob/inbox/{name}')"
        )

    def check(self) -> list[str]:
        return self._python(self.NEW)

    def listing(self) -> list[str]:
        return self._python(f"{self.NEW}for name in new:\n{self.READ} print(data[:80])")

    def thread(self) -> list[str]:
        wanted = " if b'\\nThread: T7\\n' in data: print(name)"
        return self._python(
            "import os\nbox = 'mail/bob/inbox'\n"
            f"for name in set(os.listdir(box)) - {{'.read'}}:\n{self.READ}{wanted}"
        )

    def read(self) -> list[str]:
        mark = " os.close(os.open(f'{box}/.read/{name}', os.O_CREAT | os.O_WRONLY))"
        return self._python(f"{self.NEW}for name in new:\n{self.READ} print(data)\n{mark}")


class ByHand(Tree):
    """The protocol's shell loop."""

    name = "sh"

    def _sh(self, script: str) -> list[str]:
        where = f"export MAIL=$PWD/mail ME=bob; cd {HAND}"
        return ["sh", "-c", f"{where}; {script}"]

    def send(self) -> list[str]:
        return self._sh(f"echo '{BODY.strip()}' | ME=alice sh send.sh bob 'some subject'")

    def check(self) -> list[str]:
        return self._sh("sh unread.sh")

    listing = check

    def thread(self) -> list[str]:
        return self._sh("sh thread.sh T7")

    def read(self) -> list[str]:
        return self._sh('sh unread.sh sh -c \'cat "$1" && : >"${1%/*}/.read/${1##*/}"\' -')


class Grep(Tree):
    name = "grep"

    def thread(self) -> list[str]:
        return ["sh", "-c", "grep -l '^Thread: T7$' mail/bob/inbox/*.txt"]


class Ripgrep(Grep):
    name = "ripgrep"

    def thread(self) -> list[str]:
        return ["rg", "-l", "^Thread: T7$", "mail/bob/inbox"]


class Maildir(Peer):
    """Python's own."""

    name = "Maildir"
    START = "import mailbox; box = mailbox.Maildir('maildir')\n"
    NEW = "for key in [k for k in box.keys() if 'S' not in box.get_message(k).get_flags()]:\n"

    def fill(self, count: int, unread: int) -> None:
        box = mailbox.Maildir("maildir")
        for number in range(count):
            one = mailbox.MaildirMessage(message(number))
            if number < count - unread:
                one.set_subdir("cur")
                one.set_flags("S")
            where = f"{one.get_subdir()}/{number:08d}.x.y:2,{'S' * (one.get_subdir() == 'cur')}"
            Path("maildir", where).write_bytes(one.as_bytes())
        box.close()

    def _python(self, code: str) -> list[str]:
        return [sys.executable, "-c", self.START + code]

    def send(self) -> list[str]:
        return self._python(
            "m = mailbox.MaildirMessage()\n"
            "m['From'], m['To'], m['Subject'] = 'alice', 'bob', 'some subject'\n"
            f"m.set_payload({BODY!r}); box.add(m)"
        )

    def check(self) -> list[str]:
        return self._python("import os\nprint(len(os.listdir('maildir/new')))")

    def listing(self) -> list[str]:
        new = (
            "import os\nfor name in os.listdir('maildir/new'):\n m = box[name.partition(':')[0]]\n"
        )
        return self._python(f"{new} print(m['From'], m['Subject'])")

    def thread(self) -> list[str]:
        return self._python("for k, m in box.items():\n if m['Thread'] == 'T7': print(k)")

    def read(self) -> list[str]:
        return self._python(
            "for k, m in list(box.items()):\n"
            " if 'S' not in m.get_flags():\n"
            "  print(m.as_string()); m.set_subdir('cur'); m.add_flag('S'); box[k] = m"
        )


def message(number: int) -> email.message.Message:
    found = email.message.Message()
    found["From"], found["To"], found["Subject"] = "alice", "bob", f"some subject {number}"
    found["Thread"], found["Date"] = f"T{number % THREADS}", "Fri, 02 Jan 2026 03:04:05 +0000"
    found.set_payload(BODY)
    return found


class Mblaze(Maildir):
    """Small tools over Maildir, in C."""

    name = "mblaze"

    def _sh(self, script: str) -> list[str]:
        return ["sh", "-c", script]

    def send(self) -> list[str]:
        text = f"From: alice\\nTo: bob\\nSubject: some subject\\n\\n{BODY.strip()}\\n"
        return self._sh(f"printf '{text}' | mdeliver maildir")

    def check(self) -> list[str]:
        return self._sh("mlist -N maildir")

    def listing(self) -> list[str]:
        return self._sh("mlist -N maildir | mscan -f '%f %s'")

    def thread(self) -> list[str]:
        return self._sh("mlist maildir | magrep 'thread:^T7$'")

    def read(self) -> list[str]:
        return self._sh("minc maildir >list; xargs mshow <list; mflag -S <list >/dev/null")


class Queue(Peer):
    """A queue in SQLite."""

    name = "litequeue"
    START = "from litequeue import LiteQueue; q = LiteQueue('queue.db')\n"

    def fill(self, count: int, unread: int) -> None:
        code = f"for n in range({unread}): q.put('x' * 200)"
        subprocess.run(self._python(code), check=True, stdout=-3)

    def _python(self, code: str) -> list[str]:
        return [f"{PEERS}/bin/python", "-c", self.START + code]

    def send(self) -> list[str]:
        return self._python("q.put('x' * 200)")

    def check(self) -> list[str]:
        return self._python("print(q.empty())")

    def read(self) -> list[str]:
        return self._python("while m := q.pop():\n print(m.data); q.done(m.message_id)")


class Hcom(Peer):
    """Messages between agents, in SQLite.  Its only list of what is unread marks it as read.

    Only its own command fills it: with a tenth of what the others have.
    """

    name = "hcom"
    AT_ONCE = 50  # messages that one call shows
    MOST = 1000

    def fill(self, count: int, unread: int) -> None:
        ENV.update(HCOM_DIR=f"{os.getcwd()}/.hcom")
        said = [subprocess.run([f"{PEERS}/bin/hcom", "start"], env=ENV, stdout=-1).stdout.decode()
                for _ in range(2)]  # fmt: skip
        self.alice, self.bob = (text.partition("[hcom:")[2].partition("]")[0] for text in said)
        count = min(count, self.MOST)
        for number in range(count):
            subprocess.run(self._send(number), env=ENV, stdout=-3, stderr=-3, check=True)
        if count and not unread:
            subprocess.run(self._all(count), env=ENV, stdout=-3, stderr=-3)

    def _send(self, number: int) -> list[str]:
        about = ["--name", self.alice, f"@{self.bob}", "--thread", f"T{number % THREADS}"]
        return [f"{PEERS}/bin/hcom", "send", *about, "--", BODY]

    def _all(self, count: int) -> list[str]:
        one = f"{PEERS}/bin/hcom listen 1 --name {self.bob}"
        return ["sh", "-c", f"for n in $(seq {count // self.AT_ONCE}); do {one}; done"]

    def send(self) -> list[str]:
        return self._send(1)

    def check(self) -> list[str]:
        return [f"{PEERS}/bin/hcom", "listen", "0", "--name", self.bob]

    def thread(self) -> list[str]:
        return [f"{PEERS}/bin/hcom", "events", "--type", "message", "--thread", "T7"]

    def read(self) -> list[str]:
        return self._all(self.MOST)

    def wake(self) -> list[str]:
        return [f"{PEERS}/bin/hcom", "listen", "20", "--name", self.bob]


def installed() -> list[Peer]:
    """Who can be asked here."""
    if not (PEERS / "bin/hcom").exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
    for package in PACKAGES:
        subprocess.run([f"{PEERS}/bin/pip", "-q", "install", package], stderr=-3)
    for program, package in (("mlist", "mblaze"), ("rg", "ripgrep")):
        if not shutil.which(program) and os.geteuid() == 0 and shutil.which("apt-get"):
            subprocess.run(["apt-get", "install", "-y", "-q", package], stdout=-3, stderr=-3)
    here = {
        "mblaze": shutil.which("mlist"),
        "ripgrep": shutil.which("rg"),
        "litequeue": list((PEERS / "lib").glob("*/site-packages/litequeue.py")),
        "hcom": (PEERS / "bin/hcom").exists(),
    }
    found = [Swarm(), Bare(), ByHand(), Maildir(), Mblaze(), Grep(), Ripgrep(), Queue(), Hcom()]
    for name in sorted(name for name, there in here.items() if not there):
        print(f"{name} is not here and could not be installed: left out", file=sys.stderr)
    return [peer for peer in found if here.get(peer.name, True)]


def spawn(argv: list[str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(argv, env=ENV, stdin=-3, stdout=-3, stderr=-1)
    spent = time.perf_counter() - start
    if done.returncode:
        print(f"{argv[:4]}: exit {done.returncode}: {done.stderr.decode()[-300:]}", file=sys.stderr)
    return spent


def times(peers: list[Peer], job: str, count: int, unread: int) -> dict[str, float]:
    """The median milliseconds of each peer that has the job, in turn, each in its own folder."""
    top = os.getcwd()
    found: dict[str, list[float]] = {}
    able = [peer for peer in peers if getattr(type(peer), job) is not getattr(Peer, job)]
    for run in range(RUNS):
        for peer in able:
            # What was read is read: there each run has a mailbox of its own.
            place = f"{top}/{job}/{peer.name}{run if job == 'read' else ''}"
            if not os.path.exists(place):
                os.makedirs(place)
                os.chdir(place)
                peer.fill(count, unread)
            os.chdir(place)
            taken = wake(peer) if job == "wake" else once(peer, job)
            if taken is not None:
                found.setdefault(peer.name, []).append(taken * 1000)
    os.chdir(top)
    return {name: statistics.median(values) for name, values in found.items()}


def once(peer: Peer, job: str) -> float | None:
    argv = getattr(peer, job)()
    return spawn(argv) if argv else None


def wake(peer: Peer) -> float | None:
    """From the start of the peer's own send to the end of who waited."""
    argv = peer.wake()
    if not argv:
        return None
    child = subprocess.Popen(argv, env=ENV, stdout=-1, stderr=-3)
    time.sleep(0.5)
    start = time.perf_counter()
    peer.sends()
    assert child.stdout
    child.stdout.read()
    child.wait()
    spent = time.perf_counter() - start
    if isinstance(peer, Swarm):
        subprocess.run([BIN, "read", "--all"], env=ENV, stdout=-3)
    return spent


JOBS = {
    "send": ("send one message", 0, 0),
    "check": (f"check, nothing new among {MANY:,}", MANY, 0),
    "listing": (f"list {FEW} unread of {MANY:,}", MANY, FEW),
    "thread": (f"a thread of {MANY // THREADS} among {MANY:,}", MANY, 0),
    "read": ("read and mark 1,000", 1000, 1000),
    "wake": ("send, and wake who waits", 0, 0),
}


def main() -> None:
    peers = installed()
    names = [peer.name for peer in peers]
    print("| milliseconds (ratio to swarm's) |", " | ".join(names), "|")
    print("| --- |", " | ".join("---" for _ in names), "|")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for job, (what, count, unread) in JOBS.items():
            found = times(peers, job, count, unread)
            own = found["swarm"]
            cells = [f"{found[n]:.1f} ({found[n] / own:.2f})" if n in found else "-" for n in names]
            print(f"| {what} |", " | ".join(cells), "|", flush=True)
        os.chdir("/")


main()
