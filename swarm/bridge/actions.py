"""What a bridge can do, each action safe to be done again; and who it is about.  Pure."""

from dataclasses import dataclass

from swarm.bridge.crossing import File, Row
from swarm.events import Event


@dataclass(slots=True, kw_only=True)
class Resident:
    """An agent of the tree.  ``status``: in S's words.  ``seen``: 0 where its silence means
    nothing.  ``entry``: whether it is registered.  ``task``: whether it has one open."""

    description: str = ""
    status: str = "inactive"
    seen: float = 0.0
    entry: bool = True
    task: bool = False


@dataclass(slots=True, kw_only=True)
class Lodger:
    """A guest's entry as it is in the tree, if it has one."""

    status: str = ""
    seen: float = 0.0


@dataclass(slots=True, kw_only=True)
class Session:
    """A row of the channel.  ``ours``: the id of the resident whose row the bridge wrote, ""
    for a guest's.  ``left``: whether that one had left.  ``swarm``: whether swarm made it."""

    session: str
    name: str
    description: str
    status: str
    seen: float
    ours: str = ""
    left: bool = False
    swarm: bool = False


@dataclass(slots=True)
class Enter:
    """Write a resident's row; ``joined``: and say that it has joined."""

    agent: str
    session: str
    resident: Resident
    status: str
    joined: bool


@dataclass(slots=True)
class Part:
    """A resident's row is to say that it has left."""

    agent: str
    session: str


@dataclass(slots=True)
class Beat:
    """A resident's sign of life."""

    session: str
    seen: float


@dataclass(slots=True)
class Welcome:
    """Make a guest's mailbox."""

    agent: str
    session: str


@dataclass(slots=True)
class Register:
    """Write a guest's entry."""

    agent: str
    row: Session
    status: str


@dataclass(slots=True)
class Restatus:
    """A guest's entry is to say another status; ``note``: and why."""

    agent: str
    status: str
    note: str = ""


@dataclass(slots=True)
class Touch:
    """A guest's sign of life."""

    agent: str
    seen: float


@dataclass(slots=True)
class Unregister:
    """A guest has left: its entry goes, its mail stays."""

    agent: str


@dataclass(slots=True)
class Mirrored:
    """All rows up to that one are in the tree."""

    number: int


@dataclass(slots=True)
class Receipt:
    """The recipient has read it on the channel."""

    agent: str
    name: str


@dataclass(slots=True)
class Advance:
    """A resident has read up to that row."""

    session: str
    number: int


@dataclass(slots=True)
class Speak:
    """Say for a worker without a guardian what its files say."""

    agent: str
    event: Event


@dataclass(slots=True)
class Flaw:
    """What could not cross, or not whole; told once for each ``about``."""

    about: str
    text: str


Action = (
    Enter | Part | Beat | Welcome | Register | Restatus | Touch | Unregister | Row | File
    | Mirrored | Receipt | Advance | Speak | Flaw
)  # fmt: skip
