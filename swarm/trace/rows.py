"""What a channel of the team bus tells of a row: who has read past it, and who lives."""

from swarm.errors import Unknown
from swarm.events import Event, moment
from swarm.names import shown
from swarm.team.mirror import Mirror
from swarm.team.rows import AgentRow, number
from swarm.trace.fact import Fact, Trace, in_order
from swarm.transport.pulse import FOLDER, guardings

SILENT = 60.0  # seconds without a heartbeat


def trace(channel: Mirror, wanted: str, now: float) -> Trace:
    """All there is to tell of a row, by its number; Unknown where there is none."""
    row = channel.message(number(wanted.removeprefix("#")))
    if row is None:
        where = f"no message {shown(wanted)} on channel {channel.place.channel}"
        hint = "swarm team history lists the last"
        raise Unknown(where, hint, code="unknown-message")
    found = facts(channel, row, now)
    waits = any(fact.kind == "unread" for fact in found)
    seen = not waits and any(fact.kind == "passed" for fact in found)
    return Trace(row.id, row.sender, row.to or "all", seen, in_order(found))


def facts(channel: Mirror, row: Event, now: float) -> list[Fact]:
    """The row, what came of it, and each recipient's cursor."""
    path = place(channel, row)
    to = row.to or "everybody"
    found = [Fact(row.at, "row", f"{row.kind or 'no event'} from {row.sender} to {to}", path)]
    if row.problem:
        found.append(Fact(None, "why", row.problem, path))
    if row.origin:
        found.append(Fact(None, "via", f"carried here from a mail tree: {row.origin}", path))
    for pair in channel.pairs():
        if pair.mirrored >= int(row.id):
            text = f"the bridge of {pair.root} has looked at rows up to {pair.mirrored}"
            found.append(Fact(None, "crossed", text, f"{channel.place.channel}: swarm_bridge"))
    found += _answers(channel, row)
    cursors = channel.cursors()
    for agent in _recipients(channel.roster(), row):
        found += _reader(channel, row, agent, cursors.get(agent.session), now)
    if row.to and row.to not in [agent.session for agent in channel.roster()]:
        found.append(
            Fact(None, "why", f"{row.to} is not on the channel", _table(channel, "agents"))
        )
    return found


def place(channel: Mirror, row: Event) -> str:
    """A row as evidence."""
    return f"{_table(channel, 'messages')} {row.id}"


def _table(channel: Mirror, table: str) -> str:
    return f"{channel.place.channel}: {table}"


def _recipients(roster: list[AgentRow], row: Event) -> list[AgentRow]:
    """Whom it is for; of a broadcast all others, but for those who are not there."""
    if row.to:
        return [agent for agent in roster if agent.session == row.to]
    return [a for a in roster if a.session != row.sender and a.status != "inactive"]


def _answers(channel: Mirror, row: Event) -> list[Fact]:
    return [
        Fact(event.at, "answered", f"by {event.sender}: {event.kind}", place(channel, event))
        for event in (channel.task(row.task) if row.task else ())
        if event.ref == row.id and event.sender != row.sender
    ]


def _reader(
    channel: Mirror, row: Event, agent: AgentRow, cursor: int | None, now: float
) -> list[Fact]:
    """Whether one recipient has read past the row; when is written nowhere."""
    me, table = agent.session, _table(channel, f"agent_cursors {agent.session}")
    if cursor is not None and cursor >= int(row.id):
        return [Fact(None, "passed", f"{me} has read up to {cursor}; when is not recorded", table)]
    if cursor is None:
        return [Fact(None, "unread", f"{me} has no cursor: it has never joined", table)]
    found = [Fact(None, "unread", f"{me} has read up to {cursor}", table)]
    return found + _life(channel, agent, now)


def _life(channel: Mirror, agent: AgentRow, now: float) -> list[Fact]:
    me, table = agent.session, _table(channel, f"agents {agent.session}")
    if agent.status == "inactive":
        return [Fact(agent.seen or None, "why", f"{me} is inactive; its last heartbeat", table)]
    if now - agent.seen > SILENT:
        last = (
            f"its last heartbeat was {moment(agent.seen)}"
            if agent.seen
            else "never sent a heartbeat"
        )
        return [Fact(None, "why", f"{me} is {agent.status}, but {last}", table)]
    if not any(one.lives and me in one.agents for one in guardings(channel.place.folder, now)):
        text = f"no process of swarm's guards {me}; another client may"
        return [Fact(None, "why", text, f"{channel.place.folder}/{FOLDER}/")]
    return [Fact(agent.seen, "heard", f"of {me}, {agent.status}: its last heartbeat", table)]
