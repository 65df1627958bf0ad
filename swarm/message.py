"""A message: header lines, a line ``---``, a body kept byte for byte.  Pure.

The form is seed M's; what is tolerated when reading and refused when writing is contract 2.
Everything works on bytes: a body is never decoded, and only LF and CRLF end a line.
"""

from swarm.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
BOM = b"\xef\xbb\xbf"
BODY_MAX = 1024 * 1024
# A header ends here at the latest (our own decision): listings need not read on for ever.
HEADER_MAX = 1024 * 1024
FALLBACK_SUBJECT_MAX = 200
# So far into a body a line is looked for that can stand for the Subject.
FALLBACK_WITHIN = 65536
REQUIRED = ("to", "from", "subject")
STATUSES = ("sent", "delivered", "read", "ack", "done", "cancelled", "error")
FINAL_STATUSES = frozenset(("done", "cancelled", "error"))

Header = tuple[str, str]


class Message:
    """One message as it was read.

    ``headers``: (name, value) in file order, names as written, values trimmed text.
    ``body``: the bytes after the separator, or from the line that ended the header.
    ``separated``: whether the line ``---`` was there.
    ``ended``: whether the header was seen to end; False only for a part of a file.
    """

    __slots__ = ("body", "ended", "fields", "headers", "separated")

    def __init__(
        self, headers: list[Header], body: bytes, separated: bool = True, ended: bool = True
    ) -> None:
        self.headers = headers
        self.body = body
        self.separated = separated
        self.ended = ended
        self.fields: dict[str, str] = {}
        for name, value in headers:
            self.fields.setdefault(name.lower(), value)

    def get(self, name: str, default: str = "") -> str:
        """The value of the first header of that name (any case), or ``default``."""
        return self.fields.get(name.lower(), default)

    @property
    def malformed(self) -> bool:
        """Whether To, From, Subject or the separator is missing (contract 2)."""
        fields = self.fields
        return not (
            self.separated and fields.get("to") and fields.get("from") and fields.get("subject")
        )

    @property
    def missing(self) -> list[str]:
        """What makes it malformed, in words: names of headers, or ``---``."""
        absent = [name.capitalize() for name in REQUIRED if not self.fields.get(name)]
        return absent if self.separated else [*absent, "---"]

    @property
    def subject(self) -> str:
        """The Subject, or the body's first line that is not blank, at most 200 characters."""
        return self.fields.get("subject") or self._first_line()[0]

    @property
    def settled(self) -> bool:
        """Whether more of the same file would say nothing else, but for the body."""
        return self.ended and bool(self.fields.get("subject") or self._first_line()[1])

    def _first_line(self) -> tuple[str, bool]:
        """What stands for the Subject, and whether all of it is there."""
        lines = self.body[:FALLBACK_WITHIN].split(b"\n")
        full = len(self.body) >= FALLBACK_WITHIN
        for left, line in enumerate(lines, 1 - len(lines)):
            text = _text(line, cut=full and left == 0).strip()
            if text:
                return text[:FALLBACK_SUBJECT_MAX], full or left < 0
        return "", full


def _text(line: bytes, cut: bool) -> str:
    """What is no text is replaced; of a line that was cut, not the character in its last bytes."""
    for less in range(1, 4 if cut else 0):
        lead = line[-less] if less <= len(line) else 0
        if lead >= 0xC0:
            whole = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            line = line[:-less] if whole > less else line
            break
    return line.decode("utf-8", "replace")


def parse(data: bytes, whole: bool = True) -> Message:
    """Read a message; never raises (contract 2, "Reading").

    With ``whole=False`` the bytes are the beginning of a longer file: ``ended`` then tells
    whether they reach the end of the header.
    """
    headers: list[Header] = []
    at = _start(data)
    size = min(len(data), HEADER_MAX)
    while at < size:
        newline = data.find(b"\n", at, size)
        if newline < 0 and size == HEADER_MAX:
            return Message(headers, data[at:], False)
        end = size if newline < 0 else newline
        line = data[at : end - 1] if data.endswith(b"\r", at, end) else data[at:end]
        if line == b"---":
            return Message(headers, data[end + 1 :], True, whole or newline >= 0)
        name, colon, value = line.partition(b":")
        if not colon or not name or name.translate(None, NAME_BYTES):
            return Message(headers, data[at:], False, whole or newline >= 0)
        headers.append((name.decode(), value.decode("utf-8", "replace").strip(" \t")))
        at = end + 1
    return Message(headers, data[at:], False, whole or at >= HEADER_MAX)


def _start(data: bytes) -> int:
    """Where the header begins: after a BOM, blank lines and an opening rule before a header."""
    at = 3 if data.startswith(BOM) else 0
    while data.startswith((b"\n", b"\r\n"), at):
        at += 1 if data.startswith(b"\n", at) else 2
    for rule in (b"---\n", b"---\r\n"):
        if data.startswith(rule, at):
            line = data[at + len(rule) :].split(b"\n", 1)[0]
            name, colon, _ = line.partition(b":")
            if colon and name and not name.translate(None, NAME_BYTES):
                return at + len(rule)
    return at


def is_control(char: str) -> bool:
    """Whether a character is a control (Unicode Cc)."""
    return char < " " or "\x7f" <= char <= "\x9f"


def check_value(name: str, value: str) -> str:
    """Return the value trimmed; raise UsageError for what a header line cannot carry."""
    trimmed = value.strip(" ")
    if not trimmed.isprintable():
        for char in trimmed:
            if is_control(char) or "\ud800" <= char <= "\udfff":
                raise UsageError(
                    f"{name} holds a character that a header line cannot carry: {char!a}",
                    "put longer or formatted text in the body",
                    code="bad-value",
                )
    return trimmed


def check_body(body: bytes) -> bytes:
    """Return the body; raise UsageError where it is over 1 MiB (contract 2)."""
    if len(body) > BODY_MAX:
        raise UsageError(
            "the body is over 1 MiB",
            "leave the text in a file and pass its path with --detail",
            code="body-too-large",
        )
    return body


def format_message(headers: "Iterable[Header]", body: bytes) -> bytes:
    """The bytes of a message; headers with an empty value are left out.

    Raises UsageError for a missing To, From or Subject, a value that is no single line of
    text, or a body over 1 MiB.
    """
    lines: list[str] = []
    present = set()
    for name, value in headers:
        checked = check_value(name, value)
        if checked:
            present.add(name.lower())
            lines.append(f"{name}: {checked}\n")
    for name in REQUIRED:
        if name not in present:
            raise UsageError(
                f"a message needs a {name.capitalize()}",
                "give it with -s" if name == "subject" else "",
                code="bad-value",
            )
    return "".join([*lines, "---\n"]).encode() + check_body(body)


def fill(template: bytes, values: dict[str, str]) -> list[Header]:
    """The headers of a template, each ``$word`` replaced by its value, empty ones left out.

    A value that the template fixes (``Status: ack``) gives way to one given by the caller
    under the header's own name.
    """
    filled: list[Header] = []
    for name, value in parse(template).headers:
        text = values.get(name.lower(), "")
        if not text and not value.startswith("$"):
            text = value
        if text:
            filled.append((name, text))
    return filled


def with_status(data: bytes, status: str) -> bytes:
    """The same message with that Status; no other byte changes.

    The first Status line gets the value; without one a line is added before the separator.
    Raises UsageError where the message has no separator, so no header to write in.
    """
    if not parse(data).separated:
        raise UsageError(
            "the message has no line '---', so no header to mark", code="malformed-message"
        )
    at = _start(data)
    while True:
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        stop = end - 1 if data.endswith(b"\r", at, end) else end
        line = data[at:stop]
        if line == b"---":
            newline = b"\r\n" if data[at - 2 : at] == b"\r\n" else b"\n"
            return data[:at] + b"Status: " + status.encode() + newline + data[at:]
        name = line.partition(b":")[0]
        if name.lower() == b"status":
            return data[: at + len(name)] + b": " + status.encode() + data[stop:]
        at = end + 1
