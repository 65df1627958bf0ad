"""What the bridges of the tree tell of a message: whether it crossed, and where it is there."""

import os

from swarm.bridge import words
from swarm.bridge.health import FOLDER, Health, bridges
from swarm.bridge.pair import Ledger
from swarm.errors import SwarmError
from swarm.mailbox import guests
from swarm.mailbox.layout import Root
from swarm.team.mirror import Mirror
from swarm.trace import rows
from swarm.trace.fact import Fact
from swarm.trace.letter import Letter


def facts(root: Root, letter: Letter, now: float) -> list[Fact]:
    """Of each channel that it has a row on, or that its recipient lives on."""
    guest = guests.guest(root, letter.box)
    found = []
    for bridge in bridges(root, now):
        try:
            lives_there = guest is not None and guest.channel == bridge.channel
            found += _channel(root, letter, bridge, lives_there, now)
        except SwarmError as error:
            what = f"what channel {bridge.channel} says: {error.message}"
            found.append(Fact(None, "unknown", what, f"{FOLDER}/{bridge.channel}/"))
    if guest is not None and not any(one.channel == guest.channel for one in bridges(root, now)):
        text = f"{letter.box} lives on channel {guest.channel}, to which there is no bridge"
        found.append(Fact(None, "why", text, f"{letter.box}/{guests.MARK}"))
    return found


def _channel(
    root: Root, letter: Letter, bridge: Health, lives_there: bool, now: float
) -> list[Fact]:
    ledger, folder = Ledger(root, bridge.channel), f"{FOLDER}/{bridge.channel}"
    number = ledger.numbers().get(words.key(letter.box, letter.name), 0)
    came = words.row_number(ledger.token(), letter.name)
    found = [
        Fact(None, "why", f"could not cross: {line}", f"{folder}/problems")
        for line in bridge.problems
        if letter.name in line
    ]
    if number or came:
        verb = f"came as row {came}" if came else f"is row {number}"
        found.append(Fact(None, "crossed", f"{verb} of channel {bridge.channel}", f"{folder}/rows"))
        return found + _row(ledger, bridge.channel, came or number, lives_there, now)
    if not lives_there:
        return found
    text = f"not carried over to channel {bridge.channel}, where {letter.box} lives"
    found.append(Fact(None, "why", text, f"{folder}/rows"))
    if not bridge.process:
        found.append(Fact(None, "why", "no bridge runs: its lock is free", f"{folder}/lock"))
    elif bridge.problem:
        found.append(Fact(now - (bridge.age or 0), "why", bridge.problem, f"{folder}/lock"))
    return found


def _row(ledger: Ledger, channel: str, number: int, lives_there: bool, now: float) -> list[Fact]:
    """The row itself; who has read it, where the recipient lives on the channel."""
    with Mirror.open(os.path.dirname(ledger.place()), channel, sync=False) as mirror:
        row = mirror.message(number)
        if row is None:
            where = f"{channel}: messages {number}"
            return [Fact(None, "unknown", f"what row {number} said: it is not there", where)]
        found = rows.facts(mirror, row, now)
    told = {"row", "answered"} | ({"passed", "unread", "heard", "why"} if lives_there else set())
    return [fact for fact in found if fact.kind in told]
