"""Answers in words: nothing that others wrote can pass for what the server says."""

from hypothesis import given
from hypothesis import strategies as st

from swarm.mcp import text
from swarm.mcp.answers import Read, Shown

LINE: Shown = {
    "file": "01_x.txt", "from": "bob", "subject": "s", "to": "alice", "thread": "", "status": "",
    "path": "alice/inbox/01_x.txt", "flags": ["malformed"], "body": "", "headers": [],
}  # fmt: skip


@given(st.text())
def test_a_body_cannot_end_its_frame(body: str) -> None:
    answer: Read = {"messages": [{**LINE, "body": body}], "more": 0, "problems": []}
    said = text.read(answer)
    token = said.partition("a line with ")[2][:12]
    before, _, after = said.rpartition(f"\n==== {token} end ====")
    assert after == "" and before.count(token) == 2 and token not in body
    assert all(char.isprintable() or char in "\n\t" for char in before if char not in body)


def test_each_answer_is_short() -> None:
    item = {key: LINE[key] for key in ("file", "from", "subject", "flags")}  # type: ignore[literal-required]
    assert text.inbox({"messages": [item], "more": 2, "notices": ["late"]}) == (  # type: ignore[list-item]
        "01_x.txt\tbob\ts\t[malformed]\n2 more unread\nguardian: late"
    )
    assert text.inbox({"messages": [], "more": 0, "notices": []}) == "no unread mail"
    assert text.found({"messages": [], "more": 0}) == "nothing found"
    assert text.tasks({"tasks": [], "notes": []}) == "no tasks"
    assert text.thread({"threads": [], "messages": [], "more": 0}) == "no conversations"
    unreadable: Read = {"messages": [], "more": 0, "problems": ["cannot read 02_y.txt"]}
    assert text.read(unreadable) == "not shown: cannot read 02_y.txt"
    assert text.entered({"id": "bob", "unread": 3}) == "you are bob; 3 unread"
