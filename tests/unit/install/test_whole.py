"""A file of ours is known by its first lines, and one that others changed is theirs."""

import pytest

from swarm.errors import Refused
from swarm.install.harnesses import MARK, PLUGIN
from swarm.install.text import Text
from swarm.install.whole import Whole
from swarm.mailbox.templates import load_template

PI = Whole("hooks", "pi/swarm.ts", MARK, PLUGIN)


def test_the_words_that_start_swarm_are_written_in() -> None:
    doc = Text("")
    PI.install(doc, ["/a b/swarm"])
    assert 'const SWARM = ["/a b/swarm"]\n' in doc.content
    assert PI.state(doc, ["swarm"]) == "missing command"
    PI.install(doc, ["sh"])
    assert PI.state(doc, ["swarm"]) == "set up"
    PI.install(doc, ["swarm"])  # what works is left alone
    assert 'const SWARM = ["sh"]\n' in doc.content
    PI.remove(doc)
    assert doc.content == ""


def test_another_version_is_replaced_but_not_removed() -> None:
    here = load_template("pi/swarm.ts").decode().replace('["swarm"]', '["sh"]', 1)
    text = here.replace("15_000", "20_000")
    doc = Text(text)
    assert PI.state(doc, []) == "older"
    with pytest.raises(Refused, match="was changed since"):
        PI.remove(doc)
    PI.install(doc, ["sh"])
    assert doc.content == here


def test_a_file_of_others_is_left() -> None:
    doc = Text("export default 1\n")
    assert PI.state(doc, []) == "another's"
    with pytest.raises(Refused, match="is another's"):
        PI.install(doc, [])
    PI.remove(doc)
    assert doc.content == "export default 1\n"
