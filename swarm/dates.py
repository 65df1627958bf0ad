"""When a message says that it was sent.  Pure."""

from datetime import UTC, datetime


def dated(date: str) -> float | None:
    """What its Date says in epoch seconds (UTC without an offset), None where none can be read."""
    try:
        when = datetime.fromisoformat(date)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
