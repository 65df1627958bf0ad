"""Our message form for ``python-frontmatter``: ``frontmatter.loads(text, handler=MailHandler())``.

The library strips text around the body before a handler sees it, so the mail path itself uses
``swarm.message``; this adapter is for programs that already speak front matter.
"""

import re
from typing import Any

from frontmatter.default_handlers import BaseHandler

from swarm.message import format_message, parse


class MailHandler(BaseHandler):
    """Header lines, ``---``, body; values are text as written, never typed (seed M)."""

    FM_BOUNDARY = re.compile(r"^---$", re.MULTILINE)
    START_DELIMITER = END_DELIMITER = "---"

    def detect(self, text: str) -> bool:
        """Whether the text is a message with a separator and at least one header."""
        message = parse(text.encode("utf-8", "surrogatepass"))
        return message.separated and bool(message.headers)

    def split(self, text: str) -> tuple[str, str]:
        """(header block, body), the body as it stands."""
        data = text.encode("utf-8", "surrogatepass")
        message = parse(data)
        head = data[: len(data) - len(message.body)]
        return head.decode("utf-8", "surrogatepass"), message.body.decode("utf-8", "surrogatepass")

    def load(self, fm: str, **_: object) -> dict[str, Any]:
        """Name to value; the first of a repeated header counts."""
        found: dict[str, Any] = {}
        for name, value in parse(fm.encode("utf-8", "surrogatepass")).headers:
            found.setdefault(name, value)
        return found

    def export(self, metadata: dict[str, object], **_: object) -> str:
        """Header lines; UsageError where To, From or Subject is missing or a value is no line."""
        headers = [(name, str(value)) for name, value in metadata.items()]
        return format_message(headers, b"").decode()

    def format(self, post: Any, **_: object) -> str:
        """A whole message from a Post."""
        return self.export(post.metadata) + str(post.content)
