"""The way out, as it has to be typed in this call's place."""

# Commands as hints begin with them, and what names the channel in each.
PLACES = {
    "swarm status": " --channel {}",
    "swarm task list --all": " --channel {}",
    "swarm task list": " --channel {}",
    "swarm team history": " {}",
    "swarm team join": " {}",
    "swarm team roster": " {}",
}


def placed(hint: str, channel: str | None) -> str:
    """The hint, its command completed for the channel that the call was about."""
    for command, where in PLACES.items():
        if channel and hint.startswith(command):
            return command + where.format(channel) + hint.removeprefix(command)
    return hint
