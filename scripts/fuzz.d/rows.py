"""All readers of one channel: a payload stands there in a row, and each must tell the same."""

import json
import os
import sqlite3
from functools import partial

from place import ME, Tree, tree

from swarm import events, message
from swarm.bridge import crossing
from swarm.cli import main, team_commands
from swarm.events import Event, one_line
from swarm.mcp.answers import Held, brief
from swarm.mcp.channel_desk import ChannelDesk
from swarm.mcp.notices import Notices
from swarm.mcp.session import Session
from swarm.mcp.tools import Tools
from swarm.team.channel import Channel
from swarm.team.mirror import Mirror

CHANNEL, TOKEN = "ops", "0123abcd"
INSERT = (
    "INSERT INTO messages (from_agent, to_agent, channel, payload, created_at)"
    " VALUES ('pia', ?, ?, {}, 1750000000000)"
)
PUBLIC = ("content", "intent", "detail", "problem")


class Team:
    """A channel with bob in it, and somebody who writes what she likes."""

    def __init__(self, here: Tree) -> None:
        self.here = here
        home = os.environ["SWARM_TEAM_HOME"] = f"{here.folder}/team"
        self.channel = Channel.open(home, CHANNEL, anew=True, sync=False)
        for session in (ME, "pia"):
            self.channel.join(session)
        self.mirror = Mirror.open(home, CHANNEL, sync=False)
        desk = ChannelDesk(Session(ME, None, CHANNEL, {"SWARM_TEAM_HOME": home}), None)
        self.tools = Tools(desk, Notices())
        self.db = sqlite3.connect(f"{home}/{CHANNEL}/team.db", isolation_level=None)
        self.db.execute("PRAGMA synchronous = OFF")

    def insert(self, payload: bytes, as_text: bool) -> str:
        """A row for bob, whose text need not be any."""
        sql = INSERT.format("CAST(? AS TEXT)" if as_text else "?")
        return str(self.db.execute(sql, (ME, CHANNEL, payload)).lastrowid)

    def remove(self, number: str) -> None:
        """It is there no longer."""
        self.db.execute("DELETE FROM messages WHERE message_id = ?", (number,))


_team: list[Team] = []


def row(data: bytes) -> None:
    """The library, the command, the tools, the bridge and the file that it makes tell one thing."""
    if not _team:
        _team.append(Team(tree()))
    team = _team[0]
    number = team.insert(data, sum(data) % 4 > 0)
    try:
        (event,) = team.channel.history(1)
        assert event.id == number
        _command(team, event)
        _tools(team, event)
        (crossed,) = [one for one in team.mirror.every(int(number) - 1) if one.id == number]
        assert all(getattr(crossed, name) == getattr(event, name) for name in (*PUBLIC, "kind"))
        _file(crossed)
    finally:
        team.remove(number)


def _command(team: Team, event: Event) -> None:
    """``swarm team history``, without what parses its words: that is slow."""
    options = {"channel": CHANNEL, "n": 1, "zero": False, "root": None, "as_": None}
    told = partial(main.guarded, team_commands.history, {**options, "json": True})
    (said,) = json.loads(team.here.caught(told)[1])["messages"]
    assert all(said[name] == getattr(event, name) for name in PUBLIC)
    assert (said["id"], said["event"], said["from"]) == (event.id, event.kind, event.sender)
    plain = partial(main.guarded, team_commands.history, {**options, "json": False})
    line = team.here.caught(plain)[1]
    assert line.count(b"\n") == 1 and line.count(b"\t") == 6, line


def _tools(team: Team, event: Event) -> None:
    answer = team.tools.call("read_message", {"message": event.id, "peek": True}, Held())
    assert not answer.is_error, answer.content
    answer.model_dump_json(by_alias=True)
    assert answer.structured_content
    (shown,) = answer.structured_content["messages"]
    assert (shown["subject"], shown["status"]) == (brief(event.content), event.kind)
    assert bool(shown["flags"]) == bool(event.problem)


def _file(event: Event) -> None:
    file = crossing.to_file(event, ME, "pia", event.thread, "", "", TOKEN, CHANNEL)
    one = message.parse(message.format_message(file.lines, file.body))
    assert not one.malformed and one.body == file.body
    again = events.from_message(one, file.name, 0.0, "")
    assert (again.sender, again.to, again.at) == ("pia", ME, event.at)
    if not event.problem:
        kind, content, intent = map(_line, (event.kind, event.content, event.intent))
        assert again.kind == kind or not kind
        assert again.content == (content or kind or "message")
        assert again.intent == intent


def _line(text: str) -> str:
    return one_line(text)[: crossing.LINE_MAX].strip(" ")
