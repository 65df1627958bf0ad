"""What is fuzzed: each target takes any bytes, and raises where swarm does not keep its word."""

import json
import os
from collections.abc import Callable

import agree
import frontmatter
import rows

from swarm import events, message, names
from swarm.bridge import crossing, words
from swarm.errors import SwarmError
from swarm.front_matter import MailHandler
from swarm.harness import asked
from swarm.mailbox import inbox, registry

FILE = "01_a-subject_aaaa.txt"
FIELDS = ("sender", "recipient", "subject", "thread", "status", "flags")


def messages(data: bytes) -> None:
    """The parser, the listing's quick reader, the public handler and the bridge agree."""
    one = message.parse(data)
    assert data.endswith(one.body)
    slow = inbox.Item(FILE, FILE, one, "bob")
    quick = inbox._quick(FILE, FILE, data, "bob")
    if quick:
        for field in FIELDS:
            assert getattr(quick, field) == getattr(slow, field), field
    event = events.from_message(one, FILE, 1.0, "")
    for _, value in events.headers(event):
        assert not any(message.is_control(char) for char in value), value
    crossing.to_row("bob", FILE, event, data if event.problem else b"", "t0k3n")
    if not one.malformed:
        written(one)
        if sum(data) % 16 == 0:  # it costs more than all the rest
            handled(data, one)


def written(one: message.Message) -> None:
    """A message that is read and written again is the same, if its header may be written."""
    try:
        data = message.format_message(one.headers, one.body)
    except SwarmError:
        return
    again = message.parse(data)
    assert again.body == one.body
    if all(value for _, value in one.headers):  # an empty first one is left out: the next counts
        assert again.fields == one.fields


def handled(data: bytes, one: message.Message) -> None:
    """python-frontmatter with our handler reads the same."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    found, _ = frontmatter.parse(text, handler=MailHandler())
    # The first of a repeated header counts, whatever its case.
    for name, value in one.headers:
        assert name in found or name.lower() in {key.lower() for key in found}
        assert isinstance(value, str)


def marks(data: bytes) -> None:
    """`mark` sets the one header, and no other byte of the rest changes."""
    one = message.parse(data)
    try:
        marked = message.with_status(data, "ack")
    except SwarmError:
        return
    again = message.parse(marked)
    assert again.get("status") == "ack"
    assert again.body == one.body


def entries(data: bytes) -> None:
    """An entry of any bytes has its problems told, and can be changed by line."""
    read = message.parse(data)
    registry._problems("bob", data, read)
    changed = registry._with_value(data, "status", "done")
    assert message.parse(changed).get("status") == "done"
    assert len(changed) <= len(data) + len("\r\nstatus: done\r\n") + 3


def payloads(data: bytes) -> None:
    """Any payload becomes an event, which can cross and be written down."""
    text = data.decode("utf-8", "surrogateescape")
    for value in (data, text):
        event = events.from_payload(value, sender="pia", id="7", at=1.0)
        if not event.problem:
            assert events.from_payload(events.payload(event), sender="pia").content == event.content
        lines = events.headers(event)
        for name, line in lines:
            assert "\n" not in line and "\r" not in line, name


def hooks(data: bytes) -> None:
    """What a harness says is read as json reads it, or refused by the errors that are caught."""
    try:
        found = asked.parse(data)
    except (ValueError, RecursionError, StopIteration, MemoryError):
        return
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    said = json.JSONDecoder(strict=False, parse_int=str, parse_float=str).raw_decode(text)[0]
    assert asked.Asked(said).session == found.session
    assert asked.Asked(said).folder == found.folder


def file_names(data: bytes) -> None:
    """Names have one order and one meaning; what is made from a subject is a name of ours."""
    parts = [os.fsdecode(part) for part in data.split(b"\0")[:8] if part and b"/" not in part]
    ordered = inbox.in_order(set(parts))
    assert ordered == inbox.in_order(list(reversed(ordered)))
    for part in parts:
        names.is_id(part), names.split_name(part), names.leading_number(part)
        assert all(char.isprintable() for char in names.shown(part))
        made = names.message_name(1, names.slug(part), "abcd")
        assert names.is_message_name(made) and names.split_name(made), made
        key = words.key("bob", part)
        assert words.cause("t0k3n", words.origin("t0k3n", key)) == key
        if names.is_message_name(part):
            assert words.split_key(key) == ("bob", part)
        if names.is_id(part):
            assert names.check_id(part) == part
    assert names.next_number(parts) >= 1


TARGETS: dict[str, Callable[[bytes], None]] = {
    "messages": messages,
    "marks": marks,
    "entries": entries,
    "payloads": payloads,
    "hooks": hooks,
    "names": file_names,
    "readers": agree.message,
    "rosters": agree.entry,
    "listings": agree.listing,
    "rows": rows.row,
}
# Seeds from which the fuzzer begins, for each.
SEEDS: dict[str, list[bytes]] = {
    "messages": [
        b"To: bob\nFrom: alice\nSubject: s: t\nThread: bd-1\nStatus: ack\n---\nbody\n---\n",
        b"\xef\xbb\xbf\r\n---\r\nto: bob\r\nFROM:alice\r\nSubject: x\r\n---\r\n\xff",
        b"To: bob\nFrom: a\nSubject: s\nEvent: task_req\nDate: 2026-01-02T03:04:05Z\nRef: x\n---\n",
    ],
    "marks": [b"To: b\nFrom: a\nSubject: s\nstatus : x\nStatus: y\n---\nStatus: z\n"],
    "entries": [b"id: bob\nrole: r\narchetype: planner\ntask: t\nstatus: active\n---\nnote\n"],
    "payloads": [
        b'{"event":"task_req","intent":null,"need_reply":true,"content":"x","detail":null}',
        b'{"event":"info_only","content":"\\ud800","origin":7,"need_reply":"yes","extra":[{}]}',
    ],
    "hooks": [b'{"session_id":"a","cwd":"/x","tool_input":{"session_id":"b"},"n":1e999}'],
    "names": [b"01_a_aaaa.txt\x002_b.txt\x00\xff.txt\x00100_x_00ff.txt", "日本.txt".encode()],
}
# What the fuzzer puts in here and there.
WORDS = [
    *(b"\n%s: " % name for name in (b"To", b"From", b"Subject", b"Thread", b"Status", b"Event")),
    *(b"\nid: ", b"\nrole: ", b"\ntask: ", b"\nstatus: done", b"\n---\n", b"\r\n", b"\0", b".txt"),
    *(b"\\xff", b"\xff", b"\xc2\xa0", b"\xc2\x85", b"\x1c", b"\xe2\x80\xae", b"\xed\xa0\x80"),
]
# Those that look at files in a tree, and begin from the same.
READERS = {"readers": "messages", "rosters": "entries", "listings": "names", "rows": "payloads"}
SEEDS.update((name, SEEDS[like]) for name, like in READERS.items())
SEEDS["readers"] = [
    *SEEDS["readers"],
    b"To: bob\nFrom: alice\nThread: t t\nX-Y: "
    + b"x" * 99
    + b"\n---\n \xc2\xa0\n\xc2\xa0\n \nfirst\n",
    b"no header, but long\n" + b"\n\t" * 60 + b"end",
]
