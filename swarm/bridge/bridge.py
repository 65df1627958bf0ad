"""The bridge of one mail tree and one channel: looks at both, plans, applies."""

from swarm import disk
from swarm.bridge import crossing, pair, plan, workers
from swarm.bridge.actions import Action, Mirrored, Speak
from swarm.bridge.apply import Apply, Tell
from swarm.bridge.channel_side import ChannelSide
from swarm.bridge.health import Crossings
from swarm.bridge.mail_side import MailSide
from swarm.bridge.pair import MAKING, Ledger, find
from swarm.bridge.people import People, people
from swarm.bridge.who import Who
from swarm.events import Event
from swarm.mailbox import receipts
from swarm.mailbox.layout import Root
from swarm.team.mirror import PAGE, Mirror

# Rows looked at first for one that is not read: mostly there is one.
FEW = 4


class Bridge:
    """Made only by who holds the pair's lock: see ``Standby``."""

    def __init__(self, root: Root, mirror: Mirror, tell: Tell, rebuild: bool = False) -> None:
        mirror.prepare()
        self.root = root
        self.mirror = mirror
        self._ledger = ledger = Ledger(root, mirror.place.channel)
        self.pair = find(root, mirror, ledger, rebuild)
        ledger.check()
        noted = ledger.numbers()
        origins = mirror.origins(f"{self.pair.token}/")
        self._mail = MailSide(root, self.pair.token, origins, noted, self._making())
        ledger.note({k: n for k, n in self._mail.rows.items() if noted.get(k) != n})
        lost = self._making() and bool(noted)
        if lost:
            mirror.keep_numbers(max(noted.values()))
        # The others need no second place in memory.
        self._numbers = {k: n for k, n in noted.items() if k not in self._mail.rows}
        self._channel = ChannelSide(mirror, self.pair.token)
        self._crossings = Crossings(root, mirror.place.channel)
        self._tell = tell
        self._apply = Apply(root, mirror, self._mail, self.pair, ledger, self._once)
        self._apply.lost = lost
        self._workers = workers.Workers(root, self._mail)
        self._gone: set[str] = set()
        self._waiting: set[str] = set()
        self._cursors: dict[str, int] = {}
        # What there was when all was in place: while it is the same nothing is to be done.
        self._met: object = None
        self._seen: object = None
        self._recalled = False

    def _once(self, about: str, text: str) -> None:
        """Told once for each thing, however often it is met, and kept for ``swarm doctor``."""
        if self._crossings.add(text):
            self._tell(about, text)

    def _recall_requests(self) -> None:
        """Requests from the channel that may still be open, of workers that have only files."""
        who, after = self._apply.who, 0
        while page := self.mirror.requests(after):
            after = int(page[-1].id)
            for event in page:
                agent, sender = who.id(event.to), who.id(event.sender)
                there = int(event.id) <= self.pair.mirrored or not self._is_foreign(event)
                if there and agent in who.residents and sender in who.guests:
                    thread = self._channel.thread(int(event.id))
                    self._workers.recall(agent, self._channel.file_name(event), thread, sender)

    # --- one pass ------------------------------------------------------------------------------

    def step(self, hinted: set[str] | None = None) -> int:
        """Look, plan and perform a page of what is missing; how much there was.

        Conflict where one of the sides is not what it was: nothing is taken for deleted then.
        What fails leaves all that it had begun with to be looked at again.
        ``hinted``: in whose mailboxes something may be new; None for everything.
        """
        try:
            count = self._step(hinted)
        except BaseException:
            self._mail.again()
            self._cursors = {}
            self._met = self._seen = None
            raise
        return count

    def _step(self, hinted: set[str] | None) -> int:
        count = 0
        self._ledger.check()
        self._ledger.note({})
        self.mirror.check_place()
        if hinted is None:
            pair.check(self.mirror, self.pair)
            count += self._apply.again()
        self._mail.look(hinted)
        page = [] if self._making() else self._channel.page(self._apply.reached)
        letters = self._mail.fresh(PAGE)
        for event in page:
            self._notice(event)
        if hinted is None or self._strangers(page, letters):
            count += self._meet()
        count += self._apply.perform(self._rows(page))
        count += self._apply.perform(self._letters(letters))
        if hinted is None or page:
            count += self._read(page)
            count += self._speak()
        if self._making() and not self._mail.behind:
            self._made()
            count += 1
        for about, text in self._mail.problems.items():
            self._once(about, text)
        self._mail.problems.clear()
        return count

    def _meet(self) -> int:
        """Who is there on both sides, if that may have changed."""
        now = (
            self.mirror.version(), self._mail.census.roster(), set(self._waiting), set(self._gone),
            self._workers.busy,
        )  # fmt: skip
        if now == self._met:
            return 0
        done = self._apply.perform(self._people())
        self._met = None if done else now
        return done

    def _read(self, page: list[Event]) -> int:
        """What was read on both sides, if that may have changed."""
        now = self.mirror.version()
        if now == self._seen and not page and not self._mail.listed:
            return 0
        done = self._apply.perform(self._reads(page))
        self._seen = None if done else now
        self._mail.listed.clear()
        return done

    def _strangers(self, page: list[Event], letters: list[plan.Letter]) -> bool:
        """Whether somebody speaks, or is spoken to, who was not there before, or has left."""
        who = self._apply.who
        return any(not who.id(e.sender) or crossing.is_presence(e) for e in page) or any(
            not who.session(agent) for one in letters for agent in (one.owner, one.sender)
        )

    def _speak(self) -> int:
        """Say for workers without a guardian what their files say; what changed by that."""
        busy = self._workers.busy
        found = self._workers.plan(self._apply.who)
        for action in found:
            if isinstance(action, Speak):
                problem = self._workers.speak(action.agent, action.event)
                if problem:
                    self._once(action.agent, f"{action.agent} cannot answer: {problem}")
        return len(found) + (busy != self._workers.busy)

    def missing(self) -> list[Action]:
        """What a step would do, without doing it."""
        self._mail.look(None)
        page = [] if self._making() else self._channel.page(self._apply.reached)
        letters = self._letters(self._mail.fresh(PAGE))
        actions = [*self._people(), *self._rows(page), *letters, *self._reads(page)]
        return [*actions, *self._workers.plan(self._apply.who)]

    def settle(self) -> None:
        """Step until nothing is missing; folders are listed again once all found is carried."""
        hinted: set[str] | None = None
        while (busy := self.step(hinted)) or hinted is not None:
            hinted = set() if busy else None

    def _making(self) -> bool:
        """Whether rows of the channel have to wait until all of the tree has crossed."""
        return self.pair.mirrored == MAKING

    def _made(self) -> None:
        if self._apply.lost:
            everybody = {*self._apply.who.residents, *self._apply.who.guests}
            while self._apply.perform(self._advances(everybody, self.mirror.cursors())):
                continue
            self._apply.lost = False
        self._mail.made()
        self._recalled = False
        self._apply.perform([Mirrored(0)])

    def _people(self) -> list[Action]:
        sessions = self._channel.sessions()
        guests, residents = self._mail.census.people(self.mirror.place.channel, sessions)
        self._apply.who = Who(
            [(row.ours, row.session) for row in sessions.values() if row.ours],
            guests.items(),
        )
        for agent in self._workers.busy:
            if agent in residents:
                residents[agent].task = True
        if not self._recalled:
            self._recall_requests()
            self._recalled = True
        found = People(
            who=self._apply.who,
            residents=residents,
            lodgers=self._mail.census.lodgers(self._apply.who.guests),
            sessions=sessions,
            known=self._mail.census.known(),
            told=self._apply.told,
            waiting=frozenset(self._waiting),
            gone=frozenset(self._gone),
            unmarked=frozenset(self._mail.census.unmarked()),
        )
        return list(people(found))

    def _notice(self, event: Event) -> None:
        """Who left, and who waits for an answer."""
        sender, to = event.sender, event.to
        if crossing.is_presence(event) and event.intent == "agent_leave":
            self._gone.add(event.sender)
        else:
            self._gone.discard(event.sender)
        if event.kind == "task_clarify":
            self._waiting.add(sender)
        elif event.kind == "task_clarify_res":
            self._waiting.discard(to)
        elif event.kind in ("task_done", "task_fail", "task_cancel_ack"):
            self._waiting.discard(sender)

    def _rows(self, page: list[Event]) -> list[Action]:
        look = self._channel.lookup(page, self._mail.census.at_work())
        ours, channel = self.pair, self.mirror.place.channel
        found = plan.rows_to_files(page, self._apply.who, look, ours.token, channel, ours.restored)
        actions = list(found)
        self._workers.note(actions)
        return actions

    def _letters(self, page: list[plan.Letter]) -> list[Action]:
        openers = self._channel.openers(page, self._apply.who)
        rows = list(plan.files_to_rows(page, self.pair.token, openers, self._numbers))
        self._workers.heard(rows)
        return [*rows]

    def _reads(self, page: list[Event]) -> list[Action]:
        """Receipts and cursors, where a listing or a cursor changed, or a row came."""
        who, cursors = self._apply.who, self._channel.cursors()
        moved = {who.id(s) for s, n in cursors.items() if self._cursors.get(s) != n}
        self._cursors = cursors
        to = {who.id(event.to) for event in page}
        everybody = set(who.residents) if "" in to else set()
        agents = (moved | self._mail.listed | to | everybody) - {""}
        unread = {agent: self._mail.unread(agent) for agent in agents}
        advances = self._advances(agents & set(who.residents), cursors)
        return [*plan.reads(unread, who, cursors, self.pair.restored), *advances]

    def _advances(self, agents: set[str], cursors: dict[str, int]) -> list[Action]:
        """Of residents; and of guests whose cursors were lost with the channel, for whom their
        receipts tell what is not to be said to them again."""
        who = self._apply.who
        there = [agent for agent in sorted(agents) if who.session(agent) in cursors]
        return list(plan.advances({a: self._behind(a, cursors) for a in there}, who, cursors))

    def _behind(self, agent: str, cursors: dict[str, int]) -> list[int]:
        """The rows after a resident's cursor that it has read, up to the first that it has not."""
        session = self._apply.who.session(agent)
        found: list[int] = []
        after, limit = cursors.get(session, 0), FEW
        while rows := self._channel.behind(session, after, limit):
            for event in rows:
                if not self._is_read(agent, event):
                    return found
                found.append(int(event.id))
            after, limit = found[-1], PAGE
        return found

    def _is_read(self, agent: str, event: Event) -> bool:
        """Whether its file has a receipt, or never was or no longer is in the inbox."""
        name = self._channel.file_name(event)
        if int(event.id) > self._apply.reached and self._is_foreign(event):
            return False  # its file is still to come
        if self._apply.is_late(agent, int(event.id)):
            return False
        inbox = self.root.inbox(agent)
        if receipts.has(self.root, agent, name):
            return True
        try:
            return disk.is_there(inbox) and not disk.is_there(f"{inbox}/{name}")
        except OSError:  # it may be there: unread until that can be seen
            return False

    def _is_foreign(self, event: Event) -> bool:
        return not event.origin.startswith(f"{self.pair.token}/")
