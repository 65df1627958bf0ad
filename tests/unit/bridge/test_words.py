"""Names of one side's things on the other can be read back, and are nobody else's."""

from hypothesis import given
from hypothesis import strategies as st

from swarm import names
from swarm.bridge import words

TOKEN = "0a1b2c3d"
NUMBERS = st.integers(1, 2**62)


@given(NUMBERS, st.text())
def test_the_name_of_a_row_s_file_tells_its_number(number: int, content: str) -> None:
    name = words.file_name(TOKEN, number, content)
    assert names.split_name(name)
    assert words.row_number(TOKEN, name) == number
    assert words.row_number("ffffffff", name) == 0


@given(st.text(min_size=1).filter(lambda text: "/" not in text))
def test_an_origin_tells_the_file_but_only_to_its_pair(name: str) -> None:
    name = f"{name.lstrip('.')}x.txt"
    key = words.key("bob", name)
    if name.encode("utf-8", "ignore").decode() == name:
        assert words.split_key(words.cause(TOKEN, words.origin(TOKEN, key))) == ("bob", name)
    assert words.cause("ffffffff", words.origin(TOKEN, key)) == ""
