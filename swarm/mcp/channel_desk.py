"""The tools over a channel.  It has no inbox: what the guardian inside passes on is kept here."""

import threading
from dataclasses import replace
from typing import NoReturn

from swarm import names
from swarm.errors import Conflict, SwarmError, Unknown, UsageError
from swarm.events import Event
from swarm.mcp import tasks
from swarm.mcp.answers import Entered, Found, Held, Inbox, Item, Read, Sent, Shown, Threads, brief
from swarm.mcp.desk import Draft
from swarm.mcp.mail_desk import BODY_SHOWN, MOST
from swarm.mcp.session import Session
from swarm.team.channel import Channel
from swarm.team.details import read, within
from swarm.team.entering import enter
from swarm.team.place import home

LOOK_BACK = 1000
REMEMBERED = 500


class Kept:
    """What was passed on, in its order, until it was read; the last of it also after that."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: dict[str, Event] = {}
        self._unread: dict[str, None] = {}

    def add(self, event: Event) -> None:
        """One message, once."""
        with self._lock:
            if event.id not in self._events:
                self._events[event.id] = event
                self._unread[event.id] = None
            for old in list(self._events)[:-REMEMBERED]:
                if old not in self._unread:
                    del self._events[old]

    def unread(self) -> list[Event]:
        """In the order in which they came."""
        with self._lock:
            return [self._events[one] for one in self._unread]

    def read(self, message: str) -> None:
        """Mark one read."""
        with self._lock:
            self._unread.pop(message, None)


class ChannelDesk:
    """One agent's side of a channel; ``kept`` is None where no guardian runs inside."""

    def __init__(self, session: Session, kept: Kept | None) -> None:
        self.session = session
        self.kept = kept

    def _open(self, anew: bool = False) -> Channel:
        where, name = home(self.session.env), self.session.channel or ""
        return Channel.open(where, name, anew=anew, sync=self.session.sync)

    def _unread(self) -> list[Event]:
        self.session.me  # noqa: B018 - nobody has no mail
        if self.kept is None:
            raise SwarmError(
                "a channel has no inbox, and no guardian here keeps what comes",
                "start the server with --guard; the tools tasks and search see all of the channel",
                code="no-guardian",
            )
        return self.kept.unread()

    def inbox(self, limit: int, sender: str, thread: str) -> Inbox:
        """What was passed on and is not read."""
        found = [
            _item(one)
            for one in self._unread()
            if sender in ("", one.sender) and thread in ("", one.key)
        ]
        most = max(limit, 0)
        return {"messages": found[:most], "more": max(0, len(found) - most), "notices": []}

    def read(self, wanted: str, every: bool, peek: bool, held: Held) -> Read:
        """One message by its number, the next or all; marked once the answer is written."""
        if wanted and every:
            raise UsageError("name a message, or say all: one of them")
        found = [self._event(wanted)] if wanted else self._unread()
        shown = found[: MOST if every else 1]
        for one in shown:
            if not peek and self.kept:
                held.keep(lambda kept=self.kept, one=one: kept.read(one.id), lambda: None)  # type: ignore[misc]
        more = len(found) - len(shown)
        return {"messages": [self._shown(one) for one in shown], "more": more, "problems": []}

    def _event(self, wanted: str) -> Event:
        """A message of the channel that the agent may see."""
        number = wanted.removeprefix("#")
        for one in self._seen():
            if one.id == number:
                return one
        _unknown(wanted)

    def _seen(self) -> list[Event]:
        """The last messages from the agent, to it and to all."""
        me = self.session.me
        with self._open() as channel:
            said = channel.history(LOOK_BACK)
        return [one for one in said if one.sender == me or one.to in (me, "")]

    def send(self, to: list[str], draft: Draft) -> Sent:
        """A word to agents, or to all."""
        if draft.thread:
            raise UsageError("a channel has no threads but its tasks", "leave out thread")
        if not to:
            raise UsageError("nobody to send to", "name one or more agents, or all")
        answer: Sent = {"delivered": [], "task": "", "problems": []}
        for agent in dict.fromkeys(to):
            kind, one = ("broadcast", "") if agent == "all" else ("info_only", agent)
            origin = f"key:{self.session.me}:{draft.key}:{agent}" if draft.key else ""
            sent = tasks.send(
                self.session, kind, one, draft.subject, draft.body, draft.detail, origin=origin
            )
            answer["delivered"] += sent["delivered"]
            answer["problems"] += sent["problems"]
        return answer

    def reply(self, wanted: str, draft: Draft) -> Sent:
        """A word to the sender of a message."""
        event = self._event(wanted)
        subject = draft.subject or f"Re: {event.content}"
        return self.send([event.sender], replace(draft, subject=subject))

    def thread(self, key: str) -> Threads:
        """The agent's tasks, which are all the conversations that a channel has, or one's words."""
        if not key:
            found = tasks.listed(self.session, True)["tasks"]
            lines = found[-MOST:]
            return {
                "threads": [
                    {"thread": one["task"], "count": 1, "last_subject": one["last_word"]}
                    for one in lines
                ],
                "messages": [],
                "more": len(found) - len(lines),
            }
        said = tasks.words(self.session, key)
        return {
            "threads": [],
            "messages": [_item(one) for one in said[-MOST:]],
            "more": max(0, len(said) - MOST),
        }

    def search(self, words: list[str]) -> Found:
        """Among the last messages that the agent may see."""
        wanted = [word.casefold() for word in words]
        if not wanted:
            raise UsageError("nothing to search for")
        found = [
            _item(one)
            for one in self._seen()
            if all(word in f"{one.sender} {one.content}".casefold() for word in wanted)
        ]
        return {"messages": found[-MOST:], "more": max(0, len(found) - MOST)}

    def register(self, agent: str, role: str, archetype: str, task: str, again: bool) -> Entered:
        """Join the channel, and be that agent from now on."""
        agent = agent or self.session.agent()
        if not agent:
            raise UsageError("which id?", "give one: a channel draws none", code="no-agent")
        with self._open(anew=True) as channel:
            there = channel.row(names.check_id(agent))
            if there and there.status != "inactive" and not again:
                raise Conflict(
                    f"{agent} is in the channel already",
                    "say replace to take the id over, or choose another",
                    code="registered",
                )
            enter(channel, agent, description=f"{role}: {task}")
        self.session.become(agent)
        return {"id": agent, "unread": len(self.kept.unread()) if self.kept else 0}

    def roster(self) -> list[tuple[str, str, str]]:
        """(id, status, what it is for) of the others that have not left."""
        me = self.session.agent()
        with self._open() as channel:
            rows = channel.roster()
        return [
            (row.session, row.status, f"{row.name}: {row.description}".removesuffix(": "))
            for row in rows
            if row.session != me and row.status != "inactive"
        ]

    def message(self, wanted: str) -> Shown:
        """A message as it stands."""
        return self._shown(self._event(wanted))

    def _shown(self, event: Event) -> Shown:
        headers = [[name, brief(value)] for name, value in _told(event).items() if value]
        return {**_item(event), "body": self._text(event), "headers": headers}

    def _text(self, event: Event) -> str:
        """The content, and the longer text where the detail lies in the channel's own folder.

        A path elsewhere is the sender's word: a client's other tools may follow it, we do not.
        """
        text = brief(event.content, BODY_SHOWN) + "\n"
        with self._open() as channel:
            folder = channel.place.folder
        inner = within(event.detail, folder)
        if not inner:
            return text
        try:
            data = read(folder, inner, BODY_SHOWN + 1)
        except OSError as error:
            return f"{text}\n[the detail cannot be read: {error.strerror}]\n"
        more = f"\n[more in {folder}/{inner}]\n" if len(data) > BODY_SHOWN else ""
        return f"{text}\n{data[:BODY_SHOWN].decode('utf-8', 'replace')}{more}"


def _item(event: Event) -> Item:
    return {
        "file": event.id,
        "from": brief(event.sender),
        "subject": brief(event.content),
        "to": event.to or "all",
        "thread": event.key,
        "status": event.kind,
        "path": event.detail,
        "flags": ["malformed"] if event.problem else [],
    }


def _told(event: Event) -> dict[str, str]:
    return {
        "From": event.sender,
        "To": event.to or "all",
        "Event": event.kind,
        "Task": event.key,
        "Ref": event.ref,
        "Intent": event.intent,
        "Detail": event.detail,
        "Problem": event.problem,
    }


def _unknown(wanted: str) -> NoReturn:
    raise Unknown(
        f"no message {names.shown(wanted)} for you in the channel",
        "check_inbox lists their numbers",
        code="unknown-message",
    )
