"""The tools over a mail tree: what each answers is what the command of its name shows."""

import os
import threading

from swarm.errors import Conflict, SwarmError, UsageError
from swarm.mailbox import delivery, inbox, reading, registry, threads
from swarm.mailbox.find import find
from swarm.mailbox.inbox import Item as Mail
from swarm.mcp.answers import (
    HEADERS_MOST,
    Entered,
    Found,
    Held,
    Inbox,
    Item,
    Read,
    Sent,
    Shown,
    Threads,
    brief,
)
from swarm.mcp.desk import Draft
from swarm.mcp.session import Session
from swarm.message import check_body
from swarm.transport.mail_roster import Registry

# A body longer than this is cut in an answer: what is beyond is read from its file.
BODY_SHOWN = 64 * 1024
MOST = 20


class MailDesk:
    """One agent's mailbox as tools see it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._registry: Registry | None = None
        self._looking = threading.Lock()

    def inbox(self, limit: int, sender: str, thread: str) -> Inbox:
        """What is unread; changes nothing."""
        root, me = self.session.root, self.session.me
        found, more = inbox.unread(root, me, max(limit, 0), sender, thread)
        return {"messages": [self._item(one) for one in found], "more": more, "notices": []}

    def read(self, wanted: str, every: bool, peek: bool, held: Held) -> Read:
        """The message meant, the next or all unread ones; ``held`` leaves the receipts."""
        root, me = self.session.root, self.session.me
        if wanted and every:
            raise UsageError("name a message, or say all: one of them")
        if wanted:
            paths = [find(root, me, wanted)]
        else:
            found = (f"{root.inbox(me)}/{name}" for name in inbox.unread_names(root, me))
            paths = [path for path in found if inbox.is_mail(path)]
        if not peek:
            here = (os.path.split(path) for path in paths[:MOST])
            self.session.before_reading([n for folder, n in here if folder == root.inbox(me)])
        answer: Read = {"messages": [], "more": 0, "problems": []}
        for at, path in enumerate(paths):
            if len(answer["messages"]) >= (MOST if every else 1):
                answer["more"] = len(paths) - at
                break
            self._read_one(path, bool(wanted), peek, held, answer)
        return answer

    def _read_one(self, path: str, named: bool, peek: bool, held: Held, answer: Read) -> None:
        root, me = self.session.root, self.session.me
        try:
            claim = reading.look(root, me, path) if peek else reading.claim(root, me, path, named)
        except SwarmError as error:
            if named:
                raise
            answer["problems"].append(error.message)
            return
        if claim is None:
            if named:
                name = os.path.basename(path)
                raise Conflict(f"{name} is gone or being read by another process", "try again")
            return
        if not peek:
            held.keep(claim.done, claim.close)
        answer["messages"].append(self._shown(claim))

    def _shown(self, claim: reading.Claim) -> Shown:
        body = claim.message.body
        text = body[:BODY_SHOWN].decode("utf-8", "replace")
        if len(body) > BODY_SHOWN:
            text += f"\n[{len(body) - BODY_SHOWN} bytes more in {claim.item.path}]\n"
        headers = [[brief(name), brief(value)] for name, value in claim.message.headers]
        return {**self._item(claim.item), "body": text, "headers": headers[:HEADERS_MOST]}

    def _item(self, mail: Mail) -> Item:
        return {
            "file": mail.file,
            "from": brief(mail.sender),
            "subject": brief(mail.subject),
            "to": brief(mail.recipient),
            "thread": brief(mail.thread),
            "status": brief(mail.status),
            "path": self.session.root.relative(mail.path),
            "flags": mail.flags,
        }

    def send(self, to: list[str], draft: Draft) -> Sent:
        """Plain mail, to agents or to all."""
        result = delivery.send(
            self.session.root, self.session.me, to, draft.subject, _bytes(draft.body),
            thread=draft.thread, status=draft.status, detail=draft.detail, key=draft.key,
        )  # fmt: skip
        return _sent(result)

    def reply(self, wanted: str, draft: Draft) -> Sent:
        """To the sender of a message, in its thread."""
        result = delivery.reply(
            self.session.root, self.session.me, wanted, _bytes(draft.body),
            subject=draft.subject, status=draft.status, detail=draft.detail, key=draft.key,
        )  # fmt: skip
        return _sent(result)

    def thread(self, key: str) -> Threads:
        """One's conversations, or one of them in the order of time."""
        root, me = self.session.root, self.session.me
        if not key:
            found, _ = threads.summary(root, me)
            lines = found[-MOST:]
            return {
                "threads": [
                    {"thread": brief(name), "count": count, "last_subject": brief(last)}
                    for name, count, last in lines
                ],
                "messages": [],
                "more": len(found) - len(lines),
            }
        said, bad = threads.thread(root, me, key)
        items = [self._item(one) for one in [*said, *bad]]
        return {"threads": [], "messages": items[-MOST:], "more": max(0, len(items) - MOST)}

    def search(self, words: list[str]) -> Found:
        """Own mail that holds all the words, the newest where there is much."""
        found, bad = threads.search(self.session.root, self.session.me, words)
        items = [self._item(one) for one in [*found, *bad]]
        return {"messages": items[-MOST:], "more": max(0, len(items) - MOST)}

    def register(self, agent: str, role: str, archetype: str, task: str, again: bool) -> Entered:
        """Enter the registry, and be that agent from now on."""
        root = self.session.root
        agent = agent or self.session.agent()
        made = registry.register(root, agent, role, archetype, task, replace=again)
        self.session.become(made)
        return {"id": made, "unread": inbox.count_unread(root, made)}

    def roster(self) -> list[tuple[str, str, str]]:
        """(id, status, what it is for) of the others that are there."""
        root, me = self.session.root, self.session.agent()
        with self._looking:
            self._registry = self._registry or Registry(root)
            mates = self._registry.fresh()
        return [
            (agent, mates[agent].status, mates[agent].description)
            for agent in sorted(mates)
            if agent != me and mates[agent].status != "inactive"
        ]

    def message(self, wanted: str) -> Shown:
        """A message as it stands, without a receipt."""
        held = Held()
        return self.read(wanted, False, True, held)["messages"][0]


def _bytes(body: str) -> bytes:
    """A body as ``-m`` takes it: with a final newline; half a character is replaced."""
    data = body.encode("utf-8", "replace")
    return check_body(data if data.endswith(b"\n") else data + b"\n")


def _sent(result: delivery.Delivery) -> Sent:
    return {
        "delivered": [{"to": d.agent, "file": d.name, "path": d.path} for d in result.delivered],
        "task": "",
        "problems": [error.message for error in result.failed],
    }
