"""What the tools answer with: the fields of ``--json``, typed, so that clients know them."""

from collections.abc import Callable

# Those of the standard library do not do for pydantic before Python 3.12.
from typing_extensions import NotRequired, TypedDict  # noqa: UP035

# Of what others wrote no more is shown than an agent's context should be made to hold.
LINE_MOST = 500
HEADERS_MOST = 50


def brief(text: str, most: int = LINE_MOST) -> str:
    """The text, or its beginning."""
    return text if len(text) <= most else f"{text[:most]}…"


Item = TypedDict(
    "Item",
    {
        "file": str,
        "from": str,
        "subject": str,
        "to": str,
        "thread": str,
        "status": str,
        "path": str,
        "flags": list[str],
    },
)


class Shown(Item):
    """A message with its text, and of the other headers those that it has."""

    body: str
    headers: list[list[str]]


class Inbox(TypedDict):
    """``more``: how many were left out; ``notices``: what the guardian says, once."""

    messages: list[Item]
    more: int
    notices: list[str]


class Read(TypedDict):
    """``more``: how many are still unread; ``problems``: what could not be shown."""

    messages: list[Shown]
    more: int
    problems: list[str]


class Found(TypedDict):
    """Messages, and how many were left out."""

    messages: list[Item]
    more: int


class Line(TypedDict):
    """One conversation."""

    thread: str
    count: int
    last_subject: str


class Threads(TypedDict):
    """One's conversations, or the messages of one."""

    threads: list[Line]
    messages: list[Item]
    more: int


class Copy(TypedDict):
    """One message that was delivered."""

    to: str
    file: str
    path: str


class Sent(TypedDict):
    """``task``: the key of the task that it is about, '' if none."""

    delivered: list[Copy]
    task: str
    problems: list[str]


class Task(TypedDict):
    """One task; ``events`` of one that is shown."""

    task: str
    state: str
    requester: str
    worker: str
    content: str
    since: int
    last_at: int
    last_word: str
    detail: str
    overdue: bool
    attempt: int
    events: NotRequired[list[dict[str, object]]]


class Tasks(TypedDict):
    """Tasks, or the one that an action was about; ``notes``: what is unusual about it."""

    tasks: list[Task]
    notes: list[str]


class Entered(TypedDict):
    """Who one is now."""

    id: str
    unread: int


class Held:
    """What is done only once the answer was written, or given back if it never is."""

    def __init__(self) -> None:
        self._kept: list[tuple[Callable[[], None], Callable[[], None]]] = []

    def __bool__(self) -> bool:
        return bool(self._kept)

    def keep(self, done: Callable[[], None], back: Callable[[], None]) -> None:
        """One thing, and how it is given back."""
        self._kept.append((done, back))

    def done(self, tell: Callable[[BaseException], None]) -> None:
        """The answer was written; what then fails is told, and stops nothing else."""
        kept, self._kept = self._kept, []
        for done, _ in kept:
            try:
                done()
            except Exception as error:  # told: the others are done all the same
                tell(error)

    def back(self) -> None:
        """The answer was not written."""
        kept, self._kept = self._kept, []
        for _, back in kept:
            back()
