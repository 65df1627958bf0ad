"""Personas: YAML with the meaning of 1.2, and plain words for what is wrong."""

from pathlib import Path

import pytest

from swarm import persona
from swarm.errors import UsageError

FULL = """
name: " Tester "
description: no
provider: anthropic
model: off
thinkingLevel: off
systemPrompt: |
  Test what others build.
contentWordLimit: 50
since: 2026-01-02
voiceId: none
"""


def load(tmp_path: Path, text: str) -> persona.Persona:
    path = tmp_path / "persona.yaml"
    path.write_text(text)
    return persona.load(str(path))


def test_words_that_another_yaml_takes_for_truth_values_or_times_stay_text(tmp_path: Path) -> None:
    found = load(tmp_path, FULL)
    assert (found.name, found.description, found.model) == ("Tester", "no", "off")
    assert (found.thinking, found.prompt, found.words) == ("off", "Test what others build.", 50)
    assert found.more == {"since": "2026-01-02", "voiceId": "none"}


def test_only_name_and_description_are_needed(tmp_path: Path) -> None:
    assert load(tmp_path, "name: a\ndescription: b\n") == persona.Persona("a", "b")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no keys"),
        ("- a\n", "holds no keys"),
        ("description: b\n", "no name"),
        ("name: ' '\ndescription: b\n", "no name"),
        ("name: a\n", "no description"),
        ("name: 7\ndescription: b\n", "name is no text"),
        ("name: a\ndescription: b\nthinkingLevel: much\n", "thinkingLevel is 'much'"),
        ("name: [a\n", "no YAML"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        load(tmp_path, text)
    assert caught.value.code == "bad-persona"


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file"):
        persona.load(str(tmp_path / "none.yaml"))


def test_a_word_limit_that_is_no_number_is_the_usual_one(tmp_path: Path) -> None:
    assert load(tmp_path, "name: a\ndescription: b\ncontentWordLimit: '50'\n").words == 0


def test_the_template_is_a_persona() -> None:
    template = Path(persona.__file__).parents[1] / "templates/persona.yaml"
    assert persona.load(str(template)).name == "Tester"
