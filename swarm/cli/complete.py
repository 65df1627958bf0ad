"""Completion in shells: commands, flags, and the values that the mail tree knows.

The scripts are typer's (``swarm --install-completion``), and so is how they ask and are
answered.  But typer takes too long to start for a key that is pressed all the time.
"""

import os

from swarm import names
from swarm.cli import render
from swarm.cli.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# By command: its help, its flags with the name of what each takes ('' for nothing), its arguments.
Words = dict[str, tuple[str, dict[str, str], list[str]]]
SHARED = {"--root": "root", "--as": "as_", "--version": "", "--help": ""}
SHARED |= {"--install-completion": "", "--show-completion": ""}


def complete(env: "Mapping[str, str]") -> int:
    """Answer the shell that asks by the environment; nothing to say is no error."""
    shell = env["_SWARM_COMPLETE"].removeprefix("complete_")
    given, begun = _asked(env, shell)
    found = candidates(given, begun)
    if env.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        return 0 if found else 1
    text = _zsh(found) if shell == "zsh" else _lines(found, shell == "fish")
    try:
        render.write(text.encode())
    except (render.OutputFailed, BrokenPipeError):
        return 1
    return 0


def _asked(env: "Mapping[str, str]", shell: str) -> tuple[list[str], str]:
    """The words before the one that is begun, without the command's own name; and that one."""
    if shell != "bash":
        text = env.get("_TYPER_COMPLETE_ARGS", "")
        said = _split(text)[1:]
        begun = said.pop() if said and not text[-1:].isspace() else ""
        return said, begun
    said = _split(env.get("COMP_WORDS", ""))
    number = env.get("COMP_CWORD", "")
    at = int(number) if number.isdecimal() else len(said)
    # Bash takes "--as=bob" for three words.
    begun = "" if said[at : at + 1] == ["="] else "".join(said[at : at + 1])
    return [word for word in said[1:at] if word != "="], begun


def _split(text: str) -> list[str]:
    """Words as a shell takes them; of one whose quote is open yet, what there is."""
    import shlex

    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    found: list[str] = []
    try:
        found.extend(lexer)
    except ValueError:
        found.append(lexer.token)
    return found


def candidates(given: list[str], begun: str) -> list[tuple[str, str]]:
    """(word, help) of what can stand next after the words ``given`` and begins so."""
    from swarm.cli.words import WORDS

    command, rest, options = _command(given, WORDS)
    if command not in WORDS:
        return _commands(command, begun, WORDS) if not rest else _value(rest[-1], options, begun)
    _, flags, arguments = WORDS[command]
    flags = {**flags, "--root": "root", "--as": "as_"}
    taking, count = "", 0
    for word in rest:
        if taking:
            options[taking], taking = word, ""
        elif word in flags:
            taking = flags[word]
        else:
            count += not word.startswith("-")
    if taking:
        return _value(taking, {**options, "command": command}, begun)
    if begun.startswith("-"):
        return [(flag, "") for flag in flags if flag.startswith(begun) and len(flag) > 2]
    wanted = arguments[min(count, len(arguments) - 1)] if arguments else ""
    if count >= len(arguments) and not wanted.endswith("*"):
        return []
    name = wanted.rstrip("*")
    return _value(f"{command} {name}", {**options, "command": command}, begun)


def _command(given: list[str], words: Words) -> tuple[str, list[str], dict[str, str]]:
    """The command, or the beginning of one; the words after it; the shared options before it.

    Where such an option waits for its value, the words are its name alone.
    """
    options: dict[str, str] = {}
    command, at = "", 0
    while at < len(given) and command not in words:
        word = given[at]
        if not command and SHARED.get(word):
            if at + 1 == len(given):
                return "", [SHARED[word]], options
            options[SHARED[word]], at = given[at + 1], at + 1
        elif command or not word.startswith("-"):
            command = f"{command} {word}".strip()
        at += 1
    return command, given[at:], options


def _commands(before: str, begun: str, words: Words) -> list[tuple[str, str]]:
    """Commands, or those of a group, with their help; of a group what it holds."""
    if begun.startswith("-"):
        return [(flag, "") for flag in SHARED if flag.startswith(begun) and not before]
    start = f"{before} " if before else ""
    found: dict[str, str] = {}
    for name, (told, _, _) in words.items():
        if name.startswith(start):
            word, _, more = name.removeprefix(start).partition(" ")
            found[word] = f"{found[word]}, {more}" if more and word in found else more or told
    return [(word, told) for word, told in found.items() if word.startswith(begun)]


def _value(name: str, options: "dict[str, str]", begun: str) -> list[tuple[str, str]]:
    """What an option or an argument may be, as far as it is known; only plain words.

    A name or a thread is others' text, and shells evaluate what they are offered.
    """
    call = Call({"as_": None, "root": None, **options})
    try:
        found = list(_source(name, options.get("command", ""))(call))
    except Exception:  # no mail here, nobody who asks, a broken box: nothing to offer
        return []
    plain = (word for word in found if names.ID_CHARS.issuperset(word) and word.startswith(begun))
    return [(word, "") for word in dict.fromkeys(plain)]


def _source(name: str, command: str) -> "Callable[[Call], Iterable[str]]":
    """Who knows the values: by ``COMMAND ARGUMENT`` or the name of an option."""
    exact: dict[str, Callable[[Call], Iterable[str]]] = {
        "thread id": _threads,
        "register archetype": _archetypes,
        "mark status": _message_statuses,
        "send to": lambda call: ["all", *_agents(call)],
    }
    by_name: dict[str, Callable[[Call], Iterable[str]]] = {
        "as_": _agents,
        "keep": _agents,
        "from_": _agents,
        "to": _agents,
        "id": _agents,
        "msg": _messages,
        "thread": _threads,
        "channel": _channels,
        "archetype": _archetypes,
        "harness": _harnesses,
        "status": _statuses if command in ("register", "update") else _message_statuses,
    }
    if " " in name and name.rpartition(" ")[2] == "task":
        return _tasks
    return exact.get(name) or by_name.get(name.rpartition(" ")[2]) or (lambda call: ())


def _agents(call: Call) -> list[str]:
    from swarm.mailbox.layout import known

    return known(call.root)


def _messages(call: Call) -> list[str]:
    """Those in the inbox, unread ones first; what was sent, and drafts, where they can be meant."""
    from swarm.mailbox import inbox

    me, root = call.me, call.root
    unread = inbox.unread_names(root, me)
    found = [*unread, *inbox.in_order(inbox.message_names(root, root.inbox(me)))]
    if call["command"] not in ("archive", "mark"):
        drafts = [root.drafts(me)] if call["command"] == "trace" else []
        for folder in (root.sent(me), *drafts):
            found += inbox.in_order(inbox.message_names(root, folder))
    return found


def _threads(call: Call) -> list[str]:
    from swarm.mailbox.threads import summary

    return [thread for thread, _, _ in reversed(summary(call.root, call.me)[0])]


def _tasks(call: Call) -> list[str]:
    from swarm.cli import stores
    from swarm.mamoru.following import tasks

    call.options.setdefault("channel", None)
    with stores.store(call) as store:
        found = tasks(store, stores.me(call))
    return [task.key for task in sorted(found.values(), key=lambda task: not task.open)]


def _channels(call: Call) -> list[str]:
    from swarm.team.place import channels, home

    return channels(home(os.environ))


def _archetypes(call: Call) -> tuple[str, ...]:
    from swarm.mailbox.registry import ARCHETYPES

    return ARCHETYPES


def _statuses(call: Call) -> tuple[str, ...]:
    from swarm.mailbox.registry import STATUSES

    return STATUSES


def _message_statuses(call: Call) -> tuple[str, ...]:
    from swarm.mailbox.archive import SETTABLE

    return SETTABLE


def _harnesses(call: Call) -> tuple[str, ...]:
    from swarm.harness.known import HARNESSES

    return HARNESSES


def _lines(found: list[tuple[str, str]], with_help: bool) -> str:
    return "".join(
        f"{word}\t{told}\n" if with_help and told else f"{word}\n" for word, told in found
    )


def _zsh(found: list[tuple[str, str]]) -> str:
    """What the script evaluates; the help is our own text, and its marks are taken out."""
    if not found:
        return "_files\n"

    def one(word: str, told: str) -> str:
        kept = "".join(char for char in told if char not in "\"'$`\\").replace(":", "\\:")
        return f'"{word}":"{kept}"' if kept else f'"{word}"'

    return f"_arguments '*: :(({' '.join(one(*pair) for pair in found)}))'\n"
