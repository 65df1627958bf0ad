"""What is wrong with the channels of the team bus, and with the SQLite that they are used by."""

from swarm.doctor.finding import Finding
from swarm.errors import SwarmError
from swarm.team import faults, place
from swarm.team.channel import Channel


def examine(team_home: str) -> list[Finding]:
    """Each channel read in whole; nothing of SQLite where there is none."""
    try:
        named = place.channels(team_home)
    except SwarmError as error:
        return [Finding("fail", team_home, error.message, error.hint)]
    found = [finding for name in named for finding in _channel(team_home, name)]
    return found + _sqlite(team_home) if named else found


def _channel(team_home: str, name: str) -> list[Finding]:
    path = place.Place(team_home, name).database
    try:
        with Channel.open(team_home, name) as channel:
            return [Finding("fail", path, text, faults.aside(path)) for text in channel.check()]
    except SwarmError as error:
        return [Finding("warn" if error.temporary else "fail", path, error.message, error.hint)]


def _sqlite(team_home: str) -> list[Finding]:
    version, sound = faults.version()
    if sound:
        return [Finding("ok", team_home, f"SQLite {version}")]
    fault = f"SQLite {version} may, though rarely, damage a file that several processes use"
    return [Finding("warn", team_home, fault, "update it to 3.51.3 or later")]
