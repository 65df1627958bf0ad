"""When a message says that it was sent.  Pure."""

from datetime import UTC, datetime

from swarm.message import Message


def dated(message: Message) -> float | None:
    """Its Date in epoch seconds (UTC without an offset), None where none can be read."""
    try:
        when = datetime.fromisoformat(message.fields.get("date", ""))
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
