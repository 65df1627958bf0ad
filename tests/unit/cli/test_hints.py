"""A hint's command is completed for the channel that the call was about."""

import pytest

from swarm.cli.hints import placed


@pytest.mark.parametrize(
    ("hint", "wanted"),
    [
        ("swarm task list --all names those", "swarm task list --all --channel ops names those"),
        ("swarm team roster lists who is there", "swarm team roster ops lists who is there"),
        ("swarm status tells whether", "swarm status --channel ops tells whether"),
        ("did you mean bob?", "did you mean bob?"),
        ("", ""),
    ],
)
def test_what_is_to_be_typed_names_the_channel(hint: str, wanted: str) -> None:
    assert placed(hint, "ops") == wanted
    assert placed(hint, None) == hint
