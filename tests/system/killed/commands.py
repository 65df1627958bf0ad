"""The commands that change the disk, each as alice calls it."""

from .command import Command
from .mail import NEWS, QUESTION, TEXT

ENTRY = ("--role", "tests", "--archetype", "surveyor", "--task", "all of it")


def send(*words: str, links: str = "") -> Command:
    return Command(("send", *words, "-s", "hello", "-m", TEXT), links)


PLAIN_SENDS = [
    send("bob"),
    Command(("reply", QUESTION, "-m", TEXT)),
]
BY_KEY = [
    send("bob", "carl", "--id", "key"),
    send("bob", "--id", "key", links="EXDEV"),
    send("bob", "--id", "key", links="EPERM"),
]
READS = [
    Command(("read", "--next")),
    Command(("read", "--all")),
    Command(("read", "--all", "--json")),
    Command(("read", QUESTION)),
]
ARCHIVES = [
    Command(("archive", QUESTION)),
    Command(("archive", "--read")),
    Command(("archive", QUESTION), links="EXDEV"),
    Command(("archive", QUESTION), links="EPERM"),
]
DELETE = Command(("archive", QUESTION, "--delete"))
MARK = Command(("mark", NEWS, "done"))
REGISTER = Command(("register", "dora", *ENTRY))
REPLACE = Command(("register", "alice", *ENTRY, "--replace"))
UPDATE = Command(("update", "--status", "paused", "--note", "back at ten"))
UNREGISTER = Command(("unregister",))
INITS = [
    Command(("init", "new", "--agents", "alice,dora"), root="new/mail"),
    Command(("init", ".", "--agents", "dora")),
]
REGISTRATIONS = [REGISTER, REPLACE]
OTHERS = [*PLAIN_SENDS, *BY_KEY, *READS, *ARCHIVES, DELETE, MARK, UPDATE, UNREGISTER, *INITS]
ALL = [*OTHERS, *REGISTRATIONS]
