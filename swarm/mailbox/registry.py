"""The registry: one entry ``dir/<id>.txt`` per agent, read by anybody, written under a lock."""

import errno
import os
import time
from stat import S_ISREG

from swarm import disk, message, names, syncing
from swarm.ages import age
from swarm.errors import Conflict, Unknown, UsageError, from_os
from swarm.lock import Lock
from swarm.mailbox.layout import (
    Root,
    bad_mailbox,
    check_own,
    is_known,
    is_private,
    make_box,
    registered,
    twin,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ARCHETYPES = ("specialist", "surveyor", "researcher", "planner", "interfacer")
STATUSES = ("active", "paused", "done", "error", "cancel")
FINISHED = frozenset(("done", "error", "cancel"))
KEYS = ("id", "role", "archetype", "task", "status")
HALF = 500_000_000
SECOND = 1_000_000_000


class Entry:
    """One entry as it was read: ``fields`` by lower-case key, and in words what is wrong."""

    __slots__ = ("fields", "id", "problems", "unreadable")

    def __init__(
        self, agent: str, fields: dict[str, str], problems: list[str], unreadable: bool = False
    ) -> None:
        self.id = agent
        self.unreadable = unreadable
        self.fields = fields
        self.problems = problems

    @property
    def role(self) -> str:
        """What the agent is for."""
        return self.fields.get("role", "")

    @property
    def archetype(self) -> str:
        """One of ``ARCHETYPES``, if written by swarm."""
        return self.fields.get("archetype", "")

    @property
    def task(self) -> str:
        """What the agent works on."""
        return self.fields.get("task", "")

    @property
    def via(self) -> str:
        """The channel a guest lives on, "" for who lives in the tree."""
        return self.fields.get("via", "")

    @property
    def status(self) -> str:
        """One of ``STATUSES``, if written by swarm."""
        return self.fields.get("status", "")


def entry(root: Root, agent: str) -> Entry:
    """The entry of an agent; Unknown where there is none.  A damaged one has ``problems``."""
    names.check_id(agent)
    try:
        data = disk.read(root.entry(agent))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EINVAL):  # a link, or a folder, is no entry
            raise _unknown(root, agent) from None
        return Entry(agent, {}, [f"cannot be read: {error.strerror}"], unreadable=True)
    read = message.parse(data)
    return Entry(agent, read.fields, _problems(agent, data, read))


def entries(root: Root) -> list[Entry]:
    """All entries, sorted by id, damaged ones included."""
    found = []
    for agent in registered(root):
        try:
            found.append(entry(root, agent))
        except Unknown:  # unregistered in between
            continue
    return found


def _problems(agent: str, data: bytes, read: message.Message) -> list[str]:
    if not data.strip():
        return ["empty"]
    fields = read.fields
    found = []
    if not read.separated and read.body.strip():
        found.append("a line that is no 'key: value'")
    keys = [name.lower() for name, _ in read.headers]
    found += [f"no {key}" for key in KEYS if not fields.get(key)]
    found += [f"{key} given twice" for key in KEYS if keys.count(key) > 1]
    if fields.get("id") and fields["id"] != agent:
        found.append(f"its id is {names.shown(fields['id'])}")
    for key, words in (("archetype", ARCHETYPES), ("status", STATUSES)):
        if fields.get(key) and fields[key] not in words:
            found.append(f"{key} is {names.shown(fields[key])}")
    return found


def register(
    root: Root,
    agent: str,
    role: str,
    archetype: str,
    task: str,
    status: str = "active",
    replace: bool = False,
    more: "Mapping[str, str] | None" = None,
) -> str:
    """Enter an agent and make its mailbox; return the id, a drawn ``monkey-xxxx`` for ''.

    Conflict where the id is taken (unless ``replace``) or differs from one only in case.
    ``more``: other keys, in their order.
    """
    if agent:
        names.check_id(agent)
    values = {"role": role, "archetype": archetype, "task": task, "status": status}
    for key, value in values.items():
        values[key] = _check(key, value)
        if not values[key]:
            raise UsageError(f"an entry needs its {key}", f"give it with --{key}", code="bad-value")
    try:
        with Lock(root.dir):
            chosen = agent or _draw(root)
            _enter(root, chosen, {"id": chosen, **values}, replace, more or {})
            return chosen
    except OSError as error:
        raise from_os(error, "write to", "dir") from None


def _enter(
    root: Root, agent: str, values: dict[str, str], replace: bool, more: "Mapping[str, str]"
) -> None:
    """The entry of an agent, its mailbox first; under the registry's lock."""
    from swarm.mailbox.templates import load_template

    path = root.entry(agent)
    check_own(root, agent)
    if not os.access(root.dir, os.W_OK | os.X_OK):  # before a mailbox is made in vain
        raise bad_mailbox(root, root.dir, "a folder that cannot be written to")
    other = "" if replace and os.path.lexists(path) else twin(root, agent)
    if other:
        raise Conflict(f"{agent} differs only in case from {other}", "choose another id", "taken")
    if os.path.lexists(path) and not replace:
        raise _registered(agent)
    filled = [*message.fill(load_template("agent.txt"), values), *more.items()]
    data = "".join(f"{name}: {value}\n" for name, value in filled).encode()
    make_box(root, agent)
    if replace:
        disk.replace(path, data, root.sync)
    elif not disk.create(path, data, root.sync):
        raise _registered(agent)


def _registered(agent: str) -> Conflict:
    return Conflict(
        f"{agent} is registered already",
        "register with --replace to take the id over, or choose another",
        code="registered",
    )


def _draw(root: Root) -> str:
    """An id that nobody has: four hex digits, more where many are taken."""
    tries = 0
    while True:
        agent = f"monkey-{os.urandom(2 if tries < 8 else 4).hex()}"
        if not is_known(root, agent) and not os.path.lexists(root.entry(agent)):
            return agent
        tries += 1


def _check(key: str, value: str) -> str:
    """The value trimmed, if an entry may have it."""
    checked = message.check_value(key, value)
    words = {"archetype": ARCHETYPES, "status": STATUSES}.get(key)
    if words and checked and checked not in words:
        raise UsageError(
            f"{names.shown(checked)} is no {key}", f"one of {', '.join(words)}", code=f"bad-{key}"
        )
    return checked


def update(
    root: Root,
    agent: str,
    *,
    status: str | None = None,
    task: str | None = None,
    role: str | None = None,
    note: str | None = None,
    tmux: str | None = None,
) -> None:
    """Change what is named (None: kept) and no other byte; a note is added to the free text.

    ``tmux``: the pane that it is nudged in, '' for none.
    """
    names.check_id(agent)
    given = {"status": status, "task": task, "role": role, "tmux": tmux}
    values = {key: _check(key, text) for key, text in given.items() if text is not None}
    for key, value in values.items():
        if not value and key != "tmux":
            raise UsageError(
                f"an entry needs its {key}", f"give one with --{key}", code="bad-value"
            )
    path = root.entry(agent)
    try:
        with Lock(root.dir):
            data = disk.read(path)
            for key, value in values.items():
                data = _with_value(data, key, value)
            if note:
                data = _with_note(data, note)
            disk.replace(path, data, root.sync)
    except FileNotFoundError:
        raise _unknown(root, agent) from None
    except OSError as error:
        raise from_os(error, "update", root.relative(path)) from None


def _with_value(data: bytes, key: str, value: str) -> bytes:
    """The entry with that value: in the first line of the key, else in one of its own."""
    read = message.parse(data)
    body = data[len(data) - len(read.body) :]
    head = data[: len(data) - len(body)]
    lines = [line + b"\n" for line in head.split(b"\n")]  # not splitlines: CR alone ends none
    lines[-1] = lines[-1][:-1]
    if not lines[-1]:
        lines.pop()
    newline = b"\r\n" if any(line.endswith(b"\r\n") for line in lines) else b"\n"
    for at, line in enumerate(lines):
        name, colon, _ = line.partition(b":")
        if colon and name.removeprefix(message.BOM).lower() == key.encode():
            end = b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""
            lines[at] = name + b": " + value.encode() + end
            return b"".join([*lines, body])
    last = len(lines) - 1 if read.separated else len(lines)
    if last and not lines[last - 1].endswith(b"\n"):
        lines[last - 1] += newline
    lines.insert(last, key.encode() + b": " + value.encode() + newline)
    return b"".join([*lines, body])


def _with_note(data: bytes, note: str) -> bytes:
    """The entry with a note at the end of its free text."""
    if data and not data.endswith(b"\n"):
        data += b"\n"
    if not message.parse(data).separated:
        data += b"---\n"
    text = note.encode("utf-8", "surrogateescape")
    return data + text + (b"" if text.endswith(b"\n") else b"\n")


def unregister(root: Root, agent: str) -> None:
    """Remove the entry and keep the mail; Unknown where there is none."""
    names.check_id(agent)
    path = root.entry(agent)
    try:
        with Lock(root.dir):
            gone = disk.remove(path)
            if gone and root.sync:
                syncing.sync_folder(root.dir)
    except OSError as error:
        raise from_os(error, "remove", root.relative(path)) from None
    if not gone:
        raise _unknown(root, agent)


def cleanup(root: Root, stale_seconds: float | None, dry_run: bool) -> list[tuple[str, str]]:
    """Remove entries of finished agents, and of those silent for so long; mail is kept.

    Returns (id, reason) of each; a dry run changes nothing.
    """
    try:
        if dry_run:
            return _leaving(root, stale_seconds)
        with Lock(root.dir):
            found = _leaving(root, stale_seconds)
            for agent, _ in found:
                disk.remove(root.entry(agent))
            if found and root.sync:
                syncing.sync_folder(root.dir)
            return found
    except OSError as error:
        raise from_os(error, "clean up", "dir") from None


def _leaving(root: Root, stale_seconds: float | None) -> list[tuple[str, str]]:
    now = time.time()
    found = []
    for item in entries(root):
        if item.status in FINISHED:
            found.append((item.id, item.status))
        elif stale_seconds is not None:
            silent = now - last_sign(root, item.id)
            if silent > stale_seconds and not _is_hidden(root, item.id):
                found.append((item.id, f"no sign of life for {age(silent)}"))
    return found


def _is_hidden(root: Root, agent: str) -> bool:
    """Whether it may have given a sign that cannot be seen: then it is not called silent.

    Of another user's agent in a shared tree only the entry ever tells.
    """
    if is_private(root, agent):
        return False
    for folder in (root.sent(agent), root.receipts(agent)):
        try:
            os.listdir(folder)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True
    return False


def last_sign(root: Root, agent: str) -> float:
    """When the agent was last heard of: its entry, its newest sent file or receipt; 0 if never."""
    newest = _mtime(root.entry(agent))
    for folder in (root.sent(agent), root.receipts(agent)):
        try:
            found = os.listdir(folder)
        except OSError:
            continue
        for name in found:
            if names.is_message_name(name):
                newest = max(newest, _mtime(f"{folder}/{name}"))
    return newest


def beat(root: Root, agent: str) -> tuple[os.stat_result, int] | None:
    """A guardian's sign of life: the entry as it was before, and its time now, in ns.

    None without an entry.  The time is a half second, which no clock writes by itself: so it
    is told from an entry that somebody wrote or touched, whose agent may have no guardian.
    """
    path = root.entry(agent)
    whole, part = divmod(time.time_ns(), SECOND)
    moment = (whole if part >= HALF else whole - 1) * SECOND + HALF
    try:
        before = os.lstat(path)
        os.utime(path, ns=(moment, moment), follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise from_os(error, "touch", root.relative(path)) from None
    return before, moment


def is_beat(mtime_ns: int) -> bool:
    """Whether an entry's time is one that ``beat`` wrote."""
    return mtime_ns % SECOND == HALF


def _mtime(path: str) -> float:
    try:
        seen = os.lstat(path)
    except OSError:
        return 0.0
    return seen.st_mtime if S_ISREG(seen.st_mode) else 0.0


def _unknown(root: Root, agent: str) -> Unknown:
    meant = names.closest(agent, [other for other in registered(root) if other != agent])
    hint = f"did you mean {meant}?" if meant else "swarm register enters an agent"
    return Unknown(f"{names.shown(agent)} is not registered", hint, code="unknown-agent")
