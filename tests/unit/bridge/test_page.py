"""The tables of docs/bridge.md say what the code does."""

from pathlib import Path

from swarm.bridge.actions import Resident
from swarm.bridge.people import mail_word, status_word
from swarm.transport.mail_roster import from_mail

PAGE = (Path(__file__).parents[3] / "docs/bridge.md").read_text()


def table(head: str) -> dict[str, str]:
    """The rows of the table with that head line."""
    rows = PAGE.split(f"| {head} |\n| --- | --- |\n", 1)[1].split("\n\n", 1)[0]
    cells = (line.strip("| ").split(" | ") for line in rows.split("\n"))
    return {left: right for left, right in cells}


def test_the_words_of_residents() -> None:
    for left, right in table("entry of a resident | row").items():
        for word in ("cancel", "any") if "any other" in left else left.strip("`").split("`, `"):
            found = status_word(Resident(status=from_mail(word)))
            busy = status_word(Resident(status=from_mail(word), task=True))
            wanted = right.replace("`", "").split(", ")
            assert found == wanted[0], word
            if len(wanted) > 1:
                assert f"{busy} while it has a task open" == wanted[1]


def test_the_words_of_guests() -> None:
    found = table("row of a guest | entry")
    assert found["`available`"] == f"`{mail_word('available', False)}`"
    assert found["`busy`"] == (
        f"`{mail_word('busy', False)}`, `{mail_word('busy', True)}` while it waits for an answer"
    )
    assert found["`inactive`"].startswith(f"`{mail_word('inactive', False)}`, with a note")
